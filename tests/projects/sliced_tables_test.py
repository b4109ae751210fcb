#!/usr/bin/env python3
"""The programs of jPredictor's tables: which races and violations each model predicts from a run that went well.

    sliced_tables_test.py --build FOLDER --work FOLDER
"""

import argparse
import pathlib
import sys

from recording import ROOT, check, fresh, verify

sys.path.insert(0, str(ROOT / "bench" / "sliced"))
import programs  # noqa: E402  (found through the line above)

POSITION, BYTES = "Disk::position_", "Disk::bytes_[...]"
ENTRY = {"entry.binary_content", "entry.loaded_class", "entry.manifest", "entry.code_base"}
LOADER = ENTRY | {"reuse.count", "reuse.logs[...]", "last_access"}

# program -> variables that are raced for: without knowing the program (hb, hb-locks, maximal), and knowing it (sliced, full)
RACES = {
    "bank": ({"turnover"}, {"turnover"}),
    "http_server": ({"idle"}, {"idle", "client"}),
    "daisy": (set(), {POSITION}),
    "daisy, byte array": (set(), {POSITION, BYTES}),
    "ray_tracer": ({"checksum"}, {"checksum"}),
    "class_loader": (set(), LOADER),
    "class_loader, patched": (set(), LOADER),
    "class_loader, right": (set(), set()),
}
# program -> properties that can be violated, in the same way
VIOLATIONS = {
    "http_server": ({"alternate"}, {"alternate"}),
    "daisy": (set(), {"together"}),
    "daisy, byte array": (set(), {"together"}),
    "class_loader": (set(), {"defined_first"}),
    "class_loader, patched": (set(), {"defined_first"}),
    "class_loader, right": (set(), set()),
}


def check_program(program, work, sooth):
    folder = fresh(work / program.name.replace(", ", "_").replace(" ", "_"))
    trace = programs.record(programs.build_recorded(program, folder, sooth), program.size, folder, sooth)
    verify(sooth, trace)
    for model in programs.MODELS:
        knows = model in ("sliced", "full")
        found, _ = programs.races(trace, model, folder, sooth)
        check(found == RACES[program.name][knows], f"{program.name}, {model}: races for {sorted(found)}")
        if program.property:
            violated = programs.violations(trace, program, model, folder, sooth)
            check(violated == VIOLATIONS[program.name][knows], f"{program.name}, {model}: violations of {sorted(violated)}")
    # At least what jPredictor found, and where it says that happens-before finds nothing, neither does ours.
    if "races" in program.paper:
        check(len(RACES[program.name][1]) >= program.paper["races"], f"{program.name}: jPredictor found more races")
    if program.paper.get("hb") == 0:
        check(not RACES[program.name][0], f"{program.name}: the race is hidden in the recorded run")
    print(f"{program.name}: fine", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="Sooth's build folder")
    parser.add_argument("--work", type=pathlib.Path, required=True)
    options = parser.parse_args()
    for program in programs.PROGRAMS:
        check_program(program, options.work, options.build / "bin" / "sooth")
    print("fine")


if __name__ == "__main__":
    main()
