#!/usr/bin/env python3
"""What it costs to check a program while it runs, beside a native run, ThreadSanitizer and a recorded run.

    ./dev bench online [--quick | --short] [--rounds N] [--only NAME]... [--before COMMAND] [--sooth FOLDER] [--output FILE]

The programs are those of `./dev bench record`, with one property each, and one more. Each runs natively, under
ThreadSanitizer, recorded, and online with a `sooth observe` beside it. Rounds are interleaved, so that a busy moment of
the machine hits all four. The time is that of the program; all four must print the same. Then eight programs that do
nothing but send messages share one observer, and 500 simulated ones (simulate.py), and four programs send theirs through JetStream. --quick is a smoke test: one
round, small sizes, and the table goes to the terminal only.
"""

import importlib.util
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
RECORD = HERE.parent / "record"
sys.path.insert(0, str(RECORD))
sys.path.insert(0, str(HERE.parent.parent / "tools"))
import table  # noqa: E402  (found through the lines above)
from simulate import Conversation  # noqa: E402  (beside this file)


def module_at(path, name):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


record = module_at(RECORD / "run.py", "bench_record")
fleet = module_at(HERE.parent.parent / "tests" / "fleet" / "fleet_test.py", "fleet_test")

BEGIN = "<!-- table: written by ./dev bench online -->"
VARIANTS = ("native", "tsan", "recorded", "online")
# Where a program has no variable that a property could name, the property is about its threads.
THREADS = "property ends: thread_end(2) -> once thread_start(1)\n"
PROPERTIES = {
    "producer_consumer": "property open: start(queue.closed_ == 1) -> once(queue.closed_ == 0)\n",
    "work_stealing": "property sums: start(sums[0] > 0) -> sums[1] >= 0\n",
    "private_arrays": "property grows: total >= 0\n",
}
OWN = [("private_arrays", "100", "2000", "arrays of two threads, a sum under a lock, an event of the property each round")]
SENDERS = 8


