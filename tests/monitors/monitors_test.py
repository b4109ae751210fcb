#!/usr/bin/env python3
"""Monitors inside real programs. One scenario for each test; see SCENARIOS at the end.

Every scenario runs two builds: an ordinary one that reads its monitors at start (SOOTH_MONITOR), and one that was built for
them (`sooth c++ --monitor`). Both must say the same. --runs N repeats the silent runs (default: $SOOTH_TEST_RUNS or 3).
"""

import argparse
import collections
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent


class Failed(Exception):
    pass


def check(what, *more):
    if not what:
        raise Failed(" ".join(str(m) for m in more))


class Bench:
    """The built Sooth, a folder to work in, and how often a silent run is repeated."""

    def __init__(self, bin_folder, work, runs):
        self.bin = pathlib.Path(bin_folder).resolve()
        self.work = pathlib.Path(work).resolve()
        self.runs = runs
        self.work.mkdir(parents=True, exist_ok=True)

    def property(self, text, name="test.prop"):
        file = self.work / name
        file.write_text(text)
        return file

    def compile(self, name, program, *flags, check=True):
        source = HERE / "programs" / name
        compiler = self.bin / ("sooth-c++" if source.suffix == ".cpp" else "sooth-cc")
        standard = ["-std=c++20"] if source.suffix == ".cpp" else []
        return subprocess.run([compiler, *standard, "-g", "-O1", "-pthread", source, *flags, "-o", self.work / program],
                              check=check, capture_output=True, text=True, timeout=240)

    def build(self, name, prop):
        """The two builds, each with the environment that it needs."""
        stem = pathlib.Path(name).stem
        self.compile(name, stem)
        self.compile(name, stem + ".built_in", "--monitor", prop)
        return [(self.work / stem, {"SOOTH_MONITOR": str(prop)}), (self.work / (stem + ".built_in"), {})]

    def run(self, program, *arguments, environment=None):
        clean = {k: v for k, v in os.environ.items() if not k.startswith("SOOTH_")}
        return subprocess.run([program, *arguments], env={**clean, **(environment or {})}, cwd=self.work,
                              capture_output=True, text=True, timeout=200)

    def silent(self, build, *arguments, stdout=None):
        for _ in range(self.runs):
            result = self.run(build[0], *arguments, environment=build[1])
            check(result.returncode == 0 and result.stderr == "", build[0].name, arguments, result)
            check(stdout is None or result.stdout == stdout, result)

    def violated(self, build, *arguments, monitor, count=1, stdout=None, status=0):
        """The violations of the monitor; others may be told, too."""
        result = self.run(build[0], *arguments, environment=build[1])
        check(result.returncode == status, build[0].name, arguments, result)
        check(stdout is None or result.stdout == stdout, result)
        told = [part for part in result.stderr.split("sooth: ") if part.startswith(f"monitor `{monitor}` is violated in ")]
        check(len(told) == count, "expected", count, "violations of", monitor, "in", result.stderr)
        return told

    def recorded(self, program, *arguments, prop):
        """What `sooth check` says of a run that was recorded for the property file."""
        trace = self.work / "run.sooth"
        result = self.run(self.bin / "sooth", "record", "--property", prop, "-o", trace, program, *arguments)
        check(result.returncode == 0, result)
        return self.run(self.bin / "sooth", "check", trace, "--property", prop, "--find", "properties", "--json", self.work / "run.json")

    def findings(self):
        """What `recorded` found: for each property how often it failed; and that it was seen, not predicted."""
        counts = collections.Counter()
        for finding in json.loads((self.work / "run.json").read_text())["findings"]:
            check(finding["status"] == "observed", finding)
            counts[finding["property"]] += finding["count"]
        return counts

    def told(self, build, *arguments):
        """How often each monitor failed inside the program."""
        result = self.run(build[0], *arguments, environment=build[1])
        check(result.returncode == 0, build[0].name, arguments, result)
        counts = collections.Counter(re.findall(r"monitor `([^`]*)` is violated in", result.stderr))
        return counts | collections.Counter({name: int(n) for name, n in re.findall(r"monitor `([^`]*)` was violated (\d+) times", result.stderr)})


BANK = ("monitor atomicity of transfer over checking.balance, saving.balance\n"
        "monitor atomicity of calculate_balance over checking.balance, saving.balance\n")
