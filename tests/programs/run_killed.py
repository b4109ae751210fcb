#!/usr/bin/env python3
"""Ends a program at moments chosen by a seed, while its threads are busy. What it leaves must read and be legal.

    run_killed.py --bin BUILD/bin [--runs N] kill|segv|abort|_exit

The thread that ends the process records a user event just before. Whatever the end, that event is in the trace: what a
program did before its end is in the file.
"""
import argparse
import glob
import json
import os
import signal
import subprocess
import sys
import tempfile

TIMEOUT = 120
STATUS = {"kill": -signal.SIGKILL, "segv": -signal.SIGSEGV, "abort": -signal.SIGABRT, "_exit": 7}


def run(command, directory):
    return subprocess.run(command, cwd=directory, capture_output=True, timeout=TIMEOUT, check=False, text=True, errors="replace")


def attempt(sooth, directory, how, seed):
    """None, or a sentence about what is wrong."""
    for old in glob.glob(os.path.join(directory, "*.sooth")):
        os.unlink(old)
    done = run(["./killed", how, str(seed)], directory)
    if done.returncode != STATUS[how]:
        return f"ended with {done.returncode}, not {STATUS[how]}: {done.stderr}"
    traces = glob.glob(os.path.join(directory, "*.sooth"))
    if len(traces) != 1:
        return f"{len(traces)} traces"
    verified = run([sooth, "verify", traces[0]], directory)
    if verified.returncode != 0:
        return f"not legal: {verified.stdout}{verified.stderr}"
    shown = run([sooth, "show", "--json", "--kind", "user", "--kind", "fork", "--kind", "acquire", traces[0]], directory)
    if shown.returncode != 0:
        return f"cannot be shown: {shown.stderr}"
    kinds = [json.loads(line)["kind"] for line in shown.stdout.splitlines()]
    if kinds.count("user") != 1:
        return "the last event of the thread that ended the process is missing"
    if "fork" not in kinds or "acquire" not in kinds:  # the other threads may not have been started yet
        return "events from before are missing"
    return None


def main():
    parser = argparse.ArgumentParser(description="Ends a program at seeded moments and checks what it leaves.")
    parser.add_argument("--bin", required=True)
    parser.add_argument("--runs", type=int, default=int(os.environ.get("KILLED_RUNS", "20")))
    parser.add_argument("how", choices=sorted(STATUS))
    options = parser.parse_args()
    tools = os.path.abspath(options.bin)
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "parts", "killed.cpp")
    with tempfile.TemporaryDirectory(prefix="sooth-killed-") as directory:
        built = run([os.path.join(tools, "sooth-c++"), "-O1", "-g", "-std=c++17", source, "-o", "killed", "-pthread"], directory)
        if built.returncode != 0:
            print(built.stdout + built.stderr)
            return 1
        failures = 0
        for seed in range(options.runs):
            problem = attempt(os.path.join(tools, "sooth"), directory, options.how, seed)
            if problem:
                failures += 1
                print(f"FAILED  {options.how}, seed {seed}: {problem}", flush=True)
    print(f"{options.runs - failures} of {options.runs} ends by {options.how} left a legal trace")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
