"""Real programs from Debian's sources for the benchmarks, built three times by what `./dev projects` has for them."""

import collections
import pathlib
import shutil
import socket
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "projects"))
from table import BenchError  # noqa: E402  (beside this file)

NAMES = ("memcached", "leveldb", "readerwriterqueue")

# One way to run a program: `programs` by variant, `arguments`; `prepare` is called before each run, `drive` talks to the
# process while it runs (or None).
Workload = collections.namedtuple("Workload", "name meaning programs arguments prepare drive same_output")


def wrapped_compilers(folder, compilers):
    """variant -> Compilers whose names are single words: build systems take nothing else."""
    from recording import Compilers  # only here: without --projects nothing of the tests is needed

    out = {}
    for variant, (cc, cxx, flags) in compilers.items():
        names = []
        for compiler, name in ((cc, "cc"), (cxx, "c++")):
            path = folder / f"{variant}-{name}"
            path.write_text(f'#!/bin/sh\nexec {compiler} {flags.replace("-O2", "").strip()} "$@"\n', encoding="ascii")
            path.chmod(0o755)
            names.append(str(path))
        out[variant] = Compilers(*names)
    return out


class MemcachedClients:
    """Talks to the server that is being measured, and ends it by its own command."""

    CLIENTS = 6

    def __init__(self, port, requests):
        self.port, self.requests = port, requests

    def __call__(self, process):
        self.until_it_answers(process)
        threads = [threading.Thread(target=self.one_client, args=(n,)) for n in range(self.CLIENTS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.talk(b"shutdown\r\n")

    def until_it_answers(self, process):
        while process.poll() is None:
            try:
                self.talk(b"version\r\nquit\r\n")
                return
            except OSError:
                time.sleep(0.05)
        raise BenchError("memcached ended before it was asked anything")

    def one_client(self, number):
        lines = [f"set k{number}.{i % 100} 0 0 5\r\nv{i % 10000:04}\r\nget k{number}.{i % 100}\r\n" for i in range(self.requests)]
        self.talk("".join(lines).encode() + b"quit\r\n")

    def talk(self, text):
        with socket.create_connection(("127.0.0.1", self.port), 300) as line:
            sender = threading.Thread(target=line.sendall, args=(text,))  # it answers while it is still being asked
            sender.start()
            try:
                while line.recv(1 << 16):
                    pass
            except ConnectionResetError:
                pass  # the answer to `shutdown`
            sender.join()


def build(name, options, compilers, folder):
    """Built three times by what `./dev projects` has for it, each time with a first run."""
    import real_programs  # only here: see above

    program = next(p for p in real_programs.PROGRAMS if p.name == name)
    sources = real_programs.fetch_all(program, options.sooth.parent / "debian-sources")
    text = folder / "project-text"
    real_programs.make_text(text)
    places = {}
    for variant, chosen in wrapped_compilers(folder, compilers).items():
        places[variant] = folder / f"{name}-{variant}"
        real_programs.make_with(program, sources, chosen, places[variant], text)
        for trace in places[variant].rglob("*.sooth"):
            trace.unlink()
    if name == "memcached":
        port = real_programs.free_port()
        programs = {variant: place / "memcached" / "memcached" for variant, place in places.items()}
        arguments = ["-A", "-u", "root", "-l", "127.0.0.1", "-p", str(port), "-t", "3"]
        clients = MemcachedClients(port, 100 if options.quick else 5000 if options.short else 25000)
        return Workload(name, f"memcached, six clients with {clients.requests} sets and gets each", programs, arguments, None, clients, True)
    executable = {"leveldb": "workload", "readerwriterqueue": "unittests"}[name]
    programs = {variant: place / "run" / executable for variant, place in places.items()}
    if name == "leveldb":
        wipe = lambda: shutil.rmtree(folder / "runs" / "database", ignore_errors=True)  # noqa: E731
        return Workload(name, "leveldb: four threads write, read and iterate", programs, ["database"], wipe, None, True)
    return Workload(name, "readerwriterqueue's unit tests", programs, ["--disable-prompt"], None, None, False)  # it tells times
