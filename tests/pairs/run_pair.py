#!/usr/bin/env python3
"""Runs pairs of programs: one with an error that Sooth must find, one without, for which it must say nothing.

Each file is built twice, with BAD=1 and BAD=0, at -O0 and -O2. The error need not show in the recorded run; its
schedule is forced by order.c, which is compiled without Sooth. Comments in the file say what is expected of the bad one:

    // EXPECT: KIND VARIABLE|* [@MARK...]   a finding of that kind, about that variable, at the lines with these marks
    // MAY: KIND                            such findings may be there as well
    // MODELS: NAME...                      exactly these models find something (`sooth compare`)
    // FLAGS: ...                           for the compiler

Whatever else is found is a failure, and so is a witness that the checker does not accept.

    run_pair.py --bin BUILD/bin [--runs N] [--keep DIRECTORY] FILE...
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

TIMEOUT = 120  # seconds
FOUND = 66
HERE = os.path.dirname(os.path.abspath(__file__))


class Failure(Exception):
    """One sentence for whoever reads the test's output."""


class Expectations:
    def __init__(self, path):
        self.findings, self.may, self.models, self.flags, self.marks = [], set(), None, [], {}
        with open(path, encoding="utf-8") as source:
            lines = source.read().splitlines()
        for number, line in enumerate(lines, 1):
            mark = re.search(r"// (@\w+)$", line)
            if mark:
                self.marks.setdefault(mark.group(1), set()).add(number)
            head = re.match(r"// ([A-Z]+): ?(.*?)\s*$", line)
            if head:
                self.take(head.group(1), head.group(2))
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
        elif key == "FLAGS":
            self.flags = words


def run(command, directory, wanted=(0,)):
    try:
        done = subprocess.run(command, cwd=directory, stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT, check=False)
    except subprocess.TimeoutExpired:
        raise Failure(f"no end after {TIMEOUT} s: {' '.join(command)}") from None
    if done.returncode not in wanted:
        raise Failure(f"exit status {done.returncode}: {' '.join(command)}\n{(done.stdout + done.stderr).decode(errors='replace')}")
    return done


def build(options, source, expectations, bad, level, directory):
    compiler = os.path.join(options.bin, "sooth-cc" if source.endswith(".c") else "sooth-c++")
    run(["clang-19", "-O1", "-c", os.path.join(HERE, "order.c"), "-o", "order.o"], directory)
    run([compiler, f"-{level}", "-g", f"-DBAD={bad}", *expectations.flags, source, "order.o", "-o", "program", "-pthread"], directory)


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


def check_report(report, expectations, bad, what):
    findings = report["findings"]
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


def check_models(options, directory, expectations, what):
    table = json.loads(run([os.path.join(options.bin, "sooth"), "compare", "--json", "t.sooth"], directory).stdout)
    found = {row["model"] for row in table["models"] if row.get("findings", 0) > 0}
    if found != expectations.models:
        raise Failure(f"{what}: found by {sorted(found)}, not by {sorted(expectations.models)}")


def one_run(options, directory, expectations, bad, what):
    sooth = os.path.join(options.bin, "sooth")
    run([sooth, "record", "-o", "t.sooth", "./program"], directory)
    status = FOUND if bad else 0
    done = run([sooth, "check", "t.sooth", "--json", "report.json"], directory, (0, FOUND))
    with open(os.path.join(directory, "report.json"), encoding="utf-8") as file:
        check_report(json.load(file), expectations, bad, what)
    if done.returncode != status:
        raise Failure(f"{what}: exit status {done.returncode}, not {status}")
    if bad and expectations.models is not None:
        check_models(options, directory, expectations, what)


def test(options, source):
    expectations = Expectations(source)
    with tempfile.TemporaryDirectory(prefix="sooth-pair-") as top:
        try:
            for bad in (1, 0):
                for level, runs in (("O0", (options.runs + 1) // 2), ("O2", options.runs // 2)):
                    if runs == 0:
                        continue
                    directory = os.path.join(top, f"{'bad' if bad else 'good'}-{level}")
                    os.mkdir(directory)
                    build(options, source, expectations, bad, level, directory)
                    for number in range(runs):
                        one_run(options, directory, expectations, bad, f"BAD={bad} -{level}, run {number + 1}")
        except Failure:
            if options.keep:
                kept = os.path.join(options.keep, os.path.basename(source))
                shutil.rmtree(kept, ignore_errors=True)
                shutil.copytree(top, kept)
            raise


def main():
    parser = argparse.ArgumentParser(description="Runs pairs of programs, one with an error and one without.")
    parser.add_argument("--bin", required=True, help="where sooth, sooth-cc and sooth-c++ are")
    parser.add_argument("--runs", type=int, default=int(os.environ.get("SOOTH_TEST_RUNS", "4")),
                        help="runs of each program (default: $SOOTH_TEST_RUNS or 4)")
    parser.add_argument("--keep", help="copies what failed into this directory")
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    options.bin = os.path.abspath(options.bin)
    failures = 0
    for source in options.files:
        name = os.path.basename(source)
        try:
            test(options, os.path.abspath(source))
            print(f"ok      {name}", flush=True)
        except Failure as failure:
            failures += 1
            print(f"FAILED  {name}: {failure}", flush=True)
    if failures:
        print(f"{failures} of {len(options.files)} pairs failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