EXCLUSION = ("monitor exclusion at any t: critical == 1 -> !exists u != t: @u(critical) == 1\n"
             "monitor datarace on counter\n")
FRESH = "monitor fresh at writer: x > @reader(y)\n"


def bank(bench):
    """DAME, section 3: one execution violates atomicity, the other does not."""
    prop = bench.property(BANK)
    for build in bench.build("bank.cpp", prop):
        told, = bench.violated(build, "interleaved", monitor="atomicity of transfer", stdout="seen 70, in all 100\n")
        check(re.search(r"thread 2 at \S*bank\.cpp:3\d\n", told), told)
        check("block(transfer)" in told and "as of thread 1" in told, told)
        bench.silent(build, "apart", stdout="seen 100, in all 100\n")


def exclusion(bench):
    """A broken mutual exclusion is found in two ways; its sound twin is silent."""
    prop = bench.property(EXCLUSION)
    for build in bench.build("exclusion.cpp", prop):
        for monitor in ("exclusion", "datarace on counter"):
            told, *_ = bench.violated(build, "broken", monitor=monitor, stdout="2\n")
            check("exclusion.cpp:" in told, told)
        bench.silent(build, "sound", stdout="400\n")


def recorded(bench):
    """The offline twin: `sooth check` says of a recorded run what the monitors say in the program."""
    for name, text, wrong, right in (("bank.cpp", BANK, "interleaved", "apart"), ("exclusion.cpp", EXCLUSION, "broken", "sound"),
                                     ("fresh.cpp", FRESH, "stale", "ahead")):
        prop = bench.property(text)
        bench.compile(name, "recorded")
        found = bench.recorded(bench.work / "recorded", wrong, prop=prop)
        check(found.returncode == 66, name, found)
        told = bench.told((bench.work / "recorded", {"SOOTH_MONITOR": str(prop)}), wrong)
        check(told and told.keys() == bench.findings().keys(), name, told, found)
        silent = bench.recorded(bench.work / "recorded", right, prop=prop)
        check(silent.returncode == 0, name, silent)


def random_script(rnd):
    """Steps for scripted.cpp that never block for good."""
    steps, holder, tokens = [], {"1": None, "2": None}, 0
    for _ in range(rnd.randint(8, 24)):
        thread, lock = rnd.choice("123"), rnd.choice("12")
        verb = rnd.choice("wwwwrrrrriLLSlFPW")
        if verb == "w":
            steps.append(thread + verb + rnd.choice("abcpm") + rnd.choice("01234"))
        elif verb == "r":
            steps += [thread + verb + rnd.choice("abcp") + "0"] * rnd.choice((1, 1, 2))
        elif verb == "i":
            steps.append(thread + verb + rnd.choice("pq") + rnd.choice("0123"))
        elif verb == "L" and holder[lock] in (None, thread):
            steps.append(thread + ("L" if holder[lock] is None else "U") + lock + "0")
            holder[lock] = thread if holder[lock] is None else None
        elif verb in "SlFP" or (verb == "W" and tokens > 0):
            steps.append(thread + verb + "g" + rnd.choice("1234"))
            tokens += (verb == "P") - (verb == "W")
    steps += [thread + "U" + lock + "0" for lock, thread in holder.items() if thread is not None]
    return "".join(steps)


def random_expression(rnd, depth=2):
    if depth > 0 and rnd.random() < 0.4:
        return f"@T{rnd.randint(1, 3)}({random_expression(rnd, depth - 1)})"
    return rnd.choice(["a", "b", "c.low", "c.high", "g", "p", "q", rnd.choice("01234")])


def random_formula(rnd, depth):
    if depth == 0 or rnd.random() < 0.2:
        return f"{random_expression(rnd)} {rnd.choice(['<', '<=', '==', '!='])} {random_expression(rnd, 1)}"
    one, two = random_formula(rnd, depth - 1), random_formula(rnd, depth - 1)
    return rnd.choice([f"!({one})", f"previously ({one})", f"once ({one})", f"historically ({one})", f"start ({one})", f"end ({one})",
                       f"({one}) && ({two})", f"({one}) -> ({two})", f"({one}) since ({two})", f"[{one}, {two})", f"@T{rnd.randint(1, 3)}({one})"])


