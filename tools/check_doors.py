#!/usr/bin/env python3
"""The house rules that a compiler does not check; run by `./dev lint`.

Doors: which folder of src/ may include which (docs/architecture.md draws the same picture).
Marks: no unfinished work, and no paths of one particular machine, in any file that is under version control.
Papers: cited by the short names of docs/papers.md, never by number; the files that page names exist.
Rooms: no folder of src/ has so many files that one cannot see them at once.
Headers: in src/predict and src/causality, what only one file needs is in that file, unless it is an idea with a file of its own.
References: every file that a comment in src/ or a page of docs/ names with its folder exists.
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
    "survey": ["trace"],
    "import": ["trace"],
    "causality": ["trace"],
    "knowledge": [],
    "logic": ["knowledge", "trace"],
    "witness": ["trace"],
    "replay": ["witness"],
    "explore": ["causality", "logic"],
    "predict": ["causality", "witness"],
    "properties": ["explore", "predict"],
    "report": ["witness"],
    "observe": ["properties", "report"],
    "fleet": ["observe"],
    "analysis": ["survey", "predict", "properties", "replay", "report"],
    "cli": ["analysis", "import", "fleet"],
}

# capture meets the rest only through these files: the trace format and the observer's protocol, as bytes, the monitors that
# run inside the program, and the contract of its own two halves.
CAPTURE_MAY_INCLUDE = re.compile(
    r"^(observe/wire\.h|replay/(schedule|inputs)\.h|knowledge/.*|trace/(format\.h|kind_columns\.h|effects\.h|event_codec\.h|may_race\.h|fact_numbers\.h|check_words\.h|event_kinds\.def|defects\.def)|capture/.*|sooth/.*)$"
)

# Inside capture: the pass runs in the compiler, the runtime in the user's program, the driver before both.
CAPTURE_PARTS = ("pass", "runtime", "driver")

# The verifier shares nothing with the code that writes or orders events, or it could not find that code's mistakes.
VERIFIER = re.compile(r"^trace/(verify\.|legality/)")
VERIFIER_MAY_INCLUDE = re.compile(r"^(trace/(trace\.h|format\.h|event_kinds\.def|defects\.def|verify\.h|legality/.*)|base/.*)$")

# What a primitive orders is said once, for everybody but the verifier and the checker, who must be able to find a mistake in it.
EFFECTS = re.compile(r"^trace/(effects|kind_groups)\.h$")

# So many files at one level are a room that should be two.
MOST_FILES = 45

# Where a header has two users, or a .cc of its own.
ROOMS_OF_HEADERS = ("predict/", "causality/")

# Tables of names, without any code: open to all.
TABLES = re.compile(r"^causality/models/models\.def$")

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')
SOURCES = {".h", ".cc", ".cpp", ".c", ".S", ".def"}

# Written in two parts so that this file does not find itself.
UNFINISHED = re.compile(r"\b(" + "|".join(["TO" + "DO", "FIX" + "ME", "X" + "XX", "HA" + "CK"]) + r")\b")
MACHINE_PATHS = re.compile(r"(?<![\w.$}])/(" + "|".join(["ho" + "me", "ro" + "ot", "wo" + "rk", "Us" + "ers", "m" + "nt"]) + r")/\w")

# Papers were once cited by number.
NUMBERED_PAPER = re.compile(r"\bse" + r"eds?[\s/*#]*0\d\d\b", re.IGNORECASE)
NAMED_FILE = re.compile(r"`((?:[\w-]+/)*[\w-]+\.(?:h|cc|cpp|c|def|py|prop|S))`")
REFERENCE = re.compile(r"(?<![\w/.<-])((?:[\w-]+/)+[\w-]+\.(?:h|cc|def|md|py|S))\b")


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
    if target == "sooth" or (TABLES.match(included) and room != "capture"):
        return None  # public headers and tables are open to all
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
    if room == "witness" and EFFECTS.match(included):
        return "the checker has its own rules about what events do"
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


def full_rooms(files):
    """The folders of src/ with too many files at one level, given paths below the root: (folder, how many)."""
    rooms = {}
    for name in files:
        folder = name.rpartition("/")[0]
        if folder.startswith("src/"):
            rooms[folder] = rooms.get(folder, 0) + 1
    return [(folder, count) for folder, count in sorted(rooms.items()) if count > MOST_FILES]


def check_rooms(problems):
    names = [path.relative_to(ROOT).as_posix() for path in tracked_files() if path.is_file()]
    for folder, count in full_rooms(names):
        problems.append(f"{folder}: {count} files at one level, more than {MOST_FILES}")
    many = [f"src/a/{number}.cc" for number in range(MOST_FILES + 1)]
    if full_rooms(many[1:]) or not full_rooms(many):
        problems.append("tools/check_doors.py cannot count the files of a room")


def lonely_headers(includes):
    """The headers of ROOMS_OF_HEADERS that only one file includes, and that have no .cc of their own. `includes`: by file, what
    it includes (paths below src/)."""
    users = {}
    for source, included in includes.items():
        for header in included:
            if header.rpartition(".")[0] != source.rpartition(".")[0]:
                users.setdefault(header, set()).add(source)
    headers = (name for name in includes if name.startswith(ROOMS_OF_HEADERS) and name.endswith(".h"))
    return [name for name in sorted(headers) if len(users.get(name, ())) < 2 and name[:-2] + ".cc" not in includes]


def check_headers(problems):
    includes = {}
    for source in (ROOT / "src").rglob("*"):
        if source.suffix in (".h", ".cc"):
            names = (INCLUDE.match(line) for line in source.read_text(encoding="utf-8").splitlines())
            includes[source.relative_to(ROOT / "src").as_posix()] = [name.group(1) for name in names if name]
    for header in lonely_headers(includes):
        problems.append(f"src/{header}: only one file needs it, and it has no .cc of its own: move it there")
    tried = {"predict/a.h": [], "predict/a.cc": ["predict/a.h"], "causality/b.h": [], "predict/c.h": [], "logic/f.h": [],
             "predict/d.cc": ["predict/a.h", "causality/b.h", "predict/c.h", "logic/f.h"], "predict/e.cc": ["predict/c.h"]}
    if lonely_headers(tried) != ["causality/b.h"]:
        problems.append("tools/check_doors.py does not know which headers have one user")


def tracked_files():
    try:
        answer = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-z"], capture_output=True, check=False)
        if answer.returncode == 0:
            return [ROOT / name for name in answer.stdout.decode().split("\0") if name]
    except FileNotFoundError:
        pass
    # No git, or no clone but an unpacked archive: everything but hidden and built files.
    return [path for path in ROOT.rglob("*") if not re.match(r"(build[^/]*|\.[^/]*)/", path.relative_to(ROOT).as_posix())]


def read_text(path):
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return None  # not text


def check_marks(problems):
    for path in tracked_files():
        if not path.is_file() or path.is_symlink() or "/corpus/" in path.as_posix():
            continue
        text = read_text(path)
        if text is None:
            continue
        for number, line in enumerate(text.splitlines(), 1):
            name = f"{path.relative_to(ROOT)}:{number}"
            if UNFINISHED.search(line):
                problems.append(f"{name}: a mark of unfinished work")
            if MACHINE_PATHS.search(line):
                problems.append(f"{name}: a path of one particular machine")


def numbered_papers(text):
    """The lines of `text` that cite a paper by number."""
    return [text.count("\n", 0, match.start()) + 1 for match in NUMBERED_PAPER.finditer(text)]


def files_called(name, files):
    """Those of `files` that `name` may mean: the last part is the same, and the folders before it are
    among the file's, in their order. So what names a file stays right if it moves inside its room."""
    *folders, last = name.split("/")

    def fits(path):
        *around, own = path.split("/")
        rest = iter(around)
        return own == last and all(folder in rest for folder in folders)

    return [path for path in files if fits(path)]


