#!/usr/bin/env python3
"""`sooth record --inputs`: programs that read files, pipes, sockets, time and random numbers are confirmed with what
they got in the recorded run, and honestly diverge without it. Recording changes nothing for them."""
import argparse
import json
import os
import pathlib
import secrets
import socket
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "projects"))
from recording import check, fresh, run  # noqa: E402

CONFIRMED, DIVERGED, WRONG = 66, 65, 2


class Outside:
    """The file, standard input and sockets that the program sees; they are other ones after `change`."""

    def __init__(self, work):
        self.file, self.unix = work / "data.txt", str(work / "server")
        self.text = f"{secrets.randbelow(10**6)} {secrets.randbelow(10**6)}\nsecond {secrets.token_hex(8)}\n" + "x" * 9000
        self.file.write_text(self.text)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = str(self.listener.getsockname()[1])

    def arguments(self, source):
        if source == "client":
            return [self.port]
        return [self.unix] if source == "server" else ["no such file" if source == "missing" else str(self.file)]

    def serve(self, source):
        def answer():
            client, _ = self.listener.accept()
            client.recv(4)
            client.sendall(secrets.token_hex(300).encode())
            client.close()

        def call():
            client = socket.socket(socket.AF_UNIX)
            while client.connect_ex(self.unix) != 0:
                pass
            client.sendall(secrets.token_hex(8).encode())
            client.close()

        partner = {"client": answer, "server": call}.get(source)
        if partner is not None:
            threading.Thread(target=partner, daemon=True).start()


def record(sooth, work, source, outside):
    """(finding's id, what the program printed)"""
    outside.serve(source)
    answer = subprocess.run([sooth, "record", "--inputs", "-o", f"{source}.sooth", "./inputs", source, *outside.arguments(source)],
                            cwd=work, input=outside.text.encode() if source == "cin" else b"", stdout=subprocess.PIPE, check=False, timeout=60)
    check(answer.returncode == 0, f"{source} ends well: {answer.returncode}")
    run([sooth, "check", "--json", f"{source}.json", f"{source}.sooth"], work, fine=(CONFIRMED,))
    findings = json.loads((work / f"{source}.json").read_text())["findings"]
    ids = [finding["id"] for finding in findings if finding["kind"] == "deadlock" and finding["status"] == "predicted"]
    check(len(ids) == 1, f"one predicted deadlock of {source}")
    return ids[0], answer.stdout.decode().rstrip("\n")


def replay(sooth, work, source, outside, key, words, fine):
    command = [sooth, "replay", "--watchdog", "1", *words, "./inputs", "--", source, *outside.arguments(source)]
    with open(os.devnull, "rb") as nothing:
        answer = subprocess.run(command, cwd=work, stdin=nothing, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                                env={**os.environ, "PAIR_IS_FREE": "1", "KEY": key}, timeout=120)
    check(answer.returncode == fine, f"{source} {words}: {answer.returncode}, not {fine}\n{answer.stderr.decode()}")
    return answer.stdout.decode(), answer.stderr.decode()


def test_source(sooth, work, source, times):
    outside = Outside(work)
    number, key = record(sooth, work, source, outside)
    check(key != "", f"{source} got something")
    # Nothing is as it was.
    outside.listener.close()
    outside.file.unlink()
    (work / "no such file").write_text("now it is there")
    for _ in range(times):
        out, _ = replay(sooth, work, source, outside, key, ["--then", "continue", f"{source}.json:{number}"], CONFIRMED)
        check(out.rstrip("\n") == key, f"{source} prints the same: {out}")
        outside.file.write_text("1 2\nother\n")
    _, error = replay(sooth, work, source, outside, key, ["--real-inputs", f"{source}.json:{number}"], DIVERGED)
    check("diverged" in error and "input, time" in error, error)
    (work / "no such file").unlink()
    out, _ = replay(sooth, work, source, outside, key, ["--observed", f"{source}.sooth"], 0)
    check(out.rstrip("\n") == key, f"{source} is reproduced: {out}")


SOURCES = ["clock_gettime", "gettimeofday", "chrono", "rand", "random_device", "getrandom", "arc4random", "urandom", "ids", "scanf",
           "getline", "read", "missing", "cin", "pipe", "client", "server"]


