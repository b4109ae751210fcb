#!/usr/bin/env python3
"""Programs that are checked while they run. One scenario for each test; see SCENARIOS at the end."""

import argparse
import json
import os
import pathlib
import random
import resource
import signal
import socket
import struct
import subprocess
import sys
import threading
import time

from collector import Collector

HERE = pathlib.Path(__file__).resolve().parent
LANDING = "property safe_landing: start(landing == 1) -> [approved == 1, radio == 0)\n"


class Failed(Exception):
    pass


def check(what, *more):
    if not what:
        raise Failed(" ".join(str(m) for m in more))


class Bench:
    """The built Sooth, and a folder to work in."""

    def __init__(self, bin_folder, work):
        self.bin = pathlib.Path(bin_folder)
        self.work = pathlib.Path(work)
        self.work.mkdir(parents=True, exist_ok=True)

    def build(self, name, *flags, output=None):
        source = HERE / "programs" / name
        program = self.work / (output or source.stem)
        compiler = self.bin / ("sooth-c++" if source.suffix == ".cpp" else "sooth-cc")
        subprocess.run([compiler, "-g", "-O1", "-pthread", source, "-o", program, *flags], check=True, timeout=240)
        return program

    def property(self, text, name="test.prop"):
        file = self.work / name
        file.write_text(text)
        return file

    def run(self, program, *arguments, observer=None, token=None, settings=None, **options):
        environment = {k: v for k, v in os.environ.items() if not k.startswith("SOOTH_")}
        if observer:
            environment["SOOTH_OBSERVER"] = observer
        if token:
            environment["SOOTH_TOKEN"] = token
        if settings:
            environment["SOOTH_OPTIONS"] = settings
        return subprocess.run([program, *arguments], env=environment, capture_output=True, text=True, timeout=200, **options)


class Observer:
    """A running `sooth observe`."""

    running = []

    def __init__(self, bench, prop, *options, listen=None, token=None):
        self.socket = bench.work / "socket"
        self.json = bench.work / "verdict.json"
        self.log = bench.work / "observer.log"
        self.json.unlink(missing_ok=True)
        command = [bench.bin / "sooth", "observe", "--listen", listen or f"unix:{self.socket}", "--json", self.json, *options]
        if prop:
            command += ["--property", prop]
        environment = {k: v for k, v in os.environ.items() if not k.startswith("SOOTH_")}
        if token:
            environment["SOOTH_TOKEN"] = token
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(command, stderr=log, stdout=log, env=environment)
        self.running.append(self.process)
        while "observing at" not in self.text():
            check(self.process.poll() is None, "the observer ended:", self.text())
            time.sleep(0.01)
        self.address = self.text().split("observing at ")[1].split()[0]

    def text(self):
        return self.log.read_text()

    def wait_for(self, what):
        while what not in self.text():
            check(self.process.poll() is None, "the observer ended without", what, self.text())
            time.sleep(0.01)

    def verdict(self):
        """Waits for its end; what it wrote."""
        self.status = self.process.wait(timeout=250)
        return json.loads(self.json.read_text())

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.verdict()


def finding(verdict, status, name):
    found = [f for f in verdict["findings"] if f["status"] == status and f["property"] == name]
    check(len(found) == 1, "expected one", status, name, "in", json.dumps(verdict["findings"]))
    return found[0]


def landing(bench):
    """Observed safe, predicted unsafe; the program is as it was."""
    program = bench.build("landing.cpp")
    plain = bench.run(program)
    observer = Observer(bench, bench.property(LANDING), "--once")
    check(observer.socket.stat().st_mode & 0o777 == 0o600, "the socket's mode", oct(observer.socket.stat().st_mode))
    result = bench.run(program, observer=observer.address)
    check(result.returncode == 0 and result.stderr == "", result)
    check(result.stdout == plain.stdout == "approved = 1, landing = 1, radio = 0\n", result, plain)
    verdict = observer.verdict()
    check(observer.status == 66, observer.status)
    check(len(verdict["findings"]) == 1, verdict["findings"])
    found = finding(verdict, "predicted", "safe_landing")
    check(verdict["coverage"]["complete"], verdict["coverage"])
    steps = [(s["variable"], int(s["value"], 16)) for s in found["witness"]]
    check(("radio", 0) in steps and steps[-1] == ("landing", 1), steps)
    check([s["variable"] for s in found["observed"]] == sorted([s["variable"] for s in found["witness"]], key=["approved", "landing", "radio"].index), found["observed"])
    check(not observer.socket.exists(), "the socket is still there")
    # No trace was left behind.
    check(not list(bench.work.glob("*.sooth")), list(bench.work.glob("*.sooth")))


def same_as_recorded(bench):
    """The same verdicts from a trace and from messages."""
    safe = "property safe: radio == 1 -> (landing == 1 -> approved == 1)\n"
    cases = [("landing.cpp", [], LANDING + safe),
             ("threads.cpp", ["ordered"], "property after_ready: start(served > 0) -> ready == 1\n"),
             ("counter.cpp", ["600"], "property small: steps < 500\n")]
    for source, arguments, text_of_property in cases:
        program = bench.build(source)
        prop = bench.property(text_of_property)
        trace, report = bench.work / "run.sooth", bench.work / "report.json"
        trace.unlink(missing_ok=True)
        bench.run(bench.bin / "sooth", "record", "-o", trace, program, *arguments)
        result = bench.run(bench.bin / "sooth", "check", trace, "--property", prop, "--model", "hb", "--find", "properties", "--json", report)
        check(result.returncode in (0, 66), result)
        observer = Observer(bench, prop, "--once")
        bench.run(program, *arguments, observer=observer.address)
        verdicts = [{(f["status"], f["property"]) for f in verdict["findings"]}
                    for verdict in (json.loads(report.read_text()), observer.verdict())]
        check(verdicts[0] == verdicts[1], source, "recorded:", verdicts[0], "observed:", verdicts[1])


