"""What benchmarks share: options, the folder they work in, the table's head, its place in docs/benchmarks.md. And the table
of the recording benchmark."""

import argparse
import datetime
import math
import os
import pathlib
import platform
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BEGIN = "<!-- table: written by ./dev bench record -->"
END = "<!-- end of table -->"


class BenchError(Exception):
    pass


def options_for(description, rounds):
    """A parser with the options of every benchmark; `read_options` reads them."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="one round, small sizes, nothing written")
    parser.add_argument("--rounds", type=int, default=rounds)
    parser.add_argument("--only", action="append", metavar="NAME", help="only this program; the table is not written")
    parser.add_argument("--sooth", type=pathlib.Path, default=ROOT / "build" / "bin", help="the folder of the executables")
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "docs" / "benchmarks.md")
    return parser


def read_options(parser):
    options = parser.parse_args()
    options.sooth = options.sooth.resolve()
    if options.quick:
        options.rounds = 1
    if not (options.sooth / "sooth-c++").exists():
        parser.error(f"there is no sooth-c++ in {options.sooth}; build it with ./dev build")
    return options


def in_folder(options, work):
    """What `work` returns for a folder of its own. None if it failed, which is told."""
    # Beside the executables: on the disk that holds the build.
    with tempfile.TemporaryDirectory(prefix="bench-", dir=options.sooth.parent) as folder:
        try:
            return work(pathlib.Path(folder))
        except (BenchError, RuntimeError) as error:
            print(f"bench: {error}", file=sys.stderr)
            return None


def bench(options, measure, begin, end):
    """Prints the table that `measure` makes in a folder, and writes it into the page. Returns the exit status."""
    text = in_folder(options, measure)
    if text is None:
        return 1
    print(text)
    if not options.quick and not options.only:
        write_into(options.output, text, begin, end)
        print(f"written to {options.output}", file=sys.stderr)
    return 0


def trace_statistics(trace):
    """The number of slots in the trace, from its first page (src/trace/format.h): reading all of it would take minutes."""
    with open(trace, "rb") as file:
        return {"events": int.from_bytes(file.read(64)[56:64], "little")}


def geometric_mean(values):
    return math.exp(sum(math.log(value) for value in values) / len(values))


def first_line(command):
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False).stdout.splitlines()[0]
    except (OSError, IndexError):
        return "unknown"


def machine():
    processor = "unknown processor"
    with open("/proc/cpuinfo", encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("model name"):
                processor = line.split(":", 1)[1].strip()
                break
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    compiler = re.sub(r"\s*\(.*", "", first_line(["clang++-19", "--version"]))
    return f"{processor}, {os.cpu_count()} cores, {memory:.1f} GiB; Linux {platform.release()}; {compiler}"


def head(rounds, more=""):
    """The line above a table of medians."""
    words = "round" if rounds == 1 else "rounds"
    return f"{machine()}. {datetime.date.today().isoformat()}. Median of {rounds} interleaved {words}{more}."


def mebibytes(kib):
    return f"{kib / 1024:.0f}"


def ratio(over, under):
    return f"{over / under:.2f}" if under else "-"


def markdown(rows, notes, rounds):
    lines = [
        head(rounds),
        "",
        "| program | native s | TSan s | Sooth s | TSan slowdown | Sooth slowdown | Sooth / TSan |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    relative = []
    for row in rows:
        relative.append(row["sooth"] / row["tsan"])
        lines.append(
            f"| {row['name']} | {row['native']:.2f} | {row['tsan']:.2f} | {row['sooth']:.2f} "
            f"| {ratio(row['tsan'], row['native'])}x | {ratio(row['sooth'], row['native'])}x | {relative[-1]:.2f} |"
        )
    if relative:
        lines += ["", f"Geometric mean of Sooth / TSan: **{geometric_mean(relative):.2f}**; highest: {max(relative):.2f}."]
    lines += [
        "",
        "| program | native MiB | TSan MiB | Sooth MiB | accesses | events kept | trace MB | bytes / access | bytes / event |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for row in rows:
        accesses, events, size = row.get("accesses"), row.get("events"), row["trace_bytes"]
        cells = [row["name"], *(mebibytes(row[variant + "_memory"]) for variant in ("native", "tsan", "sooth"))]
        cells += [f"{accesses:,}" if accesses else "-", f"{events:,}" if events else "-", f"{size / 1e6:.2f}"]
        cells += [f"{size / accesses:.4f}" if accesses else "-", f"{size / events:.2f}" if events else "-"]
        lines.append("| " + " | ".join(cells) + " |")
    lines.append("")
    lines += [f"- {row['name']}: {row['meaning']}" for row in rows]
    lines += ["", *[f"Note: {note}" for note in notes]] if notes else []
    return "\n".join(lines)


def write_into(path, text, begin=BEGIN, end=END):
    """Between the two marks; the words around the table stay."""
    page = path.read_text(encoding="utf-8")
    before, mark, rest = page.partition(begin)
    _, other, after = rest.partition(end)
    if not mark or not other:
        raise ValueError(f"{path} has no place for this table")
    path.write_text(f"{before}{begin}\n{text}\n{end}{after}", encoding="utf-8")