def twins(bench):
    """However the accesses were ordered: a run that was recorded for the monitors fails them as often as they fail in the program."""
    rnd = random.Random(6)
    bench.compile("scripted.cpp", "scripted")
    in_all, failed = 0, 0
    for _ in range(40):
        script = random_script(rnd)
        lines = [f"monitor m{i} at T{rnd.randint(1, 3)}: {random_formula(rnd, rnd.randint(0, 3))}\n" for i in range(12)]
        lines += ["monitor datarace on a\n", "monitor everything at any t: a <= 2 over *\n"] if rnd.random() < 0.3 else []
        prop = bench.property("".join(lines))
        told = bench.told((bench.work / "scripted", {"SOOTH_MONITOR": str(prop)}), script)
        found = bench.recorded(bench.work / "scripted", script, prop=prop)
        check(found.returncode in (0, 66), found)
        check(bench.findings() == told, script, prop.read_text(), "in the program", told, "recorded", bench.findings())
        in_all, failed = in_all + len(lines), failed + len(told)
    check(failed > in_all / 10 and in_all - failed > in_all / 10, in_all, failed)


def unordered(bench):
    """Recorded for no property: a verdict that rests on an order that nobody knows is no observed one, and the report says so."""
    bench.compile("scripted.cpp", "scripted")
    prop = bench.property("monitor low at T2: a <= 2\n")
    trace, report = bench.work / "plain.sooth", bench.work / "plain.json"
    for script, bounded in (("1wa12wa3", True), ("1L102wa31U10", False), ("1wa11L101U102L102wa32U10", False)):
        recorded = bench.run(bench.bin / "sooth", "record", "-o", trace, bench.work / "scripted", script)
        check(recorded.returncode == 0, recorded)
        found = bench.run(bench.bin / "sooth", "check", trace, "--property", prop, "--find", "properties", "--json", report)
        check(found.returncode == 66, script, found)
        finding, = json.loads(report.read_text())["findings"]
        check(finding["status"] == ("predicted" if bounded else "observed"), script, found)
        check(("The recording does not tell which came first, `writes a = " in found.stderr) == bounded, script, found)
        check(("recorded with this --property, it would be" in found.stderr) == bounded, script, found)
        steps = sorted(step["what"] for step in finding.get("run", {}).get("unordered", []))
        check(steps == (["writes a = 1", "writes a = 3"] if bounded else []), finding)


def fresh(bench):
    """A named thread's formula with remote knowledge; what threads know, they may ask."""
    prop = bench.property(FRESH)
    builds = bench.build("fresh.cpp", prop)
    heard = "writer: 0, 1 5\nreader: 1 10\nmonitored 1\n"
    for build in builds:
        told, = bench.violated(build, "stale", monitor="fresh", stdout=heard)
        check("(writer)" in told and "x = 3" in told and "@reader(y) = 5   as of thread 1 (reader)" in told, told)
        bench.silent(build, "ahead", stdout=heard)
    plain = bench.run(builds[0][0], "ahead", environment={"SOOTH_OPTIONS": "record=0"})
    check(plain.stdout == "writer: 0, 0 -1\nreader: 0 -1\nmonitored 0\n", plain)
    check(not list(bench.work.glob("*.sooth")), "a monitored program left a trace")


STARTS = {"by_std_thread": "levels[0] == 0 && levels[5] == 0", "depot::unnamed": "levels[1] == 0", "depot::Crane::lift": "levels[2] == 0",
          "in_c": "levels[3] == 0", "pattern": "levels[4] == 0", "caller": "levels[5] == 0", "main": "levels[5] == 0"}


def starts(bench):
    """Threads are known by the functions they start with, however they were started; a function that is only called names nobody."""
    prop = bench.property("".join(f"monitor m{i} at {name}: {formula}\n" for i, (name, formula) in enumerate(STARTS.items())))
    for optimisation in ("-O0", "-O2"):
        bench.compile("starts.cpp", "starts", optimisation)
        bench.compile("starts.cpp", "starts.built_in", optimisation, "--monitor", prop)
        for build in ((bench.work / "starts", {"SOOTH_MONITOR": str(prop)}), (bench.work / "starts.built_in", {})):
            result = bench.run(build[0], environment=build[1])
            told = re.findall(r"monitor `m(\d)` is violated in thread (\d) at", result.stderr)
            check(told == [("0", "1"), ("1", "2"), ("2", "3"), ("3", "4"), ("4", "5"), ("5", "6"), ("6", "0")], optimisation, result)
            check("there was no thread" not in result.stderr, result)
    found = bench.recorded(bench.work / "starts", prop=prop)
    check(found.returncode == 66 and all(f"m{i}" in found.stderr for i in range(len(STARTS))), found)


