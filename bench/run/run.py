#!/usr/bin/env python3
"""What `sooth run` costs from the program's start to the last byte of its report, beside ThreadSanitizer.

    ./dev bench run [--quick | --short] [--rounds N] [--only NAME]... [--projects] [--budget SECONDS] [--before COMMAND]
                    [--sooth FOLDER] [--output FILE]

The programs are those of `./dev bench record`. Each runs natively, under ThreadSanitizer and under `sooth run`, which
records and analyses it; rounds are interleaved, so that a busy moment of the machine hits all three. The table has
medians, and says what the answer was: complete, or bounded and by how many undecided candidates.
--projects adds memcached, leveldb and readerwriterqueue from Debian's sources, which takes long to build.
--quick is a smoke test: one round, small sizes, and the table goes to the terminal only.
"""

import importlib.util
import json
import os
import pathlib
import statistics
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
RECORD = HERE.parent / "record"
for folder in (ROOT / "tools", RECORD):
    sys.path.insert(0, str(folder))
import debian_source  # noqa: E402  (found through the lines above)
import projects  # noqa: E402
import table  # noqa: E402
from projects import Workload  # noqa: E402


def module_at(path, name):
    """A module whose file has the same name as this one."""
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


record = module_at(RECORD / "run.py", "bench_record")

BEGIN = "<!-- table: written by ./dev bench run -->"
VARIANTS = ("native", "tsan", "sooth")
UNANSWERED = 65  # of `sooth run`: something has no answer

# --- one run -------------------------------------------------------------------------------------------------------


def answer_of(report):
    """What a report says of itself, in few words, and how many findings it has."""
    coverage = report["coverage"]
    if coverage["complete"]:
        words = "complete"
    elif coverage["unanswered"]:
        words = f"no answer about {len(coverage['unanswered'])}; {coverage['undecided']} undecided"
    else:
        words = f"bounded: {coverage['undecided']} undecided"
        others = sorted({limit["name"] for limit in coverage["limits"] if not limit["complete"]} - {"undecided"})
        words += f" ({', '.join(others)})" if others else ""
    return {"answer": words, "events": report["trace"]["events"], "analysed": report["trace"].get("analysed", 0),
            "findings": len(report["findings"])}


def measure(workload, options, folder):
    plain = [workload.programs["tsan"], *workload.arguments]
    prefix = record.prefix_of(workload, folder)
    report = folder / "report.json"
    sooth = [options.sooth / "sooth", "run", "--exit-code", "0", "--budget", str(options.budget), "--json", report]
    commands = {
        "native": [workload.programs["native"], *workload.arguments],
        "tsan": [*prefix, *plain],
        "sooth": [*sooth, workload.programs["sooth"], "--", *workload.arguments],
    }
    seconds, memory = ({variant: [] for variant in VARIANTS} for _ in range(2))
    outputs, row = set(), {}
    for _ in range(options.rounds):
        for variant, command in commands.items():
            fine = (0, UNANSWERED) if variant == "sooth" else (0,)
            taken, peak, output = record.run_once(command, folder, workload=workload, fine=fine)
            seconds[variant].append(taken)
            memory[variant].append(peak)
            outputs.add(output)
            if variant == "sooth":
                row.update(answer_of(json.loads(report.read_text(encoding="utf-8"))))
    if workload.same_output and len(outputs) != 1:
        raise record.BenchError("the three ways do not print the same")
    for variant in VARIANTS:
        row[variant] = statistics.median(seconds[variant])
        row[variant + "_memory"] = statistics.median(memory[variant])
    return {"name": workload.name, "meaning": workload.meaning, **row}


# --- all ---------------------------------------------------------------------------------------------------------------


def workloads(options, folder, notes):
    """One after the other, as building takes long."""
    for name, quick_size, short_size, meaning in record.PROGRAMS:
        if options.only and name not in options.only:
            continue
        programs = {}
        for variant, (_, cxx, flags) in record.compilers(options.sooth).items():
            programs[variant] = folder / f"{name}.{variant}"
            record.command([cxx, *record.FLAGS, *flags.split(), RECORD / f"{name}.cpp", "-o", programs[variant]])
        sizes = [quick_size] if options.quick else [short_size] if options.short else []
        yield Workload(name, meaning, programs, sizes, None, None, True)
    for name, recipe, (executable, *arguments) in record.REAL_PROGRAMS:
        if options.only and name not in options.only:
            continue
        try:
            programs = record.build_real(name, recipe, executable, folder, options.sooth)
        except debian_source.NotAvailable as reason:
            notes.append(f"{name} is missing from the table: its source could not be had ({reason}).")
            continue
        text = folder / "text"
        if not text.exists():
            record.make_text(text, 300_000 if options.quick else 3_000_000 if options.short else 12_000_000)
        yield Workload(name, f"{name} from Debian's sources, compressing text", programs, [*arguments, str(text)], None, None, True)
    for name in projects.NAMES if options.projects else ():
        if options.only and name not in options.only:
            continue
        try:
            yield projects.build(name, options, record.compilers(options.sooth), folder)
        except debian_source.NotAvailable as reason:
            notes.append(f"{name} is missing from the table: its source could not be had ({reason}).")


def markdown(rows, notes, options):
    lines = [
        table.head(options.rounds, f"; --budget {options.budget:g}"),
        "",
        "| program | native s | TSan s | `sooth run` s | `sooth run` / TSan | events | analysed | events / s | native MiB | TSan MiB | `sooth run` MiB | findings | answer |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|",
    ]
    relative = []
    for row in rows:
        relative.append(row["sooth"] / row["tsan"])
        memory = " | ".join(table.mebibytes(row[variant + "_memory"]) for variant in VARIANTS)
        lines.append(
            f"| {row['name']} | {row['native']:.2f} | {row['tsan']:.2f} | {row['sooth']:.2f} | {relative[-1]:.2f} "
            f"| {row['events']:,} | {row['analysed']:,} | {row['events'] / row['sooth']:,.0f} | {memory} "
            f"| {row['findings']} | {row['answer']} |"
        )
    if relative:
        lines += ["", f"Geometric mean of `sooth run` / TSan: **{table.geometric_mean(relative):.2f}**; highest: {max(relative):.2f}."]
    lines += ["", *(f"- {row['name']}: {row['meaning']}" for row in rows)]
    lines += ["", *(f"Note: {note}" for note in notes)] if notes else []
    return "\n".join(lines)


def bench_all(options, folder):
    rows, notes = [], []
    runs = folder / "runs"
    runs.mkdir()
    record.command(["clang++-19", *record.FLAGS, RECORD / "measure.cc", "-o", folder / "measure"])
    for workload in workloads(options, folder, notes):
        print(f"{workload.name} ...", file=sys.stderr, flush=True)
        rows.append(measure(workload, options, runs))
    return rows, notes


def main():
    parser = record.more_options(table.options_for(__doc__, 3))
    parser.add_argument("--budget", type=float, default=300, help="seconds for each analysis (`sooth run --budget`)")
    options = record.read_options(parser)
    os.environ["TSAN_OPTIONS"] = "exitcode=0"  # the cost is measured, not what it finds
    return table.bench(options, lambda folder: markdown(*bench_all(options, folder), options), BEGIN, table.END)


if __name__ == "__main__":
    sys.exit(main())
