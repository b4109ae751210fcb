#!/usr/bin/env python3
"""Relays, observers and NATS: one scenario for each test; see SCENARIOS at the end. `./dev fleet` runs the largest one."""

import argparse
import collections
import itertools
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
PROPERTY = """property safe_landing: start(landing == 1) -> [approved == 1, radio == 0)
property small: steps < 300
"""
KINDS = (["200"], ["200", "ordered"], ["400"], ["400", "ordered"])
LEASE = 3  # seconds


class Failed(Exception):
    pass


def check(what, *more):
    if not what:
        raise Failed(" ".join(str(m) for m in more))


def plain_environment(**more):
    return {k: v for k, v in os.environ.items() if not k.startswith("SOOTH_")} | more


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Process:
    """Something that is started, killed and started again, always with the same command."""

    def __init__(self, name, command, log, ready=None, environment=None):
        self.name, self.command, self.log, self.ready = name, [str(c) for c in command], log, ready
        self.environment = environment or plain_environment()
        self.process = None
        self.start()

    def start(self):
        before = len(self.text())
        with open(self.log, "a") as log:
            self.process = subprocess.Popen(self.command, stdout=log, stderr=log, env=self.environment)
        end = time.monotonic() + 60
        while self.ready and self.ready not in self.text()[before:]:
            check(self.process.poll() is None, self.name, "ended:", self.text())
            check(time.monotonic() < end, self.name, "does not start:", self.text())
            time.sleep(0.02)

    def text(self):
        return self.log.read_text() if self.log.exists() else ""

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self, status=None):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        got = self.process.wait(timeout=60)
        check(status is None or got == status, self.name, "ended with", got, self.text())


class Fleet:
    """A server on loopback, and whatever is started on it; everything ends with it."""

    def __init__(self, bin_folder, work, token=None, server_options=(), url=None):
        self.bin = pathlib.Path(bin_folder)
        self.work = pathlib.Path(work)
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir(parents=True)
        self.store = tempfile.mkdtemp(prefix="sooth-fleet-")
        self.port = free_port()
        self.url = url or f"nats://127.0.0.1:{self.port}"
        self.nats_options = []
        self.environment = plain_environment(**({"SOOTH_TOKEN": token} if token else {}))
        self.processes = []
        self.property = self.work / "fleet.prop"
        self.property.write_text(PROPERTY)
        self.server = self.begin("server", [self.find_server(), "-js", "-a", "127.0.0.1", "-p", self.port, "-sd", self.store,
                                            *server_options], "Server is ready")

    @staticmethod
    def find_server():
        found = shutil.which("nats-server") or shutil.which("nats-server", path="/usr/sbin:/sbin")
        check(found, "there is no nats-server")
        return found

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.processes:
            if process.process.poll() is None:
                process.kill()
        shutil.rmtree(self.store, ignore_errors=True)

    def begin(self, name, command, ready=None):
        process = Process(name, command, self.work / f"{name}.log", ready, self.environment)
        self.processes.append(process)
        return process

    def relay(self, name="relay", prop=None, *options):
        address = f"unix:{self.work}/{name}.socket"
        process = self.begin(name, [self.bin / "sooth", "relay", "--listen", address, "--nats", self.url, "--property",
                                    prop or self.property, "--name", name, *self.nats_options, *options], "relaying at")
        process.address = address
        return process

    def observer(self, name, *options):
        return self.begin(name, [self.bin / "sooth", "observe", "--nats", self.url, "--lease", LEASE, "--name", name,
                                 *self.nats_options, *options], "observing what comes")

    def sooth(self, *arguments, **options):
        return subprocess.run([str(self.bin / "sooth"), *map(str, arguments)], env=self.environment, capture_output=True,
                              text=True, timeout=100, **options)

    def table(self):
        """Verdicts by process id; empty while the server is away."""
        result = self.sooth("fleet", "--nats", self.url, "--json", *self.nats_options)
        if result.returncode not in (0, 66):
            return {}
        return {row["pid"]: row for row in json.loads(result.stdout)["programs"]}

    def state(self):
        """What the server says of the streams and the queue."""
        client, every = Nats(self), json.dumps({"subjects_filter": ">"}).encode()
        return "".join(f"\n{client.store('$JS.API.' + what, every)}" for what in
                       ("STREAM.INFO.SOOTH", "STREAM.INFO.SOOTH_verdicts", "CONSUMER.INFO.SOOTH.observers"))

    def wait_for(self, pids, seconds=100):
        """The final verdicts of these programs, and of all others that were announced."""
        end = time.monotonic() + seconds
        while True:
            table = self.table()
            missing = [p for p in pids if p not in table] + [p for p, row in table.items() if not row["final"]]
            if table and not missing:
                return table
            check(time.monotonic() < end, "no verdict on", [(p, table.get(p)) for p in missing], self.state(),
                  *[f"\n--- {p.name}: {p.text()[-2000:]}" for p in self.processes])
            time.sleep(0.3)

    def build(self):
        program = self.work / "member"
        subprocess.run([self.bin / "sooth-c++", "-g", "-O1", "-pthread", HERE / "programs" / "member.cpp", "-o", program],
                       check=True, timeout=240)
        return program

    def start(self, program, arguments, address, **options):
        return subprocess.Popen([program, *arguments], env=self.environment | {"SOOTH_OBSERVER": address}, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)

    def offline(self, program, arguments):
        """What `sooth check` finds in a recorded run of the same."""
        trace, report = self.work / "run.sooth", self.work / "report.json"
        trace.unlink(missing_ok=True)
        plain = subprocess.run([program, *arguments], env=plain_environment(), capture_output=True, text=True, timeout=100)
        self.sooth("record", "-o", trace, program, *arguments)
        result = self.sooth("check", trace, "--property", self.property, "--model", "hb", "--find", "properties", "--json", report)
        check(result.returncode in (0, 66), result)
        return plain, findings(json.loads(report.read_text()))