def places(bench):
    """Annotations are told where they stand, in each kind of build."""
    prop = bench.property("monitor internal at any t: ph == 0 || x != 1\nmonitor told at any t: told == 0\nmonitor block at any t: block(block) == 0\n")
    for optimisation in ("-O0", "-O2"):
        bench.compile("places.cpp", "places", optimisation)
        bench.compile("places.cpp", "places.built_in", optimisation, "--monitor", prop)
        for build in ((bench.work / "places", {"SOOTH_MONITOR": str(prop)}), (bench.work / "places.built_in", {})):
            for monitor, line in (("internal", 11), ("told", 18), ("block", 20)):
                told, = bench.violated(build, monitor=monitor)
                check(f"places.cpp:{line}\n" in told, optimisation, monitor, told)
    events = bench.property("property p: !user(told)\n", "events.prop")
    found = bench.recorded(bench.work / "places", prop=events)
    check(found.returncode == 66 and "places.cpp:18" in found.stderr, found)


def joined(bench):
    """A report shows what the formula ranged over, not threads that were joined before; a thread that is gone keeps its name."""
    prop = bench.property("monitor someone at any t: seen == 2 -> exists u != t: @u(phase) > 0\n"
                          "monitor late at main: seen == 2 -> @reader(y) == 0\n")
    for build in bench.build("joined.cpp", prop):
        told, = bench.violated(build, monitor="someone")
        check("seen = 2" in told and "as of thread" not in told, told)
        told, = bench.violated(build, monitor="late")
        check("@reader(y) = 2   as of thread 2 (reader)" in told, told)


def actions(bench):
    """abort, break, a function that nobody registered."""
    bench.compile("fresh.cpp", "fresh")
    for action, status in (("abort", -signal.SIGABRT), ("break", -signal.SIGTRAP), ("call nobody", 0), ("continue", 0)):
        prop = bench.property(f"monitor fresh at writer: x > @reader(y)\n  when violated: {action}\n")
        build = (bench.work / "fresh", {"SOOTH_MONITOR": str(prop)})
        told, = bench.violated(build, "stale", monitor="fresh", status=status)
        check(f"-> {action}" in told or action == "continue", told)
        check(("nobody has registered" in told) == (action == "call nobody"), told)
        bench.silent(build, "ahead")


def recovery(bench):
    """32 threads under stress: each violation calls the function once, in its thread, and the program goes on."""
    prop = bench.property("monitor budget at any t: held <= 2 && available >= 0\n  when violated: call give_back\n")
    for build in bench.build("recovery.cpp", prop):
        result = bench.run(build[0], "40", environment=build[1])
        check(result.returncode == 0 and result.stdout == "recoveries all, available 1000\n", result)
        # Once in the loop, and once in the function itself, where it is only told.
        check("monitor `budget` was violated 2560 times in all" in result.stderr, result.stderr)
        check(result.stderr.count("-> call give_back") == 1, result.stderr)


def many_threads(bench):
    """Threads that come and go leave nothing behind."""
    prop = bench.property("monitor alone at any t: busy == 1 -> forall u != t: shared_number >= @u(shared_number)\n")
    for build in bench.build("many_threads.cpp", prop):
        result = bench.run(build[0], "2000", environment=build[1])
        check(result.returncode == 0 and result.stdout == "2000 lives, flat\n", result)


def watched(bench):
    """C; a variable on the heap; the other primitives order accesses, and where they do not, it is told."""
    prop = bench.property("monitor datarace on level\n")
    for build in bench.build("watched.c", prop):
        bench.silent(build, "ordered", stdout="1\n")
        result = bench.run(build[0], "unordered", environment=build[1])
        check(result.returncode == 0 and "monitor `datarace on level` is violated" in result.stderr, result)


