#!/usr/bin/env python3
"""`sooth replay` and `sooth run --confirm`: what they say, what follows, and what they refuse.

tests/pairs replays every predicted finding of its programs; here is all the rest.
"""
import argparse
import json
import os
import pathlib
import pty
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "projects"))
from recording import check, fresh, run  # noqa: E402

CONFIRMED, DIVERGED, WRONG = 66, 65, 2
FREE = {"PAIR_IS_FREE": "1"}  # order.c does nothing


class Test:
    def __init__(self, build, work):
        self.bin, self.work = build / "bin", work
        self.sooth = self.bin / "sooth"
        run(["clang-19", "-O1", "-c", HERE.parent / "pairs" / "order.c", "-o", "order.o"], work)

    def build(self, source, program=None, flags=()):
        program = program or pathlib.Path(source).stem
        run([self.bin / "sooth-c++", "-g", "-O1", "-pthread", *flags, source, "order.o", "-o", program], self.work)
        return f"./{program}"

    def predicted(self, program, *arguments):
        """Records the program; the number of its only predicted finding in PROGRAM.json."""
        name = program[2:]
        run([self.sooth, "record", "-o", f"{name}.sooth", program, *arguments], self.work)
        run([self.sooth, "check", "--json", f"{name}.json", "--witness", "found", f"{name}.sooth"], self.work, fine=(CONFIRMED,))
        report = json.loads((self.work / f"{name}.json").read_text())
        ids = [finding["id"] for finding in report["findings"] if finding["status"] == "predicted"]
        check(len(ids) == 1, f"one predicted finding of {name}, not {len(ids)}")
        return ids[0]

    def replay(self, *words, fine=(CONFIRMED,), environment=FREE):
        return run([self.sooth, "replay", *words], self.work, environment, fine)


def has(answer, *parts):
    for part in parts:
        check(part in answer.err, f"`{part}` is not in:\n{answer.err}")


def line_of(source, mark):
    for number, line in enumerate((HERE / source).read_text().splitlines(), 1):
        if line.endswith(f"// {mark}"):
            return number
    raise AssertionError(mark)


def test_race(test):
    """Confirmed, ten times out of ten, from JSON, trace and witness file; then the crash that is behind it."""
    program = test.build(HERE / "ledger.cpp")
    number = test.predicted(program)
    places = [f"ledger.cpp:{line_of('ledger.cpp', mark)}" for mark in ("@read", "@close")]
    for _ in range(10):
        has(test.replay(f"ledger.json:{number}", program), "confirmed: race", *places)
    has(test.replay(f"ledger.sooth:{number}", program), "confirmed: race")
    has(test.replay("--witness", f"found/{number}.witness", program), "confirmed: race")
    check(test.replay("--exit-code", "0", f"ledger.json:{number}", program, fine=(0,)).out == "", "the program stops there")
    answer = test.replay("--then", "continue", f"ledger.json:{number}", program)
    has(answer, "and then, with the read first: the program ended well", "and then, with the write first: SIGSEGV")
    return program, number


def test_gdb(test, program, number):
    answer = test.replay("--then", "gdb", f"ledger.json:{number}", program)
    has(answer, "confirmed: race")
    shown = answer.out
    for mark, function in (("@read", "read_ledger"), ("@close", "main")):
        wanted = f"ledger.cpp:{line_of('ledger.cpp', mark)}"
        check(any(function in line and wanted in line for line in shown.splitlines()), f"a thread at {wanted}:\n{shown}")


def test_explained(test, program, number):
    """The pair that decides, with its calls."""
    has(test.replay("--explain", f"ledger.json:{number}", program), "the order of these two events decides",
        "in the schedule with the error, this comes first:", "in the recorded run, this came before it:", "acquire of gate", "confirmed: race")


def test_stepped(test, program, number):
    """Without a terminal all events are shown, one a line, in its thread's column, up to the two of the race."""
    answer = test.replay("--then", "step", f"ledger.json:{number}", program)
    has(answer, "thread 0", "thread 1", "confirmed: race",
        *(f"ledger.cpp:{line_of('ledger.cpp', mark)}  " for mark in ("@read", "@close")))
    check("Enter" not in answer.err, "nobody is asked")

    # With a terminal: one event, then the rest of the step, then all the rest.
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(test.work)
        os.environ.update(FREE)
        os.execv(test.sooth, ["sooth", "replay", "--then", "step", f"ledger.json:{number}", program])
    os.write(terminal, b"\ns\nc\n")
    shown = b""
    try:
        while part := os.read(terminal, 4096):
            shown += part
    except OSError:
        pass  # the end of a terminal
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    check(status == CONFIRMED and b"confirmed: race" in shown and b"Enter" in shown, f"{status}: {shown.decode(errors='replace')}")