class Observer:
    """A `sooth observe`, for as long as the block lasts."""

    def __init__(self, options, folder, prop, *more):
        self.folder, self.socket, self.report = folder, folder / "observer", folder / "verdict.json"
        self.log = folder / "observer.log"
        self.command = [*record.BEFORE, options.sooth / "sooth", "observe", "--listen", f"unix:{self.socket}", "--json", self.report,
                        "--property", prop, *more]

    def __enter__(self):
        with open(self.log, "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(self.command, stdout=log, stderr=log)
        while "observing at" not in self.log.read_text(encoding="utf-8"):
            if self.process.poll() is not None:
                raise table.BenchError(self.log.read_text(encoding="utf-8"))
            time.sleep(0.005)
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def verdict(self):
        """Waits until it has ended by itself."""
        self.process.wait()
        return json.loads(self.report.read_text(encoding="utf-8"))

    def memory(self):
        """Resident KiB."""
        with open(f"/proc/{self.process.pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * 4


def build(source, folder, sooth):
    programs = {}
    for variant, (_, cxx, flags) in record.compilers(sooth).items():
        programs[variant] = folder / f"{source.stem}.{variant}"
        record.command([cxx, *record.FLAGS, *flags.split(), source, "-o", programs[variant]])
    return programs


def measure(name, programs, arguments, options, folder):
    prefix = record.tsan_prefix(programs["tsan"], folder, arguments)
    prop = folder / f"{name}.prop"
    prop.write_text(PROPERTIES.get(name, THREADS), encoding="utf-8")
    seconds, memory = ({variant: [] for variant in VARIANTS} for _ in range(2))
    outputs, row = set(), {}

    def one(variant, command, environment):
        taken, peak, output = record.run_once(command, folder, environment)
        seconds[variant].append(taken)
        memory[variant].append(peak)
        outputs.add(output)

    for _ in range(options.rounds):
        one("native", [programs["native"], *arguments], {})
        one("tsan", [*prefix, programs["tsan"], *arguments], {"TSAN_OPTIONS": "exitcode=0"})
        one("recorded", [programs["sooth"], *arguments], {})
        for trace in folder.glob("*.sooth"):
            trace.unlink()
        with Observer(options, folder, prop, "--once") as observer:
            one("online", [programs["sooth"], *arguments], {"SOOTH_OBSERVER": f"unix:{observer.socket}"})
            verdict = observer.verdict()
        row["messages"] = verdict["trace"]["events"]
        row["answer"] = "complete" if verdict["coverage"]["complete"] else "bounded"
    if len(outputs) != 1:
        raise table.BenchError(f"{name}: the four runs do not print the same")
    for variant in VARIANTS:
        row[variant] = statistics.median(seconds[variant])
        row[variant + "_memory"] = statistics.median(memory[variant])
    return row


def senders(options, folder):
    """Messages a second of one observer, from eight programs at once; its memory after a quarter of the time and at most."""
    count = 20_000 if options.quick else 250_000
    program = build(HERE / "messages.cpp", folder, options.sooth)["sooth"]
    prop = folder / "messages.prop"
    prop.write_text("property small: steps >= 0\n", encoding="utf-8")
    sizes = []
    with Observer(options, folder, prop) as observer:
        begin = time.monotonic()
        running = [subprocess.Popen([*record.BEFORE, program, str(count)], stdout=subprocess.DEVNULL,
                                    env={**os.environ, "SOOTH_OBSERVER": f"unix:{observer.socket}"}) for _ in range(SENDERS)]
        while any(process.poll() is None for process in running):
            sizes.append(observer.memory())
            time.sleep(0.02)
        while observer.log.read_text(encoding="utf-8").count("has ended") < SENDERS:
            time.sleep(0.005)
        taken = time.monotonic() - begin
    verdicts = json.loads(observer.report.read_text(encoding="utf-8"))
    if not all(v["coverage"]["complete"] and v["trace"]["events"] == count for v in verdicts) or len(verdicts) != SENDERS:
        raise table.BenchError("not every program has a complete verdict")
    return {"rate": SENDERS * count / taken, "early": sizes[len(sizes) // 4], "most": max(sizes[len(sizes) // 4:])}


def simulated(options, folder):
    """500 programs at once, each with a few thousand messages."""
    count, sessions = (100, 50) if options.quick else (4000, 500)
    program = build(HERE / "messages.cpp", folder, options.sooth)["sooth"]
    prop = folder / "messages.prop"
    with Observer(options, folder, prop) as observer:
        conversation = Conversation(program, [str(count)], observer.socket, folder)
        begin = time.monotonic()
        conversation.repeat(observer.socket, sessions)
        while observer.log.read_text(encoding="utf-8").count("has ended") < sessions + 1:
            time.sleep(0.005)
        taken = time.monotonic() - begin
        memory = observer.memory()
    verdicts = json.loads(observer.report.read_text(encoding="utf-8"))
    if len(verdicts) != sessions + 1 or not all(v["coverage"]["complete"] and v["trace"]["events"] == count for v in verdicts):
        raise table.BenchError("not every simulated program has a complete verdict")
    return {"rate": sessions * count / taken, "sessions": sessions, "memory": memory, "bytes": conversation.bytes() / count}


def through_jetstream(options, folder):
    """Messages a second of four programs through a relay, a server with file storage and one observer, to the last verdict."""
    count, programs = (10_000, 2) if options.quick else (250_000, 4)
    program = build(HERE / "messages.cpp", folder, options.sooth)["sooth"]
    with fleet.Fleet(options.sooth, folder / "fleet") as bench:
        bench.property.write_text("property small: steps >= 0\n", encoding="utf-8")
        relay, _ = bench.relay(), bench.observer("one")
        begin = time.monotonic()
        running = [bench.start(program, [str(count)], relay.address) for _ in range(programs)]
        verdicts = bench.wait_for([process.pid for process in running], seconds=600)
        taken = time.monotonic() - begin
        for process in running:
            process.communicate()
    if not all(row["complete"] and row["events"] == count for row in verdicts.values()):
        raise table.BenchError("not every program has a complete verdict through JetStream")
    return {"rate": programs * count / taken, "programs": programs}


def markdown(rows, sent, many, stored, rounds):
    lines = [
        table.head(rounds),
        "",
        "| program | native s | TSan s | recorded s | online s | online slowdown | online / TSan | online / recorded | messages | answer |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|---|",
    ]
    relative = []
    for row in rows:
        relative.append(row["online"] / row["recorded"])
        lines.append(
            f"| {row['name']} | {row['native']:.2f} | {row['tsan']:.2f} | {row['recorded']:.2f} | {row['online']:.2f} "
            f"| {table.ratio(row['online'], row['native'])}x | {table.ratio(row['online'], row['tsan'])} | {relative[-1]:.2f} "
            f"| {row['messages']:,} | {row['answer']} |"
        )
    if rows:
        lines += ["", f"Geometric mean of online / recorded: **{table.geometric_mean(relative):.2f}**; highest: {max(relative):.2f}."]
    lines += ["", "| program | native MiB | TSan MiB | recorded MiB | online MiB |", "|---|---:|---:|---:|---:|"]
    for row in rows:
        lines.append("| " + " | ".join([row["name"], *(table.mebibytes(row[v + "_memory"]) for v in VARIANTS)]) + " |")
    if sent:
        lines += ["", f"One observer, {SENDERS} programs: **{sent['rate']:,.0f}** relevant messages a second; its memory is "
                  f"{table.mebibytes(sent['early'])} MiB after a quarter of the time, and at most {table.mebibytes(sent['most'])} MiB.",
                  "", f"One observer, {many['sessions']} simulated programs at once: **{many['rate']:,.0f}** messages a second; "
                  f"{table.mebibytes(many['memory'])} MiB at the end. A message takes {many['bytes']:.0f} bytes.",
                  "", f"Through JetStream with file storage, {stored['programs']} programs, to the last verdict: **{stored['rate']:,.0f}** "
                  "messages a second."]
    return "\n".join(lines)


def bench_all(options, folder):
    runs = folder / "runs"
    runs.mkdir()
    record.command(["clang++-19", *record.FLAGS, RECORD / "measure.cc", "-o", folder / "measure"])
    rows = []
    for name, quick_size, short_size, _ in record.PROGRAMS + OWN:
        if options.only and name not in options.only:
            continue
        print(f"{name} ...", file=sys.stderr, flush=True)
        source = (HERE if name in [row[0] for row in OWN] else RECORD) / f"{name}.cpp"
        sizes = [quick_size] if options.quick else [short_size] if options.short else []
        rows.append({"name": name, **measure(name, build(source, folder, options.sooth), sizes, options, runs)})
    sent = many = stored = None
    if not options.only or "messages" in options.only:
        print("messages ...", file=sys.stderr, flush=True)
        sent, many = senders(options, runs), simulated(options, runs)
        stored = through_jetstream(options, runs)
    return markdown(rows, sent, many, stored, options.rounds)


def main():
    options = record.read_options(record.more_options(table.options_for(__doc__, 5)))
    return table.bench(options, lambda folder: bench_all(options, folder), BEGIN, table.END)


if __name__ == "__main__":
    sys.exit(main())
