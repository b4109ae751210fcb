#!/usr/bin/env python3
"""Explores the same graphs with Sooth's lattice and with SPIN, and writes the table of docs/benchmarks.md.

SPIN: one process with one array of counters, no partial order reduction (every state is to be visited), compiled -O2
with the settings that make it fastest while staying exhaustive. Both explore the whole graph; the numbers of states must
be equal, or the comparison is worth nothing. Rounds are interleaved, and the best of each is taken. The goals for one core
and for two are asked of every row.
"""

import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "bench" / "record")]
from linking import link_with_sooth  # noqa: E402
from table import machine  # noqa: E402

BEGIN = "<!-- table: written by ./dev bench lattice -->"
END = "<!-- end of lattice table -->"

# Threads, events of each, lag. Millions of cuts, so that starting does not count.
GRAPHS = [
    (2, 3000, 0),
    (2, 32000, 30),
    (3, 200, 0),
    (3, 16000, 15),
    (4, 53, 0),
    (4, 3200, 6),
    (5, 23, 0),
    (6, 13, 0),
    (6, 320, 3),
    (7, 9, 0),
    (8, 6, 0),
    (8, 90, 2),
]
SMALL_GRAPHS = [(2, 1200, 0), (3, 4000, 15), (5, 16, 0), (8, 5, 0)]  # --quick
SPEED_UP = 1.6  # what two cores are to bring
OURS_PER_ROUND = 3  # ours take a fraction of a second, and two cores are seldom quiet at once
SPIN_FLAGS = ["-O2", "-DSAFETY", "-DNOREDUCE", "-DNOFAIR", "-DNOBOUNDCHECK", "-DMEMLIM=8000", "-DVECTORSZ=64"]


def promela(threads, events, lag):
    kind = "byte" if events < 256 else "short"
    lines = [f"{kind} c[{threads}];", "active proctype graph() {", "end: do"]
    for t in range(threads):
        guard = [f"c[{t}] < {events}"]
        if lag:
            guard += [f"c[{t}] <= c[{other}] + {lag}" for other in range(threads) if other != t]
        lines.append(f"  :: d_step {{ {' && '.join(guard)} -> c[{t}]++ }}")
    return "\n".join(lines + ["  od", "}", ""])


def build_spin(folder, graph):
    place = folder / "spin_{}_{}_{}".format(*graph)
    place.mkdir()
    (place / "graph.pml").write_text(promela(*graph), encoding="utf-8")
    subprocess.run(["spin", "-a", "graph.pml"], cwd=place, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["gcc"] + SPIN_FLAGS + ["-w", "-o", "pan", "pan.c"], cwd=place, check=True)
    return place / "pan"


def quiet(command):
    """Ahead of whatever else the machine does, where that is allowed."""
    if shutil.which("chrt") and subprocess.run(["chrt", "-r", "1", "true"], stderr=subprocess.DEVNULL, check=False).returncode == 0:
        return ["chrt", "-r", "1"] + command
    return command


def run_ours(program, graph, workers):
    answer = subprocess.run(quiet([str(program)] + [str(n) for n in graph] + [str(workers)]), stdout=subprocess.PIPE, text=True, check=True)
    result = json.loads(answer.stdout)
    assert result["complete"], "the exploration did not come to its end"
    return result


def run_spin(pan, graph):
    depth = graph[0] * graph[1] + 100
    text = subprocess.run(quiet([str(pan), "-w24", f"-m{depth}", "-n"]), stdout=subprocess.PIPE, text=True, check=True, cwd=pan.parent).stdout
    stored = re.search(r"([\d.e+]+) states, stored", text)
    elapsed = re.search(r"elapsed time ([\d.e+-]+) seconds", text)
    memory = re.search(r"([\d.]+)\s+total actual memory usage", text)
    if not stored or "errors: 0" not in text:
        raise SystemExit(f"SPIN did not explore {graph}:\n{text}")
    return {"cuts": int(float(stored[1])), "seconds": max(float(elapsed[1]) if elapsed else 0.0, 0.005),
            "bytes": int(float(memory[1]) * 2**20) if memory else 0}


