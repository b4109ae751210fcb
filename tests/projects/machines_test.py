#!/usr/bin/env python3
"""What Sooth writes for machines: JSON, SARIF and JUnit keep to their schemas and name real lines; ShiViz's and Perfetto's files are read
back; and what lies between runs: baselines, differences, suppressions by fingerprint, several traces, repeated runs.

    machines_test.py --build FOLDER --work FOLDER
"""

import argparse
import json
import pathlib
import re
import shutil
import subprocess
import xml.etree.ElementTree as xml

import jsonschema

from recording import ROOT, check

SHOP = ROOT / "tests" / "browser" / "shop.cpp"
# The schema as it is published; the page's packages bring it.
SARIF_SCHEMA = ROOT / "web" / "node_modules" / "@microsoft" / "jest-sarif" / "lib" / "schemas" / "sarif-2.1.0-rtm.5.json"


class Bench:
    def __init__(self, options):
        self.sooth = (options.build / "bin" / "sooth").resolve()
        self.work = options.work.resolve()
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir(parents=True)

    def run(self, *words, status=0):
        ended = subprocess.run([str(word) for word in words], cwd=self.work, capture_output=True, text=True, timeout=300, check=False)
        check(ended.returncode == status, f"{words} ended with {ended.returncode}, not {status}:\n{ended.stdout}{ended.stderr}")
        return ended

    def check(self, *words, status=66):
        return self.run(self.sooth, "check", *words, status=status)

    def json(self, name):
        return json.loads((self.work / name).read_text())


def schema(name):
    return json.loads((ROOT / "docs" / "schema" / name).read_text())


def prepare(bench):
    """A program whose schedule is forced: the recorded run is the good one."""
    shutil.copy(SHOP, bench.work / "shop.cpp")
    bench.run("clang-19", "-O1", "-c", ROOT / "tests" / "pairs" / "order.c", "-o", "order.o")
    bench.run(bench.sooth, "c++", "-g", "-O1", "-pthread", "shop.cpp", "order.o", "-o", "shop")
    bench.run(bench.sooth, "record", "-o", "shop.sooth", "./shop")
    bench.check("shop.sooth", "--json", "shop.json", "--sarif", "shop.sarif", "--junit", "shop.xml")


def test_json(bench):
    landing = ROOT / "examples" / "landing"
    bench.run(bench.sooth, "c++", "-g", "-O1", "-pthread", f"-fsooth-property={landing}/safe_landing.prop", landing / "landing.cpp", "-o", "landing")
    bench.run(bench.sooth, "record", "--property", landing / "safe_landing.prop", "-o", "landing.sooth", "./landing")
    bench.check("landing.sooth", "--property", landing / "safe_landing.prop", "--json", "landing.json")
    bench.check("shop.sooth", "--json", "each.json", "--each", "--candidates", "--whole-witness")
    rules = schema("report.schema.json")
    jsonschema.Draft202012Validator.check_schema(rules)
    for name in ("shop.json", "landing.json", "each.json"):
        jsonschema.validate(bench.json(name), rules, cls=jsonschema.Draft202012Validator)
    broken = bench.json("shop.json")
    broken["findings"][0]["fingerprint"] = "?"
    check(list(jsonschema.Draft202012Validator(rules).iter_errors(broken)), "the schema finds a wrong fingerprint")


def test_events(bench):
    """Every event that a finding names is in the table, with its source; a read names the write it saw."""
    report = bench.json("shop.json")
    events = {event["event"]: event for event in report["events"]}
    for finding in report["findings"]:
        for step in finding["observed"] + finding["witness"] + finding["next"] + finding["sites"]:
            check(step["event"] in events, f"event {step['event']} is in the table")
    source = (bench.work / "shop.cpp").read_text().splitlines()
    for part in report["sources"]:
        check(part["lines"] == source[part["first"] - 1 : part["first"] - 1 + len(part["lines"])], "sources are as they are on disk")
    race = next(finding for finding in report["findings"] if finding["kind"] == "race")
    read = next(site for site in race["sites"] if site["kind"] == "read")
    write = next(site for site in race["sites"] if site["kind"] == "write")
    check(events[read["event"]]["from"] == write["event"], "the read saw the write in the recorded run")
    seen = {pair["event"]: pair["from"] for pair in race.get("readsFrom", [])}
    check(seen.get(read["event"]) != write["event"], "in the predicted run it does not have to")
    context = report["contexts"][events[read["event"]]["context"]]
    check("look_at_price" in context["stack"][0]["function"] and context["locks"] == [], "its stack and locks")


