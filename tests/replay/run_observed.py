#!/usr/bin/env python3
"""Records programs of tests/programs and tests/pairs, and replays the recorded runs (`sooth replay --observed`): every
step of the recorded schedule is made, and the program prints the same and ends the same way.

    run_observed.py --bin BUILD/bin [--runs N] [--keep DIRECTORY] FILE...

Pairs are built with BAD=0; with BAD=1, too, if the bad one ends by itself. Their order is forced in the recorded run only.
"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
from program_tests import Failure, folder, headings, main, parser, run  # noqa: E402

PAIRS = os.path.join(HERE, "..", "pairs")


def build(options, source, directory, more):
    flags = []
    for _, key, text in headings(source):
        if key in ("FLAGS", "SOOTH-FLAGS"):
            flags += text.split()
        if key == "LIBRARY":
            library = os.path.join(os.path.dirname(source), text)
            run([compiler(options, library), "-O1", "-g", "-shared", "-fPIC", library, "-o", "library.so", "-pthread"], directory, (0,))
    run([compiler(options, source), "-O1", "-g", *more, source, "-o", "program", "-pthread", *flags], directory, (0,))


def compiler(options, source):
    return os.path.join(options.bin, "sooth-cc" if source.endswith(".c") else "sooth-c++")


def replay(options, directory, what):
    sooth = os.path.join(options.bin, "sooth")
    recorded = run([sooth, "record", "--inputs", "-o", "t.sooth", "./program"], directory)
    for number in range(options.runs):
        done = run([sooth, "replay", "--watchdog", "5", "--observed", "t.sooth", "./program"], directory,
                   environment={**os.environ, "PAIR_IS_FREE": "1"})
        if (done.returncode, done.stdout) != (recorded.returncode, recorded.stdout):
            raise Failure(f"{what}: replay {number + 1} has status {done.returncode}, not {recorded.returncode}:\n"
                          f"{(done.stdout + done.stderr).decode(errors='replace')[-3000:]}")


def test(options, source):
    with folder(options, source) as directory:
        if os.path.samefile(os.path.dirname(source), PAIRS):
            run(["clang-19", "-O1", "-c", os.path.join(PAIRS, "order.c"), "-o", "order.o"], directory, (0,))
            ends = not any(key == "END" for _, key, _ in headings(source))
            for bad in (0, 1) if ends else (0,):
                build(options, source, directory, [f"-DBAD={bad}", "order.o"])
                replay(options, directory, f"BAD={bad}")
        else:
            build(options, source, directory, [])
            replay(options, directory, "the program")


if __name__ == "__main__":
    sys.exit(main(parser(__doc__).parse_args(), test))
