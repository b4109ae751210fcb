#!/usr/bin/env python3
"""Faults around a recorded program: it must print and return what the plain build does, and the tool must end with a sentence.

A full disk, a limit of file sizes, rights that are not the user's, a folder that is gone, signals at any moment (also during
exit), forks while other threads are inside the runtime, traces that were cut anywhere.
"""
import argparse
import os
import pathlib
import resource
import stat
import subprocess

from recording import ROOT, check, fresh, run, skip

PROGRAMS = ROOT / "tests" / "projects" / "faults"
NOBODY = 65534


def build(compiler, name, folder, suffix=""):
    program = folder / (name + suffix)
    run([compiler, "-O1", "-pthread", PROGRAMS / f"{name}.c", "-o", program], folder)
    return program


def told(answer):
    """What a program shows to its user; Sooth's own lines on standard error are its to add."""
    lines = [line for line in answer.stderr.decode(errors="replace").splitlines() if not line.startswith("sooth: ")]
    return answer.stdout, lines, answer.returncode


def start(program, folder, environment=None, limit=None, wrapper=()):
    def set_limit():
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    return subprocess.run([*wrapper, str(program)], cwd=folder, env={**os.environ, **(environment or {})}, timeout=120,
                          preexec_fn=set_limit, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)


def only_trace(folder):
    traces = sorted(folder.glob("*.sooth"))
    check(len(traces) == 1, f"one trace in {folder}: {traces}")
    return traces[0]


def no_room(sooth, plain, program, work):
    """A limit of the file's size, and a full disk, of every size up to what the trace needs."""
    wanted = told(start(plain, work))
    whole = fresh(work / "whole")
    check(told(start(program, whole)) == wanted, "recorded without a fault")
    needed = only_trace(whole).stat().st_size
    check(needed > 400_000, f"the trace fills several buffers: {needed}")
    for part in range(0, 11):
        limit = needed * part // 10 + 100
        folder = fresh(work / f"limit{part}")
        check(told(start(program, folder, limit=limit)) == wanted, f"with files of at most {limit} bytes")
        look_at_the_rest(sooth, folder, lossy=part < 7)
    if os.geteuid() != 0:
        return
    for part in range(0, 11):
        folder = fresh(work / f"full{part}")
        size = max(4096, needed * part // 10)
        run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder], work)
        try:
            check(told(start(program, folder)) == wanted, f"on a disk of {size} bytes")
            look_at_the_rest(sooth, folder, lossy=part < 7)
        finally:
            run(["umount", folder], work)


def look_at_the_rest(sooth, folder, lossy):
    """What was recorded is a beginning of the run, and what was lost is told."""
    for trace in folder.glob("*.sooth"):
        run([sooth, "verify", trace], folder)
        answer = run([sooth, "check", "--budget", "60", trace], folder, fine=(0, 65))
        check("not legal" not in answer.err, f"{trace} is legal: {answer.err}")
        if lossy:
            check("complete for this run" not in answer.err, f"{trace} lost something: {answer.err}")


def privileged(program, work):
    """A program with its file's rights takes nothing from its user's environment, and writes nothing."""
    if os.geteuid() != 0:
        return
    # A folder that everybody may look into, all the way up.
    folder = pathlib.Path(subprocess.run(["mktemp", "-d"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip())
    try:
        os.chmod(folder, 0o777)
        copy = folder / "privileged"
        copy.write_bytes(program.read_bytes())
        os.chown(copy, 0, 0)
        os.chmod(copy, 0o4755)
        target = folder / "anywhere.sooth"
        wrapper = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
        for name, value in (("SOOTH_TRACE", target), ("SOOTH_OPTIONS", f"trace={target}"), ("SOOTH_MONITOR", "/etc/shadow"),
                            ("SOOTH_OBSERVER", f"unix:{target}"), ("SOOTH_NONE", "")):
            answer = start(copy, folder, {name: str(value)}, wrapper=wrapper)
            check(answer.stdout == b"40000 40000\n" and answer.returncode == 3, f"{name}: {answer}")
            check(b"root:" not in answer.stderr, f"{name} shows a file: {answer.stderr}")
            check(list(folder.iterdir()) == [copy], f"{name}: nothing is written: {list(folder.iterdir())}")
    finally:
        subprocess.run(["rm", "-rf", str(folder)], check=True)


def places(program, work):
    """Only the user may read a trace; it goes where it was asked for, or nowhere."""
    folder = fresh(work / "mode")
    start(program, folder)
    check(stat.S_IMODE(only_trace(folder).stat().st_mode) == 0o600, "a trace is its owner's alone")

    before = set(os.listdir("/")), set(os.listdir("/dev"))
    gone = fresh(work / "gone")
    answer = subprocess.run(f'cd "{gone}" && rmdir "{gone}" && "{program}"', shell=True, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, check=False)
    check(answer.returncode == 3 and b"not recorded" in answer.stderr, f"in a folder that is gone: {answer}")
    folder = fresh(work / "device")
    answer = start(program, folder, {"SOOTH_TRACE": "/dev/null"})
    check(answer.returncode == 3 and b"not recorded" in answer.stderr, f"to a device: {answer}")
    target = folder / "target"
    target.write_text("mine\n")
    (folder / "link.sooth").symlink_to(target)
    start(program, folder, {"SOOTH_TRACE": str(folder / "link.sooth")})
    check(target.read_text() == "mine\n", "never through a symbolic link")
    check((set(os.listdir("/")), set(os.listdir("/dev"))) == before, "nothing new in / and /dev")


def interrupted(sooth, compilers, work):
    plain, program = (build(compiler, "interrupted", work, suffix)
                      for compiler, suffix in zip(compilers, (".plain", "")))
    wanted = told(start(plain, work))
    for attempt in range(5):
        folder = fresh(work / f"interrupted{attempt}")
        check(told(start(program, folder)) == wanted, "interrupted by signals")
        run([sooth, "verify", only_trace(folder)], folder)


def forks(sooth, compilers, work):
    program = build(compilers[1], "forks", work)
    folder = fresh(work / "forks_run")
    check(told(start(program, folder)) == (b"100\n", [], 0), "all children end")
    traces = sorted(folder.glob("*.sooth"))
    check(len(traces) == 101, f"a trace of each process: {len(traces)}")
    for trace in traces[:10]:
        run([sooth, "verify", trace], folder)


def cut(sooth, program, work):
    """A trace that was cut anywhere gives its intact part: legal, and never called complete."""
    folder = fresh(work / "cut")
    start(program, folder)
    bytes_ = only_trace(folder).read_bytes()
    sizes = [4096, 4160, 20000] + [len(bytes_) * part // 40 for part in range(1, 40)]
    for size in sizes:
        piece = folder / "piece.trace"
        piece.write_bytes(bytes_[:size])
        answer = run([sooth, "check", piece], folder, fine=(65,) if size >= 4096 else (2,))
        check("not legal" not in answer.err and "complete for this run" not in answer.err, f"cut to {size}: {answer.err}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    options = parser.parse_args()
    if os.uname().sysname != "Linux":
        skip("needs Linux")
    work = fresh(options.work.resolve())
    sooth = options.build.resolve() / "bin" / "sooth"
    compilers = ("clang-19", options.build.resolve() / "bin" / "sooth-cc")
    plain = build(compilers[0], "counters", work, ".plain")
    program = build(compilers[1], "counters", work)
    places(program, work)
    privileged(program, work)
    interrupted(sooth, compilers, work)
    forks(sooth, compilers, work)
    cut(sooth, program, work)
    no_room(sooth, plain, program, work)


if __name__ == "__main__":
    main()