def test_sarif(bench):
    log = bench.json("shop.sarif")
    published = json.loads(SARIF_SCHEMA.read_text())
    jsonschema.validate(log, published, cls=jsonschema.validators.validator_for(published))
    run = log["runs"][0]
    source = (bench.work / "shop.cpp").read_text().splitlines()
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    report = bench.json("shop.json")
    check([result["partialFingerprints"]["sooth/v1"] for result in run["results"]] == [finding["fingerprint"] for finding in report["findings"]], "a result for each finding")
    for result in run["results"]:
        check(rules[result["ruleIndex"]] == result["ruleId"], "the rule's index")
        check(len(result["locations"]) == 1 and len(result["codeFlows"]) == 2, "one place; the recorded run and the predicted one")
        for flow in result["codeFlows"]:
            check(len(flow["threadFlows"]) >= 2, "a flow for each thread")
            order = [place["executionOrder"] for thread in flow["threadFlows"] for place in thread["locations"]]
            check(len(set(order)) == len(order), "every step has a place of its own in the order")
            for thread in flow["threadFlows"]:
                for place in thread["locations"]:
                    physical = place["location"]["physicalLocation"]
                    check(physical["artifactLocation"] == {"uri": "shop.cpp", "uriBaseId": "SRCROOT"}, "the file, below the root")
                    region = physical["region"]
                    check(region["snippet"]["text"] == source[region["startLine"] - 1].rstrip(), "a real line")
    check(run["originalUriBaseIds"]["SRCROOT"]["uri"] == bench.work.as_uri() + "/", "the root is where the program ran")


def test_junit(bench):
    suite = xml.parse(bench.work / "shop.xml").getroot().find("testsuite")
    cases = suite.findall("testcase")
    failures = suite.findall("testcase/failure")
    check(int(suite.get("tests")) == len(cases) and int(suite.get("failures")) == len(failures) == len(bench.json("shop.json")["findings"]), "the counts")
    check(any("price" in failure.get("message") and "shop.cpp" in failure.text for failure in failures), "the text of the race")


def test_shiviz(bench):
    bench.run(bench.sooth, "export", "--to", "shiviz", "shop.sooth", "-o", "shop.shiviz")
    text = (bench.work / "shop.shiviz").read_text()
    found = re.findall(r"(?P<host>\S*) (?P<clock>{.*})\n(?P<event>.*)\n", text)
    check(len(found) * 2 == text.count("\n"), "all lines are events by ShiViz's default pattern")
    own, clocks = {}, {}
    for host, clock, _ in found:
        clock = json.loads(clock)
        check(clock[host] == own.get(host, 0) + 1, f"{host} counts its own events one by one")
        for other, time in clock.items():
            check(other == host or time <= own.get(other, 0), f"{host} knows of no event of {other} that has not been")
            check(time >= clocks.get(host, {}).get(other, 0), "what is known stays known")
        own[host] = clock[host]
        clocks[host] = clock
    taken = next(json.loads(clock) for host, clock, event in found if event.startswith("acquire door") and host == "T2")
    given = next(json.loads(clock) for host, clock, event in found if event.startswith("release door") and host == "T1")
    check(taken["T1"] >= given["T1"], "the second acquire of the door comes after the first release")
    check(sum("price" in event for _, _, event in found) >= 2, "accesses are there")


