#!/usr/bin/env python3
"""Runs test programs that carry their expectations inside.

Each program is built with clang as it is, and with Sooth's compilers at -O0 and -O2. It must print the same and end the
same way in each build; every trace must be legal (`sooth verify`) and hold the events that its comments name:

    // EXPECT: KIND[!failed] VARIABLE|* xN|>=N|<=N   events of that kind (without `!failed`: those that did not fail), all traces
    // EXPECT-OUTPUT: LINE                       standard output, line by line, in this order
    // EXPECT-EXIT: N | signal N                 0 if it is not there
    // EXPECT-TRACES: N                          1 if it is not there
    // EXPECT-UNSUPPORTED: NAME                  `sooth stats` must name it
    // OPTIONS: ...                              SOOTH_OPTIONS while it is recorded
    // FLAGS: ...                                for all builds
    // SOOTH-FLAGS: ...                          for the builds with Sooth; not for the library
    // LIBRARY-FLAGS: ...                        for the library, in the builds with Sooth
    // PLAIN-FLAGS: ...                          for the build without Sooth
    // LIBRARY: FILE                             built as library.so beside the program, with the same compiler

    run_program.py --bin BUILD/bin [--runs N] [--levels O0,O2] [--keep DIRECTORY] PROGRAM...
"""
import collections
import glob
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
from program_tests import Failure, folder, headings, main, parser, run  # noqa: E402


class Expectations:
    def __init__(self, path):
        self.events, self.output, self.unsupported = [], [], []
        self.exit, self.traces, self.flags, self.plain_flags, self.library = 0, 1, [], [], None
        self.options, self.sooth_flags, self.library_flags = None, [], []
        for _, key, text in headings(path):
            if key:
                self.take(path, key, text)
        if not self.events and not self.unsupported:
            raise Failure("names no expected events")

    def take(self, path, key, text):
        if key == "EXPECT":
            match = re.fullmatch(r"([a-z-]+)(!failed)? (\S+) (x|>=|<=)(\d+)", text)
            if not match:
                raise Failure(f"bad expectation: {text}")
            kind, failed, variable, relation, count = match.groups()
            self.events.append((kind, failed is not None, variable, relation, int(count)))
        elif key == "EXPECT-OUTPUT":
            self.output.append(text)
        elif key == "EXPECT-EXIT":
            words = text.split()
            self.exit = -int(words[1]) if words[0] == "signal" else int(words[0])
        elif key == "EXPECT-TRACES":
            self.traces = int(text)
        elif key == "EXPECT-UNSUPPORTED":
            self.unsupported.append(text)
        elif key == "OPTIONS":
            self.options = text
        elif key == "FLAGS":
            self.flags = text.split()
        elif key == "SOOTH-FLAGS":
            self.sooth_flags = text.split()
        elif key == "PLAIN-FLAGS":
            self.plain_flags = text.split()
        elif key == "LIBRARY-FLAGS":
            self.library_flags = text.split()
        elif key == "LIBRARY":
            self.library = os.path.join(os.path.dirname(path), text)


def checked(command, directory):
    return run(command, directory, (0,)).stdout.decode(errors="replace")


def build(compiler, source, expectations, level, directory, more, for_library=()):
    flags = [f"-{level}", "-g"]
    if expectations.library:
        checked([compiler, *flags, *for_library, "-shared", "-fPIC", expectations.library, "-o", "library.so"], directory)
    checked([compiler, *flags, *more, source, "-o", "program", "-pthread", *expectations.flags], directory)


def environment(expectations):
    return {**os.environ, "SOOTH_OPTIONS": expectations.options} if expectations.options else None


def check_behaviour(done, expectations, what):
    if done.returncode != expectations.exit:
        raise Failure(f"{what}: ended with {done.returncode}, not {expectations.exit}\n{done.stderr.decode(errors='replace')}")
    lines = done.stdout.decode(errors="replace").splitlines()
    if lines != expectations.output:
        raise Failure(f"{what}: printed {lines}, not {expectations.output}")


def count_events(sooth, traces, directory, kinds):
    counts = collections.Counter()
    filters = [word for kind in sorted(kinds) for word in ("--kind", kind)]
    for trace in traces:
        for line in checked([sooth, "show", "--json", *filters, trace], directory).splitlines():
            event = json.loads(line)
            failed = "failed" in event.get("flags", [])
            counts[event["kind"], failed, "*"] += 1
            if event.get("variable"):
                counts[event["kind"], failed, event["variable"]] += 1
    return counts


def check_traces(sooth, expectations, directory, what):
    traces = sorted(glob.glob(os.path.join(directory, "*.sooth")))
    if len(traces) != expectations.traces:
        raise Failure(f"{what}: {len(traces)} traces, not {expectations.traces}")
    for trace in traces:
        try:
            checked([sooth, "verify", trace], directory)
        except Failure as failure:
            raise Failure(f"{what}: the trace is not legal: {failure}") from None
    counts = count_events(sooth, traces, directory, {kind for kind, *_ in expectations.events})
    for kind, failed, variable, relation, wanted in expectations.events:
        found = counts[kind, failed, variable]
        if not {"x": found == wanted, ">=": found >= wanted, "<=": found <= wanted}[relation]:
            raise Failure(f"{what}: {found} x {kind}{'!failed' if failed else ''} {variable}, not {relation}{wanted}")
    if expectations.unsupported:
        told = "".join(checked([sooth, "stats", trace], directory) for trace in traces)
        for name in expectations.unsupported:
            if name not in told:
                raise Failure(f"{what}: `sooth stats` does not name {name}")


def test(options, source):
    expectations = Expectations(source)
    is_c = source.endswith(".c")
    with folder(options, source) as top:
        def part(name):
            path = os.path.join(top, name)
            os.mkdir(path)
            return path

        plain = part("plain")
        include = os.path.join(HERE, "..", "..", "include")
        compiler = "clang-19" if is_c else "clang++-19"
        build(compiler, source, expectations, "O2", plain, ["-I" + include, *expectations.plain_flags])
        check_behaviour(run(["./program"], plain), expectations, "without Sooth")
        levels = options.levels.split(",")
        for level in levels:
            built = part(level)
            build(os.path.join(options.bin, "sooth-cc" if is_c else "sooth-c++"), source, expectations, level, built,
                  expectations.sooth_flags, expectations.library_flags)
            for number in range(-(-options.runs // len(levels))):
                what = f"-{level}, run {number + 1}"
                for old in glob.glob(os.path.join(built, "*.sooth")):
                    os.unlink(old)
                check_behaviour(run(["./program"], built, environment=environment(expectations)), expectations, what)
                check_traces(os.path.join(options.bin, "sooth"), expectations, built, what)


if __name__ == "__main__":
    arguments = parser("Runs test programs that carry their expectations inside.")
    arguments.add_argument("--levels", default="O0,O2")
    sys.exit(main(arguments.parse_args(), test))
