#!/usr/bin/env python3
"""The tables of jPredictor anew: what recording for dependence costs, how long each phase takes, and what each model finds.

    ./dev bench sliced [--quick] [--rounds N] [--only NAME]... [--sooth FOLDER] [--output FILE]

The programs are of the kinds of jPredictor's Table 1 (programs.py). Native and recorded runs are interleaved, and the table has medians of wall
time; phases are processor time. It is an error if less is found than jPredictor found, or if the recorded run itself goes wrong. --quick is a
smoke test: one round, small sizes, and the tables go to the terminal only.
"""

import importlib.util
import json
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
RECORD = HERE.parent / "record"
sys.path[:0] = [str(HERE.parent), str(RECORD), str(HERE)]
import programs  # noqa: E402  (beside this file)
import table  # noqa: E402  (bench/record)
from linking import link_with_sooth  # noqa: E402  (bench)

spec = importlib.util.spec_from_file_location("record_run", RECORD / "run.py")
record_run = importlib.util.module_from_spec(spec)
spec.loader.exec_module(record_run)

BEGIN = "<!-- table: written by ./dev bench sliced -->"
END = "<!-- end of sliced table -->"

# What is doubled to see how the clocks grow: the program, and the size of the first run.
DOUBLED = {"bank": 250, "daisy, byte array": 500, "class_loader": 1000}
DOUBLINGS = 4


def slowdown(program, folder, options, executables):
    """Median of native and of recorded seconds; both print the same."""
    seconds, outputs = {"native": [], "recorded": []}, set()
    size = program.size if options.quick else program.long_size
    for _ in range(options.rounds):
        for variant, executable in executables.items():
            taken, _, output = record_run.run_once([executable, size], folder)
            seconds[variant].append(taken)
            outputs.add(output)
            for trace in folder.glob("*.sooth"):
                trace.unlink()
    if len(outputs) != 1:
        raise record_run.BenchError(f"{program.name}: the two builds do not print the same")
    return {variant: statistics.median(times) for variant, times in seconds.items()}


def shared_and_threads(trace, folder, sooth):
    counts = json.loads(programs.command([sooth, "stats", "--json", "--top", "1000000", trace], folder))
    return sum(row["sharedPlaces"] for row in counts["sharedVariables"]), len(counts["threads"])


def measured(measure, trace, *words):
    return json.loads(subprocess.run([str(measure), str(trace), *words], stdout=subprocess.PIPE, text=True, check=True).stdout)


def less_than_the_paper(program, found, violated):
    """What is missing, in words, or nothing."""
    paper = program.paper
    for model in ("sliced", "full"):
        if len(found[model][0]) < paper.get("races", 0):
            return f"{model} finds races for {sorted(found[model][0])}, jPredictor found {paper['races']}"
        if violated and len(violated[model]) < paper.get("violations", 0):
            return f"{model} finds no violation, jPredictor did"
    if paper.get("hb") == 0 and found["hb"][0]:
        return f"hb finds races for {sorted(found['hb'][0])}; the recorded run was to hide them"
    if paper.get("hb_violations") == 0 and violated["hb"]:
        return "hb finds the violation; the recorded run was to hide it"
    return None


def bench_one(program, folder, options, measure):
    runs = folder / "runs"
    runs.mkdir()
    sooth = options.sooth / "sooth"
    executables = {"native": programs.build_native(program, folder), "recorded": programs.build_recorded(program, folder, sooth)}
    row = {"program": program, **slowdown(program, runs, options, executables)}
    trace = programs.record(executables["recorded"], program.size, runs, sooth)
    row["variables"], row["threads"] = shared_and_threads(trace, runs, sooth)
    row.update(measured(measure, trace))
    if not row["same_clocks"]:
        raise record_run.BenchError(f"{program.name}: the two algorithms do not give the same clocks")
    row["races"] = {model: programs.races(trace, model, runs, sooth) for model in programs.MODELS}
    row["violations"] = {}
    if program.property:
        start = time.monotonic()
        row["violations"] = {model: programs.violations(trace, program, model, runs, sooth) for model in programs.MODELS}
        row["property_s"] = (time.monotonic() - start) / len(programs.MODELS)
    if missing := less_than_the_paper(program, row["races"], row["violations"]):
        raise record_run.BenchError(f"{program.name}: {missing}")
    return row