def neighbours(bench):
    """Bytes, locks and atomics side by side share no knowledge; where accesses overlap, they do. So says the recorded run, too."""
    prop = bench.property("monitor atomicity of update over *\n")
    builds = bench.build("neighbours.c", prop)
    for mode in ("bytes", "locks", "atomics"):
        for build in builds:
            bench.silent(build, mode)
        recorded = bench.recorded(builds[0][0], mode, prop=prop)
        check(recorded.returncode == 0, mode, recorded)
    for mode in ("bytes_same", "bytes_both", "locks_same", "atomics_same"):
        for build in builds:
            bench.violated(build, mode, monitor="atomicity of update")
        recorded = bench.recorded(builds[0][0], mode, prop=prop)
        check(recorded.returncode == 66, mode, recorded)


def forks(bench):
    """Children of fork go on being monitored, also if other threads were in the middle of something."""
    prop = bench.property("monitor alone at any t: alone == 1 -> !exists u != t: @u(alone) >= 0\n"
                          "monitor even at any t: alone != 3 && level >= 0\n")
    for build in bench.build("forks.cpp", prop):
        result = bench.run(build[0], "20", environment=build[1])
        check(result.returncode == 0 and result.stdout == "20 children, 0 failed\n", result)
        told = re.findall(r"monitor `(\w+)` is violated in thread 0 of process (\d+) at", result.stderr)
        check(len(told) == 10 == len(set(told)) and all(name == "even" for name, _ in told), result)
        check(result.stderr.count("is violated") == 10, result)


def library(bench):
    """A variable of a shared library, in both kinds of build."""
    prop = bench.property("monitor datarace on shared_level\nmonitor low at any t: shared_level >= 3 && shared_level <= 5\n")
    for flags, environment in (([], {"SOOTH_MONITOR": str(prop)}), (["--monitor", prop], {})):
        bench.compile("library.cpp", "libshared.so", "-DLIBRARY", "-shared", "-fPIC", *flags)
        bench.compile("library.cpp", "with_library", f"-L{bench.work}", "-lshared", f"-Wl,-rpath,{bench.work}", *flags)
        build = (bench.work / "with_library", environment)
        bench.silent(build, "locked", stdout="5\n")
        told, = bench.violated(build, "raced", monitor="datarace on shared_level", stdout="5\n")
        check("library.cpp:13" in told, told)
    refused = bench.compile("library.cpp", "static", "-DLIBRARY", "-static", "--monitor", prop, check=False)
    check(refused.returncode == 2 and "cannot be monitored" in refused.stderr, refused)


def pointers(bench):
    """What formulas name is seen by whatever way it is reached; ways that cannot lead there have no hooks, and other monitors are refused."""
    prop = bench.property("monitor datarace on level\n")
    for flags, direct in (([], True), (["-DESCAPES"], False)):
        bench.compile("pointers.c", "pointers", *flags)
        bench.compile("pointers.c", "pointers.built_in", "--monitor", prop, *flags)
        for build in ((bench.work / "pointers", {"SOOTH_MONITOR": str(prop)}), (bench.work / "pointers.built_in", {})):
            bench.violated(build, monitor="datarace on level", stdout="28\n")
        code = bench.run("objdump", "--disassemble=sum", bench.work / "pointers.built_in").stdout
        check("<sum>:" in code and ("__sooth_monitored" in code) != direct, direct, code)
        for text, said in (("monitor datarace on other_level\n", "not all accesses of 'other_level' are followed"),
                           ("monitor low at any t: level >= 0 over *\n", "not all memory is followed")):
            more = bench.property(text, "more.prop")
            result = bench.run(bench.work / "pointers.built_in", environment={"SOOTH_MONITOR": str(more)})
            check(result.returncode == 2 and said in result.stderr and "does not start" in result.stderr, result)


BAD = [ # a property file, and what is said of it
    ("monitor a at writter: x > 0\n", "writter"),
    ("monitor a at writer: z > 0\n", "z"),
    ("monitor a at writer: x > @reader(q)\n", "q"),
    ("monitor a at writer: x + > 0\n", "1:26"),
    ("property p: x > 0\n", "there is no monitor"),
]


