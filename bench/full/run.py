#!/usr/bin/env python3
"""Classes of sites, which every build has, beside -fsooth-facts: what they cost, and what `full` finds by them.

    ./dev bench full [--quick] [--rounds N] [--only NAME]... [--sooth FOLDER] [--output FILE]

The first table (cost.py) compares builds without classes, with them, and with facts. The second one (found.py) asks: of what `full` finds with
facts and `maximal` does not find, how much does the default build find? --quick is a smoke test: one round, small sizes, few random programs,
and the tables go to the terminal only.
"""

import pathlib
import shutil
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "record"), str(HERE.parent / "sliced")]
import cost  # noqa: E402  (beside this file)
import found  # noqa: E402  (beside this file)
import programs  # noqa: E402  (bench/sliced)
import table  # noqa: E402  (bench/record)

BEGIN = "<!-- table: written by ./dev bench full -->"
END = "<!-- end of full table -->"
FIRST_SEED, ROUNDS, QUICK_ROUNDS = 5001, 10, 2  # of random programs; each round has 20


def in_own_folder(name, folder, work):
    print(f"{name} ...", file=sys.stderr, flush=True)
    own = folder / "program"
    own.mkdir()
    try:
        return work(own)
    finally:
        shutil.rmtree(own)


def bench_all(options, folder):
    def wanted(name):
        return not options.only or name in options.only

    costs = [(name, in_own_folder(name, folder, lambda own: cost.measure(name, size, small, own, options)))
             for name, size, small in cost.PROGRAMS if wanted(name)]
    rows = [in_own_folder(p.name, folder, lambda own: found.of_program(p, own, options)) for p in programs.PROGRAMS if wanted(p.name)]
    seeds = range(FIRST_SEED, FIRST_SEED + (QUICK_ROUNDS if options.quick else ROUNDS)) if wanted("random") else ()
    rows += [in_own_folder(f"random programs {seed}", folder, lambda own: found.of_random_programs(seed, own, options)) for seed in seeds]
    head = table.head(options.rounds, ", CPU seconds")
    return "\n".join([head, "", *cost.markdown(costs), "", *found.markdown(rows)])


def main():
    options = table.read_options(table.options_for(__doc__, 5))
    return table.bench(options, lambda folder: bench_all(options, folder), BEGIN, END)


if __name__ == "__main__":
    sys.exit(main())
