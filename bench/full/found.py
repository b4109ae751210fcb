"""What the default build finds of what -fsooth-facts finds beyond `maximal`: jPredictor's programs (bench/sliced), and random ones."""

import collections
import contextlib
import io
import json
import pathlib
import sys
import types

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE.parent / "sliced"), str(ROOT / "tests" / "projects")]
import programs  # noqa: E402  (bench/sliced)
import random_programs_test  # noqa: E402  (tests/projects)
from recording import fresh, run  # noqa: E402

# What orders the recorded run (order.c) has no hooks, and looks at nothing: an ignorelist says so.
BUILDS = {"default": ["-fsooth-ignorelist=looks.txt"], "facts": ["-fsooth-facts"]}


class Found:
    """Of one program: findings of `maximal` and of `full` in the default build, and of `full` with facts."""

    def __init__(self, name, maximal, full, facts):
        self.name, self.maximal, self.full, self.facts = name, maximal, full, facts
        self.beyond = facts - maximal

    def row(self):
        shown = f"{len(self.beyond & self.full)} of {len(self.beyond)}" if self.beyond else "-"
        return f"| {self.name} | {len(self.maximal)} | {len(self.full)} | {len(self.facts)} | {shown} |"


def of_program(program, folder, options):
    """Races, by their lines and variables."""
    sooth, races = options.sooth / "sooth", {}
    programs.build_turns(folder)
    (folder / "looks.txt").write_text("looks:at\n", encoding="utf-8")
    for build, flags in BUILDS.items():
        executable, trace = folder / build, folder / f"{build}.sooth"
        programs.command([f"{sooth}-c++", *programs.FLAGS, *flags, *program.flags, program.source, "order.o", "-o", executable], folder)
        programs.command([sooth, "record", "-o", trace, executable, program.size], folder)
        for model in ("maximal", "full"):
            report = programs.report_of([trace, "--each", "--find", "races", "--model", model], folder, sooth)
            races[build, model] = {frozenset((site["line"], site["variable"]) for site in finding["sites"]) for finding in report["findings"]}
    return Found(program.name, races["default", "maximal"], races["default", "full"], races["facts", "full"])


class Round(random_programs_test.Round):
    """Only counts: the test itself checks that what is found is real."""

    def findings(self):
        groups = [",".join(map(str, self.recorded.numbers_of(p))) + ":" for p in self.programs]
        found = collections.defaultdict(set)
        command = [self.options.build / "tests" / "model_runs", self.trace, str(self.seed), "0", *groups]
        for line in run(command, self.folder).out.splitlines():
            told = json.loads(line)
            if told["what"] == "finding":
                self.told_finding(told, found)
        return found

    def bear_out(self, *_, **__):
        pass


def of_random_programs(seed, folder, options):
    """Races, deadlocks and torn blocks of one file of programs, at -O0, by their lines."""
    found = {}
    with contextlib.redirect_stdout(io.StringIO()):
        for classes in (True, False):
            own = types.SimpleNamespace(build=options.sooth.parent, work=folder, programs=20, classes=classes)
            found[classes] = Round(own, seed, "-O0", fresh(folder / "random")).findings()
    return Found(f"random, {seed}", found[True]["maximal"], found[True]["full"], found[False]["full"])


def markdown(rows):
    known, found = sum(len(row.beyond) for row in rows), sum(len(row.beyond & row.full) for row in rows)
    together = f"{found} of {known} ({100 * found / known:.0f} %)" if known else "nothing"
    return ["| program | `maximal` | `full` | with facts | beyond `maximal` |", "|---|---:|---:|---:|---:|",
            *[row.row() for row in rows], "", f"Of what facts find beyond `maximal`, the default build finds {together}."]
