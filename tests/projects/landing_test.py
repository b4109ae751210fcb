#!/usr/bin/env python3
"""examples/landing: the output, the status, and the three writes that matter to its property.

    landing_test.py --build FOLDER --work FOLDER
"""

import argparse
import pathlib

from recording import ROOT, check, count, events, record, run, verify

EXPECTED = "Landing approved\nLanding started\napproved = 1, landing = 1, radio = 0\n"


def the_write(shown, variable):
    found = [event for event in shown if event["kind"] == "write" and event.get("variable") == variable]
    check(len(found) == 1, f"one write of {variable}; there are {len(found)}")
    return found[0]


def check_order(shown):
    approved, landing, radio = (the_write(shown, name) for name in ("approved", "landing", "radio"))
    check(int(approved["value"], 16) == 1 and int(landing["value"], 16) == 1 and int(radio["value"], 16) == 0, "their values")
    check(approved["n"] < landing["n"] < radio["n"], "the recorded run is the good one")
    check(approved["thread"] == landing["thread"] != radio["thread"], "two threads")
    for event, function in ((approved, "ask_landing_approval"), (landing, "fly"), (radio, "check_radio")):
        check(event["file"].endswith("landing.cpp") and event["line"] > 0, "they have a place in the source")
        check(function in event["function"], f"the function is {function}; it is {event['function']}")
    # Nothing between the two threads but their creation and end: that is what leaves room for prediction.
    for kind in ("acquire", "atomic-rmw", "atomic-write", "signal", "sem-post", "hb-release"):
        threads = {event["thread"] for event in shown if event["kind"] == kind and event.get("file", "").endswith("landing.cpp")}
        check(not threads, f"landing.cpp has no {kind}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="Sooth's build folder")
    parser.add_argument("--work", type=pathlib.Path, required=True)
    options = parser.parse_args()
    sooth = options.build / "bin" / "sooth"
    options.work.mkdir(parents=True, exist_ok=True)
    for level in ("-O0", "-O2"):
        program = options.work / f"landing{level}"
        run([f"{sooth}-c++", level, ROOT / "examples" / "landing" / "landing.cpp", "-o", program], options.work)
        answer, traces = record(program, [], options.work / f"run{level}")
        check(answer.out == EXPECTED and answer.err == "", f"the output is as it was; it is {answer.out!r} {answer.err!r}")
        check(len(traces) == 1, "one trace")
        verify(sooth, traces[0])
        shown = events(sooth, traces[0])
        check(count(shown, kind="fork") == 2 and count(shown, kind="join") == 2, "two threads")
        if level == "-O0":
            check_order(shown)
    print("fine")


if __name__ == "__main__":
    main()
