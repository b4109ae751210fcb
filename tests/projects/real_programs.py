#!/usr/bin/env python3
"""Real programs, built by their own build systems with plain clang and with Sooth, and compared.

    tests/projects/real_programs.py --build BUILD --work FOLDER [--write docs/projects.md] [NAME...]

Each program of the table is fetched from Debian's sources and built twice. Its own tests or a workload run with both
builds, and what they print has to be the same, byte by byte. The recorded runs leave traces, which `sooth verify`
looks at. Without names, all programs are done; those whose source cannot be had here are told as skipped.
"""

import argparse
import dataclasses
import pathlib
import shutil
import socket
import subprocess
import sys
import threading
import time
import typing

from debian_test import build_lbzip2, build_pbzip2, make_text
from recording import ROOT, Compilers, check, fresh, run

sys.path.insert(0, str(ROOT / "tools"))
import debian_source  # noqa: E402  (found through the line above)

WORKLOADS = pathlib.Path(__file__).resolve().parent / "workloads"
FAILED = "FAILED"
MOST_VERIFIED = 100e6  # bytes of a trace: the verifier needs many times that in memory
CLANG = Compilers("clang-19", "clang++-19")


@dataclasses.dataclass
class Place:
    """Where one of the two builds is made and run."""

    tree: pathlib.Path  # the program's source
    others: dict  # more sources that it needs, by package
    run: pathlib.Path  # an empty folder to run in; traces are left there
    text: pathlib.Path  # 300 kB of text


# --- how each program is built, and what it does then ----------------------------------------------------------------


def pack_and_unpack(place, program, *options):
    """Compresses the text, restores it, and answers with the compressed form."""
    line = f"{program} {' '.join(options)}"
    packed = run(f"{line} -c <{place.text}", place.run).stdout
    (place.run / "packed").write_bytes(packed)
    check(run(f"{line} -d -c <packed", place.run).stdout == place.text.read_bytes(), "it reads what it wrote")
    return packed


def zstd(place, compilers):
    run(f"make -s -j2 -C programs zstd CC={compilers.cc}", place.tree)
    return pack_and_unpack(place, place.tree / "programs/zstd", "-q", "-T3", "-B64KB")


def xz(place, compilers):
    run(f"./configure -q CC={compilers.cc} --disable-shared --disable-doc --disable-nls --disable-scripts", place.tree)
    run("make -s -j2", place.tree)
    answer = run("make -s check", place.tree)
    check("# FAIL:  0" in answer.out, "its tests pass")
    return pack_and_unpack(place, place.tree / "src/xz/xz", "-T3", "--block-size=65536")


def pbzip2(place, compilers):
    program, *options = build_pbzip2(place.tree, compilers)
    return pack_and_unpack(place, program, *options)


def lbzip2(place, compilers):
    program, *options = build_lbzip2(place.tree, compilers)
    return pack_and_unpack(place, program, *options)


def pigz(place, compilers):
    run(f"make -s -j2 CC={compilers.cc} pigz", place.tree)
    return pack_and_unpack(place, place.tree / "pigz", "-p3", "-b128", "-n")


