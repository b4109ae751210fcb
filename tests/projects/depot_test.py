#!/usr/bin/env python3
"""Builds the project in depot/ with Sooth, the way its users would, and looks at what is recorded.

    depot_test.py make | configure | cmake | package    --build FOLDER --work FOLDER

Each way: the project's own tests pass, the program prints what its plain build prints, and the trace is legal and
holds what the program did.
"""

import argparse
import pathlib
import shutil

from recording import ROOT, check, count, events, files_of, fresh, record, run, verify

PLAIN = {"CC": "clang-19", "CXX": "clang++-19"}
EXPECTED = "3 orders, 100 deliveries, 160 entries, 600 pieces left on 13 pallets\n"


def copy_of_project(work):
    tree = fresh(work) / "depot"
    shutil.copytree(ROOT / "tests" / "projects" / "depot", tree)
    return tree


def through_make(tree, sooth):
    """One file comes from the plain compiler: it links in and runs."""
    assignments = f"CC={sooth}-cc CXX={sooth}-c++ PLAIN_CC=clang-19"
    run(f"make -f Makefile.in {assignments} all", tree)
    run(f"make -f Makefile.in {assignments} check", tree)
    check("pallets.c" not in run("cat *.d", tree).out, "only ledger.c writes its dependences")
    check("include/ledger.h" in run("cat ledger.d", tree).out, "-MD -MF names the headers")
    return tree / "depot"


def through_configure(tree, sooth):
    run("./configure", tree, {"CC": f"{sooth}-cc", "CXX": f"{sooth}-c++"})
    run("make all", tree)
    run("make check", tree)
    return tree / "depot"


def through_cmake(tree, sooth):
    run(f"cmake -G Ninja -B build -DCMAKE_C_COMPILER={sooth}-cc -DCMAKE_CXX_COMPILER={sooth}-c++ -DCMAKE_BUILD_TYPE=Release", tree)
    run("ninja -C build", tree)
    run("ctest --test-dir build --output-on-failure", tree)
    return tree / "build" / "depot"


def through_package(tree, sooth):
    """Sooth is installed first: its CMake package must work from where it was put."""
    prefix = tree.parent / "prefix"
    run(["cmake", "--install", sooth.parent.parent, "--prefix", prefix], tree)
    check((prefix / "bin" / "sooth-c++").exists(), "sooth-c++ was installed")
    run(
        f"cmake -G Ninja -B build -DDEPOT_SOOTH=ON -DCMAKE_PREFIX_PATH={prefix} -DCMAKE_BUILD_TYPE=Release"
        " -DCMAKE_C_COMPILER=clang-19 -DCMAKE_CXX_COMPILER=clang++-19",
        tree,
    )
    run("ninja -C build", tree)
    run("ctest --test-dir build --output-on-failure", tree)
    return tree / "build" / "depot"


WAYS = {"make": through_make, "configure": through_configure, "cmake": through_cmake, "package": through_package}


def plain_output(work):
    tree = copy_of_project(work / "plain")
    assignments = " ".join(f"{key}={value}" for key, value in PLAIN.items())
    run(f"make -f Makefile.in {assignments} all", tree)
    return run(["./depot"], tree).out


def check_trace(sooth, trace, way):
    verify(sooth, trace)
    shown = events(sooth, trace)
    expected_files = {"main.cpp", "store.cpp", "ledger.c"} | (set() if way == "make" else {"pallets.c"})
    check(expected_files <= files_of(shown), f"events from {expected_files}; there are some from {files_of(shown)}")
    if way == "make":
        check("pallets.c" not in files_of(shown), "pallets.c was compiled without Sooth")
    check(count(shown, kind="fork") == 5 and count(shown, kind="join") == 5, "five threads were forked and joined")
    check(count(shown, kind="atomic-rmw") >= 3, "three orders counted themselves done")
    # 160 entries, and one look each at the number and the total: two locks of the ledger each time.
    locks = [event for event in shown if event["kind"] == "acquire" and event.get("file", "").endswith("ledger.c")]
    check(len(locks) == 162, f"the ledger was locked 162 times, not {len(locks)}")
    return shown


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("way", choices=WAYS)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="Sooth's build folder")
    parser.add_argument("--work", type=pathlib.Path, required=True)
    options = parser.parse_args()
    sooth = options.build / "bin" / "sooth"
    check(plain_output(options.work) == EXPECTED, "the plain program prints what is expected")
    program = WAYS[options.way](copy_of_project(options.work / "recorded"), sooth)
    answer, traces = record(program, [], options.work / "run")
    check(answer.out == EXPECTED, f"the output is as it was; it is {answer.out!r}")
    check(answer.err == "", f"nothing is added to standard error; there is {answer.err!r}")
    check(len(traces) == 1, f"one process, one trace; there are {traces}")
    check_trace(sooth, traces[0], options.way)
    print("fine")


if __name__ == "__main__":
    main()