def fields(data):
    """A protobuf message: field number and value, one by one."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(data):
        key = varint()
        kind = key & 7
        check(kind in (0, 1, 2), f"wire type {kind}")
        if kind == 0:
            yield key >> 3, varint()
        else:
            length = 8 if kind == 1 else varint()
            check(at + length <= len(data), "a field inside its message")
            yield key >> 3, data[at : at + length]
            at += length


def test_perfetto(bench):
    bench.run(bench.sooth, "export", "--format", "perfetto", "shop.sooth", "-o", "shop.pftrace")
    tracks, depth, names, last, given, taken, lines = {}, {}, {}, 0, set(), set(), set()
    for number, packet in fields((bench.work / "shop.pftrace").read_bytes()):
        check(number == 1, "a trace has packets only")
        packet = dict(fields(packet))
        check(packet[10] == 1, "one sequence")
        if 60 in packet:
            track = dict(fields(packet[60]))
            thread = dict(fields(track[4])) if 4 in track else {}
            tracks[track[1]] = (thread.get(5) or track.get(2) or b"process").decode()
            check(5 not in track or track[5] in tracks, "parents come first")
            continue
        check(packet[8] >= last, "time goes on")
        last = packet[8]
        event = list(fields(packet[11]))
        single = dict(event)
        check(single[11] in tracks, "the track is known")
        if single[9] == 1:
            depth[single[11]] = depth.get(single[11], 0) + 1
        elif single[9] == 2:
            depth[single[11]] -= 1
            check(depth[single[11]] >= 0, "no slice ends that has not begun")
        else:
            check(single[9] == 3, "an instant")
        if 23 in single:
            names.setdefault(tracks[single[11]], []).append(single[23].decode())
        if 33 in single:
            place = dict(fields(single[33]))
            lines.add((place[2].decode().rsplit("/", 1)[-1], place[4]))
        given |= {value for field, value in event if field == 47}
        taken |= {value for field, value in event if field == 48}
    check(all(value == 0 for value in depth.values()), "all slices end")
    check(taken and taken <= given, "flows that end have begun")
    check({"main", "T1", "T2", "holds door", "holds till_lock"} <= set(tracks.values()), f"tracks: {sorted(tracks.values())}")
    check(any("price" in name for name in names["T1"]) and names["holds door"].count("door") == 2, "accesses, and holds of locks")
    report = bench.json("shop.json")
    check(all(("shop.cpp", site["line"]) in lines for finding in report["findings"] for site in finding["sites"]), "the places of the findings")
    check("can only be written" in bench.run(bench.sooth, "import", "--from", "perfetto", "shop.pftrace", "-o", "x.sooth", status=2).stderr, "no import")


def test_between(bench):
    report = bench.json("shop.json")
    race, deadlock = (next(finding for finding in report["findings"] if finding["kind"] == kind) for kind in ("race", "deadlock"))
    # Nothing new against itself; the race is new if only the deadlock is known.
    told = bench.check("shop.sooth", "--baseline", "shop.json", "--json", "new.json", status=0)
    check(bench.json("new.json")["findings"] == [] and "baseline" in told.stderr, "all are known, and that is told")
    known = dict(report, findings=[deadlock])
    (bench.work / "known.json").write_text(json.dumps(known))
    bench.check("shop.sooth", "--baseline", "known.json", "--json", "new.json")
    check([finding["fingerprint"] for finding in bench.json("new.json")["findings"]] == [race["fingerprint"]], "only the race is new")
    bench.check("shop.sooth", "--baseline", "shop.xml", status=2)
    # The difference.
    told = bench.run(bench.sooth, "diff", "known.json", "shop.json", status=66).stdout
    check(told.splitlines()[-1] == "1 new, 0 gone, 1 unchanged" and f"new       {race['fingerprint']}" in told, told)
    check(bench.run(bench.sooth, "diff", "--quiet", "shop.json", "known.json").stdout == "0 new, 1 gone, 1 unchanged\n", "the other way round")
    bench.run(bench.sooth, "diff", "shop.json", "shop.cpp", status=2)
    # Fingerprints stay when lines move and the program runs again.
    moved = "\n\n// moved\n" + (bench.work / "shop.cpp").read_text()
    (bench.work / "moved").mkdir()
    (bench.work / "moved" / "shop.cpp").write_text(moved)
    bench.run(bench.sooth, "c++", "-g", "-O1", "-pthread", "moved/shop.cpp", "order.o", "-o", "moved/shop")
    bench.run(bench.sooth, "record", "-o", "moved.sooth", "moved/shop")
    bench.check("moved.sooth", "--json", "moved.json")
    check(bench.run(bench.sooth, "diff", "shop.json", "moved.json").stdout.splitlines()[-1] == "0 new, 0 gone, 2 unchanged", "the same findings")
    # By fingerprint, and what matches nothing.
    (bench.work / "known.txt").write_text(f"fingerprint:{race['fingerprint']}\nrace:no_such_function\ncalled_from_lib:foreign\n")
    told = bench.check("shop.sooth", "--suppressions", "known.txt", "--json", "left.json")
    left = bench.json("left.json")
    check([finding["kind"] for finding in left["findings"]] == ["deadlock"] and left["coverage"]["suppressed"] == 1, "one is suppressed")
    unused = next(limit for limit in left["coverage"]["limits"] if limit["name"] == "unusedSuppressions")
    check(unused["count"] == 1 and "race:no_such_function (line 2)" in unused["detail"], f"what matched nothing: {unused}")
    # The stack that created a thread counts for `race`, as in ThreadSanitizer.
    (bench.work / "created.txt").write_text("race:^main$\n")
    bench.check("shop.sooth", "--suppressions", "created.txt", "--json", "left.json")
    check([finding["kind"] for finding in bench.json("left.json")["findings"]] == ["deadlock"], "main created the threads of the race")


def test_several(bench):
    (bench.work / "runs").mkdir()
    shutil.copy(bench.work / "shop.sooth", bench.work / "runs" / "a.sooth")
    shutil.copy(bench.work / "landing.sooth", bench.work / "runs" / "b.sooth")
    bench.check("runs", "moved.sooth", "--json", "all.json", "--html", "all.html")
    report = bench.json("all.json")
    jsonschema.validate(report, schema("report.schema.json"), cls=jsonschema.Draft202012Validator)
    check([trace["file"] for trace in report["traces"]] == ["runs/a.sooth", "runs/b.sooth", "moved.sooth"], "all traces")
    known = {finding["fingerprint"] for finding in bench.json("shop.json")["findings"]}
    for finding in report["findings"]:
        if finding["fingerprint"] in known:
            check(finding["trace"] == 0 and finding["alsoIn"] == [2] and "2 of 3 traces" in finding["note"], f"found in both: {finding['note']}")
    check(known <= {finding["fingerprint"] for finding in report["findings"]}, "each once")
    first = [trace["firstEvent"] for trace in report["traces"]]
    check(first[0] == 0 < first[1] < first[2], "events go on")
    events = {event["event"] for event in report["events"]}
    check(all(site["event"] in events for finding in report["findings"] for site in finding["sites"]), "and findings name them so")
    # A trace that cannot be read does not hide the others.
    (bench.work / "runs" / "c.sooth").write_text("no trace")
    told = bench.check("runs", "--json", "all.json")
    check("c.sooth" in told.stderr and any("c.sooth" in words for words in bench.json("all.json")["coverage"]["unanswered"]), "and it is told")
    # Several runs of the program.
    bench.run(bench.sooth, "run", "--repeat", "3", "--json", "three.json", "-o", "kept.sooth", "./shop", status=66)
    report = bench.json("three.json")
    check(len(report["traces"]) == 3 and all(finding["alsoIn"] == [1, 2] for finding in report["findings"] if finding["fingerprint"] in known), "three runs")
    check(all((bench.work / f"kept.sooth.{number}").exists() for number in (1, 2, 3)), "their traces are kept")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="Sooth's build folder")
    parser.add_argument("--work", type=pathlib.Path, required=True)
    bench = Bench(parser.parse_args())
    for step in (prepare, test_json, test_events, test_sarif, test_junit, test_shiviz, test_perfetto, test_between, test_several):
        step(bench)
        print(f"{step.__name__}: fine")


if __name__ == "__main__":
    main()
