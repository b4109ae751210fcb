#!/usr/bin/env python3
"""The figures of jPredictor as C++ programs, waiting loops, and shared libraries: what the static facts say, and what `sliced` and `full` make of them.
(Fig. 1 is tests/pairs/masked_by_update.cpp.)

    sliced_figures_test.py --build FOLDER --work FOLDER
"""

import argparse
import json
import pathlib
import re

from recording import ROOT, check, fresh, run

FIGURES = ROOT / "tests" / "projects" / "figures"
FOUND = 66


class Bench:
    """Builds, records and checks in one folder."""

    def __init__(self, sooth, folder):
        self.sooth, self.folder = sooth, fresh(folder)
        run(["clang-19", "-O1", "-c", ROOT / "tests" / "pairs" / "order.c", "-o", "order.o"], self.folder)

    def build(self, source, *flags, out="program"):
        # As it stands in the source: an optimiser may merge what the figures tell apart.
        run([f"{self.sooth}-c++", "-std=c++20", "-O0", "-g", "-pthread", source, *flags, "-o", out], self.folder)

    def record(self, source, *flags):
        self.build(source, "-fsooth-facts", *flags, "order.o")
        run([self.sooth, "record", "-o", "t.sooth", "./program"], self.folder)

    def report(self, *arguments):
        run([self.sooth, "check", "t.sooth", *arguments, "--json", "report.json"], self.folder, fine=(0, FOUND))
        report = json.loads((self.folder / "report.json").read_text(encoding="utf-8"))
        check(report["coverage"]["rejected"] == 0, "no witness is rejected")
        return report

    def violated(self, property_file, model):
        """The properties that are violated, and how many findings of `sliced` no run of `full` bears out."""
        report = self.report("--property", FIGURES / property_file, "--model", model)
        return {finding["property"] for finding in report["findings"]}, report["coverage"].get("unrealByFull", 0)

    def raced(self, model):
        report = self.report("--each", "--find", "races", "--model", model)
        return {finding["sites"][0]["variable"] for finding in report["findings"]}, report["coverage"].get("unrealByFull", 0)


def figure_2(bench):
    bench.record(FIGURES / "figure_2.cpp")
    for model in ("hb", "hb-locks", "maximal"):
        check(bench.violated("figure_2_after.prop", model) == (set(), 0), f"{model} keeps e1 before e3")
    found, unreal = bench.violated("figure_2_after.prop", "sliced")
    # In such a run the branch goes the other way: whether `full` can follow it or not, sliced causality allows it.
    check(len(found) + unreal == 1, "e3 would happen anyway: sliced has a run with e3 before e1")
    listed = bench.report("--property", FIGURES / "figure_2_after.prop", "--model", "sliced", "--candidates").get("candidates", [])
    check(len(listed) == unreal, "what full does not bear out is listed with --candidates")
    for candidate in listed:
        check(candidate["kind"] == "property", f"a candidate for a violation: {candidate}")
        check("sliced causality allows it" in candidate["reason"] and "In the witness" in candidate["reason"],
              f"the read that is in doubt is named: {candidate['reason']}")
    check(bench.violated("figure_2_inside.prop", "sliced") == (set(), 0), "e3' depends on e1")


def scopes(sites, marks, strength):
    """branch's mark -> marks of the stores in its scope; scopes are closed."""
    parents = {site["site"]: site["control"][strength] for site in sites}
    name_of = {line: mark for mark, line in marks.items()}
    found = {mark: set() for mark in marks if ".C" in mark}
    branches = {site["site"]: name_of[site["line"]] for site in sites if site["role"] == "branch" and site["line"] in name_of}
    for site in sites:
        if site["role"] != "store" or site["line"] not in name_of:
            continue
        seen, waiting = set(), [site["site"]]
        while waiting:
            for parent in parents.get(waiting.pop(), []):
                if parent not in seen:
                    seen.add(parent)
                    waiting.append(parent)
        for parent in seen & branches.keys():
            found[branches[parent]].add(name_of[site["line"]])
    return found