def test_confirm(test, program):
    answer = run([test.sooth, "run", "--confirm", "--confirm-budget", "1", "--json", "confirmed.json", program], test.work, fine=(CONFIRMED,))
    check(answer.out == "7\n", "only the first run's output is shown")
    # order.c is not out of the way: it keeps the threads from following.
    has(answer, "predicted data race", "a replay diverged")
    report = json.loads((test.work / "confirmed.json").read_text())
    check(report["findings"][0]["status"] == "predicted" and report["findings"][0]["replay"]["diverged"], "with the reason")
    answer = run([test.sooth, "run", "--confirm", "--json", "confirmed.json", "--", *deadlock(test)], test.work, fine=(CONFIRMED,))
    has(answer, "confirmed deadlock", "replayed", "stands at acquire")
    report = json.loads((test.work / "confirmed.json").read_text())
    check(report["findings"][0]["status"] == "confirmed", "confirmed in JSON")
    check("acquire" in report["findings"][0]["replay"]["seen"][0], "with what was seen")


def deadlock(test):
    source = test.work / "inversion.cpp"
    source.write_text("""
#include <mutex>
#include <thread>
std::mutex first, second;
void take(std::mutex& outer, std::mutex& inner) {
  const std::lock_guard<std::mutex> a(outer);
  const std::lock_guard<std::mutex> b(inner);
}
int main() {
  std::thread(take, std::ref(first), std::ref(second)).join();
  std::thread other([] { take(second, first); });
  std::thread third([] {});
  third.join();
  other.join();
  std::thread last(take, std::ref(first), std::ref(second));
  std::thread end([] { take(second, first); });
  last.join();
  end.join();
}
""")
    return [test.build(source)]


def test_command_in_report(test, program):
    answer = run([test.sooth, "check", "ledger.sooth"], test.work, fine=(CONFIRMED,))
    has(answer, "to see it happen: sooth replay ledger.sooth:1 PROGRAM")


def test_refused(test, program, number):
    witness = (test.work / f"found/{number}.witness").read_text()

    def refused(text, *parts):
        (test.work / "forged.witness").write_text(text)
        has(test.replay("--witness", "forged.witness", program, fine=(WRONG,)), *parts)

    refused(witness.replace("witness 1", "witness 2"), "forged.witness:1:15: this witness is of another version")
    refused(witness.replace("run 0 fork", "run 0 spoon"), "expected a kind of event")
    refused(witness.replace("run 0 fork", "run 9 fork"), "expected a thread's number")
    refused("", "this is not a witness")
    has(test.replay(f"ledger.json:{number}", "--then", "gdb", program, fine=(WRONG,)),
        f"options come first: `sooth replay --then ... ledger.json:{number} PROGRAM`")
    refused(witness.replace('"read_ledger()"', '"no_such_function()"'), "it has no such function")

    def edited(*changes):
        text = (HERE / "ledger.cpp").read_text().replace('"../pairs/', f'"{HERE.parent}/pairs/')
        for old, new in changes:
            check(old in text, old)
            text = text.replace(old, new)
        (test.work / "ledger.cpp").write_text(text)
        return test.build(test.work / "ledger.cpp", "changed")

    # The source was edited: lines have come above the functions, then also between the places of one.
    line = line_of("ledger.cpp", "@read")
    above = ("int page = 7;", "// three\n// more\n// lines\nint page = 7;")
    has(test.replay(f"ledger.json:{number}", edited(above)), f"ledger.cpp:{line} in read_ledger() is line {line + 3} now", "confirmed: race")
    inside = ("  {\n    const std::lock_guard<std::mutex> lock(gate);\n    ++readers;", "\n  {\n    const std::lock_guard<std::mutex> lock(gate);\n    ++readers;")
    has(test.replay(f"ledger.json:{number}", edited(above, inside)), "confirmed: race")
    # The function is there, and its access stands elsewhere in the line.
    changed = edited(("const int number = *ledger;", "const int the_number_of_it = *ledger;"), ("number);", "the_number_of_it);"))
    has(test.replay(f"ledger.json:{number}", changed, fine=(WRONG,)), "the function has changed since")
    has(test.replay(f"ledger.json:{number}", *deadlock(test), fine=(WRONG,)), "was made for another program")
    has(test.replay("ledger.json:7", program, fine=(WRONG,)), "has no finding 7")
    has(test.replay("ledger.json", program, fine=(WRONG,)), "REPORT.json:ID")
    # A rebuild is no obstacle: nothing in the file is an address.
    again = test.build(HERE / "ledger.cpp", "again", ["-Wl,-z,relro", "-fPIE"])
    has(test.replay(f"ledger.json:{number}", again), "confirmed: race")


def test_diverged(test):
    """Other input, and a wait that the schedule does not know: never a hang."""
    program = test.build(HERE / "input.cpp")
    (test.work / "b").write_text("b")
    (test.work / "a").write_text("a")
    number = test.predicted(program, "b")
    has(test.replay(f"input.json:{number}", program, "--", "b"), "confirmed: deadlock")
    has(test.replay("--watchdog", "2", f"input.json:{number}", program, "a", fine=(DIVERGED,)), "diverged", "expected: thread 0",
        "instead:", "input, time")
    program = test.build(HERE / "waits_outside.cpp")
    number = test.predicted(program)
    begin = time.monotonic()
    has(test.replay("--watchdog", "1", f"waits_outside.json:{number}", program, fine=(DIVERGED,), environment={}), "diverged",
        "did not foresee")
    check(time.monotonic() - begin < 60, "the watchdog ends it")
    has(test.replay(f"waits_outside.json:{number}", program), "confirmed: race")


