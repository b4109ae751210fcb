#!/usr/bin/env python3
"""What recording costs: each program natively, under ThreadSanitizer and recorded by Sooth, side by side.

    ./dev bench record [--quick | --short] [--rounds N] [--only NAME]... [--projects] [--before COMMAND]
                       [--sooth FOLDER] [--output FILE]

The three builds differ in nothing but the instrumentation (clang 19, -O2). Rounds are interleaved, so that a busy
moment of the machine hits all three; the table has medians. Sooth writes its trace to the disk that holds the build.
All three must print the same, or the row is an error. --quick is a smoke test: one round, small sizes, and the table
goes to the terminal only. --projects adds memcached, leveldb and readerwriterqueue from Debian's sources, which takes
long to build. --short has sizes of about a third. On a machine that does other things,
--before 'chrt -r 1' keeps them out of the way.
"""

import os
import pathlib
import platform
import random
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import debian_source  # noqa: E402  (found through the line above)
import projects  # noqa: E402  (beside this file)
import table  # noqa: E402  (beside this file)
from projects import Workload  # noqa: E402
from table import BenchError  # noqa: E402

FLAGS = ["-std=c++20", "-O2", "-pthread"]

# name, sizes for --quick and --short (the programs know their usual size themselves), what it stands for
PROGRAMS = [
    ("merge_sort", "200000", "4000000", "merge sort: plain accesses, threads only forked and joined"),
    ("hash_map", "100000", "3000000", "hash map under 16 mutexes"),
    ("producer_consumer", "10000", "250000", "bounded queue with condition variables"),
    ("stencil", "10", "300", "stencil with barriers"),
    ("word_count", "100000", "4000000", "word count: strings, maps, allocations"),
    ("work_stealing", "14", "21", "work-stealing deques: atomics and fences"),
    ("read_mostly_cache", "10000", "250000", "cache under a read-write lock"),
]

# Real programs from Debian's sources: how to build one with a given compiler, and what to run.
# The definitions in lbzip2's row are for its gnulib, which is older than today's glibc.
REAL_PROGRAMS = [
    (
        "lbzip2",
        "CC={cc} CFLAGS='{flags}' LDFLAGS='{flags}' CPPFLAGS='-D_IO_ftrylockfile -D_IO_IN_BACKUP=0x100'"
        " ./configure -q && make -s -j2",
        ["src/lbzip2", "-n2", "-k", "-c"],
    ),
    (
        "pbzip2",
        "make -s CXX='{cxx} -Wno-reserved-user-defined-literal {flags}' pbzip2",
        ["pbzip2", "-p2", "-k", "-q", "-c"],
    ),
]


def command(arguments, **options):
    answer = subprocess.run(arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options)
    if answer.returncode != 0:
        shown = arguments if isinstance(arguments, str) else " ".join(map(str, arguments))
        raise BenchError(f"{shown}\n{answer.stdout}")
    return answer.stdout


# --- builds -------------------------------------------------------------------------------------------------------


def compilers(sooth):
    """variant -> (C compiler, C++ compiler, flags)"""
    return {
        "native": ("clang-19", "clang++-19", "-O2"),
        "tsan": ("clang-19", "clang++-19", "-O2 -fsanitize=thread"),
        "sooth": (f"{sooth}/sooth-cc", f"{sooth}/sooth-c++", "-O2"),
    }


def build_own(name, folder, sooth):
    """The three executables of one of our programs, and one that counts its accesses."""
    source = HERE / f"{name}.cpp"
    programs = {}
    for variant, (_, cxx, flags) in compilers(sooth).items():
        programs[variant] = folder / f"{name}.{variant}"
        command([cxx, *FLAGS, *flags.split(), source, "-o", programs[variant]])
    unlinked = folder / f"{name}.o"
    programs["count"] = folder / f"{name}.count"
    command(["clang++-19", *FLAGS, "-fsanitize=thread", "-c", source, "-o", unlinked])
    command(["clang++-19", *FLAGS, HERE / "count_accesses.cc", unlinked, "-o", programs["count"]])
    return programs


def build_real(name, recipe, executable, folder, sooth):
    tree = debian_source.fetch(name, sooth.parent / "debian-sources")
    programs = {}
    for variant, (cc, cxx, flags) in compilers(sooth).items():
        place = folder / f"{name}-{variant}"
        shutil.copytree(tree, place)
        command(recipe.format(cc=cc, cxx=cxx, flags=flags), cwd=place, shell=True)
        programs[variant] = place / executable
    return programs


def make_text(path, size):
    """Text with some, but not much, repetition: what compressors are used on."""
    words = random.Random(1)
    lexicon = ["".join(words.choices("etaoinshrdlu", k=words.randint(2, 9))) for _ in range(4000)]
    with open(path, "w", encoding="ascii") as out:
        written = 0
        while written < size:
            line = " ".join(words.choices(lexicon, k=12)) + "\n"
            written += len(line)
            out.write(line)


# --- runs -----------------------------------------------------------------------------------------------------------


BEFORE = []  # what each measured program is started with


def run_once(arguments, folder, environment=None, workload=None, fine=(0,)):
    """(seconds, peak memory in KiB of the largest process, standard output)"""
    result = folder / "result"
    if workload and workload.prepare:
        workload.prepare()
    with tempfile.TemporaryFile(dir=folder) as out, tempfile.TemporaryFile(dir=folder) as err:
        process = subprocess.Popen(
            [*BEFORE, folder.parent / "measure", result, *arguments],
            stdout=out, stderr=err, cwd=folder, env={**os.environ, **(environment or {})},
        )
        if workload and workload.drive:
            workload.drive(process)
        if process.wait() != 0:
            raise BenchError(f"{arguments} could not be measured")
        out.seek(0)
        err.seek(0)
        seconds, memory, status = result.read_text().split()
        if int(status) not in fine:
            said = err.read(2000).decode(errors="replace")
            raise BenchError(f"{' '.join(map(str, arguments))} ended with {status}: {said}")
        return float(seconds), int(memory), out.read()


