#!/usr/bin/env python3
"""What monitors inside a program cost: natively, under ThreadSanitizer, and built with `sooth c++ --monitor`.

    ./dev bench monitors [--quick] [--rounds N] [--only NAME]... [--soak MINUTES] [--sooth FOLDER] [--output FILE]

The bank of DAME (section 3) with 2,000 and 2,000,000 transactions, with and without a journal; a mutual-exclusion
protocol; and the recording benchmark's programs with 1, 4 and 16 formulas over a few variables. Rounds are interleaved,
the table has medians, and all builds must print the same. No monitor may be violated. --soak runs the bank for so many
minutes and says whether its memory grew; nothing else is measured then.
"""

import importlib.util
import pathlib
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
RECORD = HERE.parent / "record"
sys.path.insert(0, str(RECORD))
import table  # noqa: E402  (bench/record)

spec = importlib.util.spec_from_file_location("record_run", RECORD / "run.py")
record = importlib.util.module_from_spec(spec)
spec.loader.exec_module(record)
BenchError = record.BenchError

BEGIN = "<!-- table: written by ./dev bench monitors -->"
END = "<!-- end of monitors table -->"
FLAGS = [*record.FLAGS, f"-I{ROOT / 'include'}"]
COUNTS = (1, 4, 16)

# Of the recording benchmark's programs: global variables for formulas to name.
VARIABLES = {
    "producer_consumer": ["queue.closed_"],
    "work_stealing": ["sums[0]", "sums[1]"],
}
OWN = [f"monitored_variables[{i}]" for i in range(4)]


def formulas(name, count):
    """Nobody else is known to know more of a variable than the thread itself; each thread that is known of is looked at."""
    variables = VARIABLES.get(name, []) + OWN
    lines = []
    for i in range(count):
        v = variables[i % 4]
        lines.append(f"monitor f{i} at any t: !exists u != t: @u({v}) > {v} + {i}\n")
    return "".join(lines)


def builds(source, sources, folder, sooth, properties):
    """native, tsan, and one build for each property file."""
    programs = {}
    for variant in ("native", "tsan"):
        _, cxx, flags = record.compilers(sooth)[variant]
        programs[variant] = folder / f"{source.stem}.{variant}"
        record.command([cxx, *FLAGS, *flags.split(), source, *sources, "-o", programs[variant]])
    for label, file in properties.items():
        programs[label] = folder / f"{source.stem}.{label}"
        record.command([sooth / "sooth-c++", *FLAGS, f"--monitor={file}", source, *sources, "-o", programs[label]])
    return programs


def measure(name, programs, arguments, rounds, folder):
    prefix = {"tsan": record.tsan_prefix(programs["tsan"], folder, arguments)}
    seconds = {variant: [] for variant in programs}
    outputs = set()
    for _ in range(rounds):
        for variant, program in programs.items():
            taken, _, output = record.run_once([*prefix.get(variant, []), program, *arguments], folder,
                                               {"TSAN_OPTIONS": "exitcode=0", "SOOTH_OPTIONS": f"monitor_result={folder}/violated"})
            seconds[variant].append(taken)
            outputs.add(output)
    if len(outputs) != 1:
        raise BenchError(f"{name}: the builds do not print the same")
    if (folder / "violated").exists():
        raise BenchError(f"{name}: a monitor was violated")
    return {"name": name, **{variant: statistics.median(times) for variant, times in seconds.items()}}


def bench_all(options, folder):
    rows = []
    runs = folder / "runs"
    runs.mkdir()
    record.command(["clang++-19", *FLAGS, RECORD / "measure.cc", "-o", folder / "measure"])
    wanted = lambda name: not options.only or name in options.only
    quick = options.quick
    sizes = {
        "bank": [("bank, 2,000 transactions", ["2000", "journal"]),
                 ("bank, 2,000,000 transactions", ["20000" if quick else "2000000", "journal"]),
                 ("bank without journal, 2,000,000", ["20000" if quick else "2000000"])],
        "exclusion": [("mutual exclusion, 1,000,000 entries", ["5000" if quick else "500000"])],
    }
    for program, cases in sizes.items():
        if not wanted(program):
            continue
        print(f"{program} ...", file=sys.stderr, flush=True)
        programs = builds(HERE / f"{program}.cpp", [], folder, options.sooth, {"1": HERE / f"{program}.prop"})
        rows += [measure(title, programs, arguments, options.rounds, runs) for title, arguments in cases]
    for name, quick_size, short_size, _ in record.PROGRAMS:
        if not wanted(name):
            continue
        print(f"{name} ...", file=sys.stderr, flush=True)
        properties = {}
        for count in COUNTS:
            properties[str(count)] = folder / f"{name}.{count}.prop"
            properties[str(count)].write_text(formulas(name, count), encoding="utf-8")
        programs = builds(RECORD / f"{name}.cpp", [HERE / "variables.cpp"], folder, options.sooth, properties)
        rows.append(measure(name, programs, [quick_size if quick else short_size], options.rounds, runs))
    return rows


def markdown(rows, rounds):
    lines = [
        table.head(rounds),
        "",
        "| program | native s | TSan | 1 formula | 4 formulas | 16 formulas |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for row in rows:
        cells = [f"{table.ratio(row[v], row['native'])}x" if v in row else "-" for v in ("tsan", "1", "4", "16")]
        lines.append(f"| {row['name']} | {row['native']:.3f} | " + " | ".join(cells) + " |")
    programs = [row for row in rows if "16" in row]
    if programs:
        means = [f"{table.geometric_mean([row[v] / row['native'] for row in programs]):.2f}x" for v in ("tsan", "1", "4", "16")]
        lines += ["", "Geometric means over the recording benchmark's programs: ThreadSanitizer {}, one formula **{}**, "
                      "four {}, sixteen {}.".format(*means)]
    return "\n".join(lines)


def soak(options, folder):
    """The bank, again and again in one process, for so many minutes."""
    record.command([options.sooth / "sooth-c++", *FLAGS, f"--monitor={HERE / 'bank.prop'}", HERE / "bank.cpp", "-o", folder / "bank"])
    with subprocess.Popen([folder / "bank", "1000000000000"], stdout=subprocess.DEVNULL, cwd=folder) as running:
        resident = lambda: int(pathlib.Path(f"/proc/{running.pid}/statm").read_text(encoding="ascii").split()[1]) * 4
        samples = []
        end = time.monotonic() + 60 * options.soak
        while time.monotonic() < end and running.poll() is None:
            time.sleep(min(1.0, 6 * options.soak))
            samples.append(resident())
        running.kill()
    warm = samples[len(samples) // 10:]
    print(f"{options.soak} minutes: {warm[0]} KiB after a tenth of the time, at most {max(warm)} KiB later, {warm[-1]} KiB at the end")
    return max(warm) - warm[0] < 1024


def main():
    parser = table.options_for(__doc__, 3)
    parser.add_argument("--soak", type=float, metavar="MINUTES", help="only look at the memory of a long run")
    options = table.read_options(parser)
    if options.soak:
        stays = table.in_folder(options, lambda folder: soak(options, folder))
        return 0 if stays else 1
    return table.bench(options, lambda folder: markdown(bench_all(options, folder), options.rounds), BEGIN, END)


if __name__ == "__main__":
    sys.exit(main())