def test_long_computation(test):
    """A thread that computes for longer than the watchdog waits comes to no hook, and is not given up: its next step is no access."""
    source = test.work / "computes.cpp"
    source.write_text("""
#include <ctime>
#include <mutex>
#include <thread>
#include <vector>
extern "C" void at(int turn);
std::mutex gate;
int shared;
double now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}
void early() { // the first one in the recorded run
  shared = 1;
  { const std::lock_guard<std::mutex> lock(gate); }
  at(0);
}
void late() {
  at(1);
  std::vector<unsigned> values(4096);
  for (const double begin = now(); now() < begin + 1.7;)
    for (unsigned& value : values) value = value * 3 + 1;
  { const std::lock_guard<std::mutex> lock(gate); }
  shared = values[7] != 1;
}
int main() {
  std::thread first(early), second(late);
  first.join();
  second.join();
}
""")
    program = test.build(source)
    number = test.predicted(program)
    has(test.replay("--watchdog", "1", f"computes.json:{number}", program), "confirmed: race")


def test_common_bytes(test):
    """The threads' loops have one element in common: each has to stop at that one, and not at its first."""
    source = test.work / "ranges.cpp"
    source.write_text("""
#include <cstdio>
#include <mutex>
#include <thread>
extern "C" void at(int turn);
std::mutex gate;
int numbers[64];
void low() {
  for (int i = 0; i <= 32; ++i) numbers[i] = i;
  { const std::lock_guard<std::mutex> lock(gate); }
  at(0);
}
void high() {
  at(1);
  { const std::lock_guard<std::mutex> lock(gate); }
  for (int i = 20; i < 64; ++i)
    if (i >= 32) numbers[i] = 2 * i;
}
int main() {
  std::thread first(low), second(high);
  first.join();
  second.join();
  std::puts("end");
}
""")
    for level in "012":
        program = test.build(source, f"ranges{level}", [f"-O{level}"])
        number = test.predicted(program)
        for _ in range(3):
            answer = test.replay(f"ranges{level}.json:{number}", program)
            has(answer, "confirmed: race", "thread 1 stands at write", "thread 2 stands at write", "value 0x20")
            check(answer.out == "", "the program never goes on")
        has(test.replay("--then", "continue", f"ranges{level}.json:{number}", program), "with the second access first: the program ended well")


def test_observed(test):
    """The recorded run once more: same output, same status, whatever the threads would like to do."""
    source = test.work / "race_for_lock.cpp"
    source.write_text("""
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>
std::mutex gate;
std::vector<int> order;
int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([i] {
      for (int k = 0; k < 50; ++k) {
        const std::lock_guard<std::mutex> lock(gate);
        order.push_back(i);
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (const int i : order) std::printf("%d", i);
  std::printf("\\\\n");
  return order.front() + order.back() * 4;
}
""".replace("\\\\", "\\"))
    program = test.build(source)
    recorded = run([test.sooth, "record", "-o", "order.sooth", program], test.work, fine=range(16))
    for _ in range(10):
        again = test.replay("--observed", "order.sooth", program, fine=range(16))
        check((again.out, again.returncode) == (recorded.out, recorded.returncode), f"{again.out} is not {recorded.out}")
        check(again.err == "", again.err)


def test_until_failure(test):
    """Runs until it fails, and keeps that run: here the third one, by a file that counts."""
    source = test.work / "flaky.cpp"
    source.write_text("""
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
std::mutex gate;
int main() {
  std::FILE* file = std::fopen("runs", "a");
  std::fputc('x', file);
  const long runs = std::ftell(file);
  std::fclose(file);
  std::thread thread([] { const std::lock_guard<std::mutex> lock(gate); });
  { const std::lock_guard<std::mutex> lock(gate); }
  thread.join();
  if (runs % 3 == 0) std::abort();
}
""")
    program = test.build(source)
    answer = run([test.sooth, "record", "--until-failure", "9", "-o", "flaky.sooth", program], test.work, fine=(-6,))
    has(answer, "it failed", "sooth replay --observed flaky.sooth ./flaky")
    check((test.work / "runs").read_text() == "xxx", "three runs")
    (test.work / "runs").write_text("xx")
    test.replay("--observed", "flaky.sooth", program, fine=(-6,))
    (test.work / "runs").write_text("")
    answer = run([test.sooth, "record", "--until-failure", "2", "-o", "none.sooth", program], test.work)
    has(answer, "none of 2 runs failed")
    check(not (test.work / "none.sooth").exists(), "no trace is kept")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    options = parser.parse_args()
    test = Test(options.build.resolve(), fresh(options.work.resolve()))
    program, number = test_race(test)
    test_gdb(test, program, number)
    test_command_in_report(test, program)
    test_explained(test, program, number)
    test_stepped(test, program, number)
    test_refused(test, program, number)
    test_confirm(test, program)
    test_diverged(test)
    test_long_computation(test)
    test_common_bytes(test)
    test_observed(test)
    test_until_failure(test)


main()
