#!/usr/bin/env python3
"""Runs pairs of programs: one with an error that Sooth must find, one without, for which it must say nothing.

Each file is built twice, with BAD=1 and BAD=0, at -O0 and -O2. The error need not show in the recorded run; its
schedule is forced by order.c, which is compiled without Sooth. Comments in the file say what is expected of the bad one:

    // EXPECT: KIND VARIABLE|* [@MARK...]   a finding of that kind, about that variable, at the lines with these marks
    // MAY: KIND                            such findings may be there as well
    // STACK: @MARK FUNCTION...             the stack of a site at that line has these functions, innermost first
    // SUPPRESSED-BY: TYPE:PATTERN          with this suppression nothing is found
    // MODELS: NAME...                      exactly these models find something (`sooth compare`)
    // END: standstill|asleep|crash         how the bad one ends. It is found by `sooth run` and in the trace alone, the same;
                                            a program that stands still is noticed and ended by `sooth run` itself, without which
                                            one that is `asleep` would count as waiting
    // NOTE: TEXT                           the note of a finding has this in it
    // FLAGS: ...                           for the compiler

Whatever else is found is a failure, and so is a witness that the checker does not accept. Every predicted finding is replayed
(`sooth replay`), with order.c out of the way, and has to happen.

    run_pair.py --bin BUILD/bin [--runs N] [--replays N] [--keep DIRECTORY] [--facts] [--silent] FILE...

With --silent only those without the error run, to look for false alarms many times. With --facts all of them are built with
-fsooth-facts, so that the model is `full`: what is expected stays the same, but for MODELS.
"""
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
from program_tests import Failure, folder, headings, main, parser, run  # noqa: E402

FOUND = 66
UNANSWERED = 65  # nothing found, and something was not looked for


class Expectations:
    def __init__(self, path):
        self.findings, self.may, self.models, self.flags, self.marks = [], set(), None, [], {}
        self.stacks, self.suppressions, self.end, self.notes = [], [], None, []
        for number, key, text in headings(path):
            mark = re.search(r"// (@\w+)$", text)
            if mark:
                self.marks.setdefault(mark.group(1), set()).add(number)
            if key:
                self.take(key, text)
        if not self.findings:
            raise Failure("names no expected finding")
        for _, _, marks in self.findings:
            if any(mark not in self.marks for mark in marks):
                raise Failure(f"{marks}: there is no such mark")

    def take(self, key, text):
        words = text.split()
        if key == "EXPECT":
            self.findings.append((words[0], words[1], words[2:]))
        elif key == "MAY":
            self.may.add(text)
        elif key == "MODELS":
            self.models = set(words)
        elif key == "STACK":
            self.stacks.append((words[0], words[1:]))
        elif key == "SUPPRESSED-BY":
            self.suppressions.append(text)
        elif key == "END":
            self.end = text
        elif key == "NOTE":
            self.notes.append(text)
        elif key == "FLAGS":
            self.flags = words


def build(options, source, expectations, bad, level, directory):
    compiler = os.path.join(options.bin, "sooth-cc" if source.endswith(".c") else "sooth-c++")
    more = ["-fsooth-facts"] * options.facts
    run([compiler, f"-{level}", "-g", f"-DBAD={bad}", *more, *expectations.flags, source, "../order.o", "-o", "program", "-pthread"],
        directory, (0,))


def describe(finding):
    sites = ", ".join(f"{site['variable']} line {site['line']}" for site in finding["sites"])
    return f"{finding['status']} {finding['kind']} ({sites}) by {finding['engine']}"


def is_expected(finding, expected, marks):
    kind, variable, wanted = expected
    if finding["kind"] != kind:
        return False
    if variable != "*" and all(site["variable"] != variable for site in finding["sites"]):
        return False
    lines = [site["line"] for site in finding["sites"]]
    for mark in wanted:
        # An optimiser that merges accesses leaves them without a line.
        line = next((line for line in lines if line in marks[mark]), 0 if 0 in lines else None)
        if line is None:
            return False
        lines.remove(line)
    return True


def by_lines(findings):
    """Every combination of lines on its own: each has to be expected, also those that a finding only lists."""
    for finding in findings:
        for pair in finding.get("pairs") or [finding]:
            yield {**finding, "status": pair["status"], "engine": pair["engine"], "sites": pair["sites"]}


def check_report(report, expectations, bad, what):
    findings = list(by_lines(report["findings"]))
    told = "; ".join(describe(finding) for finding in findings) or "nothing"
    if report["coverage"]["rejected"]:
        raise Failure(f"{what}: {report['coverage']['rejected']} witnesses were rejected")
    if not bad:
        if findings:
            raise Failure(f"{what}: a false alarm: {told}")
        return
    for expected in expectations.findings:
        if not any(is_expected(finding, expected, expectations.marks) for finding in findings):
            raise Failure(f"{what}: no {' '.join([*expected[:2], *expected[2]])}; found: {told}")
    for finding in findings:
        if finding["kind"] not in expectations.may and not any(
            is_expected(finding, expected, expectations.marks) for expected in expectations.findings
        ):
            raise Failure(f"{what}: not expected: {describe(finding)}")


