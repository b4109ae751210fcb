"""What the runners of test programs share: programs that carry their expectations in comments, one test for each file."""
import argparse
import contextlib
import os
import re
import shutil
import subprocess
import tempfile

TIMEOUT = 120  # seconds; nothing here runs longer than a few


class Failure(Exception):
    """One sentence for the reader of the test's output."""


def headings(path):
    """(line number, key, text) for each line `// KEY: text`, and (line number, None, line) for every other one."""
    with open(path, encoding="utf-8") as source:
        for number, line in enumerate(source.read().splitlines(), 1):
            match = re.match(r"// ([A-Z-]+): ?(.*?)\s*$", line)
            yield (number, match.group(1), match.group(2)) if match else (number, None, line)


def run(command, directory, wanted=None, environment=None):
    """The process when it has ended. `wanted`: statuses that are no failure; None: any."""
    try:
        done = subprocess.run(command, cwd=directory, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=TIMEOUT, check=False)
    except subprocess.TimeoutExpired:
        raise Failure(f"no end after {TIMEOUT} s: {' '.join(command)}") from None
    if wanted is not None and done.returncode not in wanted:
        raise Failure(f"exit status {done.returncode}: {' '.join(command)}\n{(done.stdout + done.stderr).decode(errors='replace')}")
    return done


@contextlib.contextmanager
def folder(options, source):
    """A folder for one test, which goes away; with --keep, a copy stays if the test fails."""
    with tempfile.TemporaryDirectory(prefix="sooth-test-") as top:
        try:
            yield top
        except Failure:
            if options.keep:
                kept = os.path.join(options.keep, os.path.basename(source))
                shutil.rmtree(kept, ignore_errors=True)
                shutil.copytree(top, kept)
            raise


def parser(description):
    """The options that all of them have."""
    result = argparse.ArgumentParser(description=description)
    result.add_argument("--bin", required=True, help="where sooth, sooth-cc and sooth-c++ are")
    result.add_argument("--runs", type=int, default=int(os.environ.get("SOOTH_TEST_RUNS", "4")),
                        help="runs of each program, shared between -O0 and -O2 (default: $SOOTH_TEST_RUNS or 4)")
    result.add_argument("--keep", help="copies what failed into this directory")
    result.add_argument("files", nargs="+")
    return result


def main(options, test):
    """Runs test(options, path) for each file; the exit status."""
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
        print(f"{failures} of {len(options.files)} failed")
    return 1 if failures else 0