WITHOUT_RANDOM_ADDRESSES = ["setarch", platform.machine(), "-R"]


def tsan_prefix(program, folder, arguments):
    """ThreadSanitizer's fixed memory map does not suit every kernel's address randomisation: `setarch -R` if need be."""
    try:
        run_once([program, *arguments], folder, {"TSAN_OPTIONS": "exitcode=0"})
        return []
    except BenchError:
        return WITHOUT_RANDOM_ADDRESSES


def prefix_of(workload, folder):
    """A server is not tried: one that does not start would be waited for."""
    if workload.drive:
        return WITHOUT_RANDOM_ADDRESSES
    return tsan_prefix(workload.programs["tsan"], folder, workload.arguments)


def measure(workload, rounds, folder):
    programs = workload.programs
    prefix = {"tsan": prefix_of(workload, folder)}
    # Races found by ThreadSanitizer must not change its exit status here: the cost is what is measured.
    environment = {"TSAN_OPTIONS": "exitcode=0"}
    seconds, memory, outputs = ({variant: [] for variant in ("native", "tsan", "sooth")} for _ in range(3))
    sizes, events = [], []
    for _ in range(rounds):
        for variant in seconds:
            command_line = [*prefix.get(variant, []), programs[variant], *workload.arguments]
            taken, peak, output = run_once(command_line, folder, environment, workload)
            seconds[variant].append(taken)
            memory[variant].append(peak)
            outputs[variant].append(output)
            if variant == "sooth":
                traces = sorted(folder.glob("*.sooth"))
                if not traces:
                    raise BenchError("the recorded run left no trace")
                # Blocks, not length: parts that were allotted and never written are holes.
                sizes.append(sum(min(t.stat().st_size, t.stat().st_blocks * 512) for t in traces))
                events.append(table.trace_statistics(traces[0])["events"])
                for trace in traces:
                    trace.unlink()
    if workload.same_output and len({output for variant in outputs.values() for output in variant}) != 1:
        raise BenchError("the three builds do not print the same")
    middle = sorted(range(rounds), key=lambda i: sizes[i])[rounds // 2]  # events and bytes of one and the same run
    row = {"name": workload.name, "meaning": workload.meaning, "trace_bytes": sizes[middle], "events": events[middle]}
    for variant in seconds:
        row[variant] = statistics.median(seconds[variant])
        row[variant + "_memory"] = statistics.median(memory[variant])
    if "count" in programs:
        count = folder / "accesses"
        run_once([programs["count"], *workload.arguments], folder, {"ACCESS_COUNT": str(count)})
        row["accesses"] = int(count.read_text())
    return row


def bench_all(options, folder):
    rows, notes = [], []
    runs = folder / "runs"  # apart from the programs: what appears here was left by a run
    runs.mkdir()
    command(["clang++-19", *FLAGS, HERE / "measure.cc", "-o", folder / "measure"])
    for name, quick_size, short_size, meaning in PROGRAMS:
        if options.only and name not in options.only:
            continue
        print(f"{name} ...", file=sys.stderr, flush=True)
        programs = build_own(name, folder, options.sooth)
        sizes = [quick_size] if options.quick else [short_size] if options.short else []
        rows.append(measure(Workload(name, meaning, programs, sizes, None, None, True), options.rounds, runs))
    text = folder / "text"
    for name, recipe, (executable, *arguments) in REAL_PROGRAMS:
        if options.only and name not in options.only:
            continue
        print(f"{name} ...", file=sys.stderr, flush=True)
        try:
            programs = build_real(name, recipe, executable, folder, options.sooth)
        except debian_source.NotAvailable as reason:
            notes.append(f"{name} is missing from the table: its source could not be had ({reason}).")
            continue
        if not text.exists():
            make_text(text, 300_000 if options.quick else 3_000_000 if options.short else 12_000_000)
        meaning = f"{name} from Debian's sources, compressing text"
        rows.append(measure(Workload(name, meaning, programs, [*arguments, str(text)], None, None, True), options.rounds, runs))
    for name in projects.NAMES if options.projects else ():
        if options.only and name not in options.only:
            continue
        print(f"{name} ...", file=sys.stderr, flush=True)
        try:
            workload = projects.build(name, options, compilers(options.sooth), folder)
        except debian_source.NotAvailable as reason:
            notes.append(f"{name} is missing from the table: its source could not be had ({reason}).")
            continue
        rows.append(measure(workload, options.rounds, runs))
    return rows, notes


def more_options(parser):
    """Those of this benchmark and of `./dev bench run`, which has the same programs."""
    parser.add_argument("--short", action="store_true", help="sizes of about a third")
    parser.add_argument("--projects", action="store_true", help=f"also {', '.join(projects.NAMES)} from Debian's sources")
    parser.add_argument("--before", default="", metavar="COMMAND", help="starts each program, as in `chrt -r 1`")
    return parser


def read_options(parser):
    options = table.read_options(parser)
    BEFORE.extend(options.before.split())
    return options


def main():
    options = read_options(more_options(table.options_for(__doc__, 5)))
    return table.bench(options, lambda folder: table.markdown(*bench_all(options, folder), options.rounds), table.BEGIN, table.END)


if __name__ == "__main__":
    sys.exit(main())