def figure_3(bench):
    source = ROOT / "tests" / "pass" / "facts" / "figure_3.cpp"
    bench.record(source)
    marks = {}
    for number, line in enumerate(source.read_text(encoding="utf-8").splitlines(), 1):
        if mark := re.search(r"// @([A-Z]\.[CS]\d)", line):
            marks[mark.group(1)] = number
    first, *_ = run([bench.sooth, "show", "--facts", "t.sooth"], bench.folder).out.splitlines()
    check(first == "static facts of 1 modules, none of 0; the trace is fit for dependence", f"the first line says that it is fit; it is {first!r}")
    sites = [json.loads(line) for line in run([bench.sooth, "show", "--facts", "--json", "t.sooth"], bench.folder).out.splitlines()]
    of = {strength: scopes(sites, marks, strength) for strength in ("classic", "weak", "terminationSensitive")}
    for strength, scope in of.items():
        check(scope["A.C1"] == {"A.S1", "A.S2"}, f"{strength}: scope(C1) = {{S1, S2}} in (A)")
    check(of["classic"]["B.C1"] == {"B.S1"}, "classic: scope(C1) = {S1} in (B)")
    check(of["weak"]["B.C1"] == {"B.S1", "B.S2"}, "weak: scope(C1) = {S1, S2} in (B)")
    check(of["terminationSensitive"]["B.C1"] == {"B.S1"}, "C++ lets one assume that the loop of (B) ends")
    check(of["terminationSensitive"]["W.C1"] == {"W.S1", "W.S2"}, "a loop with an atomic read may not end")
    check(of["terminationSensitive"]["T.C1"] == {"T.S1"}, "SOOTH_TERMINATES says that it does")


def figure_7(bench):
    bench.record(FIGURES / "figure_7.cpp")
    possible = {"e13_before_e21", "e13_before_e22"}
    for model in ("sliced", "full"):
        found, unreal = bench.violated("figure_7.prop", model)
        check(found == possible and unreal == 0, f"{model}: e21 and e22 may come before e13, and nothing else; found {found}")


def waiting_loops(bench):
    for flag, races, more in ((1, {"flag", "data"}, True), (2, set(), False), (3, set(), True)):
        bench.record(FIGURES / "waiting.cpp", f"-DFLAG={flag}")
        for model in ("hb", "maximal", "full"):
            found, _ = bench.raced(model)
            check(found == races, f"flag {flag}, {model}: races for {found}")
        found, unreal = bench.raced("sliced")
        check(found >= races, f"flag {flag}, sliced: races for {found}")
        # Where the loop counts as ending, what follows does not depend on it. That `full` does not bear it out is right: the data was waited for.
        check((unreal > 0) == more, f"flag {flag}: sliced {'has' if more else 'does not have'} runs in which nobody waits")


def libraries(bench):
    for loaded in (0, 1):
        for facts in (True, False):
            bench.build(FIGURES / "library.cpp", "-shared", "-fPIC", *(["-fsooth-facts"] if facts else []), out="libupdates.so")
            link = [] if loaded else ["-L.", "-lupdates", "-Wl,-rpath,$ORIGIN"]
            bench.record(FIGURES / "linked.cpp", f"-DLOADED={loaded}", *link)
            first, *_ = run([bench.sooth, "show", "--facts", "t.sooth"], bench.folder).out.splitlines()
            if facts:
                check(first == "static facts of 2 modules, none of 0; the trace is fit for dependence", f"both have facts; it says {first!r}")
                check(bench.raced("maximal")[0] == set(), "the updates in the library hide the race")
                check(bench.raced("full")[0] == {"y"}, "full knows that nothing depends on them")
                check(bench.raced("sliced")[0] == {"y"}, "and so does sliced")
                continue
            check(first == "static facts of 1 modules, none of 1; the trace is not fit for dependence", f"the library has none; it says {first!r}")
            refused = run([bench.sooth, "check", "t.sooth", "--model", "full"], bench.folder, fine=(2,))
            check("-fsooth-facts" in refused.err, "full is refused, with the reason")
            check(bench.report("--find", "races")["model"] == "maximal", "the default is the best that is possible")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="Sooth's build folder")
    parser.add_argument("--work", type=pathlib.Path, required=True)
    options = parser.parse_args()
    bench = Bench(options.build / "bin" / "sooth", options.work)
    for part in (figure_2, figure_3, figure_7, waiting_loops, libraries):
        part(bench)
    print("fine")


if __name__ == "__main__":
    main()