def check_stacks(report, text, expectations, what):
    for mark, functions in expectations.stacks:
        stacks = [site["stack"] for finding in report["findings"] for site in finding["sites"]]
        stacks = [stack for stack in stacks if stack and stack[0]["line"] in expectations.marks[mark]]
        if not stacks:
            raise Failure(f"{what}: no stack begins at {mark}")
        for stack in stacks:
            names = [re.sub(r"\(.*", "", frame["function"]) for frame in stack]
            if names[:len(functions)] != functions:
                raise Failure(f"{what}: the stack at {mark} is {names}, not {functions}")
            for number, frame in enumerate(stack):
                if f"#{number} {frame['function']} " not in text:
                    raise Failure(f"{what}: the text has no frame #{number} {frame['function']}:\n{text}")


def check_suppressions(options, directory, expectations, what):
    for suppression in expectations.suppressions:
        with open(os.path.join(directory, "known.txt"), "w", encoding="utf-8") as file:
            file.write(suppression + "\n")
        done = run([os.path.join(options.bin, "sooth"), "check", "t.sooth", "--suppressions", "known.txt"], directory)
        if done.returncode != 0:
            raise Failure(f"{what}: found in spite of {suppression}")


def check_models(options, directory, expectations, what):
    table = json.loads(run([os.path.join(options.bin, "sooth"), "compare", "--json", "t.sooth"], directory, (0,)).stdout)
    found = {row["model"] for row in table["models"] if row.get("findings", 0) > 0}
    expected = set(expectations.models)
    if "maximal" in expected:  # all of its runs are runs of `full`, which every build has
        expected.add("full")
    if found != expected:
        raise Failure(f"{what}: found by {sorted(found)}, not by {sorted(expected)}")


def run_to_its_end(options, directory, expectations, what):
    """A program that hangs or dies: `sooth run` reports it, and leaves a trace that tells the same."""
    sooth = os.path.join(options.bin, "sooth")
    done = run([sooth, "run", "-o", "t.sooth", "--json", "run.json", "./program"], directory, (FOUND,))
    with open(os.path.join(directory, "run.json"), encoding="utf-8") as file:
        report = json.load(file)
    check_report(report, expectations, True, what + ", sooth run")
    if ("stands still" in done.stderr.decode(errors="replace")) != (expectations.end != "crash"):
        raise Failure(f"{what}: a standstill was noticed or not:\n{done.stderr.decode(errors='replace')}")
    for finding in report["findings"]:
        if finding["kind"] in ("deadlock", "crash") and finding["status"] != "observed":
            raise Failure(f"{what}: {describe(finding)} was not observed")


def check_replays(options, directory, report, what):
    """Each predicted error happens in the program itself, under the schedule of its witness."""
    for finding in report["findings"]:
        if finding["status"] != "predicted":
            continue
        if "replay" not in finding:
            raise Failure(f"{what}: {describe(finding)} has no schedule")
        for number in range(options.replays):
            done = run([os.path.join(options.bin, "sooth"), "replay", f"report.json:{finding['id']}", "./program"], directory,
                       environment={**os.environ, "PAIR_IS_FREE": "1"})
            if done.returncode != FOUND:
                raise Failure(f"{what}: {describe(finding)} was not confirmed by replay {number + 1}:\n"
                              f"{finding['replay']['witness']}{done.stderr.decode(errors='replace')}")


def one_run(options, directory, expectations, bad, what):
    sooth = os.path.join(options.bin, "sooth")
    if bad and expectations.end:
        run_to_its_end(options, directory, expectations, what)
    else:
        run([sooth, "record", "-o", "t.sooth", "./program"], directory, (0,))
    done = run([sooth, "check", "t.sooth", "--json", "report.json"], directory, (0, UNANSWERED, FOUND))
    with open(os.path.join(directory, "report.json"), encoding="utf-8") as file:
        report = json.load(file)
    check_report(report, expectations, bad, what)
    status = FOUND if bad else UNANSWERED if report["coverage"]["unanswered"] else 0
    if done.returncode != status:
        raise Failure(f"{what}: exit status {done.returncode}, not {status}")
    for note in expectations.notes if bad else ():
        if not any(note in finding.get("note", "") for finding in report["findings"]):
            raise Failure(f"{what}: no note has {note}: {[finding.get('note') for finding in report['findings']]}")
    if bad:
        check_stacks(report, done.stderr.decode(errors="replace"), expectations, what)
        check_suppressions(options, directory, expectations, what)
    if bad and not expectations.end and not options.facts:  # with facts, reads may see other values
        check_replays(options, directory, report, what)
    if bad and expectations.models is not None and not options.facts:
        check_models(options, directory, expectations, what)


def test(options, source):
    expectations = Expectations(source)
    with folder(options, source) as top:
        run(["clang-19", "-O1", "-c", os.path.join(HERE, "order.c"), "-o", "order.o"], top, (0,))  # the same for all builds
        for bad in (0,) if options.silent else (1, 0):
            for level, runs in (("O0", (options.runs + 1) // 2), ("O2", options.runs // 2)):
                if runs == 0:
                    continue
                directory = os.path.join(top, f"{'bad' if bad else 'good'}-{level}")
                os.mkdir(directory)
                build(options, source, expectations, bad, level, directory)
                for number in range(runs):
                    one_run(options, directory, expectations, bad, f"BAD={bad} -{level}, run {number + 1}")


if __name__ == "__main__":
    arguments = parser("Runs pairs of programs, one with an error and one without.")
    arguments.add_argument("--facts", action="store_true", help="build with -fsooth-facts")
    arguments.add_argument("--silent", action="store_true", help="only the halves without the error")
    arguments.add_argument("--replays", type=int, default=1, help="so many replays of each predicted finding (default: 1)")
    sys.exit(main(arguments.parse_args(), test))
