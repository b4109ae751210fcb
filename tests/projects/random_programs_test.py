#!/usr/bin/env python3
"""Random programs, of which everything is known that they can do: whatever a model allows, or a report shows, they can do.

    random_programs_test.py --build FOLDER --work FOLDER [--seed N] [--rounds N] [--programs N] [--classes]

Each round is one C file with many programs that run one after the other, each by a schedule of its own. Without optimisation every
access of the source is one event, so that runs can be followed step by step (random_runs.py):

- random runs of `full` and `maximal` are executions, and what a property would look at has its value in them;
- the witness of every finding is one, and ends where the finding says: before a race, in a deadlock, in a torn block, in a violation;
- `full` finds all races, deadlocks, torn blocks and violated properties that `hb-locks` and `maximal` find;
- runs of `sliced` that are no executions, and its races that `full` does not bear out, are counted: which of them are unreal?

With --classes the programs are built as everybody builds, without -fsooth-facts: `full` knows classes of sites, and there is no `sliced`.

With optimisation there is no such correspondence: races must be on variables on which some execution races.
"""

import argparse
import collections
import json
import pathlib
import random

from random_programs import CELLS, TURNS, VARIABLES, make
from random_runs import Recorded
from recording import check, fresh, run

FOUND = 66
INTERLEAVED = 5  # witness::Role
NAMED = (*VARIABLES, "t", "x")
CONFIRMED_NOT = "sliced causality allows it, but no run of `full` has it"
WALKS = 4


