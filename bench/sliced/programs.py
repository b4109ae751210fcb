"""The programs of jPredictor's Table 1, written anew: how they are built and recorded, and what the models find in the recorded run."""

import json
import pathlib
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FLAGS = ["-std=c++20", "-O2", "-g", "-pthread"]
MODELS = ("hb", "hb-locks", "maximal", "sliced", "full")
FOUND = 66


class Program:
    """One row. `paper`: what jPredictor's tables say of the program that this one stands for; None where they say nothing."""

    def __init__(self, name, source, size, long_size, skip, flags=(), has_property=False, paper=None):
        self.name, self.source, self.size, self.long_size = name, HERE / f"{source}.cpp", str(size), str(long_size)
        self.flags, self.skip = list(flags), skip
        self.property = HERE / f"{source}.prop" if has_property else None
        self.paper = paper or {}

    def lines(self):
        return len(self.source.read_text(encoding="utf-8").splitlines())


# Sizes: of the run that is predicted from, and of the one whose slowdown is measured. Then the functions that are left out.
PROGRAMS = [
    Program("bank", "bank", 5, 40_000, "card_code",
            paper={"name": "Banking", "slowdown": 3, "variables": 10, "threads": "11", "races": 1, "hb": 1}),
    Program("http_server", "http_server", 1, 2_000, "page_of", has_property=True,
            paper={"name": "Http-Server", "slowdown": 3, "variables": 2, "threads": "7", "races": 2, "hb": 1, "violations": 1, "hb_violations": 1}),
    Program("daisy", "daisy", 1, 4_000, "sum_of", has_property=True,
            paper={"name": "Daisy", "slowdown": 10, "variables": 312, "threads": "3", "races": 1, "hb": 0, "violations": 1, "hb_violations": 0}),
    Program("daisy, byte array", "daisy", 1, 60_000, "sum_of", ["-DPSEUDO_FILE=1"], has_property=True,
            paper={"name": "Daisy-2", "slowdown": 20, "variables": 572, "threads": "3", "races": 2, "hb": 0}),
    Program("ray_tracer", "ray_tracer", 40, 500, "Tracer::* operator?(Vector* dot(Vector* unit(Vector*",
            paper={"name": "Raytracer", "slowdown": 2, "variables": 4, "threads": "4", "races": 1, "hb": 1}),
    Program("class_loader", "class_loader", 1, 40_000, "define_class", has_property=True,
            paper={"name": "Tomcat (part)", "slowdown": 10, "variables": 20, "threads": "3 - 4", "races": 4, "hb": 0, "violations": 1, "hb_violations": 0}),
    Program("class_loader, patched", "class_loader", 1, 40_000, "define_class", ["-DLOADER=13"], has_property=True,
            paper={"name": "(Fig. 13)", "violations": 1}),
    Program("class_loader, right", "class_loader", 1, 40_000, "define_class", ["-DLOADER=0"], has_property=True),
]


def command(arguments, folder, fine=(0,)):
    answer = subprocess.run([str(word) for word in arguments], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if answer.returncode not in fine:
        raise RuntimeError(f"status {answer.returncode} of {' '.join(map(str, arguments))}\n{answer.stdout}")
    return answer.stdout


def build_turns(folder):
    """What orders the recorded run, compiled without Sooth: it is not seen."""
    if not (folder / "order.o").exists():
        command(["clang-19", "-O2", "-c", ROOT / "tests" / "pairs" / "order.c", "-o", "order.o"], folder)


def build_native(program, folder):
    build_turns(folder)
    out = folder / "native"
    command(["clang++-19", *FLAGS, *program.flags, program.source, "order.o", "-o", out], folder)
    return out


def build_recorded(program, folder, sooth):
    build_turns(folder)
    out = folder / "recorded"
    calls = [f"-fsooth-property={program.property}"] if program.property else []
    skipped = [word for glob in program.skip.split() for word in ("--skip", glob)]
    command([f"{sooth}-c++", *FLAGS, "-fsooth-facts", *calls, *skipped, *program.flags, program.source, "order.o", "-o", out], folder)
    return out


def record(executable, size, folder, sooth, name="run.sooth"):
    command([sooth, "record", "-o", name, executable, size], folder)
    return folder / name


def report_of(arguments, folder, sooth):
    command([sooth, "check", *arguments, "--json", "report.json"], folder, (0, FOUND))
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    if report["coverage"]["rejected"]:
        raise RuntimeError("a witness was rejected")
    return report


def races(trace, model, folder, sooth):
    """The variables that are raced for, under the names that the source has for them, and the number of pairs of places."""
    report = report_of([trace, "--each", "--model", model, "--find", "races"], folder, sooth)
    if report["coverage"]["undecided"]:
        raise RuntimeError(f"{model}: something is undecided")
    return {finding["sites"][0]["variable"] for finding in report["findings"]}, len(report["findings"])


def violations(trace, program, model, folder, sooth):
    """The names of the properties that other runs violate. Any that the recorded one violates is an error of ours."""
    report = report_of([trace, "--model", model, "--property", program.property, "--first"], folder, sooth)
    if any(finding["status"] != "predicted" for finding in report["findings"]):
        raise RuntimeError(f"{program.name}: the recorded run itself violates the property")
    return {finding["property"] for finding in report["findings"]}
