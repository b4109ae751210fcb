#!/usr/bin/env python3
"""Compiles the same files with clang, with clang and -g, with ThreadSanitizer and with Sooth, and writes the table of docs/benchmarks.md.

    ./dev bench compile [--quick]

The compilers take turns; each number is the median of the processor times of its runs. Sources of Debian's packages that cannot be had
here are left out, and named. --quick compiles once, and the table goes to the terminal only.
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(ROOT / "bench" / "record"), str(ROOT / "tools")]
import debian_source  # noqa: E402
from table import machine, write_into  # noqa: E402

BEGIN = "<!-- table: written by ./dev bench compile -->"
END = "<!-- end of compile table -->"

# Debian's package, file in it, options; without a package: a file of this folder
FILES = [
    (None, "templates.cpp", "-std=c++20 -Wno-deprecated-declarations"),
    ("pigz", "pigz.c", ""),
    ("zstd", "lib/compress/zstd_compress.c", "-DZSTD_MULTITHREAD"),
    ("zstd", "lib/decompress/zstd_decompress_block.c", "-DZSTD_MULTITHREAD"),
    ("memcached", "vendor/mcmc/mcmc.c", ""),
    ("leveldb", "db/db_impl.cc", "-std=c++17 -Iinclude -I. -DLEVELDB_PLATFORM_POSIX=1 -DHAVE_FDATASYNC=1"),
    ("leveldb", "db/version_set.cc", "-std=c++17 -Iinclude -I. -DLEVELDB_PLATFORM_POSIX=1 -DHAVE_FDATASYNC=1"),
]


def ways(sooth, is_cxx):
    clang = "clang++-19" if is_cxx else "clang-19"
    compiler = sooth / ("sooth-c++" if is_cxx else "sooth-cc")
    return {"clang": [clang], "-g": [clang, "-g"], "tsan": [clang, "-fsanitize=thread"], "sooth": [str(compiler)]}


def processor_time(command, folder):
    before = os.times()
    subprocess.run(command, cwd=folder, check=True)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def measure(sooth, folder, name, options, rounds):
    is_cxx = name.endswith(("cpp", "cc"))
    times = {}
    with tempfile.TemporaryDirectory() as out:
        for _ in range(rounds):
            for way, compiler in ways(sooth, is_cxx).items():
                line = [*compiler, "-O2", *options.split(), "-c", name, "-o", f"{out}/made.o"]
                times.setdefault(way, []).append(processor_time(line, folder))
    return {way: statistics.median(seen) for way, seen in times.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", action="append", help="files whose name contains this")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--sooth", type=pathlib.Path, default=ROOT / "build" / "bin", help="where Sooth's compilers are")
    options = parser.parse_args()
    lines, missing = [], set()
    for package, name, flags in FILES:
        if options.only and not any(part in name for part in options.only):
            continue
        folder = HERE
        if package is not None:
            try:
                folder = debian_source.fetch(package, ROOT / "build" / "debian-sources")
            except debian_source.NotAvailable:
                missing.add(package)
                continue
        print("compiling", name, file=sys.stderr, flush=True)
        time = measure(options.sooth.resolve(), folder, name, flags, 1 if options.quick else options.rounds)
        ratios = " | ".join(f"{time[way] / time['clang']:.2f}" for way in ("-g", "tsan", "sooth"))
        where = f"{package}: {name}" if package else f"bench/compile/{name}"
        lines.append(f"| {where} | {time['clang']:.2f} | {ratios} |")
    text = "| file | clang -O2, s | with -g | ThreadSanitizer | Sooth |\n|---|---:|---:|---:|---:|\n" + "\n".join(lines) + "\n"
    if missing:
        text += f"\nNot to be had where this was measured: {', '.join(sorted(missing))}.\n"
    text += f"\n{machine()}\n"
    print(text, end="")
    if not options.quick and not options.only:
        write_into(ROOT / "docs" / "benchmarks.md", text, BEGIN, END)


if __name__ == "__main__":
    main()
