"""What the benchmarks that measure Sooth's own code share: a program that is linked with its libraries."""

import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROOMS = ("predict", "explore", "logic", "knowledge", "witness", "causality", "trace", "base")


def link_with_sooth(source, program, build_folder):
    """Compiles one file against the libraries of a build folder."""
    libraries = [path for room in ROOMS if (path := build_folder / "src" / room / f"libsooth_{room}.a").exists()]
    absl = subprocess.run(["pkg-config", "--libs", "absl_flat_hash_map", "absl_flat_hash_set", "absl_btree"],
                          stdout=subprocess.PIPE, text=True, check=True).stdout
    subprocess.run(["clang++-19", "-std=c++20", "-O2", f"-I{ROOT / 'src'}", str(source), "-o", str(program), "-Wl,--start-group"]
                   + [str(library) for library in libraries] + ["-Wl,--end-group"] + absl.split() + ["-lfmt", "-llz4", "-lxxhash", "-lpthread"],
                   check=True)
    return program