def threads(bench):
    """Thirty threads, created dynamically: predicted where nothing orders them, safe where something does."""
    program = bench.build("threads.cpp")
    prop = bench.property("property after_ready: start(served > 0) -> ready == 1\n")
    observer = Observer(bench, prop, "--once", "--max-width", "1000")
    result = bench.run(program, observer=observer.address)
    check(result.stdout == "30\n", result)
    verdict = observer.verdict()
    check(any(f["property"] == "after_ready" for f in verdict["findings"]), verdict)
    observer = Observer(bench, prop, "--once")
    result = bench.run(program, "ordered", observer=observer.address)
    check(result.stdout == "30\n", result)
    verdict = observer.verdict()
    check(verdict["findings"] == [] and verdict["coverage"]["complete"], verdict)
    check(verdict["trace"]["threads"] == 31, verdict["trace"])


def stop(bench):
    """`when violated: stop` halts the program before the write that violates."""
    program = bench.build("counter.cpp")
    prop = bench.property("property small: steps < 500 when violated: stop\n")
    observer = Observer(bench, prop, "--once")
    result = bench.run(program, "100000", observer=observer.address)
    check(result.returncode == 66 and result.stdout == "", result)
    check("small" in result.stderr, result.stderr)
    verdict = observer.verdict()
    found = finding(verdict, "observed", "small")
    check(int(found["witness"][-1]["value"], 16) == 500, found["witness"][-1])
    check(not verdict["coverage"]["complete"], verdict["coverage"])


def stop_predicted(bench):
    """`when violated: stop` also halts the program before the write that lets another order violate."""
    program = bench.build("landing.cpp")
    observer = Observer(bench, bench.property("property safe_landing: start(landing == 1) -> [approved == 1, radio == 0)\n  when violated: stop\n"), "--once")
    result = bench.run(program, observer=observer.address)
    check(result.returncode == 66 and result.stdout == "" and "safe_landing" in result.stderr, result)
    found = finding(observer.verdict(), "predicted", "safe_landing")
    check([step["variable"] for step in found["witness"]][-1] == "landing", found["witness"])


def calls_program(bench):
    """`when violated: call` calls the registered function, in the thread whose event it was."""
    program = bench.build("called.cpp")
    prop = bench.property("property small: steps < 3 when violated: call bound\n"
                          "property ordered: start(landing == 1) -> radio == 1 when violated: call lost\n"
                          "property apart: noise >= 0\n")
    observer = Observer(bench, prop, "--once")
    result = bench.run(program, observer=observer.address)
    # The function runs before the store that violates, and the program goes on.
    check(result.stdout == "bound small 1 called.cpp 2\nlost ordered 2 0\nend 9 1000\n", result)
    check(result.returncode == 0 and result.stderr == "", result)
    verdict = observer.verdict()
    finding(verdict, "observed", "small")
    finding(verdict, "predicted", "ordered")
    check(verdict["coverage"]["complete"], verdict["coverage"])
    # Nobody has registered it: it is told, and the program goes on.
    observer = Observer(bench, bench.property("property small: steps < 3 when violated: call nobody\n"), "--once")
    result = bench.run(program, observer=observer.address)
    check(result.stdout == "end 9 1000\n" and result.returncode == 0, result)
    check("nobody has registered" in result.stderr and result.stderr.count("\n") == 1, result.stderr)
    observer.verdict()


