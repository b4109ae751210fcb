#!/usr/bin/env python3
"""Programs that hang or die, ended in every way: no report on them says "nothing found" and "complete".

The programs are the bad ones of tests/pairs with a heading `END:`, and a few here. One that hangs is ended as soon as its trace, read
while it runs, says that it does: by a signal to `sooth record` or to the program alone, by its own handler, by --timeout.
"""
import argparse
import json
import os
import pathlib
import re
import signal
import struct
import subprocess
import time

from recording import ROOT, check, fresh, run

PAIRS = ROOT / "tests" / "pairs"
PID = 16  # where the first page has the process (src/trace/format.h)
PATIENCE = 60  # seconds

# A thread waits for a lock for ever, the other one for input: it might still go on.
WAITING_FOR_INPUT = """
#include <pthread.h>
#include <unistd.h>
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
void* waiter(void* unused) { pthread_mutex_lock(&mutex); return unused; }
int main(void) {
  pthread_t thread;
  char letter;
  int ends[2];
  pthread_mutex_lock(&mutex);
  pthread_create(&thread, NULL, waiter, NULL);
  pipe(ends);
  read(ends[0], &letter, 1);
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, NULL);
}
"""
# Two threads wait for each other; a handler ends the program, with status 7.
OWN_HANDLER = """
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <unistd.h>
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
sem_t has_a, has_b;
void on_signal(int number) { (void)number; _exit(7); }
void* other(void* unused) {
  pthread_mutex_lock(&b);
  sem_post(&has_b);
  sem_wait(&has_a);
  pthread_mutex_lock(&a);
  return unused;
}
int main(void) {
  pthread_t thread;
  signal(SIGTERM, on_signal);
  sem_init(&has_a, 0, 0);
  sem_init(&has_b, 0, 0);
  pthread_create(&thread, NULL, other, NULL);
  pthread_mutex_lock(&a);
  sem_post(&has_a);
  sem_wait(&has_b);
  pthread_mutex_lock(&b);
}
"""
# A stack that overflows: no handler can run there.
OVERFLOW = """
volatile int depth;
__attribute__((noinline)) int deeper(int n) { volatile char room[4096]; room[0] = n; depth = n; return deeper(n + 1) + room[0]; }
int main(void) { return deeper(0); }
"""
# Waits in a timed wait: it goes on by itself.
TIMED = """
#include <pthread.h>
#include <time.h>
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
int main(void) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += 3600;
  pthread_mutex_lock(&mutex);
  pthread_cond_timedwait(&condition, &mutex, &until);
}
"""


def is_deadlocked(report):
    return any(finding["kind"] == "deadlock" and finding["status"] == "observed" for finding in report["findings"])


def one_waits(report):
    return report["coverage"].get("threadsWaiting") == 1


# SIGINT is answered by a letter, and does not end it.
UNIMPRESSED = """
#include <signal.h>
#include <unistd.h>
void on_signal(int number) { (void)number; write(1, "i", 1); }
int main(void) {
  struct sigaction action = {0};
  action.sa_handler = on_signal;
  sigaction(SIGINT, &action, NULL);
  write(1, "r", 1);
  for (;;) pause();
}
"""