def paper_problems(text, files):
    """What is wrong with the files that docs/papers.md names: (line, words)."""
    wrong = []
    for number, line in enumerate(text.splitlines(), 1):
        for name in NAMED_FILE.findall(line):
            found = files_called(name, files)
            if len(found) != 1:
                wrong.append((number, f"{name} is {' and '.join(found) or 'no file'}"))
    return wrong if NAMED_FILE.search(text) else [(1, "no file is named")]


def dead_references(text, files):
    """The files that `text` names with a folder of ours and that are not there: (line, name).
    Includes are left to the compiler."""
    tops = {path.split("/")[0] for path in files}
    tops |= {path.split("/")[1] for path in files if path.startswith("src/")}
    wrong = []
    for number, line in enumerate(text.splitlines(), 1):
        for name in [] if INCLUDE.match(line) else REFERENCE.findall(line):
            is_ours = name.split("/")[0] in tops and "NAME" not in name  # NAME: recipes
            whole = name.startswith(("src/", "tests/"))  # from the top: exactly there
            if is_ours and (name not in files if whole else not files_called(name, files)):
                wrong.append((number, name))
    return wrong


def check_papers(problems):
    texts = {}
    for path in tracked_files():
        name = path.relative_to(ROOT).as_posix()
        if path.is_file() and not path.is_symlink():
            texts[name] = None if "/corpus/" in name else read_text(path)
    sources = [name for name in texts if name.startswith(("src/", "tests/", "bench/", "examples/"))]
    for number, words in paper_problems(texts.get("docs/papers.md") or "", sources):
        problems.append(f"docs/papers.md:{number}: {words}")
    for name, text in texts.items():
        for number in numbered_papers(text or ""):
            problems.append(f"{name}:{number}: a paper is cited by number, not as in docs/papers.md")
        if text and name.startswith(("src/", "docs/", "README.md", "CONTRIBUTING.md", "tests/README.md")):
            for number, dead in dead_references(text, list(texts)):
                problems.append(f"{name}:{number}: there is no {dead}")


