#!/usr/bin/env python3
"""Programs, their properties, one safe run each, and what is predicted from it.

    properties_test.py --build FOLDER --work FOLDER
"""

import argparse
import json
import pathlib
import re

from recording import ROOT, check, fresh, run

# example, property file, property, cuts, runs, violating runs, the last step of the counterexample
EXAMPLES = [
    ("landing", "safe_landing.prop", "safe_landing", 6, 3, 2, "landing = 1"),
    ("order", "order.prop", "order", 7, 3, 1, "x = 1"),
    ("crowd", "crowd.prop", "all_in", 62, 31, 30, "inside = 30"),
]


def check_example(sooth, work, row):
    example, file, name, cuts, runs, violating, last = row
    folder = fresh(work / example)
    source = ROOT / "examples" / example
    answer = run([sooth, "run", "--property", source / file, "--count", "--json", "report.json", "-o", "run.sooth", source / f"{example}.cpp"],
                 folder, fine=(66,))
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    findings = report["findings"]
    check(len(findings) == 1, f"one finding; there are {len(findings)}")
    finding = findings[0]
    check((finding["kind"], finding["status"], finding["property"]) == ("property", "predicted", name) and finding["model"] in ("hb", "full"),
          f"the property is predicted to fail; the finding is {finding['kind']}, {finding['status']}, {finding['property']}, {finding['model']}")
    check(f"predicted violation of property `{name}`" in answer.err, "the report says so")
    fails = [line for line in answer.err.splitlines() if "<- fails here" in line]
    check(len(fails) == 1 and last in fails[0], f"it fails after {last}; the report says {fails}")
    check(re.search(rf"\b{cuts} cuts, through which {runs} runs go", answer.err), f"{cuts} cuts and {runs} runs")
    check(f"`{name}` is violated in {violating} of {runs} runs" in answer.err, f"{violating} of {runs} runs violate it")

    # The same from the trace, one finding for each failing cut, and bounded by a width of one: only the observed run is left.
    again = run([sooth, "check", "run.sooth", "--property", source / file, "--model", "hb", "--all"], folder, fine=(66,))
    check("predicted violation of property" in again.err, "check says the same")
    narrow = run([sooth, "check", "run.sooth", "--property", source / file, "--max-width", "1"], folder, fine=(0,))
    check("not complete" in narrow.err and "nearest to the observed run" in narrow.err, "a bounded answer says so")
    wrong = run([sooth, "check", "run.sooth", "--property", source / file, "--first", "--all"], folder, fine=(2,))
    check("contradict" in wrong.err, "--first and --all exclude each other")

    run([sooth, "lattice", "run.sooth", "--property", source / file, "-o", "lattice.dot"], folder)
    dot = (folder / "lattice.dot").read_text(encoding="utf-8")
    nodes = re.findall(r"^  n\d+ \[", dot, re.MULTILINE)
    check(len(nodes) == cuts, f"{cuts} cuts in the picture; there are {len(nodes)}")
    check("color=red" in dot and "penwidth=2.5" in dot, "violating runs and the observed one are marked")
    refused = run([sooth, "lattice", "run.sooth", "--property", source / file, "--max-cuts", "3", "-o", "small.dot"], folder, fine=(2,))
    check("--window" in refused.err, "a large lattice is refused politely")
    run([sooth, "lattice", "run.sooth", "--property", source / file, "--window", "1", "-o", "window.svg"], folder)
    check("<svg" in (folder / "window.svg").read_text(encoding="utf-8"), "a window can be drawn")


# Example 2 with pauses: z is written long before y. Nothing in the recording says so, and the trace has them the other way round.
EXAMPLE_2 = """#include <thread>
#include <unistd.h>
int x = -1, y = 0, z = 0;
int main() {
  std::thread a([] { x++; usleep(20000); y = x + 1; });
  std::thread b([] { usleep(5000); z = x + 1; usleep(30000); x++; });
  a.join();
  b.join();
}
"""

# Every write is on the same line.
COUNTERS = """#include <thread>
int a, b;
void set(int& x, int v) { x = v; }
int main() {
  std::thread t([] { for (int i = 1; i < 4; i++) { set(a, i); asm volatile("" ::: "memory"); } });
  std::thread u([] { for (int i = 1; i < 4; i++) { set(b, i); asm volatile("" ::: "memory"); } });
  t.join();
  u.join();
}
"""


class Recorded:
    """A program of some lines, recorded, and what is said of its properties."""

    def __init__(self, sooth, folder, text):
        self.sooth, self.folder = sooth, folder
        (folder / "program.cpp").write_text(text, encoding="utf-8")
        run([sooth, "c++", "-O1", "-g", "-fno-sooth-loops", "program.cpp", "-o", "program"], folder)
        run([sooth, "record", "-o", "run.sooth", "./program"], folder)

    def findings(self, properties, *options):
        (self.folder / "program.prop").write_text(properties, encoding="utf-8")
        run([self.sooth, "check", "run.sooth", "--property", "program.prop", "--model", "hb", "--json", "report.json", *options], self.folder, fine=(66,))
        return json.loads((self.folder / "report.json").read_text(encoding="utf-8"))["findings"]


def check_unsynchronised(sooth, work):
    """What the recording does not tell is not claimed."""
    recorded = Recorded(sooth, fresh(work / "unsynchronised"), EXAMPLE_2)
    order, = recorded.findings("property order: (x > 0) -> [y == 0, y > z)\n")
    check(order["status"] == "predicted", f"it did not happen in this run, and is {order['status']}")
    check(sorted(step["what"] for step in order["run"]["unordered"]) == ["y = 1", "z = 1"], order["run"])
    small, = recorded.findings("property small: z < 1\n")
    check(small["status"] == "observed", f"it happens in every order, and is {small['status']}")


def check_first_and_all(sooth, work):
    """One violation in all, or one for each cut in which a property can fail first."""
    recorded = Recorded(sooth, fresh(work / "first_and_all"), COUNTERS)
    cuts = sorted(finding["run"]["cut"][1:] for finding in recorded.findings("property apart: a < 2 || b < 2\n", "--all"))
    check(cuts == [[2, 2], [2, 3], [3, 2]], cuts)
    first = recorded.findings("property small: a < 3\nproperty smaller: a < 2\nproperty other: b < 2\nproperty order: a == 1 -> b == 1\n", "--first")
    check(len(first) == 1 and first[0]["status"] == "observed", [finding["property"] for finding in first])
    first = recorded.findings("property one: start(a == 2) -> b == 2\nproperty two: start(b == 2) -> a == 2\n", "--first")
    check(len(first) == 1 and first[0]["status"] == "predicted", [finding["property"] for finding in first])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="Sooth's build folder")
    parser.add_argument("--work", type=pathlib.Path, required=True)
    options = parser.parse_args()
    for row in EXAMPLES:
        check_example(options.build / "bin" / "sooth", options.work, row)
    check_unsynchronised(options.build / "bin" / "sooth", options.work)
    check_first_and_all(options.build / "bin" / "sooth", options.work)
    print("fine")


if __name__ == "__main__":
    main()