def killed(bench):
    """A program that is killed leaves a verdict on what arrived, marked incomplete."""
    program = bench.build("counter.cpp")
    observer = Observer(bench, bench.property("property small: steps < 500\n"), "--once")
    environment = dict(os.environ, SOOTH_OBSERVER=observer.address)
    with subprocess.Popen([program, "1000", "wait"], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as running:
        check(running.stdout.readline() == b"1000\n", "output")
        observer.wait_for("observed violation of property")  # told while the program still runs
        running.kill()
    verdict = observer.verdict()
    finding(verdict, "observed", "small")
    check(not verdict["coverage"]["complete"] and verdict["coverage"]["cutOff"] == 1, verdict["coverage"])


def observer_gone(bench):
    """The program goes on as if nothing had happened, and says so once."""
    program = bench.build("counter.cpp")
    observer = Observer(bench, bench.property("property small: steps >= 0\n"))
    environment = dict(os.environ, SOOTH_OBSERVER=observer.address)
    with subprocess.Popen([program, "300000", "wait"], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as running:
        observer.process.send_signal(signal.SIGSTOP)
        wait_until_blocked(running.pid)  # in the middle of its messages
        observer.process.kill()
        observer.process.wait()
        check(running.stdout.readline() == b"300000\n", "output")
        running.stdin.close()
        check(running.wait(timeout=100) == 7, running.returncode)
        told = running.stderr.read().decode()
    check(told.count("\n") == 1 and told.startswith("sooth: "), told)
    # There was never one: the same.
    result = bench.run(program, "10", observer="unix:/nowhere/at/all")
    check(result.returncode == 7 and result.stdout == "10\n" and result.stderr.count("\n") == 1, result)
    result = bench.run(program, "10", observer="somewhere")
    check(result.returncode == 7 and result.stdout == "10\n" and "SOOTH_OBSERVER" in result.stderr, result)


def read_frame(connection):
    data = b""
    while len(data) < 4 or len(data) < 4 + struct.unpack("<I", data[:4])[0]:
        wanted = 4 if len(data) < 4 else 4 + struct.unpack("<I", data[:4])[0]
        more = connection.recv(wanted - len(data))
        if not more:
            return None
        data += more
    return data[4:]


def observer_lies(bench):
    """One that is mute, one that cuts its answer off, one that asks for memory that is no variable: the program goes on without it."""
    program = bench.build("counter.cpp")
    address = bench.work / "liar"

    def variable(where, size):
        return frame(bytes([TABLE]) + number(1) + number(where) + number(size) + text("") + number(0) + number(0))

    def serve(server, answers):
        connection, _ = server.accept()
        while answers and (message := read_frame(connection)) is not None:
            if message[0] in answers:
                connection.sendall(answers.pop(message[0]))
        while connection.recv(65536):  # until the program has gone
            pass
        connection.close()

    HELLO, SYMBOLS = 1, 3
    welcome = frame(bytes([WELCOME]) + number(4))
    for what, answers in (
        ("mute", {}),
        ("half an answer", {HELLO: welcome[:-1]}),
        ("address 8", {HELLO: welcome, SYMBOLS: variable(8, 4)}),
        ("the end of the address space", {HELLO: welcome, SYMBOLS: variable(2**64 - 2, 8)}),
    ):
        address.unlink(missing_ok=True)
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(address))
            server.listen()
            liar = threading.Thread(target=serve, args=(server, answers))
            liar.start()
            result = bench.run(program, "10", observer=f"unix:{address}")
            liar.join()
        check(result.returncode == 7 and result.stdout == "10\n", what, result)
        check(result.stderr.count("\n") == 1 and "observe" in result.stderr, what, result)


def observer_slow(bench):
    """A stopped observer holds the program up; nothing is lost when it goes on."""
    program = bench.build("counter.cpp")
    observer = Observer(bench, bench.property("property small: steps >= 0\n"), "--once")
    environment = dict(os.environ, SOOTH_OBSERVER=observer.address)
    with subprocess.Popen([program, "20000", "wait"], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as running:
        observer.process.send_signal(signal.SIGSTOP)
        wait_until_blocked(running.pid)
        observer.process.send_signal(signal.SIGCONT)
        check(running.stdout.readline() == b"20000\n", "output")
        running.stdin.close()
        check(running.wait(timeout=100) == 7, running.returncode)
    verdict = observer.verdict()
    check(verdict["coverage"]["complete"] and verdict["trace"]["events"] == 20000, verdict)


def wait_until_blocked(pid):
    """Until no thread of the process runs, for a while: it waits for the observer, or for its input."""
    quiet = 0
    while quiet < 5:
        states = []
        for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
            try:
                states.append((task / "stat").read_text().rsplit(")", 1)[1].split()[0])
            except FileNotFoundError:
                pass
        quiet = quiet + 1 if states and all(s == "S" for s in states) else 0
        time.sleep(0.02)


def frame(body):
    return struct.pack("<I", len(body)) + body


def number(value):
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def text(value):
    return number(len(value)) + value.encode()


def hello(role=0, session=b"\1" * 16, token="", version=4, program="test"):
    magic = 0x31726573626F68FE
    return frame(bytes([1]) + number(magic) + number(version) + number(role) + session + text(token) + text(program) + number(1))


class Client:
    def __init__(self, observer):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(60)
        self.socket.connect(str(observer.socket))

    def say(self, data):
        try:
            self.socket.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            pass

    def answer(self):
        """The type of the next message, or None at the end."""
        try:
            head = self.read(4)
            return self.read(struct.unpack("<I", head)[0])[0] if head else None
        except ConnectionResetError:
            return None

    def read(self, size):
        data = b""
        while len(data) < size:
            more = self.socket.recv(size - len(data))
            if not more:
                return b""
            data += more
        return data


WELCOME, REFUSED, TABLE = 64, 65, 67


def hostile(bench):
    """Whatever is said on one connection ends that connection, and the program beside it is observed to its end."""
    program = bench.build("landing.cpp")
    observer = Observer(bench, bench.property(LANDING))
    wrong = [
        b"GET / HTTP/1.1\r\n\r\n",
        frame(b"\0"),
        frame(b"\xff" * 100),
        struct.pack("<I", 0),
        struct.pack("<I", 0xFFFFFFFF),
        frame(bytes([5]) + b"\0" * 20),  # an event before hello
        hello(version=99),
        hello(role=1),  # a channel of no program
        hello(role=0)[:-1] + b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
    ]
    for data in wrong:
        client = Client(observer)
        client.say(data)
        check(client.answer() in (REFUSED, None), data[:40])
        check(client.answer() is None, "still open after", data[:40])
    for after_hello in [hello(), frame(bytes([64, 1])), frame(bytes([4, 0])), frame(bytes([2, 9, 0, 1, 0])),
                        frame(bytes([3, 5])), frame(bytes([255]))]:
        client = Client(observer)
        session = os.urandom(16)
        client.say(hello(session=session))
        check(client.answer() == WELCOME, "no welcome")
        client.say(after_hello)
        check(client.answer() == REFUSED, after_hello)
        check(client.answer() is None, "still open after", after_hello)
    beside = Client(observer)
    beside.say(hello()[:10])  # in the middle of a message
    result = bench.run(program, observer=observer.address)
    check(result.returncode == 0 and result.stderr == "", result)
    beside.socket.close()
    observer.wait_for("in the middle of a message")
    verdicts = observer.stop()
    check(len(verdicts) == 7, "programs:", len(verdicts))
    verdict = [v for v in verdicts if v["program"]["name"] == "landing"][0]
    finding(verdict, "predicted", "safe_landing")
    check(verdict["coverage"]["complete"], verdict["coverage"])
    check(all(v["findings"] == [] and not v["coverage"]["complete"] for v in verdicts if v is not verdict), verdicts)


def strangers(bench):
    """Hundreds that connect and say nothing, hold up no program; nor do they end --once; nothing is read of them but a hello."""
    program = bench.build("counter.cpp")
    observer = Observer(bench, bench.property("property small: steps >= 0\n"), "--once")
    silent = [Client(observer) for _ in range(600)]
    for client in silent[:3]:  # as many bytes as the observer takes from those that it does not know
        client.say(struct.pack("<I", 1 << 20) + b"\0" * 100)
        check(client.answer() in (REFUSED, None), "a large message before hello was taken")
    greeting = Client(observer)  # a stranger that knows the protocol, and leaves again
    greeting.say(hello(session=os.urandom(16)))
    check(greeting.answer() == WELCOME, "no welcome")
    greeting.socket.close()
    result = bench.run(program, "10", observer=observer.address)
    check(result.returncode == 7 and result.stderr == "", result)
    verdicts = observer.verdict()
    check(len(verdicts) == 2 and verdicts[1]["trace"]["events"] == 10, verdicts)
    del silent


def descriptors(bench):
    """Without free descriptors the observer waits, without taking a core, until there are some."""
    program = bench.build("counter.cpp")
    observer = Observer(bench, bench.property("property small: steps >= 0\n"), "--once")
    resource.prlimit(observer.process.pid, resource.RLIMIT_NOFILE, (24, 24))
    known = []
    for _ in range(20):  # more than there are descriptors; each says hello, so that it may stay
        client = Client(observer)
        client.say(hello(session=os.urandom(16)))
        known.append(client)
    observer.wait_for("cannot be accepted")
    ticks = lambda: sum(int(n) for n in pathlib.Path(f"/proc/{observer.process.pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13])
    before = ticks()
    time.sleep(2)
    check(ticks() - before < 50, "hundredths of a second of work:", ticks() - before)
    for client in known:
        client.socket.close()
    result = bench.run(program, "10", observer=observer.address)
    check(result.returncode == 7 and result.stderr == "", result)
    check(observer.verdict()[-1]["trace"]["events"] == 10, observer.text())


def token(bench):
    """A wrong token is refused, the right one is not; beyond loopback there must be one."""
    program = bench.build("counter.cpp")
    prop = bench.property("property small: steps >= 0\n")
    observer = Observer(bench, prop, "--once", token="right")
    for given in ("wrong", "righ", "right!", None):
        result = bench.run(program, "10", observer=observer.address, token=given)
        check(result.returncode == 7 and result.stdout == "10\n" and "token" in result.stderr, given, result)
    result = bench.run(program, "10", observer=observer.address, token="right")
    check(result.returncode == 7 and result.stderr == "", result)
    check(observer.verdict()["trace"]["events"] == 10, observer.text())
    refused = bench.run(bench.bin / "sooth", "observe", "--listen", "tcp:0.0.0.0:0", "--property", prop)
    check(refused.returncode == 2 and "token" in refused.stderr, refused)
    refused = bench.run(bench.bin / "sooth", "observe", "--listen", "nowhere")
    check(refused.returncode == 2 and "unix:PATH" in refused.stderr, refused)


def two_programs(bench):
    """Several programs at once, each with its own verdict."""
    program = bench.build("counter.cpp")
    observer = Observer(bench, bench.property("property small: steps < 500\n"))
    environment = dict(os.environ, SOOTH_OBSERVER=observer.address)
    running = [subprocess.Popen([program, count, "wait"], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
               for count in ("400", "600", "300")]
    for process in running:
        process.stdout.readline()  # all three are connected, and wait
    for process in running:
        process.stdin.close()
        check(process.wait(timeout=100) == 7, process.returncode)
        process.stdout.close()
    verdicts = observer.stop()
    check(sorted((v["trace"]["events"], len(v["findings"])) for v in verdicts) == [(300, 0), (400, 0), (600, 1)], verdicts)
    check(all(v["coverage"]["complete"] for v in verdicts), verdicts)


def run_online(bench):
    """`sooth run --online`: observer and program together."""
    program = bench.build("landing.cpp")
    result = bench.run(bench.bin / "sooth", "run", "--online", "--property", bench.property(LANDING), program)
    check(result.returncode == 66 and result.stdout == "approved = 1, landing = 1, radio = 0\n", result)
    check("predicted violation of property `safe_landing`" in result.stderr, result.stderr)
    check("complete for this run" in result.stderr, result.stderr)
    counter = bench.build("counter.cpp")
    result = bench.run(bench.bin / "sooth", "run", "--online", "--property",
                       bench.property("property small: steps >= 0\n", "small.prop"), counter, "5")
    check(result.returncode == 7 and result.stdout == "5\n", result)  # nothing found: the program's own status
    for command in ["run", "--online", "--property", bench.property(LANDING), program], ["observe", "--listen", f"unix:{bench.work}/o"]:
        result = bench.run(bench.bin / "sooth", command[0], "--model", "maximal", *command[1:])
        check(result.returncode == 2 and "`--model maximal` needs a recorded run" in result.stderr and result.stdout == "", result)
    # Nothing orders the write of `ready` and the others: levels have two cuts.
    result = bench.run(bench.bin / "sooth", "run", "--online", "--model", "hb", "--max-width", "1", "--property",
                       bench.property("property one: served >= 0 && ready >= 0\n", "one.prop"), bench.build("threads.cpp"))
    check(result.returncode == 0 and "cuts left out (--max-width)" in result.stderr, result.stderr)
    wrong = bench.property("property p: lnding == 1\n", "wrong.prop")
    result = bench.run(bench.bin / "sooth", "run", "--online", "--property", wrong, program)
    check(result.returncode == 2 and "wrong.prop:1:" in result.stderr and result.stdout == "", result)


def not_checked(bench):
    """What is not checked online, and what has no value, is told as that and not as missing messages."""
    program = bench.build("landing.cpp")
    online = lambda text: bench.run(bench.bin / "sooth", "run", "--online", "--property", bench.property(text), program)
    result = online("liveness landed: eventually landing == 1\n")
    check("complete for this run" in result.stderr and "messages that came" not in result.stderr, result.stderr)
    result = online("monitor m at main: landing >= 0\n")
    check("1 monitors, which are not checked by an observer" in result.stderr and "not complete" in result.stderr, result.stderr)
    result = online("property p: once(approved / radio > 5) || landing >= 0\n")
    check("divisions by zero in states of the observed run" in result.stderr, result.stderr)
    result = online("property p: not (approved / radio > 5)\n")
    check("violation" not in result.stderr and "divisions by zero" in result.stderr, result.stderr)


def refused(bench):
    """A property that does not fit the program: told at once by the observer, and the program runs as ever."""
    program = bench.build("counter.cpp")
    observer = Observer(bench, bench.property("property p: stps == 1\n"), "--once")
    result = bench.run(program, "10", observer=observer.address)
    check(result.returncode == 7 and result.stdout == "10\n", result)
    verdict = observer.verdict()
    check(observer.status == 2 and "test.prop:1:" in observer.text() and "steps" in observer.text(), observer.text())
    check(not verdict["coverage"]["complete"], verdict)


def tcp(bench):
    """The same over TCP on loopback, with a token."""
    program = bench.build("landing.cpp")
    observer = Observer(bench, bench.property(LANDING), "--once", listen="tcp:localhost:0", token="t")
    result = bench.run(program, observer=observer.address, token="t")
    check(result.returncode == 0 and result.stderr == "", result)
    verdict = observer.verdict()
    finding(verdict, "predicted", "safe_landing")
    check(verdict["coverage"]["complete"], verdict["coverage"])


def fork(bench):
    """A child process says nothing; the parent's verdict is complete and counts it."""
    program = bench.build("fork.c")
    observer = Observer(bench, bench.property("property p: phase < 50\n"), "--once")
    result = bench.run(program, observer=observer.address)
    check(result.returncode == 0 and result.stdout == "2 3\n" and result.stderr == "", result)
    verdict = observer.verdict()
    check(verdict["findings"] == [] and verdict["coverage"]["complete"], verdict)
    check(verdict["coverage"]["childProcesses"] == 1 and verdict["trace"]["events"] == 2, verdict)


def calls(bench):
    """Calls, locks, user events and watched memory are seen while the program runs."""
    prop = bench.property(
        "property no_second: !(call(work) && once(user(done)))\n"
        "property locked: !(acquire(lock) && level == 5)\n"
        "property twice: !(end(level == 5))\n"
        "property empty: call(nothing) -> !once(user(done))\n")
    # Compiled without the property, calls of `nothing` are gone, and it cannot be checked.
    plain = Observer(bench, prop, "--once")
    result = bench.run(bench.build("calls.cpp"), observer=plain.address)
    check(result.returncode == 0 and result.stdout == "2 5\n", result)
    plain.verdict()
    check(plain.status == 2 and "-fsooth-property" in plain.text(), plain.text())
    program = bench.build("calls.cpp", f"-fsooth-property={prop}")
    observer = Observer(bench, prop, "--once")
    result = bench.run(program, observer=observer.address)
    check(result.returncode == 0 and result.stdout == "2 5\n", result)
    verdict = observer.verdict()
    finding(verdict, "observed", "no_second")
    finding(verdict, "observed", "locked")
    finding(verdict, "observed", "empty")
    check(all(f["property"] != "twice" for f in verdict["findings"]), verdict["findings"])
    check(verdict["coverage"]["complete"], verdict["coverage"])


def crowd(bench):
    """The example with thirty threads, each created by the one before: the verdict of a recorded run."""
    folder = HERE.parent.parent / "examples" / "crowd"
    report = bench.work / "report.json"
    result = bench.run(bench.bin / "sooth", "run", "--online", "--json", report, "--property", folder / "crowd.prop", folder / "crowd.cpp")
    check(result.returncode == 66 and result.stdout == "inside = 30, shut = 1\n", result)
    verdict = json.loads(report.read_text())
    found = finding(verdict, "predicted", "all_in")
    check(len(verdict["findings"]) == 1 and verdict["coverage"]["complete"], verdict)
    check([step["what"] for step in found["run"]["steps"]][-1] == "inside = 30", found["run"])
    check("shut = 1" in found["run"]["steps"][-1]["state"], found["run"])


def names(bench):
    """Threads by their names, which they get after they have started."""
    program = bench.build("names.cpp")
    prop = bench.property('property order: thread_start("pilot") -> once thread_end("radio")\n'
                          'property ready: thread_end("pilot") -> ready == 1\n'
                          'property wrong: thread_start("radio") -> ready == 1\n'
                          'property nobody: !thread_start("nobody")\n')
    trace, report = bench.work / "run.sooth", bench.work / "report.json"
    bench.run(bench.bin / "sooth", "record", "-o", trace, program)
    bench.run(bench.bin / "sooth", "check", trace, "--property", prop, "--json", report)
    observer = Observer(bench, prop, "--once")
    result = bench.run(program, observer=observer.address)
    check(result.returncode == 0 and result.stdout == "done\n", result)
    for verdict in json.loads(report.read_text()), observer.verdict():
        finding(verdict, "observed", "wrong")
        check(len(verdict["findings"]) == 1 and verdict["coverage"]["complete"], verdict)


def libraries(bench):
    """Variables of a library that the program is linked to, and of one that it loads."""
    library = bench.build("parts.cpp", "-shared", "-fPIC", output="libparts.so")
    linked = bench.build("with_parts.cpp", library, f"-Wl,-rpath,{bench.work}")
    prop = bench.property("property order: start(own == 1) -> parts::state == 1\n"
                          "property both: parts.cpp:hidden == parts::state || hidden == 0\n")
    for way in ("--online",), ("--count",):
        result = bench.run(bench.bin / "sooth", "run", *way, "--property", prop, linked)
        check(result.returncode == 66 and "predicted violation of property `order`" in result.stderr and "`both`" not in
              result.stderr.replace("`both` is violated in 0", ""), result)
    wrong = bench.property("property p: parts::stat == 1\n", "wrong.prop")
    result = bench.run(bench.bin / "sooth", "run", "--property", wrong, linked)
    check(result.returncode == 2 and result.stdout == "" and "did you mean 'parts::state'" in result.stderr, result)

    loads = bench.build("loads_parts.cpp")
    observed = bench.run(bench.bin / "sooth", "run", "--online", "--property", prop, loads, library)
    check("predicted violation of property `order`" in observed.stderr and "before all names" in observed.stderr, observed)
    recorded = bench.run(bench.bin / "sooth", "run", "--property", prop, loads, library)
    check(recorded.returncode == 66 and "predicted violation of property `order`" in recorded.stderr, recorded)
    result = bench.run(bench.bin / "sooth", "run", "--property", wrong, loads, library)
    check(result.returncode == 2 and result.stdout == "1 1\n" and "did you mean 'parts::state'" in result.stderr, result)


def races(bench):
    """Racing plain accesses: no false alarm, whatever the hooks' order was."""
    program = bench.build("races.cpp")
    prop = bench.property("property grows: !(start(turn == 5) && once(turn == 6))\n"
                          "property seen_before_written: start(seen == 1000) -> turn >= 1000\n")
    for _ in range(5):
        observer = Observer(bench, prop, "--once", "--max-width", "200")
        result = bench.run(program, observer=observer.address)
        check(result.returncode == 0 and result.stdout == "2000 2000\n", result)
        verdict = observer.verdict()
        check(verdict["findings"] == [], verdict["findings"])


def scripted_variable(event):
    return "abcd"[event % 4]


# Event k writes k to its variable. A property for each pair: whenever the one happens, the other has happened. In the
# observed run that is true or not; it is violated in another run just if the clocks do not order the two events.
SCRIPTED = "".join(
    f"property e{j}_before_e{i}: start({scripted_variable(i)} == {i}) -> once({scripted_variable(j)} == {j})\n"
    for i in range(1, 9) for j in range(1, 9) if i != j)


def script(seed):
    """Steps of up to five threads, in an order that can happen: locks are free when they are taken, memory is there when it is used.
    Even seeds: each write of a variable has a value of its own."""
    r = random.Random(seed)
    written = {}

    def value_for(variable):
        written[variable] = written.get(variable, 0) + 1
        return r.randrange(3) if seed % 2 else written[variable] % 75

    most = r.choice([2, 3, 3, 4, 5])
    steps, alive, ended, holders, heap = [], [0], [], [None, None], [None] * 4
    blocked = {}

    def add(thread, what, which=0, value=0):
        steps.append(f"{thread}{what}{which}{chr(ord('0') + value)}")

    events = 0
    span = r.choice([1, 2, 4]) # variables of a kind
    kinds = r.choice(["wrrrrff", "WRRRRff", "wwrrWWRRqsoxlluunhHHefj", "wwrrff", "WWRRff", "soxff", "lluuff", "nhHHeff", "fffj", "wrffj", "hHnefj"])
    for _ in range(r.choice([30, 60, 120])):
        t = r.choice(alive)
        what = r.choice(kinds)
        if events < 8 and r.random() < 0.25:
            events += 1
            add(t, scripted_variable(events).upper(), 0, events)
        elif what in "wr":
            v = r.randrange(span)
            add(t, what, v, value_for("w" + str(v)))
        elif what in "WR":
            v = r.randrange(2 * span)
            add(t, what, v, value_for("W" + str(v)))
        elif what == "q":
            add(t, what, r.randrange(4))
        elif what in "sox":
            v = r.randrange(2)
            add(t, what, v, value_for("s" + str(v)))
        elif what == "l":
            m = r.randrange(2)
            if holders[m] is None and (m == 1 or holders[1] != t):
                holders[m] = t
                add(t, what, m)
        elif what == "u":
            for m in 1, 0:
                if holders[m] == t:
                    holders[m] = None
                    add(t, what, m)
                    break
        elif what == "n":
            h = r.randrange(4)
            if heap[h] is None:
                heap[h] = True
                add(t, what, h, value_for("h" + str(h)))
        elif what in "hHe":
            h = r.randrange(4)
            if heap[h]:
                add(t, what, h, value_for("h" + str(h)))
                if what == "e":
                    heap[h] = None
        elif what == "f" and len(alive) + len(ended) < most:
            child = len(alive) + len(ended)
            add(t, what, child)
            alive.append(child)
            blocked[child] = t
        elif what == "j" and len(alive) > 1 and t != 0:
            # Thread t has no more steps; its creator joins it, if it can.
            if t not in holders and blocked[t] in alive and t not in blocked.values():
                alive.remove(t)
                ended.append(t)
                add(blocked[t], "j", t)
    for m in 0, 1:
        if holders[m] is not None:
            add(holders[m], "u", m)
    for t in sorted(alive, reverse=True):
        if t != 0:
            add(blocked[t], "j", t)
    return "".join(steps)


# One rule each; too rare among the random ones.
FIXED = [
    "0f100r000B010r001w011C020j10",  # a repeated read after an event: the next writer is behind the event
    "0n010f101B011H000e000C020j10",  # the end of an object is behind all uses
    "0f101l001B011u000l000u000C020j10",  # a lock, and nothing else
    "0f100f202r001B011r001w012w022C020j100j20",  # a reader that the first writer overtakes
    "0f101B011s010o000C020j10",  # an atomic variable
]


def verdict_of(report):
    return {(f["status"], f["property"]) for f in report["findings"]}


def record_script(bench, program, steps, trace):
    """The trace of a run of script.cpp in this order."""
    trace.unlink(missing_ok=True)
    # Steps are not ordered by anything that is recorded: the trace needs the order of all accesses.
    options = dict(os.environ, SOOTH_OPTIONS=f"exact=all:trace={trace}")
    result = subprocess.run([program, steps], env=options, capture_output=True, text=True, timeout=200)
    check(result.returncode == 0 and result.stdout == "done\n", steps, result)


def check_script(bench, trace, prop, model):
    """The report on a trace of script.cpp."""
    report = bench.work / "report.json"
    result = bench.run(bench.bin / "sooth", "check", trace, "--property", prop, "--model", model, "--find", "properties", "--max-width", "100000", "--json", report)
    check(result.returncode in (0, 66), trace, result)
    return json.loads(report.read_text())


def scripted(bench, seeds=range(60), settings=None):
    """Random programs, each run in one order: the verdicts of the observer are those of a trace. If values repeat, a thread
    may leave out a read that saw the same as before (docs/protocol.md): then it may find more, but nothing that cannot be."""
    program = bench.build("script.cpp")
    prop = bench.property(SCRIPTED)
    trace = bench.work / "run.sooth"
    observer = Observer(bench, prop, "--max-width", "100000")
    recorded, found, unbounded = [], 0, 0
    seeds = [*FIXED, *seeds]
    for seed in seeds:
        steps, repeats = (seed, 0) if isinstance(seed, str) else (script(seed), seed % 2)
        record_script(bench, program, steps, trace)
        verdicts = []
        for model in ("hb", "maximal")[: 1 + repeats]:
            offline = check_script(bench, trace, prop, model)
            check(offline["coverage"]["complete"] or model != "hb", seed, offline["coverage"])
            verdicts.append(verdict_of(offline) if offline["coverage"]["complete"] else None)
            unbounded += verdicts[-1] is None
        found += len(verdicts[0])
        recorded.append(verdicts)
        result = bench.run(program, steps, observer=observer.address, settings=settings)
        check(result.returncode == 0 and result.stdout == "done\n", seed, result)
    observed = observer.stop()
    observed = observed if isinstance(observed, list) else [observed]
    check(len(observed) == len(recorded), len(observed), len(recorded))
    guessed = 0
    for seed, (least, *most), online in zip(seeds, recorded, observed):
        verdict = verdict_of(online)
        # Bytes that the owner of a page has not used count as used; then it says so.
        guesses = online["coverage"].pop("handedOverPages", None) if settings else None
        guessed += guesses is not None
        check(guesses is not None or least <= verdict, "seed", seed, "missing:", least - verdict)
        most = most[0] if most else least
        check(most is None or verdict <= most, "seed", seed, "too much:", verdict - (most or set()))
        check(online["coverage"]["complete"] or guesses is not None, seed, online["coverage"])
    check(guessed * 3 <= 2 * len(recorded), "too many orders are guessed:", guessed)
    check(found > 4 * len(recorded), "hardly anything was found:", found)
    check(unbounded * 20 <= len(recorded), "too many have too many runs:", unbounded)
    print(f"{len(recorded)} programs, {found} findings, {unbounded} with too many runs for the model maximal, {guessed} with guesses")


def owned(bench, seeds=range(1000, 1060)):
    """The same where every page that a thread may own is owned at once; and programs whose threads run freely."""
    scripted(bench, seeds, settings="own=1")
    handovers(bench, runs=1, settings="own=1")
    handovers(bench, runs=1, settings="own=1", flags=["-fno-sooth-own"])  # nothing is: its stores do not say when they are made
    readers(bench, settings="own=1")
    generations(bench, settings="own=1")


def loop_script(seed):
    """Up to three threads beside main that write 0 and 1, some of it under a lock."""
    r = random.Random(seed)
    steps, holder = [f"0f{t}0" for t in (1, 2, 3)], None
    for _ in range(r.choice([5, 8, 11])):
        t = r.choice([1, 2, 3]) if holder is None else holder
        if r.random() < 0.4:
            steps.append(f"{t}{'l' if holder is None else 'u'}00")
            holder = t if holder is None else None
        steps.append(f"{t}{r.choice('AB')}0{r.randrange(2)}")
    if holder is not None:
        steps.append(f"{holder}u00")
    return "".join(steps) + "0j100j200j30"


def loops(bench, seeds=range(40)):
    """`liveness`: the same possible violations as in a recorded run, and as many steps that repeat."""
    program = bench.build("script.cpp")
    prop = bench.property("liveness served: always(a == 1 -> eventually b == 1)\n"
                          "liveness rests: eventually always a == 0\n"
                          "liveness turns: always(eventually b == 1) || eventually always b == 0\n")
    trace = bench.work / "run.sooth"
    observer = Observer(bench, prop)
    recorded, found = [], 0
    for seed in seeds:
        record_script(bench, program, loop_script(seed), trace)
        recorded.append(check_script(bench, trace, prop, "hb"))
        found += len(recorded[-1]["findings"])
        result = bench.run(program, loop_script(seed), observer=observer.address)
        check(result.returncode == 0 and result.stdout == "done\n", seed, result)
    said = lambda report: {(f["kind"], f["property"], f["run"]["repeated"]) for f in report["findings"]}
    for seed, offline, online in zip(seeds, recorded, observer.stop()):
        check(said(offline) == said(online), "seed", seed, said(offline), said(online))
        check(online["coverage"]["complete"] == offline["coverage"]["complete"], "seed", seed, online["coverage"], offline["coverage"])
    check(all(kind == "possible-liveness" for report in recorded for kind, _, _ in said(report)), recorded)
    check(len(seeds) < found < 3 * len(seeds), "found:", found)


def collect(bench, program, arrays, *arguments, settings=None):
    """The messages of a run without races, for these arrays of long: (name, length). They keep to what every run promises."""
    symbols = subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout
    address = {line.split()[-1]: int(line.split()[0], 16) for line in symbols.splitlines() if len(line.split()) == 3}
    path = bench.work / "collector"
    path.unlink(missing_ok=True)
    collector = Collector(path, [(address[name] + 8 * i, 8) for name, length in arrays for i in range(length)])
    result = bench.run(program, *arguments, observer=f"unix:{path}", settings=settings)
    check(result.returncode == 0 and result.stderr == "", result)
    collector.wait()
    check(not collector.checkpoints, "checkpoints without a race")
    wrong = collector.check()
    check(wrong is None, wrong)
    return collector.events


def generations(bench, settings=None):
    """Hundreds of threads that come and go: a clock has all that ended before, though their components are used again."""
    program = bench.build("generations.cpp", "-no-pie")
    events = collect(bench, program, [("steps", 1), ("apart", 4)], "150", settings=settings)
    check(len(events) == 150 * 6, len(events))
    for e in events:  # thread 4g + i + 1 is the i-th of generation g; all of earlier generations were joined before
        generation = (e.thread - 1) // 4
        for other in range(1, 4 * generation + 1):
            check(e.clock.get(other) == (2 if (other - 1) % 2 == 0 else 1), "event", e.position, "of", e.thread, "knows", e.clock)
        check(all(other <= 4 * generation + 4 for other in e.clock), e.clock)


def readers(bench, rounds=2000, settings=None):
    """Readers at the same time: the next writer knows of all of them, and each reader of the last writer."""
    program = bench.build("readers.cpp", "-no-pie")
    events = collect(bench, program, [("seen", 3)], str(rounds), settings=settings)
    check(len(events) == 3 * rounds, len(events))
    for e in events:
        (variable, value), = e.writes
        known = [e.clock.get(thread, 0) for thread in (1, 2, 3)]
        # A reader's event comes before its read: it knows what was written two rounds ago. The writer's event comes after
        # its write, which carries the one before.
        least = [value, value, value] if variable == 2 else [value - 2, value - 2, value - 3]
        check(all(k >= n for k, n in zip(known, least)), "event", value, "of", variable, "knows", known)


def handovers(bench, runs=3, rounds="400", settings=None, flags=()):
    """Threads that run freely: every message's clock has all that it must have, and the positions are one of its orders."""
    program = bench.build("handovers.cpp", "-no-pie", *flags)
    for _ in range(runs):
        events = collect(bench, program, [("seen", 4)], rounds, settings=settings)
        check(len(events) == 12 * int(rounds), len(events))
        # Thread 4g + t + 1 is worker t of generation g.
        for e in events:
            (variable, value), = e.writes
            generation, own = divmod(e.thread - 1, 4)
            check(variable == own, e.thread, variable)
            if value:
                count, sender = divmod(value, 4)
                check(e.clock.get(4 * generation + sender + 1, 0) >= count, "event", e.position, "does not know", value, e.clock)


def soak(bench):
    """A million relevant messages, with flat memory."""
    program = bench.build("counter.cpp")
    observer = Observer(bench, bench.property("property small: steps >= 0\n"), "--once")
    resident = lambda: int(pathlib.Path(f"/proc/{observer.process.pid}/statm").read_text().split()[1]) * 4096
    with subprocess.Popen([program, "1000000"], env=dict(os.environ, SOOTH_OBSERVER=observer.address),
                          stdout=subprocess.PIPE) as running:
        sizes = []
        while running.poll() is None:
            try:
                sizes.append(resident())
            except (FileNotFoundError, IndexError, ProcessLookupError):
                break
            time.sleep(0.05)
        check(running.wait(timeout=250) == 7, running.returncode)
    verdict = observer.verdict()
    check(verdict["coverage"]["complete"] and verdict["trace"]["events"] == 1000000, verdict)
    warm = sizes[len(sizes) // 4 :]
    check(max(warm) - warm[0] < 16 << 20, "memory grew from", warm[0], "to", max(warm))


SCENARIOS = {f.__name__: f for f in (landing, same_as_recorded, threads, stop, stop_predicted, calls_program, killed, observer_gone, observer_lies, observer_slow, hostile, strangers, descriptors, token, two_programs,
                                     run_online, not_checked, refused, tcp, fork, calls, crowd, names, libraries, races, scripted, owned, loops, readers, handovers, generations, soak)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("scenario", choices=SCENARIOS)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--seeds", help="for `scripted` and `owned`: FIRST:LAST, instead of the few of every test")
    arguments = parser.parse_args()
    try:
        bench = Bench(arguments.bin, arguments.work)
        if arguments.seeds:
            scripted(bench, range(*(int(n) for n in arguments.seeds.split(":"))), "own=1" if arguments.scenario == "owned" else None)
        else:
            SCENARIOS[arguments.scenario](bench)
    except Failed as failure:
        print("FAILED:", failure)
        return 1
    finally:
        for observer in Observer.running: # of a test that failed
            observer.kill()
    return 0


if __name__ == "__main__":
    sys.exit(main())