def check_paper_rules(problems):
    """The rules about papers and references, tried on made-up text."""
    own = "tools/check_doors.py"
    for end in ("ed 004, Fig. 1", "eds 000 and 001", "ed\n// 002, section 3"):
        if not numbered_papers("se" + end):
            problems.append(f"{own} lets text cite a paper as {'se' + end!r}")
    for text in ("seed = 001", "--seed 7", "a fuzzer's seeds", "seed 12345", "jPredictor, Fig. 1"):
        if numbered_papers(text):
            problems.append(f"{own} takes {text!r} for a paper's number")
    files = ["src/a/clock.h", "src/b/clock.h", "src/a/deep/races.h", "docs/races.md"]
    for text in ("`gone.h`", "`clock.h`", "`b/races.h`", "`deep/a/races.h`", "no file"):
        if not paper_problems(text, files):
            problems.append(f"{own} accepts {text!r} in docs/papers.md")
    for text in ("`races.h`", "`a/races.h`", "`a/clock.h` and `src/b/clock.h`"):
        if paper_problems(text, files):
            problems.append(f"{own} refuses {text!r} in docs/papers.md")
    for text in ("// see a/gone.h", "[x](docs/gone.md)", "(src/c/clock.h)", "`src/a/races.h`"):
        if not dead_references(text, files):
            problems.append(f"{own} lets text refer to {text!r}")
    for text in ('#include "a/gone.h"', "a/races.h, docs/races.md", "bits/gone.h", "src/a/NAME.h"):
        if dead_references(text, files):
            problems.append(f"{own} takes {text!r} for a dead reference")


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
        ("trace/legality/a.cc", "trace/effects.h"),
        ("witness/a.cc", "predict/a.h"),
        ("witness/a.cc", "trace/effects.h"),
        ("witness/a.cc", "causality/models/model.h"),
        ("predict/races/a.cc", "properties/a.h"),
        ("analysis/a.cc", "cli/a.h"),
    ]
    right = [("witness/a.h", "causality/models/models.def"), ("trace/reader.cc", "base/result.h"), ("cli/commands/show.cc", "trace/trace.h"), ("capture/pass/a.cc", "capture/abi.h")]
    problems += [f"tools/check_doors.py lets {a} include {b}" for a, b in wrong if not door_problem(a, b)]
    problems += [f"tools/check_doors.py forbids {a} to include {b}" for a, b in right if door_problem(a, b)]


def main():
    problems = []
    check_rules(problems)
    check_paper_rules(problems)
    check_doors(problems)
    check_marks(problems)
    check_rooms(problems)
    check_headers(problems)
    check_papers(problems)
    print("".join(problem + "\n" for problem in problems), end="")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
