"""The table of the recording benchmark: from rows of numbers to docs/benchmarks.md."""

import math
import os
import platform
import re
import subprocess

BEGIN = "<!-- table: written by ./dev bench record -->"
END = "<!-- end of table -->"


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


def mebibytes(kib):
    return f"{kib / 1024:.0f}"


def ratio(over, under):
    return f"{over / under:.2f}" if under else "-"


def markdown(rows, notes, rounds, date):
    lines = [
        f"{machine()}. {date.isoformat()}. Median of {rounds} interleaved {'round' if rounds == 1 else 'rounds'}.",
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
