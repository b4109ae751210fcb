#!/usr/bin/env python3
"""Fetches the source of a Debian package, for tests and benchmarks on real programs.

    tools/debian_source.py PACKAGE FOLDER

unpacks PACKAGE below FOLDER and prints where. It uses the package sources that this machine is set up with, asked for
sources instead of programs, in a folder of its own: nothing of the machine's own state changes. A package that was
fetched before is taken from FOLDER. Exit status 77 means that it cannot be had here, and the reason is on standard
error.
"""

import pathlib
import re
import subprocess
import sys

NOT_AVAILABLE = 77


class NotAvailable(Exception):
    pass


def source_lists():
    """The machine's own lists, with `deb` turned into `deb-src`: (name, text) pairs."""
    etc = pathlib.Path("/etc/apt")
    lists = []
    for path in [etc / "sources.list", *sorted(etc.glob("sources.list.d/*"))]:
        if not path.is_file():
            continue
        text = path.read_text(errors="replace")
        if path.suffix == ".sources":
            lists.append((path.name, re.sub(r"(?m)^Types:.*$", "Types: deb-src", text)))
        elif path.suffix == ".list":
            lines = [line.replace("deb ", "deb-src ", 1) for line in text.splitlines() if line.startswith("deb ")]
            if lines:
                lists.append((path.name, "\n".join(lines) + "\n"))
    return lists


def run(command, folder):
    answer = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return answer.returncode == 0, answer.stdout


def apt_options(state):
    for part in ("lists/partial", "parts", "cache"):
        (state / part).mkdir(parents=True, exist_ok=True)
    for name, text in source_lists():
        (state / "parts" / name).write_text(text)
    return [
        "apt-get", "-q", "-o", "Acquire::Retries=2", "-o", "Acquire::http::Timeout=20", "-o", "Debug::NoLocking=1",
        "-o", "Dir::Etc::sourcelist=/dev/null", "-o", f"Dir::Etc::sourceparts={state / 'parts'}",
        "-o", f"Dir::State::lists={state / 'lists'}", "-o", f"Dir::Cache={state / 'cache'}",
    ]


def download(package, place):
    state = place / ".apt"
    apt = apt_options(state)
    done, said = run([*apt, "update"], place)
    if not done:
        raise NotAvailable(f"the package lists cannot be read: {said.strip().splitlines()[-1:]}")
    # Mirrors sometimes lack Debian's own changes; the program's source alone will do.
    for how in (["--download-only"], ["--download-only", "--tar-only"]):
        done, said = run([*apt, "source", *how, package], place)
        if done:
            return
    raise NotAvailable("; ".join(line for line in said.splitlines() if line.startswith("E:")) or "apt-get source failed")


def unpack(package, place):
    archives = sorted(path for path in place.iterdir() if re.search(r"\.orig\.tar\.\w+$", path.name))
    if not archives:
        raise NotAvailable(f"the source of {package} has no original archive")
    tree = place / "source"
    tree.mkdir()
    done, said = run(["tar", "--strip-components=1", "-C", tree, "-xf", archives[0]], place)
    changes = [path for path in place.iterdir() if re.search(r"\.debian\.tar\.\w+$", path.name)]
    if done and changes:
        done, said = run(["tar", "-C", tree, "-xf", changes[0]], place)
    if not done:
        raise NotAvailable(f"unpacking {package} failed: {said.strip()}")
    return tree


def fetch(package, folder):
    """The folder with the unpacked source; raises NotAvailable with the reason."""
    place = pathlib.Path(folder).resolve() / package
    done = place / "complete"
    if done.exists():
        return place / "source"
    subprocess.run(["rm", "-rf", place], check=True)
    place.mkdir(parents=True)
    try:
        download(package, place)
        tree = unpack(package, place)
    except FileNotFoundError as missing:
        raise NotAvailable(f"{missing.filename} is not on this machine") from missing
    subprocess.run(["rm", "-rf", place / ".apt"], check=True)
    done.touch()
    return tree


if __name__ == "__main__":
    try:
        print(fetch(sys.argv[1], sys.argv[2]))
    except NotAvailable as reason:
        print(f"{sys.argv[1]} is not available: {reason}", file=sys.stderr)
        sys.exit(NOT_AVAILABLE)
