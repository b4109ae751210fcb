#!/usr/bin/env python3
"""examples/library: a program outside of the tree that finds the errors of a trace with <sooth/analysis.h>.

    library_test.py --build FOLDER --work FOLDER
"""

import argparse
import pathlib
import re

from recording import ROOT, check, fresh, record, run


def bank():
    """README's first program, whose two threads take two locks in different orders."""
    return re.search(r"```cpp\n// bank.cpp\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL).group(1)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="Sooth's build folder")
    parser.add_argument("--work", type=pathlib.Path, required=True)
    options = parser.parse_args()
    folder = fresh(options.work)
    run(["cmake", "-S", ROOT / "examples" / "library", "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={options.build}"], folder)
    run(["cmake", "--build", folder / "build"], folder)
    errors_of = folder / "build" / "errors_of"

    (folder / "bank.cpp").write_text(bank())
    run([options.build / "bin" / "sooth-c++", "-O1", "-g", "bank.cpp", "-o", "bank"], folder)
    _, traces = record(folder / "bank", [], folder / "run")
    answer = run([errors_of, traces[0]], folder)
    requests = re.findall(r"^(?:predicted|observed) deadlock: acquire of (\w+) at line \d+$", answer.out, re.MULTILINE)
    check({"checking", "savings"} <= set(requests), f"the circle of both locks; it is {answer.out!r}")
    check(answer.out.endswith("complete\n") and answer.err == "", f"a whole answer and nothing else; {answer.out!r} {answer.err!r}")

    check("deadlock" not in run([errors_of, traces[0], "races"], folder).out, "only what was asked for")
    wrong = run([errors_of, traces[0], "mice"], folder, fine=(2,))
    check("there is nothing called `mice`" in wrong.err, wrong.err)
    wrong = run([errors_of, folder / "bank.cpp"], folder, fine=(2,))
    check("not a Sooth trace" in wrong.err, wrong.err)
    print("fine")


if __name__ == "__main__":
    main()