def measure(rounds, graphs, seconds):
    """Every graph at least once; more rounds as long as the time lasts."""
    rows = []
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        ours = link_with_sooth(HERE / "measure.cc", folder / "measure", ROOT / "build")
        for graph in graphs:
            pan = build_spin(folder, graph)
            best = {}
            for turn in range(rounds):
                share = seconds * (len(rows) + 1) / len(graphs)  # of the time, by the end of this graph
                if turn > 0 and time.monotonic() - started > share:
                    break
                results = [("spin", run_spin(pan, graph))]
                for _ in range(OURS_PER_ROUND):
                    results += [("one", run_ours(ours, graph, 1)), ("two", run_ours(ours, graph, 2))]
                for key, result in results:
                    if key not in best or result["seconds"] < best[key]["seconds"]:
                        best[key] = result
            if best["one"]["cuts"] != best["spin"]["cuts"]:
                raise SystemExit(f"{graph}: {best['one']['cuts']} cuts, but SPIN has {best['spin']['cuts']} states")
            rows.append((graph, best))
            print(line(graph, best), flush=True)
    return rows


HEAD = ("| threads | events each | lag | cuts | widest level | µs / level | cuts/s | SPIN states/s | Sooth / SPIN | two cores | bytes / cut of two levels | Sooth MiB | SPIN MiB |\n"
        "|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|")


def speed_up(best):
    return best["one"]["seconds"] / best["two"]["seconds"]


def verdict(rows):
    """Which rows reach the speed-up, and which do not: every row is judged."""
    below = [f"{graph[0]} threads, lag {graph[2] or 'none'} ({speed_up(best):.2f}x)" for graph, best in rows if speed_up(best) < SPEED_UP]
    text = f"Two cores bring {SPEED_UP}x or more in {len(rows) - len(below)} of {len(rows)} rows"
    return text + (f"; less in: {'; '.join(below)}." if below else ".")


def line(graph, best):
    one, spin, two = best["one"], best["spin"], best["two"]
    rate = one["cuts"] / one["seconds"]
    peer = spin["cuts"] / spin["seconds"]
    lag = graph[2] or "none"
    return (f"| {graph[0]} | {graph[1]} | {lag} | {one['cuts']:,} | {one['widest']:,} | {one['seconds'] / one['levels'] * 1e6:.0f} | {rate / 1e6:.2f} M | {peer / 1e6:.2f} M "
            f"| {rate / peer:.2f} | {speed_up(best):.2f}x | {one['bytes'] / (2 * one['widest']):.0f} "
            f"| {one['bytes'] / 2**20:.1f} | {spin['bytes'] / 2**20:.1f} |")


def write_into(path, rows, rounds):
    text = path.read_text(encoding="utf-8")
    ratios = [r[1]["one"]["cuts"] / r[1]["one"]["seconds"] / (r[1]["spin"]["cuts"] / r[1]["spin"]["seconds"]) for r in rows]
    body = "\n".join([BEGIN, f"{machine()}. Best of up to {rounds} interleaved rounds.", "", HEAD] + [line(*row) for row in rows]
                     + ["", f"Lowest of Sooth / SPIN: **{min(ratios):.2f}**. {verdict(rows)}", END])
    if BEGIN in text:
        text = text[: text.index(BEGIN)] + body + text[text.index(END) + len(END):]
    else:
        text = text.rstrip() + "\n\n" + INTRODUCTION + "\n" + body + "\n"
    path.write_text(text, encoding="utf-8")


INTRODUCTION = """## The lattice

`./dev bench lattice` explores whole computation lattices, level by level with a monitor riding along, and the same graphs
with SPIN (one process with a counter for each thread, exhaustive, no partial order reduction, `-O2 -DSAFETY -DNOREDUCE`).
The threads' k-th events come after the other threads' (k - lag)-th; without a lag they are independent. "Bytes" are those of
levels and paths at their peak; "µs / level" is what a level takes one core in the mean.

What is asked: at least as many cuts per second on one thread as SPIN explores states; memory bounded by two levels and
the live paths; 1.6 times the speed on two cores. Every row is judged by all three.
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one round, small graphs only")
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "docs" / "benchmarks.md")
    parser.add_argument("--seconds", type=float, default=480, help="no further rounds after this time")
    options = parser.parse_args()
    rounds = 1 if options.quick else 3
    print(HEAD)
    rows = measure(rounds, SMALL_GRAPHS if options.quick else GRAPHS, options.seconds)
    print(verdict(rows))
    if not options.quick:
        write_into(options.output, rows, rounds)


if __name__ == "__main__":
    main()
