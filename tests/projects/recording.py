"""What the tests of this folder share: running commands, recording programs, reading what was recorded."""

import dataclasses
import json
import os
import pathlib
import shutil
import subprocess
import sys

SKIPPED = 77  # as CMakeLists.txt tells ctest


@dataclasses.dataclass(frozen=True)
class Compilers:
    cc: str
    cxx: str


ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def check(holds, message):
    if not holds:
        print(f"FAILED: {message}", flush=True)
        sys.exit(1)


def skip(reason):
    print(f"skipped: {reason}", flush=True)
    sys.exit(SKIPPED)


def run(command, folder, environment=None, fine=(0,)):
    """Runs a command (a list, or a line for the shell); shows it; ends the test if its status is not `fine`."""
    shown = command if isinstance(command, str) else " ".join(map(str, command))
    print(f"+ {shown}", flush=True)
    answer = subprocess.run(
        command, cwd=folder, shell=isinstance(command, str), env={**os.environ, **(environment or {})},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
    )
    answer.out = answer.stdout.decode(errors="replace")
    answer.err = answer.stderr.decode(errors="replace")
    if answer.returncode not in fine:
        print(answer.out[-8000:], answer.err[-8000:], sep="\n")
    check(answer.returncode in fine, f"status {answer.returncode} of {shown}")
    return answer


def fresh(folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def record(program, arguments, folder, standard_input=None):
    """Runs an instrumented program in a folder of its own: (its answer, the traces it left there)."""
    fresh(folder)
    command = [str(program), *arguments]
    if standard_input is not None:
        command = f"{' '.join(command)} <{standard_input}"
    answer = run(command, folder)
    traces = sorted(folder.rglob("*.sooth"))
    check(traces, f"{program} left no trace")
    return answer, traces


def verify(sooth, trace):
    answer = run([sooth, "verify", trace], trace.parent)
    print(answer.out.strip())


def events(sooth, trace, *choice):
    """The events of a trace as `sooth show --json` has them: all, or those that its options choose."""
    answer = run([sooth, "show", "--json", *choice, trace], trace.parent)
    return [json.loads(line) for line in answer.out.splitlines()]


def files_of(shown):
    return {pathlib.PurePath(event["file"]).name for event in shown if event.get("file")}


def count(shown, **wanted):
    return sum(all(event.get(key) == value for key, value in wanted.items()) for event in shown)
