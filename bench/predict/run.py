#!/usr/bin/env python3
"""Measures the tiers of prediction on generated and recorded traces, and writes the tables of docs/benchmarks.md.

    ./dev bench predict [--quick]

Every measurement is a process of its own, ahead of whatever else the machine does where that is allowed, so that its peak
memory is its own. Seconds are processor time of the one thread that works. --quick is a smoke test: small traces, and the tables go to the terminal only.
"""

import argparse
import datetime
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "bench" / "record")]
from linking import link_with_sooth  # noqa: E402
from table import machine, write_into  # noqa: E402

BEGIN = "<!-- table: written by ./dev bench predict -->"
END = "<!-- end of prediction table -->"

# name, size: the programs of ./dev bench record, small enough that a trace is some ten thousand events
RECORDED = [("hash_map", "2000"), ("producer_consumer", "300"), ("work_stealing", "8"), ("read_mostly_cache", "300"), ("word_count", "2000")]


def quiet(command):
    if shutil.which("chrt") and subprocess.run(["chrt", "-r", "1", "true"], stderr=subprocess.DEVNULL, check=False).returncode == 0:
        return ["chrt", "-r", "1"] + command
    return command


def measure(program, *words):
    print("measuring", *words, file=sys.stderr, flush=True)
    answer = subprocess.run(quiet([str(program)] + [str(word) for word in words]), stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(answer.stdout)


def record(folder, build_folder, name, size):
    source, program, trace = ROOT / "bench" / "record" / f"{name}.cpp", folder / name, folder / f"{name}.sooth"
    compiler = build_folder / "bin" / "sooth-c++"
    subprocess.run([str(compiler), "-std=c++20", "-O2", "-pthread", str(source), "-o", str(program)], check=True)
    subprocess.run([str(build_folder / "bin" / "sooth"), "record", "-o", str(trace), str(program), "--", size],
                   check=True, stdout=subprocess.DEVNULL)
    return trace


def million(n):
    return f"{n / 1e6:g}"


def mib(kib):
    return f"{kib / 1024:.0f}"


def linear_table(program, sizes, threads):
    lines = ["| linear tier: events | threads | seconds | million events/s | memory it took, MiB |", "|---:|---:|---:|---:|---:|"]
    for size in sizes:
        for count in threads if size == sizes[0] else (threads[0], threads[-1]):
            m = measure(program, "linear", size, count)
            lines.append(f"| {size:,} | {count} | {m['seconds']:.3f} | {size / m['seconds'] / 1e6:.1f} | {m['growth_kib'] / 1024:.1f} |")
    return lines


def races_row(label, threads, window, m):
    total = m["compute_s"] + m["index_s"] + m["decide_s"]
    return (f"| {label} | {threads} | {window:,} | {m['events']:,} | {m['steps']:,} | {m['compute_s']:.2f} | {m['decide_s'] + m['index_s']:.2f} | "
            f"{million(m['events'] / total)} | {mib(m['peak_kib'])} | {m['candidates']} | {m['races']} ({m['linear']}/{m['closure']}/{m['search']}) | {m['undecided']} |")


RACES_HEAD = ["| races, maximal model, one job | threads | window | events | steps | computation s | decisions s | million events/s | peak MiB | candidates | found (linear/closure/search) | undecided |",
              "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|"]
SEARCH_HEAD = ["| complete tier alone: events in the window | threads | steps | candidates | seconds for all | peak MiB | yes / no / undecided |",
               "|---:|---:|---:|---:|---:|---:|---:|"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--no-recorded", action="store_true", help="generated traces only")
    arguments = parser.parse_args()
    sizes = [10_000, 20_000] if arguments.quick else [1_000_000, 10_000_000]
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        program = link_with_sooth(HERE / "measure.cc", folder / "measure", arguments.build)
        lines = linear_table(program, sizes, (8, 16, 32, 64)) + [""] + RACES_HEAD
        for size in sizes:
            for count in (8, 64) if size == sizes[0] else (8,):
                lines.append(races_row("generated", count, 10_000, measure(program, "races", size, count, 10_000)))
        for window in (2_500, 5_000, 20_000) if not arguments.quick else ():
            lines.append(races_row("generated", 8, window, measure(program, "races", 100_000, 8, window)))
        if not arguments.no_recorded:
            for name, size in RECORDED[:1] if arguments.quick else RECORDED:
                trace = record(folder, arguments.build, name, size)
                lines.append(races_row(name, "", 10_000, measure(program, "file", trace, 10_000)))
        lines += [""] + SEARCH_HEAD
        for size, count in ((2_000, 8),) if arguments.quick else ((4_000, 8), (8_000, 8), (16_000, 8), (16_000, 64)):
            m = measure(program, "search", size, count)
            lines.append(f"| {size:,} | {count} | {m['steps']:,} | {m['candidates']} | {m['seconds']:.2f} | {mib(m['peak_kib'])} | {m['yes']} / {m['no']} / {m['undecided']} |")
    lines = [f"{machine()}. {datetime.date.today().isoformat()}. Seconds of processor time, one thread.", ""] + lines + [
        "", "For comparison, as published for RV-Predict: one window of 16,000 events takes 58 s and 1.9 GB, and then coverage is given up."]
    text = "\n".join(lines)
    print(text)
    if arguments.quick:
        return 0
    write_into(ROOT / "docs" / "benchmarks.md", text, BEGIN, END)
    return 0


if __name__ == "__main__":
    sys.exit(main())
