#!/usr/bin/env python3
"""Real programs: Debian's source, built with Sooth, must pass its own tests and leave legal traces.

    debian_test.py pbzip2 | lbzip2    --build FOLDER --work FOLDER

Where the source cannot be had the test is skipped, and says why.
"""

import argparse
import pathlib
import random
import shutil
import sys

from recording import ROOT, Compilers, check, count, events, fresh, record, run, skip, verify

sys.path.insert(0, str(ROOT / "tools"))
import debian_source  # noqa: E402  (found through the line above)


def make_text(path):
    """About 300 kB that compress well but not too well; the same every time."""
    words = random.Random(1)
    lexicon = ["".join(words.choices("etaoinshrdlu", k=words.randint(2, 9))) for _ in range(500)]
    path.write_text("".join(" ".join(words.choices(lexicon, k=12)) + "\n" for _ in range(4000)), encoding="ascii")


def build_pbzip2(tree, compilers):
    # Its source has string literals of the time before C++11, which clang takes for an error unless told otherwise.
    run(f"make CXX='{compilers.cxx} -Wno-reserved-user-defined-literal' pbzip2", tree)
    # Debian's tests for the package, as its debian/tests/control has them.
    run("./pbzip2 -h 2>&1 | grep Example:", tree)
    stuff = tree / "debian" / "tests" / "stuff"
    if stuff.is_dir():
        run("./pbzip2 -c -d debian/tests/stuff/random10K.gz | cmp - debian/tests/stuff/random10K", tree)
        run("./pbzip2 -c -z debian/tests/stuff/random10K | cmp - debian/tests/stuff/random10K.gz", tree)
    return [str(tree / "pbzip2"), "-p3", "-b1", "-q", "-c"]


def build_lbzip2(tree, compilers):
    # The two definitions are for its gnulib, which is older than today's glibc.
    run(f"./configure -q CC={compilers.cc} CPPFLAGS='-D_IO_ftrylockfile -D_IO_IN_BACKUP=0x100'", tree)
    run("make -s -j2", tree)
    answer = run("make check", tree)
    check("# FAIL:  0" in answer.out and "# PASS:  20" in answer.out, "its 20 tests pass")
    return [str(tree / "src" / "lbzip2"), "-n3", "-1", "-c"]


PROGRAMS = {"pbzip2": build_pbzip2, "lbzip2": build_lbzip2}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", choices=PROGRAMS)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="Sooth's build folder")
    parser.add_argument("--work", type=pathlib.Path, required=True)
    options = parser.parse_args()
    sooth = options.build / "bin" / "sooth"
    try:
        source = debian_source.fetch(options.program, options.build / "debian-sources")
    except debian_source.NotAvailable as reason:
        skip(f"the source of {options.program} is not available: {reason}")
    work = fresh(options.work)
    tree = work / "source"
    shutil.copytree(source, tree)
    program, *arguments = PROGRAMS[options.program](tree, Compilers(f"{sooth}-cc", f"{sooth}-c++"))

    text = work / "text"
    make_text(text)
    answer, traces = record(program, arguments, work / "compress", standard_input=text)
    packed = work / "packed.bz2"
    packed.write_bytes(answer.stdout)
    check(run(f"bzip2 -dc {packed}", work).stdout == text.read_bytes(), "bzip2 reads what was compressed")
    answer, more = record(program, [*arguments, "-d"], work / "expand", standard_input=packed)
    check(answer.stdout == text.read_bytes(), "it reads it itself")

    for trace in traces + more:
        verify(sooth, trace)
    # Millions of events: reading all of them here would take longer than everything else.
    shown = events(sooth, traces[0], "--kind", "fork,acquire")
    check(count(shown, kind="fork") >= 3, "it worked with several threads")
    check(count(shown, kind="acquire") >= 10, "they used locks")
    threads = range(count(shown, kind="fork") + 1)
    writers = [n for n in threads if events(sooth, traces[0], "--thread", str(n), "--kind", "write", "--limit", "1")]
    check(len(writers) >= 3, "several threads wrote")
    print("fine")


if __name__ == "__main__":
    main()