class Server:
    """A server in the background; it has to end well."""

    def __init__(self, command, folder, port):
        print(f"+ {' '.join(map(str, command))} &", flush=True)
        self.port = port
        self.log = open(folder / "log", "wb")
        self.process = subprocess.Popen(command, cwd=folder, stdout=self.log, stderr=self.log)
        for _ in range(600):
            try:
                socket.create_connection(("127.0.0.1", port), 5).close()
                return
            except OSError:
                check(self.process.poll() is None, "the server ended")
                time.sleep(0.1)
        check(False, "the server does not answer")

    def talk(self, text):
        """Sends the text, and answers with all that comes back until the server closes."""
        with socket.create_connection(("127.0.0.1", self.port), 60) as line:
            line.sendall(text)
            answer = b""
            while part := line.recv(1 << 16):
                answer += part
        return answer

    def talk_at_once(self, texts):
        answers = [b""] * len(texts)

        def one(i):
            answers[i] = self.talk(texts[i])

        threads = [threading.Thread(target=one, args=(i,)) for i in range(len(texts))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return b"".join(answers)

    def wait(self):
        status = self.process.wait(timeout=300)
        self.log.close()
        check(status == 0, f"the server's status is {status}: {(pathlib.Path(self.log.name)).read_text()[-2000:]}")


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def redis(place, compilers):
    run(f"make -s -j2 -C src redis-server MALLOC=libc CC={compilers.cc} CXX={compilers.cxx}", place.tree)
    port = free_port()
    server = Server([place.tree / "src/redis-server", "--port", str(port), "--save", "", "--io-threads", "3",
                     "--io-threads-do-reads", "yes"], place.run, port)
    script = [[f"SET client{n}:{i} {n * i}\r\nINCR client{n}:{i}\r\nRPUSH list{n} {i}\r\n" for i in range(40)] +
              [f"LRANGE list{n} 0 -1\r\nLLEN list{n}\r\nQUIT\r\n"] for n in range(6)]
    answer = server.talk_at_once(["".join(lines).encode() for lines in script])
    answer += server.talk(b"MSET a 1 b 2\r\nZADD z 2 two 1 one\r\nZRANGE z 0 -1\r\nEVAL \"return redis.call('get','b')\" 0\r\n"
                          b"DBSIZE\r\nUNLINK list0 list1\r\nQUIT\r\n")
    server.talk(b"SHUTDOWN NOSAVE\r\n")
    server.wait()
    return answer


def memcached(place, compilers):
    libevent = place.others["libevent"]
    run(f"./autogen.sh && ./configure -q CC={compilers.cc} --disable-shared --disable-openssl --disable-samples "
        f"--disable-libevent-regress --prefix={libevent}/installed", libevent)
    run("make -s -j2 install", libevent)
    # Its build makes a library of the proxy by hand if it is switched on; the default is off.
    run(f"./configure -q CC={compilers.cc} --with-libevent={libevent}/installed", place.tree)
    run("make -s -j2 memcached CFLAGS='-g -O2 -pthread'", place.tree)
    run(f"{compilers.cc} -g -O2 -I{libevent}/installed/include {WORKLOADS}/libevent.c {libevent}/installed/lib/libevent.a "
        f"{libevent}/installed/lib/libevent_pthreads.a -pthread -o timers", place.run)
    timers = run(["./timers"], place.run).stdout
    port = free_port()
    server = Server([place.tree / "memcached", "-u", "root", "-l", "127.0.0.1", "-p", str(port), "-t", "3"],
                    place.run, port)
    script = [[f"set k{n}.{i} 0 0 5\r\nv{i:04}\r\nget k{n}.{i}\r\n" for i in range(60)] +
              [f"set n{n} 0 0 1\r\n7\r\nincr n{n} 5\r\ndelete k{n}.3\r\nget k{n}.3\r\nquit\r\n"] for n in range(6)]
    answer = server.talk_at_once(["".join(lines).encode() for lines in script])
    answer += server.talk(b"get k0.1 k1.2 k2.4\r\nquit\r\n")
    server.process.terminate()  # it ends well at that
    server.wait()
    return answer + timers


def leveldb(place, compilers):
    run(f"cmake -S . -B made -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER={compilers.cc} "
        f"-DCMAKE_CXX_COMPILER={compilers.cxx} -DLEVELDB_BUILD_TESTS=OFF -DLEVELDB_BUILD_BENCHMARKS=OFF "
        "-DHAVE_SNAPPY=0 -DHAVE_CRC32C=0 -DHAVE_TCMALLOC=0", place.tree)
    run("cmake --build made -j2", place.tree)
    run(f"{compilers.cxx} -O2 -std=c++17 -I{place.tree}/include {WORKLOADS}/leveldb.cpp {place.tree}/made/libleveldb.a "
        "-pthread -o workload", place.run)
    return run(["./workload", "database"], place.run).stdout


def sqlite3(place, compilers):
    run(f"./configure -q CC={compilers.cc} --disable-tcl --disable-readline --disable-shared", place.tree)
    # A fifth of a second for each of the tests that go on for a time: what matters is that they pass.
    run("sed -i 's/, *[0-9]*000 }/, 200 }/' test/threadtest3.c", place.tree)
    run("make -s threadtest3", place.tree)
    tests = ["walthread*", "dynamic_triggers", "create_drop_index_1", "lookaside1", "vacuum1", "stress1", "shared1"]
    answer = run([place.tree / "threadtest3", *tests], place.run).out
    return answer.splitlines()[-1].encode()  # the lines before tell how many times


def libuv1(place, compilers):
    run(f"cmake -S . -B made -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER={compilers.cc}", place.tree)
    run("cmake --build made -j2 --target uv_run_tests_a", place.tree)
    names = ["thread_create", "thread_mutex", "thread_rwlock", "thread_local_storage", "thread_stack_size", "semaphore_1",
             "semaphore_2", "semaphore_3", "condvar_1", "condvar_2", "condvar_3", "condvar_4", "barrier_1", "barrier_2",
             "barrier_3", "threadpool_queue_work_simple", "threadpool_queue_work_einval", "threadpool_multiple_event_loops",
             "threadpool_cancel_work", "async", "async_null_cb", "once", "loop_alive", "fs_file_async"]
    as_root = {"UV_RUN_AS_ROOT": "1"}
    known = set(run(["made/uv_run_tests_a", "--list"], place.tree, as_root).out.split())
    chosen = [name for name in names if name in known]
    check(len(chosen) > 18, "its tests are there")
    return b"".join(run([place.tree / "made/uv_run_tests_a", name, name], place.run, as_root).stdout for name in chosen)


def readerwriterqueue(place, compilers):
    flags = "-O2 -std=c++11 -pthread"
    tests = place.tree / "tests"
    run(f"{compilers.cxx} {flags} {tests}/unittests/unittests.cpp {tests}/common/simplethread.cpp -o unittests -lrt", place.run)
    answer = run("./unittests --disable-prompt", place.run).out
    check("All tests passed" in answer or "all tests passed" in answer.lower(), "its tests pass")
    # It tells times, and the sizes that its random test got to.
    return "\n".join(line for line in answer.splitlines() if "passed" in line.lower()).encode()


def abseil(place, compilers):
    run(f"cmake -S . -B made -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_STANDARD=17 -DCMAKE_C_COMPILER={compilers.cc} "
        f"-DCMAKE_CXX_COMPILER={compilers.cxx}", place.tree)
    run("cmake --build made -j2 --target synchronization raw_hash_set hash strings", place.tree)
    libraries = " ".join(map(str, sorted((place.tree / "made").rglob("*.a"))))
    run(f"{compilers.cxx} -O2 -std=c++17 -I{place.tree} {WORKLOADS}/abseil.cpp "
        f"-Wl,--start-group {libraries} -Wl,--end-group -pthread -o workload", place.run)
    return run(["./workload"], place.run).stdout


def glib(place, compilers):
    run(f"{compilers.cc} -O2 $(pkg-config --cflags glib-2.0) {WORKLOADS}/glib.c $(pkg-config --libs glib-2.0) -o workload",
        place.run)
    return run(["./workload"], place.run).stdout


@dataclasses.dataclass
class Program:
    name: str
    make: typing.Callable  # (place, compilers): builds, runs, answers with what was printed
    workload: str
    sources: tuple = None  # Debian's source packages; the first is the program

    def packages(self):
        return (self.name,) if self.sources is None else self.sources


PROGRAMS = [
    Program("zstd", zstd, "compress and restore text, three threads"),
    Program("redis", redis, "six clients at once, three threads for their connections"),
    Program("memcached", memcached, "six clients at once, three workers", ("memcached", "libevent")),
    Program("leveldb", leveldb, "four threads write, read and iterate"),
    Program("pigz", pigz, "compress and restore text, three threads"),
    Program("pbzip2", pbzip2, "Debian's tests; compress and restore text, three threads"),
    Program("lbzip2", lbzip2, "its 20 tests; compress and restore text, three threads"),
    Program("xz-utils", xz, "its tests; compress and restore text, three threads"),
    Program("sqlite3", sqlite3, "its threaded tests, shortened: threadtest3"),
    Program("libuv1", libuv1, "its tests of threads, of the thread pool and of asynchronous handles"),
    Program("readerwriterqueue", readerwriterqueue, "its unit tests"),
    Program("abseil", abseil, "mutexes with conditions, hash maps, notifications, barriers"),
    Program("glib", glib, "a program of GLib's threads, queues and pools, with the system's library", ()),
]

# --- the comparison -----------------------------------------------------------------------------------------------------


@dataclasses.dataclass
class Result:
    name: str
    version: str
    workload: str
    outcome: str
    traces: int = 0
    legal: int = 0
    megabytes: float = 0.0


def fetch_all(program, folder):
    return {package: debian_source.fetch(package, folder) for package in program.packages()}


def version_of(source):
    """As Debian numbers it."""
    files = sorted(source.parent.glob("*.dsc"))
    return files[0].stem.split("_", 1)[1] if files else ""


def make_with(program, sources, compilers, folder, text):
    fresh(folder)
    trees = {}
    for package, source in sources.items():
        trees[package] = folder / package
        shutil.copytree(source, trees[package], symlinks=True)
    (folder / "run").mkdir()
    place = Place(trees.get(program.name, folder), trees, folder / "run", text)
    return program.make(place, compilers)


def compare(program, options, sooth, text):
    print(f"== {program.name}", flush=True)
    try:
        sources = fetch_all(program, options.build / "debian-sources")
    except debian_source.NotAvailable as reason:
        print(f"skipped: {reason}", flush=True)
        return Result(program.name, "", program.workload, "skipped: no source")
    version = version_of(sources[program.name]) if sources else "the system's"
    folder = options.work / program.name
    plain = make_with(program, sources, CLANG, folder / "plain", text)
    recorded = make_with(program, sources, Compilers(f"{sooth}-cc", f"{sooth}-c++"), folder / "sooth", text)
    check(recorded == plain, f"{program.name} prints the same with Sooth:\n{recorded[-2000:]}\ninstead of\n{plain[-2000:]}")
    traces = sorted((folder / "sooth/run").rglob("*.sooth"))
    check(traces, "it left traces")
    legal = [trace for trace in traces[:4] if trace.stat().st_size <= MOST_VERIFIED]
    for trace in legal:
        print(run([sooth, "verify", trace], folder).out.strip(), flush=True)
    size = sum(trace.stat().st_size for trace in traces)
    result = Result(program.name, version, program.workload, "same output", len(traces), len(legal), size / 1e6)
    if not options.keep:
        shutil.rmtree(folder)
    return result


def compare_or_tell(program, options, sooth, text):
    try:
        return compare(program, options, sooth, text)
    except SystemExit:  # a check that did not hold has said why; the others go on
        return Result(program.name, "", program.workload, FAILED)


def table(results):
    lines = ["| program | Debian's version | tests or workload | result | traces | verified | MB |", "|---|---|---|---|---:|---:|---:|"]
    lines += [f"| {r.name} | {r.version} | {r.workload} | {r.outcome} | {r.traces} | {r.legal} | {r.megabytes:.1f} |" for r in results]
    return "\n".join(lines) + "\n"


def write_table(path, text):
    start, end = "<!-- table -->\n", "<!-- end of the table -->\n"
    page = path.read_text(encoding="utf-8")
    before, rest = page.split(start, 1)
    path.write_text(before + start + text + end + rest.split(end, 1)[1], encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(program.name for program in PROGRAMS))
    parser.add_argument("--build", type=pathlib.Path, required=True, help="Sooth's build folder")
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--write", type=pathlib.Path, help="the page whose table is made anew")
    parser.add_argument("--keep", action="store_true", help="leave the builds and traces in the folder --work")
    options = parser.parse_args()
    options.build, options.work = options.build.resolve(), options.work.resolve()
    unknown = set(options.names) - {program.name for program in PROGRAMS}
    check(not unknown, f"there is no program {', '.join(sorted(unknown))}")
    chosen = [program for program in PROGRAMS if not options.names or program.name in options.names]
    options.work.mkdir(parents=True, exist_ok=True)
    text = options.work / "text"
    make_text(text)
    results = [compare_or_tell(program, options, options.build / "bin" / "sooth", text) for program in chosen]
    print(table(results), end="")
    if options.write:
        write_table(options.write, table(results))
    sys.exit(any(result.outcome == FAILED for result in results))


if __name__ == "__main__":
    main()