class Test:
    def __init__(self, options):
        self.bin = pathlib.Path(options.build).resolve() / "bin"
        self.sooth = self.bin / "sooth"
        self.work = fresh(pathlib.Path(options.work).resolve())
        run(["clang-19", "-O1", "-c", PAIRS / "order.c", "-o", "order.o"], self.work)

    def build(self, source, name, flags=()):
        compiler = self.bin / ("sooth-cc" if str(source).endswith(".c") else "sooth-c++")
        run([compiler, "-g", "-O1", "-DBAD=1", *flags, source, "order.o", "-o", name, "-pthread", f"-I{PAIRS}"], self.work)
        return self.work / name

    def build_text(self, text, name):
        (self.work / f"{name}.c").write_text(text)
        return self.build(self.work / f"{name}.c", name)

    def report(self, trace, what):
        out = self.work / "report.json"
        run([self.sooth, "check", trace, "--json", out], self.work, fine=(0, 66))
        report = json.loads(out.read_text())
        check(report["findings"] or not report["coverage"]["complete"], f"{what}: nothing found, and complete")
        check(report["coverage"]["rejected"] == 0, f"{what}: findings were rejected")
        return report

    def start(self, *command):
        print("+", *command, flush=True)
        return subprocess.Popen(list(map(str, command)), cwd=self.work, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)

    def wait_until(self, process, trace, holds):
        """Until the trace of the running program says so; the program's process."""
        out = self.work / "running.json"
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            check(process.poll() is None, "the program ended by itself")
            asked = subprocess.run([self.sooth, "check", trace, "--json", out], capture_output=True, check=False)
            if asked.returncode in (0, 66) and holds(json.loads(out.read_text())):
                return struct.unpack_from("<I", pathlib.Path(trace).read_bytes(), PID)[0]
        check(False, "the program does not come to where it waits")
        return 0

    def end_by(self, program, number, to_sooth, holds):
        trace = self.work / "t.sooth"
        trace.unlink(missing_ok=True)
        process = self.start(self.sooth, "record", "-o", trace, program)
        pid = self.wait_until(process, trace, holds)
        if to_sooth:
            process.send_signal(number)
        else:
            os.kill(pid, number)
        process.communicate(timeout=PATIENCE)
        return process.returncode, trace

    def hangs(self, source):
        flags = re.findall(r"^// FLAGS: (.*)$", source.read_text(), re.M)
        program = self.build(source, source.stem, flags[0].split() if flags else ())
        for number, to_sooth in ((signal.SIGTERM, True), (signal.SIGINT, True), (signal.SIGALRM, False), (signal.SIGKILL, False)):
            status, trace = self.end_by(program, number, to_sooth, is_deadlocked)
            what = f"{source.name} ended by signal {number}"
            check(status == -number, f"{what}: status {status}")
            report = self.report(trace, what)
            kinds = [finding["kind"] for finding in report["findings"] if finding["status"] == "observed"]
            check("deadlock" in kinds, f"{what}: observed {kinds}")
            check(not report["coverage"]["complete"], f"{what}: complete")

    def sleeps(self, source):
        """What only `sooth run` can see is told as waiting."""
        program = self.build(source, source.stem, ["-std=c++20"] if source.suffix == ".cpp" else [])
        _, trace = self.end_by(program, signal.SIGTERM, True, lambda report: report["coverage"].get("threadsWaiting") == 2)
        report = self.report(trace, source.name)
        check(not report["coverage"]["complete"] and report["coverage"]["threadsWaiting"] == 2, f"{source.name}: {report['coverage']}")

    def dies(self, source):
        flags = re.findall(r"^// FLAGS: (.*)$", source.read_text(), re.M)
        program = self.build(source, source.stem, flags[0].split() if flags else ())
        plain = run([program], self.work, {"SOOTH_OPTIONS": "record=0"}, fine=range(-64, 0))
        recorded = run([self.sooth, "record", "-o", "t.sooth", program], self.work, fine=(plain.returncode,))
        check(recorded.err == plain.err, f"{source.name}: standard error is another one: {plain.err} {recorded.err}")
        kinds = [finding["kind"] for finding in self.report(self.work / "t.sooth", source.name)["findings"]]
        check("crash" in kinds, f"{source.name}: found {kinds}")
        (self.work / "t.sooth").unlink()

    def others(self):
        program = self.build_text(WAITING_FOR_INPUT, "waiting_for_input")
        _, trace = self.end_by(program, signal.SIGTERM, True, one_waits)
        report = self.report(trace, "a thread that may go on")
        check(not report["findings"], f"a thread that may go on is no deadlock: {report['findings']}")
        check(report["coverage"]["threadsWaiting"] == 1, "a thread waits")

        status, trace = self.end_by(self.build_text(OWN_HANDLER, "own_handler"), signal.SIGTERM, False, is_deadlocked)
        check(status == 7, f"status {status} of a program that ends itself")
        kinds = [finding["kind"] for finding in self.report(trace, "a handler of its own")["findings"]]
        check("deadlock" in kinds, f"a handler of its own: found {kinds}")

        run([self.sooth, "record", "-o", "t.sooth", self.build_text(OVERFLOW, "overflow")], self.work, fine=(-signal.SIGSEGV,))
        self.report(self.work / "t.sooth", "a stack that overflows")

        timed = self.build_text(TIMED, "timed")
        answer = run([self.sooth, "run", "--timeout", "1", "-o", "t.sooth", timed], self.work, fine=(124,))
        check("nothing found" in answer.err and "complete for this run" not in answer.err, answer.err)
        self.report(self.work / "t.sooth", "a timed wait")
        run([self.sooth, "record", "--timeout", "1", "-o", "t.sooth", timed], self.work, fine=(124,))
        self.report(self.work / "t.sooth", "a timed wait that was recorded")

    def killed_anywhere(self, times):
        """Of a program without a deadlock, every request might still have been granted, wherever it is killed."""
        program = self.build(pathlib.Path(__file__).with_name("ends_busy.cpp"), "busy", ["-std=c++20"])
        for moment in range(times):
            trace = self.work / "busy.sooth"
            trace.unlink(missing_ok=True)
            process = subprocess.Popen([program], env={**os.environ, "SOOTH_TRACE": str(trace)})
            time.sleep(0.01 + 0.005 * moment)
            process.kill()
            process.wait()
            if not trace.exists():
                continue
            out = self.work / "report.json"
            run([self.sooth, "check", trace, "--find", "crashes", "--json", out], self.work)  # nothing is predicted
            coverage = json.loads(out.read_text())["coverage"]
            shown = run([self.sooth, "show", "--kind", "request", trace], self.work).out
            requests = len(re.findall(r"^ *\d+ .* request ", shown, re.M))
            check(coverage.get("threadsWaiting", 0) == requests and not coverage["complete"], f"{requests}: {coverage}")

    def interrupted(self):
        """SIGINT to `sooth run` gives a report; also while it keeps a program that stands still."""
        program = self.work / "hang_self"
        trace = self.work / "kept.sooth"
        process = self.start(self.sooth, "run", "--keep-standing", "-o", trace, program)
        told = b""
        while b"is kept" not in told:
            told += process.stderr.readline()
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE)
        check(process.returncode == 66 and b"observed deadlock" in told, f"{process.returncode}: {told}")

        program = self.work / "waiting_for_input"
        trace.unlink()
        process = self.start(self.sooth, "run", "-o", trace, program)
        self.wait_until(process, trace, one_waits)
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=PATIENCE)
        check(process.returncode == -signal.SIGINT and b"threads waited" in told, f"{process.returncode}: {told}")

        program = self.build_text(UNIMPRESSED, "unimpressed")
        process = subprocess.Popen([self.sooth, "run", program], cwd=self.work, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for expected in (b"r", b"i"):  # it is ready, it had the first one
            check(process.stdout.read(1) == expected, "the program does not answer")
            process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=PATIENCE)
        check(process.returncode == -signal.SIGKILL and b"nothing found" in told and b"complete for" not in told, f"{process.returncode}: {told}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--work", required=True)
    test = Test(parser.parse_args())
    ends = {}
    for source in sorted(PAIRS.glob("*.c*")):
        end = re.search(r"^// END: (\w+)$", source.read_text(), re.M)
        if end:
            ends.setdefault(end.group(1), []).append(source)
    for source in ends["standstill"]:
        test.hangs(source)
    for source in ends["asleep"]:
        test.sleeps(source)
    for source in ends["crash"]:
        test.dies(source)
    test.others()
    test.killed_anywhere(10)
    test.interrupted()


if __name__ == "__main__":
    main()
