#!/usr/bin/env python3
"""What a replay costs: the programs of `./dev bench record`, each with a race planted into its middle.

    ./dev bench replay [--quick | --short] [--rounds N] [--only NAME]... [--sooth FOLDER] [--output FILE]

Each program is recorded, the predicted race is found, and then the program is replayed up to it (`sooth replay
--witness`), and replayed and let go to its end (`--then continue`). The table has medians of interleaved rounds.
Every replay must confirm the race, or the row is an error. --quick is a smoke test: one round, small sizes, and the
table goes to the terminal only.
"""

import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
RECORD = HERE.parent / "record"
sys.path.insert(0, str(RECORD))
import table  # noqa: E402  (found through the line above)
from table import BenchError  # noqa: E402

CONFIRMED = 66
MOST = 5  # times the recorded run
BEGIN = "<!-- table: written by ./dev bench replay -->"

# name, sizes for --quick, --short and otherwise, and the changes to its source: (text, replacement)
PROGRAMS = [
    ("merge_sort", "200000", "1000000", "4000000", [
        ("    sort(data, scratch, middle, 0);\n", "    sort(data, scratch, middle, 0);\n    if (size == planted_size) plant(data == planted_data);\n"),
        ("namespace {\n", "std::size_t planted_size;\nstd::uint32_t* planted_data;\nnamespace {\n"),
        ("  sort(data.data(),", "  planted_size = size / 2, planted_data = data.data();\n  sort(data.data(),"),
    ]),
    ("hash_map", "100000", "500000", "2000000", [
        ("  for (std::size_t i = 0; i < operations; ++i) {\n", "  const bool first = seed == 1;\n"
         "  for (std::size_t i = 0; i < operations; ++i) {\n    if (i == operations / 2) plant(first);\n"),
    ]),
    ("producer_consumer", "10000", "50000", "200000", [
        ("    queue.put(block);\n", "    if (i == blocks / 2) plant(true);\n    queue.put(block);\n"),
        ("    while (queue.take(block)) {\n", "    std::size_t taken = 0;\n    while (queue.take(block)) {\n      if (taken++ == planted_half) plant(false);\n"),
        ("BoundedQueue queue;\n", "BoundedQueue queue;\nstd::size_t planted_half;\n"),
        ("  std::thread producer(", "  planted_half = blocks / 2 - 32;\n  std::thread producer("),
    ]),
    ("stencil", "10", "50", "200", [
        ("    double* to =", "    if (step == steps / 2) plant(first_row == 1);\n    double* to ="),
    ]),
    ("word_count", "100000", "500000", "2000000", [
        ("  for (const char c : text) {\n", "  for (const char& c : text) {\n    if (&c == text.data() + text.size() / 2) plant(text.data() == planted_begin);\n"),
        ("std::mutex total_lock;\n", "std::mutex total_lock;\nconst char* planted_begin;\n"),
        ("  std::thread first(", "  planted_begin = all.data();\n  std::thread first("),
    ]),
    ("work_stealing", "14", "17", "19", [
        ("  while (leaves_left.load(std::memory_order_relaxed) > 0) {\n", "  bool has_planted = false;\n"
         "  for (std::int64_t left; (left = leaves_left.load(std::memory_order_relaxed)) > 0;) {\n"
         "    if (!has_planted && left < planted_leaves) has_planted = true, plant(own == 0);\n"),
        ("alignas(64) std::atomic<std::int64_t> leaves_left{0};\n", "alignas(64) std::atomic<std::int64_t> leaves_left{0};\nstd::int64_t planted_leaves;\n"),
        ("  leaves_left = ", "  planted_leaves = std::int64_t{1} << (height - 1);\n  leaves_left = "),
    ]),
    ("read_mostly_cache", "10000", "50000", "200000", [
        ("  std::uint64_t sum = 0;\n  for (std::size_t i", "  const bool is_first = seed == 1;\n  std::uint64_t sum = 0;\n  for (std::size_t i"),
        ("    const std::uint64_t first =", "    if (i == operations / 2) plant(is_first);\n    const std::uint64_t first ="),
    ]),
]