def refused(bench):
    """Bad monitors: told at start, with the place, and the program does not start unless it is told to."""
    bench.compile("fresh.cpp", "fresh")
    for text, said in BAD:
        prop = bench.property(text)
        result = bench.run(bench.work / "fresh", "ahead", environment={"SOOTH_MONITOR": str(prop)})
        check(result.returncode == 2 and result.stdout == "", text, result)
        check(said in result.stderr and "test.prop" in result.stderr and "does not start" in result.stderr, text, result)
        result = bench.run(bench.work / "fresh", "ahead",
                           environment={"SOOTH_MONITOR": str(prop), "SOOTH_OPTIONS": "bad_monitors=run"})
        check(result.returncode == 0 and "monitored 0" in result.stdout, text, result)
        check("runs without monitors" in result.stderr, text, result)
        check(not list(bench.work.glob("*.sooth")), "a program without monitors left a trace")
        built = bench.compile("fresh.cpp", "fresh.bad", "--monitor", prop, check=False)
        check(built.returncode != 0 and said in built.stderr and not (bench.work / "fresh.bad").exists(), text, built)
    missing = bench.run(bench.work / "fresh", "ahead", environment={"SOOTH_MONITOR": "nowhere.prop"})
    check(missing.returncode == 2 and "nowhere.prop" in missing.stderr, missing)


def without_value(bench):
    """A division by zero makes its condition false, and `not` of it true; the number of them is told at the end."""
    prop = bench.property("monitor never at writer: not (x / (y - y) == 1)\nmonitor logic at writer: not once (x == 4) or x == 4\n")
    for program, environment in bench.build("fresh.cpp", prop):
        result = bench.run(program, "ahead", environment=environment)
        check(result.returncode == 0 and "is violated" not in result.stderr, result)
        check(re.search(r"monitors met [1-9]\d* divisions by zero and 0 shifts", result.stderr), result.stderr)
    bench.compile("fresh.cpp", "recorded")
    recorded_run = bench.recorded(bench.work / "recorded", "ahead", prop=prop)
    check(recorded_run.returncode == 0 and "divisions by zero in monitors" in recorded_run.stderr, recorded_run)


def observed_too(bench):
    """With an observer the monitors are left out, and that is said; a monitored program leaves no trace, and `record` says why."""
    prop = bench.property(FRESH)
    bench.compile("fresh.cpp", "fresh")
    result = bench.run(bench.work / "fresh", "ahead",
                       environment={"SOOTH_MONITOR": str(prop), "SOOTH_OBSERVER": f"unix:{bench.work}/nobody"})
    check("the program is observed (SOOTH_OBSERVER), and therefore not monitored" in result.stderr, result)
    result = bench.run(bench.bin / "sooth", "record", "-o", "none.sooth", bench.work / "fresh", "ahead",
                       environment={"SOOTH_MONITOR": str(prop)})
    check(result.returncode == 2 and "a program that is monitored writes none" in result.stderr, result)


def sooth_run(bench):
    """`sooth run --monitor` builds or takes a program, and its exit status tells."""
    prop = bench.property(FRESH)
    bench.compile("fresh.cpp", "fresh")
    source = HERE / "programs" / "fresh.cpp"
    for target in (bench.work / "fresh", source):
        for argument, status in (("stale", 66), ("ahead", 0)):
            result = bench.run(bench.bin / "sooth", "run", "--monitor", prop, target, "--", argument)
            check(result.returncode == status and "monitored 1" in result.stdout, target, argument, result)
    listed = bench.run(bench.bin / "sooth", "monitors", prop, bench.work / "fresh")
    check(listed.returncode == 0 and "monitor fresh at writer" in listed.stdout, listed)


SCENARIOS = {f.__name__: f for f in (bank, exclusion, fresh, starts, places, joined, actions, recorded, twins, unordered, recovery, many_threads, watched, neighbours, forks, library, pointers, refused, without_value, observed_too, sooth_run)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("scenario", choices=SCENARIOS)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--runs", type=int, default=int(os.environ.get("SOOTH_TEST_RUNS", "3")))
    arguments = parser.parse_args()
    try:
        SCENARIOS[arguments.scenario](Bench(arguments.bin, arguments.work, arguments.runs))
    except Failed as failure:
        print("FAILED:", failure)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
