#!/usr/bin/env python3
"""What the default build knows of values (classes of sites), beside -fsooth-facts: what it costs, and what it finds.

    ./dev bench full [--quick] [--rounds N] [--only NAME]... [--sooth FOLDER] [--output FILE]

The programs are those of `./dev bench sliced`, and random ones (tests/projects/random_programs_test.py). Each is recorded from a default build
and from one with -fsooth-facts; times are medians of wall time. `beyond`: of the races that `full` finds with facts and `maximal` does not find,
how many does the default build find? --quick is a smoke test: one round, small sizes, and the tables go to the terminal only.
"""

import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE.parent / "record"), str(HERE.parent / "sliced")]
import programs  # noqa: E402  (bench/sliced)
import table  # noqa: E402  (bench/record)

BEGIN = "<!-- table: written by ./dev bench full -->"
END = "<!-- end of full table -->"
BUILDS = ("default", "facts")


def build(program, kind, folder, sooth):
    """What orders the recorded run (order.c) has no hooks, and looks at nothing: an ignorelist says so."""
    programs.build_turns(folder)
    (folder / "looks.txt").write_text("looks:at\n", encoding="utf-8")
    out = folder / kind
    flags = ["-fsooth-facts"] if kind == "facts" else ["-fsooth-ignorelist=looks.txt"]
    programs.command([f"{sooth}-c++", *programs.FLAGS, *flags, *program.flags, program.source, "order.o", "-o", out], folder)
    return out


def timed(arguments, folder, rounds, fine=(0,)):
    seconds = []
    for _ in range(rounds):
        start = time.monotonic()
        programs.command(arguments, folder, fine)
        seconds.append(time.monotonic() - start)
    return statistics.median(seconds)


def bench_one(program, folder, options):
    sooth, row = options.sooth / "sooth", {"program": program}
    for kind in BUILDS:
        executable, trace = build(program, kind, folder, sooth), folder / f"{kind}.sooth"
        row[f"{kind} record"] = timed([sooth, "record", "-o", trace, executable, program.size], folder, options.rounds)
        row[f"{kind} bytes"] = trace.stat().st_size
        for model in ("maximal", "full"):
            check = [sooth, "check", trace, "--each", "--find", "races", "--model", model]
            row[f"{kind} {model} s"] = timed(check, folder, options.rounds, (0, programs.FOUND))
            report = programs.report_of(check[2:], folder, sooth)
            row[f"{kind} {model}"] = {frozenset((site["line"], site["variable"]) for site in finding["sites"]) for finding in report["findings"]}
    return row


def random_races(classes, options, folder):
    """Races of each model in random programs of fixed seeds. (At -O0; the test itself checks that all of them are real.)"""
    test = [sys.executable, ROOT / "tests" / "projects" / "random_programs_test.py", "--build", options.sooth.parent, "--work", folder / "random",
            "--seed", "5000", "--rounds", "1" if options.quick else "12", *(["--classes"] if classes else [])]
    answer = subprocess.run([str(word) for word in test], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if answer.returncode != 0:
        raise RuntimeError(answer.stdout[-2000:])
    return {model: int(count) for count, model in re.findall(r"^ *(\d+) race of (\S+)$", answer.stdout, re.MULTILINE)}


def share(part, whole):
    return f"{part} of {whole}" if whole else "-"


def markdown(rows, by_classes, by_facts, options):
    lines = [table.head(options.rounds), "",
             "| program | record s | facts | trace KB | facts | check, maximal s | full | facts, full | races: maximal | full | facts, full | beyond |",
             "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|"]
    found = known = 0
    for row in rows:
        beyond = row["facts full"] - row["default maximal"]
        found, known = found + len(beyond & row["default full"]), known + len(beyond)
        lines.append(f"| {row['program'].name} | {row['default record']:.3f} | {row['facts record']:.3f} | {row['default bytes'] / 1000:.0f} "
                     f"| {row['facts bytes'] / 1000:.0f} | {row['default maximal s']:.3f} | {row['default full s']:.3f} | {row['facts full s']:.3f} "
                     f"| {len(row['default maximal'])} | {len(row['default full'])} | {len(row['facts full'])} "
                     f"| {share(len(beyond & row['default full']), len(beyond))} |")
    lines += ["", f"Together: {share(found, known)}.", "",
              "| random programs | races of maximal | of full |", "|---|---:|---:|",
              f"| default build | {by_classes['maximal']} | {by_classes['full']} |",
              f"| with facts | {by_facts['maximal']} | {by_facts['full']} |"]
    return "\n".join(lines)


def bench_all(options, folder):
    rows = []
    for program in programs.PROGRAMS:
        if options.only and program.name not in options.only:
            continue
        print(f"{program.name} ...", file=sys.stderr, flush=True)
        own = folder / "program"
        own.mkdir()
        rows.append(bench_one(program, own, options))
        shutil.rmtree(own)
    print("random programs ...", file=sys.stderr, flush=True)
    return rows, random_races(True, options, folder), random_races(False, options, folder)


def main():
    options = table.read_options(table.options_for(__doc__, 5))
    return table.bench(options, lambda folder: markdown(*bench_all(options, folder), options), BEGIN, END)


if __name__ == "__main__":
    sys.exit(main())
