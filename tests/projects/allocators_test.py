#!/usr/bin/env python3
"""Other allocators than libc's, linked and preloaded: each object is recorded once, memory that is reused is no sharing, and
nothing is found in a program without errors. A preloaded one is seen by the program and its children as the user gave it.

    allocators_test.py --build FOLDER --work FOLDER
"""

import argparse
import ctypes.util
import os
import pathlib

from recording import ROOT, check, count, events, fresh, run, skip

ALLOCATORS = ("jemalloc", "tcmalloc_minimal", "mimalloc")
PROGRAMS = ROOT / "tests" / "programs"
SHOWS_PRELOAD = """
#include <cstdlib>
#include "parts/allocator.h"
int main() {
  std::printf("%d\\n", use_memory());
  std::fflush(stdout);
  std::printf("%s\\n", std::getenv("LD_PRELOAD"));
  std::fflush(stdout);
  return std::system("echo child: $LD_PRELOAD");
}
"""


def expect_objects(sooth, trace):
    shown = events(sooth, trace)
    for kind in ("alloc", "free"):
        made = count(shown, kind=kind)
        check(202 <= made <= 300, f"{made} events {kind} in {trace}")
    begun = [event["thread"] for event in shown if event["kind"] == "thread-start"]
    check(sorted(begun) == [0, 1, 2], f"threads {begun} began, and no others")
    answer = run([sooth, "check", trace], trace.parent)
    check("nothing found" in answer.err, f"nothing is wrong with it: {answer.err}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="Sooth's build folder")
    parser.add_argument("--work", type=pathlib.Path, required=True)
    options = parser.parse_args()
    folder = fresh(options.work)
    sooth = options.build / "bin" / "sooth"
    there = [name for name in ALLOCATORS if ctypes.util.find_library(name)]
    if not there:
        skip(f"none of {', '.join(ALLOCATORS)} is installed")
    (folder / "shows_preload.cpp").write_text(SHOWS_PRELOAD)
    compiler = [options.build / "bin" / "sooth-c++", "-O2", "-pthread", f"-I{PROGRAMS}"]
    run([*compiler, "shows_preload.cpp", "-o", "shows_preload"], folder)
    for name in there:
        library = ctypes.util.find_library(name)
        run([*compiler, PROGRAMS / f"allocator_{name}.cpp", f"-l:{library}", "-o", f"linked-{name}"], folder)
        run([sooth, "record", "-o", f"{name}.sooth", f"./linked-{name}"], folder)
        expect_objects(sooth, folder / f"{name}.sooth")

        answer = run([sooth, "record", "-o", f"{name}-preloaded.sooth", "./shows_preload"], folder, {"LD_PRELOAD": library})
        check(answer.out.splitlines() == ["4900", library, f"child: {library}"], f"the variable is the user's: {answer.out}")
        expect_objects(sooth, folder / f"{name}-preloaded.sooth")


if __name__ == "__main__":
    os.environ.pop("LD_PRELOAD", None)
    main()
