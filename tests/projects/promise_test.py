#!/usr/bin/env python3
"""Programs that hang, die, misuse, lose updates or leave something to their children: no report on them says just "nothing found; complete".

Each file of promise/ is such a program, and so is the wrong half of those pairs in tests/pairs that hang, crash, misuse or lose updates
(PAIRED). The pairs' own tests check their findings, and ends_test.py ends those that hang in every way. Comments in promise/ say what is
expected:

    // FOUND: KIND       a finding of that kind
    // TOLD: TEXT        nothing is found, and the line that says so has this text
    // OPTIONS: ...      of `sooth run`

Without FOUND and TOLD the report has to say that it is not complete.

    promise_test.py --build FOLDER --work FOLDER [--runs N]
"""

import argparse
import json
import pathlib
import re

from recording import ROOT, check, fresh, run

HERE = pathlib.Path(__file__).resolve().parent / "promise"
PAIRS = ROOT / "tests" / "pairs"
PAIRED = (
    "hang_*", "never_unlocked.c", "lost_*",  # hangs, of this run and of others
    "crash_*", "assertion_*",
    "dirty_read.c", "overwritten_update.c", "two_blocks.cpp", "two_fields.c", "atomic_twice.cpp",  # atomicity
    "block_masked_by_update.c", "check_then_act.c",
    "semaphore*", "barrier*", "condition_behind_lock.c", "once_behind_lock.c", "latch.cpp", "notify_then_delete.cpp",
    "std_semaphore.cpp", "atomic_wait.cpp",  # primitives as they are
    "destroyed_*", "freed_lock.c", "init_*", "relaxed_count.c", "reference_count.c", "double_free*", "use_after_*",
    "misuse_*", "thread_leak.c", "signal_*", "handler_*", "descriptor_*", "output_orders_nothing.c",
    "assembly_*", "thread_id.c",
)


def heading(text, word):
    found = re.search(rf"^// {word}: (.*)$", text, re.M)
    return found.group(1) if found else None


def holds(sooth, source, program, folder):
    text = source.read_text()
    out = folder / "report.json"
    options = (heading(text, "OPTIONS") or "").split()
    told = run([sooth, "run", "--json", out, *options, program], folder, fine=(0, 65, 66, 124)).err
    report = json.loads(out.read_text())
    kinds = {finding["kind"] for finding in report["findings"]}
    check(report["coverage"]["rejected"] == 0, f"{program}: findings were rejected: {told}")
    wanted, line = heading(text, "FOUND"), heading(text, "TOLD")
    if wanted:
        check(wanted in kinds, f"{program}: found {kinds}: {told}")
    elif line:
        summary = [row for row in told.splitlines() if "nothing found" in row]
        check(len(summary) == 1 and line in summary[0], f"{program}: {told}")
    else:
        check(not report["coverage"]["complete"], f"{program}: nothing found, and complete: {told}")


# Found, or not complete.
def is_told(sooth, program, folder):
    out = folder / "report.json"
    told = run([sooth, "run", "--json", out, program], folder, fine=(0, 65, 66, 124)).err
    report = json.loads(out.read_text())
    check(report["findings"] or not report["coverage"]["complete"], f"{program}: nothing found, and complete: {told}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="Sooth's build folder")
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--runs", type=int, default=1)
    options = parser.parse_args()
    folder = fresh(options.work.resolve())
    binaries = options.build.resolve() / "bin"
    run(["clang-19", "-O1", "-c", PAIRS / "order.c", "-o", "order.o"], folder)
    for source in sorted(HERE.iterdir()):
        compiler = binaries / ("sooth-cc" if source.suffix == ".c" else "sooth-c++")
        for level in ("-O0", "-O2"):
            program = folder / f"{source.stem}{level}"
            run([compiler, "-g", level, source, "order.o", "-o", program, "-pthread", f"-I{PAIRS}"], folder)
            for _ in range(options.runs):
                holds(binaries / "sooth", source, program, folder)
    paired = sorted({source for pattern in PAIRED for source in PAIRS.glob(pattern)})
    check(len(paired) >= 80, f"only {len(paired)} pairs are there")
    for source in paired:
        flags = re.findall(r"^// FLAGS: (.*)$", source.read_text(), re.M)
        compiler = binaries / ("sooth-cc" if source.suffix == ".c" else "sooth-c++")
        program = folder / f"pair-{source.stem}"
        run([compiler, "-g", "-O1", "-DBAD=1", *" ".join(flags).split(), source, "order.o", "-o", program, "-pthread"], folder)
        is_told(binaries / "sooth", program, folder)
    print(f"{len(paired)} pairs: fine")


if __name__ == "__main__":
    main()