def findings(report):
    return {(f["status"], f["property"]) for f in report["findings"]}


def lacks(row):
    return {lack["name"] for lack in row["lacks"]}


EXPECTED = {  # as the source says, whatever the tools do
    ("200",): {("predicted", "safe_landing")},
    ("200", "ordered"): set(),
    ("400",): {("predicted", "safe_landing"), ("observed", "small")},
    ("400", "ordered"): {("observed", "small")},
}


def offline_verdicts(fleet, program):
    out = {}
    for kind in KINDS:
        plain, found = fleet.offline(program, kind)
        check(found == EXPECTED[tuple(kind)], kind, found)
        out[tuple(kind)] = (plain.stdout, plain.returncode, found)
    return out


def ended(process):
    out, told = process.communicate(timeout=150)
    return out, told, process.returncode


def verdicts(bench):
    """Programs through a relay and two observers: the verdicts of recorded runs, and programs as they are without it."""
    with Fleet(*bench) as fleet:
        program = fleet.build()
        expected = offline_verdicts(fleet, program)
        relay, one, two = fleet.relay(), fleet.observer("one"), fleet.observer("two")
        running = [(kind, fleet.start(program, kind, relay.address)) for kind in KINDS]
        for kind, process in running:
            check(ended(process) == (expected[tuple(kind)][0], "", expected[tuple(kind)][1]), kind)
        table = fleet.wait_for([p.pid for _, p in running])
        for kind, process in running:
            row = table[process.pid]
            check(findings(row) == expected[tuple(kind)][2] and row["complete"] and row["lacks"] == [], kind, row)
            check(findings(row["report"]) == findings(row) and row["observer"] in ("one", "two") and row["relay"] == "relay", row)
            check(row["program"] == "member" and row["property"].endswith("fleet.prop"), row)
        text = fleet.sooth("fleet", "--nats", fleet.url, "--once")
        check(text.returncode == 66 and "4 programs: 4 ended, 3 with a finding, 0 not complete" in text.stdout, text)
        # Nothing is left in the stream, and nothing of an observer is lost when it ends.
        relay.stop(0)
        one.stop()
        two.stop()
        check("predicted violation of property `safe_landing`" in one.text() + two.text(), one.text(), two.text())


