#!/usr/bin/env python3
"""Faults around a recorded program: it must print and return what the plain build does, and the tool must end with a sentence.

A full disk, a limit of file sizes, rights that are not the user's, a folder that is gone, signals at any moment (also during
exit), calls that fail with EINTR, forks while other threads are inside the runtime, cancelled threads, a process that is killed
before any of its steps, traces that were cut anywhere.

    faults_test.py --build FOLDER --work FOLDER [--long]

With --long (`./dev stress`), each fault comes at every place, not at some. The last line counts the attempts.
"""
import argparse
import collections
import os
import pathlib
import resource
import stat
import subprocess

from recording import ROOT, check, fresh, run, skip

PROGRAMS = ROOT / "tests" / "projects" / "faults"
NOBODY = 65534
ATTEMPTS = collections.Counter()


def build(compiler, name, folder, suffix="", level="-O1"):
    program = folder / (name + suffix)
    source = next(PROGRAMS.glob(f"{name}.c*"))
    if source.suffix == ".cpp":
        compiler = str(compiler).replace("sooth-cc", "sooth-c++").replace("clang-19", "clang++-19")
    run([compiler, level, "-pthread", source, "-o", program], folder)
    return program


def told(answer):
    """What a program shows to its user; Sooth's own lines on standard error are its to add."""
    lines = [line for line in answer.stderr.decode(errors="replace").splitlines() if not line.startswith("sooth: ")]
    return answer.stdout, lines, answer.returncode


def start(program, folder, environment=None, limit=None, wrapper=(), arguments=()):
    def set_limit():
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    return subprocess.run([*wrapper, str(program), *map(str, arguments)], cwd=folder, env={**os.environ, **(environment or {})}, timeout=120,
                          preexec_fn=set_limit, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)


def only_trace(folder):
    traces = sorted(folder.glob("*.sooth"))
    check(len(traces) == 1, f"one trace in {folder}: {traces}")
    return traces[0]


def no_room(sooth, plain, program, work, parts):
    """A limit of the file's size, and a full disk, of every size up to what the trace needs, in so many parts."""
    wanted = told(start(plain, work))
    whole = fresh(work / "whole")
    check(told(start(program, whole)) == wanted, "recorded without a fault")
    needed = only_trace(whole).stat().st_size
    check(needed > 400_000, f"the trace fills several buffers: {needed}")
    for part in range(0, parts + 1):
        limit = needed * part // parts + 100
        folder = fresh(work / "limit")
        check(told(start(program, folder, limit=limit)) == wanted, f"with files of at most {limit} bytes")
        look_at_the_rest(sooth, folder, lossy=part < 0.7 * parts)
        ATTEMPTS["file-size limit"] += 1
    if os.geteuid() != 0:
        return
    for part in range(0, parts + 1):
        folder = fresh(work / "full")
        size = max(4096, needed * part // parts)
        run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder], work)
        try:
            check(told(start(program, folder)) == wanted, f"on a disk of {size} bytes")
            look_at_the_rest(sooth, folder, lossy=part < 0.7 * parts)
            ATTEMPTS["full disk"] += 1
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


def same_as_plain(sooth, compilers, work, name, times, processes=1):
    """The program behaves as its plain build does, and leaves a legal trace of each process, so many times at each level."""
    for level in ("-O0", "-O1", "-O2"):
        plain, program = (build(compiler, name, work, suffix, level) for compiler, suffix in zip(compilers, (".plain", "")))
        wanted = told(start(plain, work))
        for _ in range(times):
            folder = fresh(work / f"{name}_run")
            check(told(start(program, folder)) == wanted, f"{name}, {level}")
            traces = sorted(folder.glob("*.sooth"))
            check(len(traces) == processes, f"{name}: a trace of each process: {len(traces)}")
            for trace in traces[:10]:
                run([sooth, "verify", trace], folder)
            ATTEMPTS[name] += 1


def killed(sooth, compilers, work, every):
    """A process that kills itself before each n-th step: what it did before is in the trace, and no report is complete."""
    plain, program = (build(compiler, "killed_at", work, suffix) for compiler, suffix in zip(compilers, (".plain", "")))
    steps = 2 * 12 * 6  # threads, rounds, steps of a round
    before = -1
    for n in range(1, steps + 1, every):
        folder = fresh(work / "killed_run")
        wanted = told(start(plain, work, arguments=[n]))
        check(wanted[2] == -9, f"it kills itself at {n}: {wanted}")
        check(told(start(program, folder, arguments=[n])) == wanted, f"killed at {n}")
        trace = only_trace(folder)
        run([sooth, "verify", trace], folder)
        answer = run([sooth, "check", trace], folder, fine=(0, 65, 66))
        check("complete for this run" not in answer.err or "not complete" in answer.err, f"killed at {n}: {answer.err}")
        shown = run([sooth, "show", "--kind", "atomic-rmw", trace], folder).out.count("atomic-rmw")
        check(shown == int(wanted[0].split()[1]) and shown >= before, f"killed at {n}: {shown} of {wanted[0]}")
        before = shown
        ATTEMPTS["SIGKILL"] += 1


def cut(sooth, program, work, parts):
    """A trace that was cut anywhere gives its intact part: legal, and never called complete."""
    folder = fresh(work / "cut")
    start(program, folder)
    bytes_ = only_trace(folder).read_bytes()
    sizes = [4096, 4160, 20000] + [len(bytes_) * part // parts for part in range(1, parts)]
    for size in sizes:
        piece = folder / "piece.trace"
        piece.write_bytes(bytes_[:size])
        # The first page ends in padding: without some of that it is whole, without more it is no trace.
        answer = run([sooth, "check", piece], folder, fine=(65,) if size >= 4096 else (2, 65))
        check("not legal" not in answer.err and "complete for this run" not in answer.err, f"cut to {size}: {answer.err}")
        ATTEMPTS["cut trace"] += 1


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--long", action="store_true")
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
    times = 20 if options.long else 1
    same_as_plain(sooth, compilers, work, "interrupted", times)
    same_as_plain(sooth, compilers, work, "eintr", times, processes=2)
    same_as_plain(sooth, compilers, work, "cancelled", times)
    same_as_plain(sooth, compilers, work, "forks", times, processes=101)
    killed(sooth, compilers, work, every=1 if options.long else 13)
    cut(sooth, program, work, parts=400 if options.long else 40)
    no_room(sooth, plain, program, work, parts=100 if options.long else 10)
    print("attempts:", ", ".join(f"{count} {name}" for name, count in sorted(ATTEMPTS.items())))


if __name__ == "__main__":
    main()
