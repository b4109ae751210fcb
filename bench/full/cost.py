"""What classes of sites cost the default build, and what -fsooth-facts costs: the programs of `./dev bench record`, each built three times.

Times are CPU seconds of the process and its children, user and system: classes add work, not waiting."""

import pathlib
import resource
import statistics
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "record"), str(HERE.parent / "sliced")]
import programs  # noqa: E402  (bench/sliced)
import table  # noqa: E402  (bench/record)

FLAGS = ["-std=c++20", "-O2", "-pthread"]
BUILDS = {"without": ["-fno-sooth-classes"], "default": [], "facts": ["-fsooth-facts"]}

# Name; sizes of the run that is recorded, and of the one that is analysed and recorded with facts (also those of --quick).
PROGRAMS = [
    ("merge_sort", "4000000", "200000"),
    ("hash_map", "1000000", "100000"),
    ("producer_consumer", "100000", "10000"),
    ("stencil", "100", "10"),
    ("word_count", "1000000", "100000"),
    ("work_stealing", "19", "14"),
    ("read_mostly_cache", "100000", "10000"),
]


def cpu_seconds(arguments, folder, fine=(0,)):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    programs.command(arguments, folder, fine)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def kept_bytes(trace):
    """Blocks, not length: parts that were allotted and never written are holes."""
    return min(trace.stat().st_size, trace.stat().st_blocks * 512)


class Measured:
    """Medians over interleaved rounds, by what was measured."""

    def __init__(self):
        self.all = {}

    def add(self, what, value):
        self.all.setdefault(what, []).append(value)

    def __getitem__(self, what):
        return statistics.median(self.all[what])


def record(build, size, what, measured, folder, sooth):
    trace = folder / f"{build}.sooth"
    trace.unlink(missing_ok=True)
    measured.add(f"{build} {what} s", cpu_seconds([sooth / "sooth", "record", "-o", trace, folder / build, size], folder))
    measured.add(f"{build} {what} bytes", kept_bytes(trace))
    return trace


def measure(name, size, small, folder, options):
    measured, source = Measured(), HERE.parent / "record" / f"{name}.cpp"
    for build, flags in BUILDS.items():
        programs.command([options.sooth / "sooth-c++", *FLAGS, *flags, source, "-o", folder / build], folder)
    for _ in range(options.rounds):
        for build in ("without", "default"):
            record(build, small if options.quick else size, "record", measured, folder, options.sooth)
        for build in BUILDS:
            trace = record(build, small, "small", measured, folder, options.sooth)
            if build != "facts":
                measured.add(f"{build} check s", cpu_seconds([options.sooth / "sooth", "check", trace], folder, (0, 65, programs.FOUND)))
    return measured


def markdown(rows):
    """`rows`: pairs of a name and what was measured."""
    ratios = {"recording": [], "trace": [], "analysis": [], "recording with facts": []}
    lines = ["| program | record, without classes s | default s | ratio | trace, without KB | default KB | ratio "
             "| analysis, without s | default s | ratio | small record, default s | with facts s | ratio |",
             "|---|" + "---:|" * 12]
    for name, m in rows:
        cells = [name]
        for what, under, over, unit in (("recording", "without record s", "default record s", 1), ("trace", "without record bytes", "default record bytes", 1000),
                                        ("analysis", "without check s", "default check s", 1), ("recording with facts", "default small s", "facts small s", 1)):
            ratios[what].append(m[over] / m[under])
            digits = 2 if unit == 1 else 0
            cells += [f"{m[under] / unit:.{digits}f}", f"{m[over] / unit:.{digits}f}", f"{ratios[what][-1]:.3f}"]
        lines.append("| " + " | ".join(cells) + " |")
    means = ", ".join(f"{what} {table.geometric_mean(all_of):.3f}" for what, all_of in ratios.items() if all_of)
    return [*lines, "", f"Geometric means of the ratios: {means}."]
