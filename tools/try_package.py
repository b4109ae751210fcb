#!/usr/bin/env python3
"""Installs Sooth's Debian package on a Debian 12 that has nothing else, and runs the README's first example there.

    try_package.py PACKAGE.deb FOLDER

FOLDER must not exist; the fresh system is made there (with debootstrap, as root) and removed again.
"""

import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOUND = 66


def run(*words, status=0, **options):
    ended = subprocess.run([str(word) for word in words], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, **options)
    if ended.returncode != status:
        sys.exit(f"try_package: {' '.join(map(str, words))} ended with {ended.returncode}, not {status}:\n{ended.stdout}")
    return ended.stdout


def mirror():
    """Where this machine has its packages from; it may not reach any other."""
    uris = run("apt-get", "indextargets", "--format", "$(REPO_URI)", "Codename: bookworm").split()
    return uris[:1]


def first_example():
    text = (ROOT / "README.md").read_text()
    begin = text.index("// bank.cpp")
    return text[begin : text.index("```", begin)]


def try_in(system, package):
    shutil.copy(package, system / "tmp" / "sooth.deb")
    (system / "tmp" / "bank.cpp").write_text(first_example())
    (system / "tmp" / "hello.c").write_text('#include <stdio.h>\n#include <sooth/sooth.h>\nint main(void) { puts("hello"); }\n')
    inside = ["chroot", system, "env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND=noninteractive"]
    run(*inside, "apt-get", "update", "-q")
    run(*inside, "apt-get", "install", "-q", "-y", "--no-install-recommends", "/tmp/sooth.deb")
    report = run(*inside, "sh", "-c", "cd /tmp && sooth run bank.cpp", status=FOUND)
    if "deadlock over `savings`, `checking`" not in report:
        sys.exit(f"try_package: the README's first example was not found:\n{report}")
    output = run(*inside, "sh", "-c", "cd /tmp && sooth-cc -O2 hello.c -o hello && ./hello && sooth verify hello.*.sooth")
    if not output.startswith("hello\n"):
        sys.exit(f"try_package: a C program printed:\n{output}")
    print(report)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    package, system = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).absolute()
    if system.exists():
        sys.exit(f"try_package: {system} exists")
    try:
        run("debootstrap", "--variant=minbase", "bookworm", system, *mirror())
        run("mount", "-t", "proc", "proc", system / "proc")
        try:
            try_in(system, package)
        finally:
            run("umount", system / "proc")
    finally:
        shutil.rmtree(system, ignore_errors=True)
    print(f"{package.name}: installed on a fresh Debian 12, and the README's first example was found")


if __name__ == "__main__":
    main()