def run(arguments, folder, fine=(0,), environment=None):
    answer = subprocess.run([str(word) for word in arguments], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            check=False, env={**os.environ, **(environment or {})})
    if answer.returncode not in fine:
        raise BenchError(f"{' '.join(map(str, arguments))}\nstatus {answer.returncode}\n{answer.stdout[-2000:]}{answer.stderr[-4000:]}")
    return answer


def seconds(*arguments, **options):
    begin = time.monotonic()
    run(*arguments, **options)
    return time.monotonic() - begin


def build(name, changes, folder, sooth):
    source = (RECORD / f"{name}.cpp").read_text()
    for old, new in changes:
        if source.count(old) != 1:
            raise BenchError(f"{name}: the place for the race is not there: {old}")
        source = source.replace(old, new)
    (folder / f"{name}.cpp").write_text(f'#include "{HERE / "planted.h"}"\n{source}')
    run(["clang-19", "-O1", "-c", ROOT / "tests/pairs/order.c", "-o", "order.o"], folder)
    run([sooth / "sooth-c++", "-std=c++20", "-O2", "-g", "-pthread", f"{name}.cpp", "order.o", "-o", name], folder)


def witness(name, size, folder, sooth):
    """The witness file of the planted race."""
    run([sooth / "sooth", "record", "-o", f"{name}.sooth", f"./{name}", size], folder)
    run([sooth / "sooth", "check", "--find", "races", "--json", f"{name}.json", "--witness", f"{name}.found", f"{name}.sooth"], folder,
        fine=(CONFIRMED,))
    for finding in json.loads((folder / f"{name}.json").read_text())["findings"]:
        if finding["status"] == "predicted" and any(site["variable"] == "planted" for site in finding["sites"]):
            return folder / f"{name}.found" / f"{finding['id']}.witness"
    raise BenchError(f"{name}: the planted race was not predicted")


def measure(name, size, changes, folder, options):
    build(name, changes, folder, options.sooth)
    script = witness(name, size, folder, options.sooth)
    free = {"PAIR_IS_FREE": "1"}
    recorded, replayed, ended = [], [], []
    sooth, program = options.sooth / "sooth", [f"./{name}", "--", size]
    for _ in range(options.rounds):
        recorded.append(seconds([sooth, "record", "-o", "again.sooth", *program], folder))
        replayed.append(seconds([sooth, "replay", "--witness", script, *program], folder, fine=(CONFIRMED,), environment=free))
        ended.append(seconds([sooth, "replay", "--then", "continue", "--witness", script, *program], folder, fine=(CONFIRMED,), environment=free) / 2)
    steps = sum(line.startswith(("run ", "pause ", "stop ")) for line in script.read_text().splitlines())
    return {"name": name, "size": size, "steps": steps, "recorded": statistics.median(recorded), "replayed": statistics.median(replayed),
            "ended": statistics.median(ended)}


def row_text(row):
    times, ended = row["replayed"] / row["recorded"], row["ended"] / row["recorded"]
    return (f"| {row['name']} | {row['size']} | {row['steps']} | {row['recorded']:.2f} s | {row['replayed']:.2f} s | {times:.1f} | "
            f"{row['ended']:.2f} s | {ended:.1f} |")


def measure_all(options, folder):
    rows = []
    for name, quick, short, usual, changes in PROGRAMS:
        if options.only and name not in options.only:
            continue
        rows.append(measure(name, quick if options.quick else short if options.short else usual, changes, folder, options))
        print(row_text(rows[-1]), file=sys.stderr, flush=True)
    slow = [row["name"] for row in rows if row["replayed"] > MOST * row["recorded"]]
    if slow and not options.quick:  # short runs are mostly the tool's own start
        raise BenchError(f"slower than {MOST} times the recorded run: {', '.join(slow)}")
    head = ["| program | size | steps | recorded run | replay up to the race | times | replay, and on to the end | times |",
            "|---|---:|---:|---:|---:|---:|---:|---:|"]
    return "\n".join([table.head(options.rounds), "", *head, *map(row_text, rows)])


def main():
    parser = table.options_for(__doc__, rounds=5)
    parser.add_argument("--short", action="store_true", help="sizes of about a quarter")
    options = table.read_options(parser)
    return table.bench(options, lambda folder: measure_all(options, folder), BEGIN, table.END)


if __name__ == "__main__":
    sys.exit(main())