class Round:
    def __init__(self, options, seed, level, folder):
        self.options, self.seed, self.level, self.folder = options, seed, level, folder
        self.sooth, self.counts = options.build / "bin" / "sooth", collections.Counter()
        source, self.programs = make(seed, options.programs)
        self.counts["programs"] = len(self.programs)
        (folder / "programs.c").write_text(source, encoding="utf-8")
        (folder / "turns.c").write_text(TURNS, encoding="utf-8")
        run(["clang-19", "-O1", "-c", "turns.c"], folder)
        facts = [] if options.classes else ["-fsooth-facts"]
        run([f"{self.sooth}-cc", "-w", *facts, "-g", level, "-pthread", "programs.c", "turns.o", "-o", "programs"], folder)
        self.trace = folder / "t.sooth"
        # Without turns (an optimiser leaves them out) threads may really block each other for ever.
        for _ in range(10):
            answer = run(["timeout", "20", self.sooth, "record", "-o", self.trace, "./programs"], folder, fine=(0, 124))
            if answer.returncode == 0:
                break
        check(answer.returncode == 0, f"{self}: the programs come to their end")
        shown = [json.loads(line) for line in run([self.sooth, "show", "--json", self.trace], folder).out.splitlines()]
        self.recorded = Recorded(self.programs, shown, answer.out.splitlines(), level == "-O0", not options.classes)
        # The reader could not put these in a legal order: what was recorded is not what happened.
        torn = {event["thread"] for event in shown if event["kind"] == "external-write"}
        self.torn = {self.recorded.place[thread][0] for thread in torn if thread in self.recorded.place}
        self.counts["programs with external writes"] = len(self.torn)

    def __str__(self):
        return f"seed {self.seed}, {self.level}"

    def program_of(self, events):
        for event in events:
            place = self.recorded.place.get(self.recorded.events[event]["thread"])
            if place is not None:
                return self.programs[place[0]]
        return None

    def lines(self, events):
        return tuple(sorted(self.recorded.events[event]["line"] for event in events))

    # --- without optimisation ---

    def models(self):
        groups = [
            ",".join(map(str, self.recorded.numbers_of(p))) + ":" + ",".join(p.prefix + v for v in NAMED)
            for p in self.programs
        ]
        command = [self.options.build / "tests" / "model_runs", self.trace, str(self.seed), str(WALKS), *groups]
        found = collections.defaultdict(set)
        for line in run(command, self.folder).out.splitlines():
            told = json.loads(line)
            getattr(self, "told_" + told["what"])(told, found)
        for model in ("hb-locks", "maximal"):
            missing = found[model] - found["full"]
            check(not missing, f"{self}: full does not find {sorted(missing)}, which {model} finds")

    def told_run(self, told, _):
        program, model = self.programs[told["group"]], told["model"]
        if program.planned is None or program.number in self.torn:
            return
        wrong, _ = self.recorded.follow(program, told["events"], set(told["looked_at"]))
        self.counts[f"runs of {model}"] += 1
        if wrong and model == "sliced":
            self.counts["runs of sliced that are none"] += 1
            self.counts["... " + wrong.split(": ")[1].split(" at line")[0].split(" is ")[0]] += 1
            return
        check(not wrong, f"{self}, {program.prefix}: no execution has the run {told['events']} of {model}: {wrong}")

    def told_undecided(self, told, _):
        self.counts[f"undecided by {told['model']}"] += told["count"]

    def told_candidate(self, told, _):
        """A race that sliced causality allows, and `full` does not."""
        if told["reason"] != CONFIRMED_NOT:
            return
        events = [place["event"] for place in told["places"]]
        program = self.program_of(events)
        truth = program.races()
        if truth is None or program.number in self.torn:
            return
        self.counts["races of sliced that full does not have"] += 1
        self.counts["... and no execution has" if self.lines(events) not in truth[0] else "... but some execution has"] += 1

    def told_finding(self, told, found):
        check(not told["objection"], f"{self}: the checker rejects a {told['kind']} of {told['model']}: {told['objection']}")
        places = [place["event"] for place in told["places"]]
        inside = [place["event"] for place in told["places"] if place["role"] == INTERLEAVED]
        # Findings are the same if they are about the same lines: of a block, which ones and what comes between.
        key = {"atomicity": places[:1] + inside, "deadlock": told["next"], "race": places[:2]}[told["kind"]]
        found[told["model"]].add((told["kind"], self.lines(key)))
        self.counts[f"{told['kind']} of {told['model']}"] += 1
        steps = [*range(told["observed"]), *told["steps"]]
        self.bear_out(f"{told['kind']} of {told['model']}", told["kind"], places, inside, steps, told["next"], told["predicted"])

    def bear_out(self, name, kind, places, inside, steps, following, predicted, after=None):
        """The witness is an execution, and shows what the finding says."""
        program = self.program_of([*following, *places])
        if program is None or program.planned is None:
            return
        if program.number in self.torn:  # its order is none to be followed, but what is found must be true all the same
            truth = program.races() if kind == "race" else None
            check(truth is None or self.lines(places[:2]) in truth[0], f"{self}, {program.prefix}: {name}: no race")
            return
        wrong, state = self.recorded.follow(program, steps, after=after)
        name = f"{self}, {program.prefix}: {name} at {self.lines(places)}"
        check(not wrong, f"{name}: its witness is no execution: {wrong}")
        self.counts["witnesses"] += 1
        machine, next_steps = program.machine, [self.recorded.steps.get(event) for event in following]
        for step in next_steps:
            if step is not None:  # of a deadlock: not main, which waits for the threads
                wrong = self.recorded.stands_before(program, state, step)
                check(not wrong, f"{name}: its witness ends elsewhere: {wrong}")
        if kind == "race":
            racing = [access for access in machine.accesses(state) if access[0] in {s.thread for s in next_steps}]
            check(len(racing) == 2 and racing[0][2] == racing[1][2] and (racing[0][3] or racing[1][3]), f"{name}: no race")
            truth = program.races()
            check(truth is None or self.lines(places[:2]) in truth[0], f"{name}: no execution has them side by side")
        elif kind == "deadlock":
            waiting = frozenset(step.thread for step in next_steps if step is not None)
            check(any(circle <= waiting for circle in machine.circles(state)), f"{name}: the threads can go on")
        elif kind == "atomicity" and predicted:
            check(set(inside) <= {*steps, *following}, f"{name}: nothing comes between")
            if following:  # else the block goes on as it did, and what came between is lost
                read = next_steps[0]
                sees = self.recorded.bits(program, read.object, state.cells[read.object])
                recorded = self.recorded.events[following[0]]
                check(sees != int(recorded.get("readValue", recorded["value"]), 16), f"{name}: it sees what it saw")

    # --- what is shown ---

    def shown(self, model, properties):
        report = self.folder / f"{model}.json"
        what = ["--find", "races,deadlocks,atomicity", "--all"] if model == "full" else []
        run([self.sooth, "check", "--each", "--whole-witness", "--model", model, *what, "--property", properties, "--json", report, self.trace],
            self.folder, fine=(0, FOUND))
        told = json.loads(report.read_text(encoding="utf-8"))
        check(told["coverage"]["rejected"] == 0, f"{self}: no witness of {model} is rejected")
        violated = set()
        for finding in told["findings"]:
            # The C++ memory model leaves accesses of the recorded run unordered, whether or not they can come side by side.
            if finding["engine"] == "memory-model":
                continue
            name, kind = f"shown {finding['kind']} of {model}", finding["kind"]
            places = [site["event"] for site in finding["sites"]]
            inside = [site["event"] for site in finding["sites"] if site["role"] == "interleaved"]
            steps = [*range(finding["witnessObserved"]), *(step["event"] for step in finding["witness"])]
            after = self.states_of(finding["run"]) if "run" in finding else None
            if "run" in finding:
                violated.add(finding["property"])
                self.counts[f"violations under {model}"] += 1
            self.bear_out(name, kind, places, inside, steps, [step["event"] for step in finding["next"]],
                          finding["status"] == "predicted", after)
        self.counts["findings of sliced that full does not bear out"] += told["coverage"].get("unrealByFull", 0)
        # Of very many violations not all are kept, and then those of some properties may be missing.
        return violated if "propertyBounds" not in told["coverage"] else None

    def states_of(self, told):
        """By event: what the cells hold after it, as the report has it."""
        after = {}
        for step in told["steps"]:
            place = self.recorded.place.get(step["thread"])
            if place is None:
                continue
            prefix, cells = self.programs[place[0]].prefix, {}
            for part in step["state"].split(", "):
                name, value = part.split(" = ")
                if name.startswith(prefix) and name[len(prefix):] in CELLS:
                    cells[CELLS[name[len(prefix):]]] = int(value)
            after[step["event"]] = cells
        return after

    def write_properties(self):
        """Three for each program, about two of its variables each and values that they had."""
        chance, lines = random.Random(self.seed), []
        for program in self.programs:
            written = {v: [0] for v in (*VARIABLES, "x")}
            for event in program.planned[1] if program.planned else ():
                for v, values in written.items():
                    if event.object == CELLS[v] and event.operation.kind in ("store", "add", "swap"):
                        values.append(event.value)
            for number in range(3):
                first, second = chance.sample(sorted(written), 2)
                a, b = program.prefix + first, program.prefix + second
                k, j = chance.choice(written[first]), chance.choice(written[second])
                rule = chance.choice((
                    f"not ({a} == {k} && {b} == {j})", f"start({a} == {k}) -> once({b} == {j})",
                    f"{a} == {k} -> [{b} == {j}, {b} != {j})", f"not ({a} == {k} && previously {b} != {j})",
                ))
                lines.append(f"property {program.prefix}{number}: {rule}")
        path = self.folder / "programs.prop"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return path

    def reports(self):
        properties = self.write_properties()
        models = ("maximal", "full") if self.options.classes else ("maximal", "full", "sliced")
        violated = {model: self.shown(model, properties) for model in models}
        missing = set() if violated["full"] is None else (violated["maximal"] or set()) - violated["full"]
        check(not missing, f"{self}: full does not find the violations of {sorted(missing)}, which maximal finds")

    # --- with optimisation ---

    def with_optimisation(self):
        report = self.folder / "full.json"
        run([self.sooth, "check", "--each", "--find", "races,deadlocks", "--json", report, self.trace], self.folder, fine=(0, FOUND))
        told = json.loads(report.read_text(encoding="utf-8"))
        check(told["coverage"]["rejected"] == 0, f"{self}: no witness is rejected")
        for finding in told["findings"]:
            # By threads: the events of a report are numbered without those that its reader leaves out.
            place = next((self.recorded.place[s["thread"]] for s in finding["sites"] if s["thread"] in self.recorded.place), None)
            program = self.programs[place[0]] if place else None
            if finding["engine"] == "memory-model" or program is None or program.number in self.torn:
                continue
            self.counts[finding["kind"]] += 1
            truth = program.races()
            if truth is None:
                continue
            if finding["kind"] == "race":
                name = finding["sites"][0]["object"]["name"].removeprefix(program.prefix)
                element = int(name[2]) if name.startswith("t[") else 0
                check(CELLS[name[0]] + element in truth[1], f"{self}, {program.prefix}: no execution has a race on {name}")
            else:
                stuck = any(program.machine.circles(state) for state in program.states())
                check(stuck, f"{self}, {program.prefix}: no execution has a deadlock")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="Sooth's build folder")
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--programs", type=int, default=20)
    parser.add_argument("--classes", action="store_true", help="build without -fsooth-facts")
    options = parser.parse_args()
    options.build, options.work = options.build.resolve(), options.work.resolve()
    total = collections.Counter()
    for seed in range(options.seed, options.seed + options.rounds):
        one = Round(options, seed, "-O0", fresh(options.work / f"seed{seed}"))
        one.models()
        if seed % 4 == 1:  # the other rounds look at runs and findings only, which costs less
            one.reports()
            optimised = Round(options, seed, "-O2", fresh(options.work / f"seed{seed}_optimised"))
            optimised.with_optimisation()
            total += collections.Counter({f"optimised: {k}": n for k, n in optimised.counts.items()})
        total += one.counts
        print(f"seed {seed}: fine", flush=True)
    for key, number in sorted(total.items()):
        print(f"{number:8} {key}")
    check(total["race of full"] > total["race of maximal"] > 0, "full finds more than maximal, and there is something to find")
    check(total["runs of full"] > 0 and total["witnesses"] > 0, "there is something to follow")


if __name__ == "__main__":
    main()
