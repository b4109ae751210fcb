#!/usr/bin/env python3
"""Runs the commands that the README and other documents show.

    readme_test.py --build FOLDER --work FOLDER

In a ```console block, a line that begins with `$ ` is a command; it must end with status 0. The lines up to the next
command must appear in its output in this order, each as a part of a line; `...` stands for anything. A block
```cpp with a first line `// NAME.cpp` is a file that the commands can use, also those above it.
"""

import argparse
import os
import pathlib
import re
import signal
import subprocess

from recording import ROOT, check, fresh


DOCUMENTS = ("README.md", "docs/architecture.md", "docs/report.md", "docs/replay.md", "docs/page.md", "docs/tutorial.md", "docs/wrong_and_right.md")
PATIENCE = 120  # seconds; the slowest command takes a few
TRIES = 12


def blocks(text):
    """(language, lines) of each fenced block."""
    return [(m.group(1), m.group(2).splitlines()) for m in re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.M | re.S)]


def commands(lines):
    """(command, expected lines) pairs."""
    pairs = []
    for line in lines:
        if line.startswith("$ "):
            pairs.append((line[2:], []))
        else:
            check(pairs, f"a console block begins with a command, not with {line!r}")
            pairs[-1][1].append(line)
    return pairs


def matches(expected, output):
    """Each expected line, in this order, is part of some line of the output."""
    rest = iter(output.splitlines())
    for line in expected:
        parts = [part.strip() for part in line.split("...") if part.strip()]
        if parts and not any(all(part in candidate for part in parts) for candidate in rest):
            return line
    return None


def run(command, work, environment):
    """The exit status and the output. The README's bank ends well nearly every time: where it really deadlocks, it is run again."""
    for _ in range(TRIES):
        with subprocess.Popen(["bash", "-c", command], cwd=work, env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True) as running:
            try:
                output, _ = running.communicate(timeout=PATIENCE)
                return running.returncode, output.decode(errors="replace")
            except subprocess.TimeoutExpired:
                print(f"no end after {PATIENCE} s; once more", flush=True)
                os.killpg(running.pid, signal.SIGKILL)
    return None, ""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="Sooth's build folder")
    parser.add_argument("--work", type=pathlib.Path, required=True)
    options = parser.parse_args()
    work = fresh(options.work)
    (work / "examples").symlink_to(ROOT / "examples")
    environment = {**os.environ, "PATH": f"{options.build / 'bin'}:{os.environ['PATH']}"}
    ran = 0
    text = "".join((ROOT / name).read_text(encoding="utf-8") for name in DOCUMENTS)
    for language, lines in blocks(text):
        if language == "cpp" and re.fullmatch(r"// \w+\.cpp", lines[0]):
            (work / lines[0][3:]).write_text("\n".join(lines) + "\n", encoding="utf-8")
    for language, lines in blocks(text):
        if language != "console":
            continue
        for command, expected in commands(lines):
            print(f"$ {command}", flush=True)
            for _ in range(TRIES):  # the documents show the usual order of threads; the machine may choose another one
                status, output = run(command, work, environment)
                print(output[-4000:])
                missing = matches(expected, output)
                if status == 0 and missing is None:
                    break
            check(status == 0, f"status {status} of {command}")
            check(missing is None, f"the output of {command} has no line like {missing!r}")
            ran += 1
    check(ran >= 5, f"the README shows commands; {ran} were found")
    print("fine")


if __name__ == "__main__":
    main()
