#!/usr/bin/env python3
"""Random programs, of which everything is known that they can do: what `full` finds is true, and it finds no less than the others.

    random_programs_test.py --build FOLDER --work FOLDER [--seed N] [--rounds N] [--programs N]

Each round is one C file with many programs that run one after the other. Every race that is shown under any model must be one that
some execution has; `full` must find every race that `hb-locks` and `maximal` find.
"""

import argparse
import json
import pathlib

from random_programs import make
from recording import check, fresh, run

FOUND = 66


def found_by(sooth, model, trace, folder):
    report = folder / f"{model}.json"
    run([sooth, "check", "--model", model, "--find", "races", "--json", report, trace], folder, fine=(0, FOUND))
    told = json.loads(report.read_text(encoding="utf-8"))
    check(told["coverage"]["rejected"] == 0, f"no witness of {model} is rejected")
    def lines(findings):
        return {tuple(sorted(site["line"] for site in finding["sites"][:2])) for finding in findings}

    # Accesses of the recorded run that the C++ memory model leaves unordered race by its definition under every model. The
    # interpreter does not know that order: it knows which accesses stand side by side in some execution.
    by_model = [finding for finding in told["findings"] if finding["engine"] != "memory-model"]
    return lines(told["findings"]), lines(by_model)


def one_round(sooth, seed, count, level, folder):
    source, programs = make(seed, count)
    (folder / "programs.c").write_text(source, encoding="utf-8")
    run([f"{sooth}-cc", "-fsooth-facts", "-g", level, "-pthread", "programs.c", "-o", "programs"], folder)
    trace = folder / "t.sooth"
    run([sooth, "record", "-o", trace, "./programs"], folder)
    truth = set().union(*(program.races() for program in programs))
    found = {}
    for model in ("hb-locks", "maximal", "sliced", "full"):
        found[model], by_model = found_by(sooth, model, trace, folder)
        wrong = by_model - truth
        check(not wrong, f"seed {seed}, {level}: {model} finds races of lines {sorted(wrong)}, which no execution has")
    for model in ("hb-locks", "maximal"):
        missing = found[model] - found["full"]
        check(not missing, f"seed {seed}, {level}: full does not find lines {sorted(missing)}, which {model} finds")
    return {model: len(pairs) for model, pairs in found.items()} | {"true": len(truth)}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="Sooth's build folder")
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--programs", type=int, default=30)
    options = parser.parse_args()
    sooth, total = options.build / "bin" / "sooth", {}
    for seed in range(options.seed, options.seed + options.rounds):
        # Without optimisation, so that each access of the source is one of the program.
        counts = one_round(sooth, seed, options.programs, "-O0", fresh(options.work / f"seed{seed}"))
        total = {key: total.get(key, 0) + number for key, number in counts.items()}
        print(f"seed {seed}: {counts}", flush=True)
    print(f"fine: {total}")
    check(total["full"] > total["maximal"] > 0, "full finds more than maximal, and there is something to find")


if __name__ == "__main__":
    main()