def double(program, folder, options, measure, first):
    """The same program with twice the work, again and again: (events, seconds of the clocks, of the graph)."""
    sooth = options.sooth / "sooth"
    executable = programs.build_recorded(program, folder, sooth)
    rows = []
    for size in (first * 2**i for i in range(2 if options.quick else DOUBLINGS)):
        trace = programs.record(executable, str(size), folder, sooth)
        one = min((measured(measure, trace, "clocks") for _ in range(options.rounds)), key=lambda m: m["clocks_s"])
        rows.append((program.name, size, one))
        trace.unlink()
    return rows


def times(number):
    return f"x{number:.2f}"


def markdown(rows, doubled, options):
    lines = [
        table.head(options.rounds),
        "",
        "| program | in the paper | lines | native s | recorded s | slowdown | jPredictor's | shared variables | jPredictor's | threads | jPredictor's |",
        "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for row in rows:
        program, paper = row["program"], row["program"].paper
        factor = row["recorded"] / row["native"]
        limit = f"x{paper['slowdown']}" if "slowdown" in paper else "-"
        lines.append(f"| {program.name} | {paper.get('name', '-')} | {program.lines()} | {row['native']:.3f} | {row['recorded']:.3f} | {times(factor)} | {limit} "
                     f"| {row['variables']} | {paper.get('variables', '-')} | {row['threads']} | {paper.get('threads', '-')} |")
    head = " | ".join(programs.MODELS)
    lines += ["", f"| races: program | events | before ms | clocks ms | check ms | {head} | jPredictor's | jPredictor's HB |",
              "|---|---:|---:|---:|---:|" + "---:|" * len(programs.MODELS) + "---:|---:|"]
    for row in rows:
        paper = row["program"].paper
        counts = " | ".join(f"{len(variables)} ({pairs})" for variables, pairs in row["races"].values())
        lines.append(f"| {row['program'].name} | {row['events']:,} | {1000 * row['before_s']:.1f} | {1000 * (row['graph_s'] + row['clocks_s']):.1f} "
                     f"| {1000 * row['check_s']:.1f} | {counts} | {paper.get('races', '-')} | {paper.get('hb', '-')} |")
    lines += ["", f"| violations: program | ms for one model | {head} | jPredictor's | jPredictor's HB |", "|---|---:|" + "---:|" * len(programs.MODELS) + "---:|---:|"]
    for row in rows:
        if row["violations"]:
            paper = row["program"].paper
            counts = " | ".join(str(len(names)) for names in row["violations"].values())
            lines.append(f"| {row['program'].name} | {1000 * row['property_s']:.0f} | {counts} | {paper.get('violations', '-')} | {paper.get('hb_violations', '-')} |")
    lines += ["", "| clocks: program | size | events | graph s | clocks s | clocks, ns an event |", "|---|---:|---:|---:|---:|---:|"]
    for name, size, one in doubled:
        lines.append(f"| {name} | {size} | {one['events']:,} | {one['graph_s']:.4f} | {one['clocks_s']:.4f} | {1e9 * one['clocks_s'] / one['events']:.0f} |")
    back = sum(row["went_back"] for row in rows)
    lines += ["", f"jPredictor's online algorithm, on the runs of the second table, went back {back} {'time' if back == 1 else 'times'}, and gave the same clocks."]
    return "\n".join(lines)


def bench_all(options, folder):
    """The rows of both tables."""
    wanted = [program for program in programs.PROGRAMS if not options.only or program.name in options.only]
    rows, doubled = [], []
    measure = link_with_sooth(HERE / "measure.cc", folder / "phases", options.sooth.parent)
    record_run.command(["clang++-19", *record_run.FLAGS, RECORD / "measure.cc", "-o", folder / "measure"])
    for program in wanted:
        print(f"{program.name} ...", file=sys.stderr, flush=True)
        own = folder / "program"
        own.mkdir()
        shutil.copy(folder / "measure", own / "measure")  # where run_once looks for it
        rows.append(bench_one(program, own, options, measure))
        if program.name in DOUBLED:
            doubled += double(program, own, options, measure, DOUBLED[program.name])
        shutil.rmtree(own)
    return rows, doubled


def main():
    options = table.read_options(table.options_for(__doc__, 5))
    return table.bench(options, lambda folder: markdown(*bench_all(options, folder), options), BEGIN, END)


if __name__ == "__main__":
    sys.exit(main())
