#!/usr/bin/env python3
"""Lines of at most 100 columns, in documents and in comments (docs/style.md); run by `./dev lint`.

Documents: prose. Tables, code and generated parts may be wider.
Comments: lines that are nothing but a `//` comment.
Where there are longer ones, their number may only go down: LEFT says how many there are.
"""

import pathlib
import re
import sys

from check_doors import ROOT, read_text, tracked_files

COLUMNS = 100

# Long lines that are left, by folder (comments) or by document. Lower a number when you shorten some.
# What has no row has no long lines.
LEFT = {
    "bench/compile": 1,
    "bench/lattice": 5,
    "bench/monitors": 2,
    "bench/predict": 3,
    "bench/record": 11,
    "bench/sliced": 25,
    "examples/crowd": 3,
    "examples/landing": 8,
    "examples/order": 4,
    "tests/cli": 8,
    "tests/cross": 59,
    "tests/fuzz": 9,
    "tests/monitors": 13,
    "tests/online": 6,
    "tests/pairs": 57,
    "tests/pass": 28,
    "tests/programs": 28,
    "tests/projects": 12,
    "tests/unit": 151,
}

DOCUMENT = re.compile(r"^(README|CONTRIBUTING|CHANGELOG)\.md$|^(docs|examples|tests)/.*\.md$")
COMMENTED = re.compile(r"\.(h|cc|cpp|c|S|def)$")
COMMENT = re.compile(r"^\s*//")


def folder_of(name):
    """The first two parts of a file's folder; three below src/capture, whose parts are rooms."""
    return "/".join(name.split("/")[:-1][: 3 if name.startswith("src/capture/") else 2])


def long_prose(text):
    """The numbers of a document's lines that are prose and too long."""
    wrong, fenced, generated = [], False, False
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            fenced = not fenced
        if line.startswith("<!-- table"):
            generated = True
        if line.startswith("<!-- end"):
            generated = False
        is_free = fenced or generated or line.startswith("    ") or line.lstrip().startswith("|")
        has_choice = " " in line.strip()  # one long word, such as an address, cannot be broken
        if len(line) > COLUMNS and has_choice and not is_free:
            wrong.append(number)
    return wrong


def long_comments(text):
    """The numbers of the lines that are nothing but a comment and too long."""
    return [number for number, line in enumerate(text.splitlines(), 1) if len(line) > COLUMNS and COMMENT.match(line)]


def check_files(problems):
    found = {}
    for path in tracked_files():
        name = path.relative_to(ROOT).as_posix()
        if not path.is_file() or path.is_symlink() or "/corpus/" in name:
            continue
        if DOCUMENT.match(name):
            found.setdefault(name, []).extend(f"{name}:{number}" for number in long_prose(read_text(path) or ""))
        if COMMENTED.search(name):
            places = [f"{name}:{number}" for number in long_comments(read_text(path) or "")]
            found.setdefault(folder_of(name), []).extend(places)
    for where, places in sorted(found.items()):
        most = LEFT.get(where, 0)
        if len(places) > most:
            problems.append(f"{where}: {len(places)} lines are longer than {COLUMNS} columns, {most} may be")
            problems += places if most == 0 else []


def check_rules(problems):
    """The rules above, tried on made-up text: a check that cannot object checks nothing."""
    words = "word " * 30
    for text in (words, "- " + words, "# " + words, "```\n```\n" + words, "<!-- table -->\n<!-- end -->\n" + words):
        if not long_prose(text):
            problems.append(f"tools/check_lines.py lets a document have {text[:20]!r}...")
    for text in ("short", "| " + words, "    " + words, "```\n" + words, "<!-- table -->\n" + words, "x" * 200):
        if long_prose(text):
            problems.append(f"tools/check_lines.py forbids {text[:20]!r}... in a document")
    if not long_comments("int x;\n  // " + words) or long_comments("int x; // " + words) or long_comments("// short"):
        problems.append("tools/check_lines.py takes other lines for long comments than it should")


def main():
    problems = []
    check_rules(problems)
    check_files(problems)
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
