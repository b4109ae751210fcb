#!/usr/bin/env python3
"""The house rules that a compiler does not check; run by `./dev lint`.

Doors: which folder of src/ may include which (docs/architecture.md draws the same picture).
Marks: no unfinished work, and no paths of one particular machine, in any file that is under version control.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# A room may include itself, what is listed here, and whatever those may include.
DOORS = {
    "base": [],
    "trace": ["base"],
    "import": ["trace"],
    "causality": ["trace"],
    "knowledge": [],
    "logic": ["knowledge", "trace"],
    "witness": ["trace"],
    "explore": ["causality", "logic"],
    "predict": ["explore", "witness"],
    "report": ["witness"],
    "observe": ["predict", "report"],
    "cli": ["import", "observe", "predict", "report", "trace"],
}

# capture meets the rest only through these files: the trace format and the observer's protocol, as bytes, the monitors that
# run inside the program, and the contract of its own two halves.
CAPTURE_MAY_INCLUDE = re.compile(
    r"^(observe/wire\.h|knowledge/.*|trace/(format\.h|event_codec\.h|may_race\.h|fact_numbers\.h|event_kinds\.def|defects\.def)|capture/.*|sooth/.*)$"
)

# Inside capture: the pass runs in the compiler, the runtime in the user's program, the driver before both.
CAPTURE_PARTS = ("pass", "runtime", "driver")

# The verifier shares nothing with the code that writes or orders events, or it could not find that code's mistakes.
VERIFIER = re.compile(r"^trace/(verify\.|legality/)")
VERIFIER_MAY_INCLUDE = re.compile(r"^(trace/(trace\.h|format\.h|event_kinds\.def|defects\.def|verify\.h|legality/.*)|base/.*)$")

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')
SOURCES = {".h", ".cc", ".cpp", ".c", ".S", ".def"}

# Written in two parts so that this file does not find itself.
UNFINISHED = re.compile(r"\b(" + "|".join(["TO" + "DO", "FIX" + "ME", "X" + "XX", "HA" + "CK"]) + r")\b")
MACHINE_PATHS = re.compile(r"(?<![\w.$}])/(" + "|".join(["ho" + "me", "ro" + "ot", "wo" + "rk", "Us" + "ers", "m" + "nt"]) + r")/\w")


def may_reach(room):
    reached, waiting = set(), [room]
    while waiting:
        here = waiting.pop()
        if here not in reached:
            reached.add(here)
            waiting += DOORS[here]
    return reached


def resolve(source, name):
    """The included file as a path below src/, or None if it is not one of ours."""
    beside = (source.parent / name).resolve()
    if beside.is_file() and beside.is_relative_to(ROOT / "src"):
        return beside.relative_to(ROOT / "src").as_posix()
    if (ROOT / "src" / name).is_file():
        return name
    if (ROOT / "include" / name).is_file():
        return name
    return None


def door_problem(own, included):
    """Why the file `own` may not include `included` (both below src/), or None."""
    room, target = own.split("/")[0], included.split("/")[0]
    if target == "sooth":
        return None  # public headers are open to all
    if room == "capture":
        if target in may_reach("logic") and own.startswith("capture/driver/"):
            return None  # an ordinary program of ours, which reads property files
        if not CAPTURE_MAY_INCLUDE.match(included):
            return "capture meets the rest only through the trace format"
        parts = own.split("/")[1:2] + included.split("/")[1:2]
        if target == "capture" and all(part in CAPTURE_PARTS for part in parts) and parts[0] != parts[1]:
            return f"capture/{parts[0]} and capture/{parts[1]} share only capture/abi.h"
        return None
    if VERIFIER.match(own) and not VERIFIER_MAY_INCLUDE.match(included):
        return "the verifier shares nothing with readers and writers"
    if room == "cli" and included.startswith("capture/driver/"):
        return None  # `sooth cc` and `sooth c++` are the compilers
    if room not in DOORS:
        return f"the folder src/{room} has no row in tools/check_doors.py"
    if target not in may_reach(room):
        return f"there is no door from {room} to {target}"
    return None


def check_doors(problems):
    for source in sorted((ROOT / "src").rglob("*")):
        if source.suffix not in SOURCES:
            continue
        own = source.relative_to(ROOT / "src").as_posix()
        for number, line in enumerate(source.read_text(encoding="utf-8").splitlines(), 1):
            match = INCLUDE.match(line)
            included = match and resolve(source, match.group(1))
            problem = included and door_problem(own, included)
            if problem:
                problems.append(f"src/{own}:{number}: includes {included}: {problem}")


def tracked_files():
    try:
        answer = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-z"], capture_output=True, check=False)
        if answer.returncode == 0:
            return [ROOT / name for name in answer.stdout.decode().split("\0") if name]
    except FileNotFoundError:
        pass
    # No git, or no clone but an unpacked archive: everything but hidden and built files.
    return [path for path in ROOT.rglob("*") if not re.match(r"(build[^/]*|\.[^/]*)/", path.relative_to(ROOT).as_posix())]


def check_marks(problems):
    for path in tracked_files():
        if not path.is_file() or path.is_symlink() or "/corpus/" in path.as_posix():
            continue
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue  # not text
        for number, line in enumerate(text.splitlines(), 1):
            name = f"{path.relative_to(ROOT)}:{number}"
            if UNFINISHED.search(line):
                problems.append(f"{name}: a mark of unfinished work")
            if MACHINE_PATHS.search(line):
                problems.append(f"{name}: a path of one particular machine")


def check_rules(problems):
    """The rules above, tried on made-up files: a check that cannot object checks nothing."""
    wrong = [
        ("trace/reader.cc", "cli/show.h"),
        ("base/a.h", "trace/trace.h"),
        ("capture/runtime/a.cc", "trace/trace.h"),
        ("capture/runtime/a.cc", "capture/pass/a.h"),
        ("capture/runtime/a.cc", "base/result.h"),
        ("cli/a.cc", "capture/runtime/a.h"),
        ("trace/legality/a.cc", "trace/reader.h"),
        ("witness/a.cc", "predict/a.h"),
    ]
    right = [("trace/reader.cc", "base/result.h"), ("cli/show.cc", "trace/trace.h"), ("capture/pass/a.cc", "capture/abi.h")]
    problems += [f"tools/check_doors.py lets {a} include {b}" for a, b in wrong if not door_problem(a, b)]
    problems += [f"tools/check_doors.py forbids {a} to include {b}" for a, b in right if door_problem(a, b)]


def main():
    problems = []
    check_rules(problems)
    check_doors(problems)
    check_marks(problems)
    print("".join(problem + "\n" for problem in problems), end="")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