def faults(bench, programs=12, kills=("server", "one", "relay", "server", "two"), seed=1, show=False):
    """Observers, relays and the server are killed while programs run: verdicts are those of recorded runs, or say what they lack."""
    choose = random.Random(seed)
    with Fleet(*bench) as fleet:
        program = fleet.build()
        expected = offline_verdicts(fleet, program)
        parts = {"relay": fleet.relay(), "one": fleet.observer("one"), "two": fleet.observer("two"), "server": fleet.server}
        waiting = [KINDS[i % len(KINDS)] for i in range(programs)]
        victims = list(kills)
        running, done, killed_relays = [], [], 0
        every = max(1, programs // (len(victims) + 1))
        while waiting or running:
            while waiting and len(running) < 6:
                kind = waiting.pop()
                running.append((kind, fleet.start(program, kind, parts["relay"].address)))
                if victims and len(waiting) % every == 0:
                    time.sleep(choose.uniform(0, 0.3))
                    victim = victims.pop(0)
                    parts[victim].kill()
                    killed_relays += victim == "relay"
                    time.sleep(choose.uniform(0, 0.3))
                    parts[victim].start()
            for pair in [p for p in running if p[1].poll() is not None]:
                running.remove(pair)
                done.append(pair)
            time.sleep(0.02)
        alone = collections.Counter()
        watched = []
        for kind, process in done:
            out, told, status = ended(process)
            check((out, status) == expected[tuple(kind)][:2], kind, out, told, status)
            check(told == "" or (killed_relays and told.count("\n") == 1 and told.startswith("sooth: the ")), told)
            alone["not observed" if "is not observed;" in told else "cut off" if told else "observed"] += 1
            if "is not observed;" not in told:
                watched.append((kind, process, told != ""))
        # A relay may die before it has announced a program. The program has not begun then, and says that it is not observed.
        table = fleet.wait_for([p.pid for _, p, cut in watched if not cut])
        unknown = [p for _, p, cut in watched if cut and p.pid not in table]
        lacking = 0
        for kind, process, cut in watched:
            if process in unknown:
                continue
            row, wanted = table[process.pid], expected[tuple(kind)][2]
            if row["complete"]:
                check(findings(row) == wanted and not cut, kind, row)
            else:
                # Only a relay's death takes messages with it, and the verdict says so; what was found is true.
                check(findings(row) <= wanted and "cutOff" in lacks(row) and killed_relays, kind, row)
                lacking += 1
        check(killed_relays or lacking == 0, lacking)
        if show:
            print(fleet.sooth("fleet", "--nats", fleet.url, "--once").stdout)
            print(f"{programs} programs, killed: {' '.join(kills)}. {alone['observed']} were observed to their end, "
                  f"{alone['cut off']} cut off by the death of their relay, {alone['not observed']} started while there was none.\n"
                  f"{len(watched) - len(unknown) - lacking} verdicts are complete and the same as offline; {lacking} say what they lack; "
                  f"{len(unknown)} programs were cut off before they were announced.")


class Nats:
    """A client of the server's own protocol, to store what no relay would."""

    def __init__(self, fleet):
        self.socket = socket.create_connection(("127.0.0.1", fleet.port))
        self.file = self.socket.makefile("rb")
        self.file.readline()
        self.socket.sendall(b'CONNECT {"verbose":false,"headers":true}\r\n')

    def store(self, subject, payload):
        self.socket.sendall(f"SUB answer 1\r\nPUB {subject} answer {len(payload)}\r\n".encode() + payload + b"\r\n")
        while not self.file.readline().startswith(b"MSG answer"):
            pass
        return self.file.readline()


def number(value):
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def text(value):
    return number(len(value)) + value.encode()


def announcement(program_id, prop=PROPERTY, version=1, program="forged", pid=1):
    return b"SFR" + bytes([version, 1]) + program_id + text("liar") + text(program) + number(pid) + text("x.prop") + prop.encode()


def frames(program_id, count, channel, body):
    return b"SFR" + bytes([1, 2]) + program_id + number(count) + number(channel) + body


def end(program_id, records):
    return b"SFR" + bytes([1, 3]) + program_id + number(records)


def frame(body):
    return struct.pack("<I", len(body)) + body


def forged(bench):
    """Whatever somebody stores: a sentence, or a verdict that is not complete; programs beside it have theirs."""
    with Fleet(*bench) as fleet:
        program = fleet.build()
        relay, one = fleet.relay(), fleet.observer("one")
        process = fleet.start(program, ["400", "unordered", "200"], relay.address)  # two seconds
        client, pid = Nats(fleet), 100000
        fleet_name = "SOOTH"
        while process.pid not in (table := fleet.table()):
            time.sleep(0.05)
        victim = bytes.fromhex(table[process.pid]["id"])

        def tell(what, subject_id, *records):
            return [client.store(f"{fleet_name}.{what}.{subject_id.hex()}", record) for record in records]

        tell("announce", b"\1" * 16, b"nonsense", announcement(b"\1" * 16, version=2), announcement(b"\2" * 16))
        liars = [
            [frames(b"\3" * 16, 0, 0, b"\xff" * 100)],                                # an impossible length
            [frames(b"\3" * 16, 0, 0, frame(b"\x63"))],                               # an unknown message
            [frames(b"\3" * 16, 0, 0, frame(bytes([5]) + b"\0" * 9))],                 # an event before the handshake
            [frames(b"\3" * 16, 5, 0, b""), end(b"\3" * 16, 9)],                       # a gap
            [frames(b"\4" * 16, 0, 0, b""), b"", b"SFR"],                             # of another program; nothing; cut off
            [end(b"\3" * 16, 0), frames(b"\3" * 16, 0, 0, b"")],                       # after the end
        ]
        pids = []
        for i, records in enumerate(liars):
            program_id = bytes([16 + i]) * 16
            mine = [r.replace(b"\3" * 16, program_id) for r in records]
            pid += 1
            pids.append(pid)
            tell("announce", program_id, announcement(program_id, pid=pid))
            tell("data", program_id, *mine)
            if not any(r[4:5] == b"\3" for r in mine):
                tell("data", program_id, end(program_id, 1))
        # Into a program that runs: repeats, a record of another one, and old numbers change nothing.
        tell("data", victim, frames(victim, 0, 0, b"\xff\xff\xff\xff"), frames(b"\3" * 16, 3, 0, b""), b"nonsense")
        out = ended(process)
        check(out[1] == "" and out[2] == 7, out)
        table = fleet.wait_for(pids + [process.pid])
        for pid in pids:
            check(table[pid]["findings"] == [] and not table[pid]["complete"], table[pid])
        row = table[process.pid]
        check(findings(row) == EXPECTED[("400",)], row)
        check(lacks(row) == {"wrongRecords"}, "wrong ones are counted:", row["lacks"])
        check("version 2" in one.text() and "no record of a relay" in one.text() and "another program" in one.text(), one.text())
        # A verdict that is none: the table goes on without it and without the three announcements, and says so.
        client.store(f"{fleet_name}.verdict.{'f' * 32}", b'{"verdict":1}')
        result = fleet.sooth("fleet", "--nats", fleet.url, "--once")
        check(result.returncode == 66 and "4 messages were not understood" in result.stderr, result)
        check(one.process.poll() is None and relay.process.poll() is None, "somebody fell over")


def token(bench):
    """With a token, records without its seal are refused, and programs without it."""
    with Fleet(*bench, token="right") as fleet:
        program = fleet.build()
        relay, one = fleet.relay(), fleet.observer("one")
        good = fleet.start(program, ["200"], relay.address)
        bad = subprocess.run([program, "200"], env=plain_environment(SOOTH_OBSERVER=relay.address, SOOTH_TOKEN="wrong"),
                             capture_output=True, text=True, timeout=100)
        check(bad.returncode == 7 and "token" in bad.stderr, bad)
        client, forged_id = Nats(fleet), b"\5" * 16
        while good.pid not in (table := fleet.table()):
            time.sleep(0.05)
        victim = bytes.fromhex(table[good.pid]["id"])
        client.store(f"SOOTH.announce.{forged_id.hex()}", announcement(forged_id, pid=5))
        # Had it been taken, the program would be cut off here.
        client.store(f"SOOTH.data.{victim.hex()}", end(victim, 1))
        check(ended(good)[1:] == ("", 7), "the program")
        table = fleet.wait_for([good.pid])
        check(table[good.pid]["complete"] and findings(table[good.pid]) == EXPECTED[("200",)], table)
        check(5 not in table, table)
        one.stop()
        check("without the right seal" in one.text(), one.text())


def full(bench):
    """A stream without room: programs wait until an observer makes some, or records wait on disk; nothing is lost."""
    with Fleet(*bench) as fleet:
        program = fleet.build()
        slow = fleet.relay("slow", None, "--stream-bytes", "100000")
        # Nobody observes: the stream fills up. 12000 events are several times as much as it takes.
        held = fleet.start(program, ["12000", "unordered", "0"], slow.address)
        spill = fleet.work / "spill"
        spill.mkdir()
        spilling = fleet.relay("spilling", None, "--when-full", "spill", "--spill-folder", spill)
        beside = fleet.start(program, ["400", "unordered", "0"], spilling.address)
        check(ended(beside)[1:] == ("", 7), "a program whose relay spills does not wait")
        one = fleet.observer("one")
        check(ended(held)[1:] == ("", 7), "a program that was held up goes on")
        table = fleet.wait_for([held.pid, beside.pid])
        for process in held, beside:
            row = table[process.pid]
            check(row["complete"] and findings(row) == EXPECTED[("400",)], row)
        check(one.process.poll() is None, one.text())


def stop(bench):
    """`when violated: stop`: the relay answers at once, whatever the stream and the observers do."""
    with Fleet(*bench) as fleet:
        program = fleet.build()
        prop = fleet.work / "stop.prop"
        prop.write_text("property small: steps < 100 when violated: stop\n")
        relay = fleet.relay("relay", prop)
        process = fleet.start(program, ["200", "unordered", "400"], relay.address)  # two seconds to the hundredth step
        while process.pid not in fleet.table():
            time.sleep(0.05)
        fleet.server.kill()
        out, told, status = ended(process)
        check(status == 66 and out == "" and "small" in told, out, told, status)
        fleet.server.start()
        fleet.observer("one")
        row = fleet.wait_for([process.pid])[process.pid]
        check(findings(row) == {("observed", "small")} and lacks(row) >= {"cutOff"}, row)


def lost(bench):
    """Records that the server no longer has: the verdict says so, and a relay that never comes back is noticed."""
    with Fleet(*bench) as fleet:
        program = fleet.build()
        relay = fleet.relay()
        process = fleet.start(program, ["200"], relay.address)
        check(ended(process)[2] == 7, "the program")
        while process.pid not in (table := fleet.table()):
            time.sleep(0.05)
        relay.stop(0)
        # The oldest records go, as retention would have it: all but the newest one.
        subject = f"SOOTH.data.{table[process.pid]['id']}"
        answer = Nats(fleet).store("$JS.API.STREAM.PURGE.SOOTH", json.dumps({"filter": subject, "keep": 1}).encode())
        check(json.loads(answer)["success"] and json.loads(answer)["purged"] > 0, answer)
        fleet.observer("one")
        row = fleet.wait_for([process.pid])[process.pid]
        check(row["findings"] == [] and not row["complete"] and "lostRecords" in lacks(row), row)
        # Killed for good: its program is cut off after the lease.
        relay = fleet.relay("second")
        process = fleet.start(program, ["400", "unordered", "300"], relay.address)
        while process.pid not in fleet.table():
            time.sleep(0.05)
        relay.kill()
        out, told, status = ended(process)
        check(status == 7 and told.count("\n") == 1 and "observer has gone" in told, out, told, status)
        row = fleet.wait_for([process.pid])[process.pid]
        check("cutOff" in lacks(row), row)


def secured(bench):
    """The configuration of docs/fleet.md: TLS, and two users, of whom the relay may do only what it has to."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="sooth-tls-"))
    try:
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", folder / "server.key", "-out",
                        folder / "server.pem", "-days", "2", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"],
                       check=True, capture_output=True, timeout=60)
        shown = (HERE.parent.parent / "docs" / "fleet.md").read_text(encoding="utf-8")
        lines = itertools.takewhile(lambda line: line.startswith("    "), shown[shown.index("    listen: 0.0.0.0:4222") :].splitlines())
        # Where it listens and stores, options say.
        text = "\n".join(line for line in lines if not line.strip().startswith(("listen:", "jetstream ")))
        text = text.replace("$RELAY", "secret1").replace("$OBSERVER", "secret2")
        (folder / "nats.conf").write_text(text.replace("server.", f"{folder}/server."), encoding="utf-8")
        with Fleet(*bench, server_options=("-c", folder / "nats.conf")) as fleet:
            url = "tls://{}@127.0.0.1:" + str(fleet.port)
            fleet.nats_options = ["--nats-ca", folder / "server.pem"]
            program = fleet.build()
            fleet.url = url.format("observer:secret2")
            one = fleet.observer("one")
            fleet.url = url.format("relay:secret1")
            relay = fleet.relay()
            process = fleet.start(program, ["200"], relay.address)
            check(ended(process)[1:] == ("", 7), "the program", relay.text())
            result = fleet.sooth("fleet", "--nats", fleet.url, "--once", *fleet.nats_options)
            check(result.returncode == 2, "a relay may not read verdicts", result)
            fleet.url = url.format("observer:secret2")
            row = fleet.wait_for([process.pid])[process.pid]
            check(row["complete"] and findings(row) == EXPECTED[("200",)], row, one.text())
            for wrong, options in ((url.format("observer:wrong"), fleet.nats_options), (fleet.url, [])):
                result = fleet.sooth("fleet", "--nats", wrong, "--once", *options)
                check(result.returncode == 2 and result.stderr.startswith("sooth: "), wrong, result)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def wrong_usage(bench):
    """Sentences for what cannot work."""
    with Fleet(*bench) as fleet:
        for arguments, sentence in (
            (["observe", "--nats", fleet.url, "--property", fleet.property], "sooth relay"),
            (["observe"], "--listen ADDRESS or --nats URL"),
            (["observe", "--nats", fleet.url, "--stream", "a.b"], "no name of a stream"),
            (["relay", "--listen", "unix:x", "--nats", fleet.url], "--property"),
            (["relay", "--listen", "tcp:0.0.0.0:0", "--nats", fleet.url, "--property", fleet.property], "token"),
            (["relay", "--listen", "unix:x", "--nats", fleet.url, "--property", fleet.property, "--when-full", "spill"], "--spill-folder"),
            (["fleet", "--nats", fleet.url, "--nats-cert", "x"], "--nats-key"),
            (["fleet", "--nats", "nats://127.0.0.1:1", "--once"], "sooth: "),
        ):
            result = fleet.sooth(*arguments)
            check(result.returncode == 2 and sentence in result.stderr, arguments, result)


SCENARIOS = {f.__name__: f for f in (verdicts, faults, forged, token, full, stop, lost, secured, wrong_usage)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("scenario", choices=SCENARIOS)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--programs", type=int, help="of the scenario `faults`; kills at random moments, and shows the table")
    parser.add_argument("--kills", type=int, default=9)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    arguments = parser.parse_args()
    bench = (arguments.bin, arguments.work)
    try:
        if arguments.programs:
            print(f"seed {arguments.seed}")
            choose = random.Random(arguments.seed)
            kills = [choose.choice(("server", "one", "two", "relay")) for _ in range(arguments.kills)]
            faults(bench, arguments.programs, kills, arguments.seed, show=True)
        else:
            SCENARIOS[arguments.scenario](bench)
    except Failed as failure:
        print("FAILED:", failure)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