def test_other_calls(sooth, work):
    """A program that asks for something else gets the rest from outside, and that is told."""
    outside = Outside(work)
    number, key = record(sooth, work, "read", outside)
    command = [sooth, "replay", "--watchdog", "1", f"read.json:{number}", "./inputs", "--", "getrandom"]
    answer = run(command, work, {"PAIR_IS_FREE": "1", "KEY": key}, fine=(DIVERGED,))
    check("asked for a random number, and in the recorded run for an open file" in answer.err, answer.err)
    outside.listener.close()


def test_refused(sooth, work):
    run([sooth, "record", "-o", "plain.sooth", "./inputs", "chrono"], work)
    answer = run([sooth, "replay", "--inputs", "plain.sooth", "--observed", "read.sooth", "./inputs"], work, fine=(WRONG,))
    check("this trace has no inputs" in answer.err, answer.err)
    answer = run([sooth, "replay", "--inputs", "read.json", "--observed", "read.sooth", "./inputs"], work, fine=(WRONG,))
    check("this is not a trace" in answer.err, answer.err)


CHOICE = """
#include <cstdlib>
#include <mutex>
#include <random>
#include <thread>
extern "C" void at(int turn); // order.c
std::mutex first, second, third, fourth;
void forwards() {
  { const std::scoped_lock outer(first); const std::scoped_lock inner(second); }
  { const std::scoped_lock outer(third); const std::scoped_lock inner(fourth); }
}
BACKWARDS
int main() {
  void (*const all[])() = {NAMES};
  void (*chosen)() = all[std::random_device{}() % (sizeof all / sizeof *all)];
  std::thread(forwards).join();
  // One after the other in the recorded run.
  const auto turn = [](int number) {
    if (std::getenv("SOOTH_REPLAY") == nullptr) at(number);
  };
  std::thread thread([&] { turn(0); forwards(); turn(1); }), other([&] { turn(2); chosen(); });
  thread.join();
  other.join();
}
"""
ONE = """void backwards_N() {
  { const std::scoped_lock outer(second); const std::scoped_lock inner(first); }
  { const std::scoped_lock outer(fourth); const std::scoped_lock inner(third); }
}
"""


def choice():
    """The schedule names one of many functions, which the program chooses at random."""
    numbers = [str(number) for number in range(500)]
    return CHOICE.replace("BACKWARDS", "".join(ONE.replace("N", n) for n in numbers)).replace("NAMES", ", ".join(f"backwards_{n}" for n in numbers))


def test_confirm(binaries, work):
    """`sooth run --inputs --confirm` gives its own replays, several at once, what the first run got."""
    (work / "choice.cpp").write_text(choice())
    run([binaries / "sooth-c++", "-g", "-O1", "-pthread", "choice.cpp", "order.o", "-o", "choice"], work)

    def statuses(*words):
        run([binaries / "sooth", "run", *words, "--find", "deadlocks", "--json", "run.json", "./choice"], work, fine=(CONFIRMED,))
        return [finding["status"] for finding in json.loads((work / "run.json").read_text())["findings"]]

    check(statuses("--inputs", "--confirm") == ["confirmed"] * 2, "both, with inputs")
    check(statuses("--inputs", "--confirm", "--jobs", "1") == ["confirmed"] * 2, "one after the other, too")
    begin = time.monotonic()
    check(statuses("--confirm", "--confirm-budget", "3") == ["predicted"] * 2, "neither, without")
    check(time.monotonic() - begin < 30, "the budget is kept")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--times", type=int, default=2, help="replays of each finding")
    parser.add_argument("--only", choices=SOURCES)
    options = parser.parse_args()
    work, binaries = fresh(options.work.resolve()), options.build.resolve() / "bin"
    sooth = binaries / "sooth"
    run(["clang-19", "-O1", "-c", HERE.parent / "pairs" / "order.c", "-o", "order.o"], work)
    run([binaries / "sooth-c++", "-g", "-O1", "-pthread", HERE / "inputs.cpp", "order.o", "-o", "inputs"], work)
    for source in [options.only] if options.only else SOURCES:
        test_source(sooth, work, source, options.times)
    if options.only:
        return
    test_other_calls(sooth, work)
    test_refused(sooth, work)
    test_confirm(binaries, work)


main()
