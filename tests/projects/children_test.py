#!/usr/bin/env python3
"""`sooth run` and the processes that its program made: each is analysed and named, or the report says that it was left out.

    children_test.py --build FOLDER --work FOLDER
"""

import argparse
import json
import pathlib
import re

from recording import check, fresh, run

# Forks as many children as it is told. Each has a race if there is a second word, and becomes another program if that is `exec`.
SOURCE = """
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
int value;
void* work(void* unused) { value = 1; return unused; }
int main(int count, char** words) {
  for (int i = 0; i < atoi(words[1]); ++i) {
    if (fork() != 0) continue;
    if (count > 2 && strcmp(words[2], "exec") == 0) execlp("true", "true", (char*)NULL);
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    if (count == 2) pthread_join(thread, NULL);
    value = 2;
    if (count > 2) pthread_join(thread, NULL);
    _exit(3);
  }
  while (wait(NULL) > 0) {
  }
  return 5;
}
"""


class Test:
    def __init__(self, options):
        self.sooth = options.build.resolve() / "bin" / "sooth"
        self.folder = fresh(options.work.resolve())
        (self.folder / "parent.c").write_text(SOURCE)
        run([self.sooth, "cc", "-g", "-O1", "parent.c", "-o", "parent", "-pthread"], self.folder)

    def run(self, options, words, fine):
        told = run([self.sooth, "run", "--json", "r.json", *options, "./parent", *words], self.folder, fine=fine).err
        return told, json.loads((self.folder / "r.json").read_text())

    def traces(self):
        return sorted(path.name for path in self.folder.glob("*.sooth"))

    def looks_at_children(self):
        told, report = self.run([], ["2", "race"], (66,))
        check(re.search(r"data race on `value`", told) and "a child of" in told, told)
        check(report["coverage"]["childProcesses"] == 2, f"two children: {report['coverage']}")
        check([row["child"] for row in report["traces"]] == [False, True, True], f"{report['traces']}")
        main = report["traces"][0]["process"]
        check(all(row["parent"] == main for row in report["traces"][1:]), f"the parent is named: {report['traces']}")
        check(len(report["findings"]) == 1 and report["findings"][0]["trace"] != 0, "one race, of the children")
        check("replay" not in report["findings"][0] and "to see it happen" not in told, "a child cannot be replayed")
        check(not self.traces(), f"nothing was asked for, and {self.traces()} are left")

    def nothing_in_children(self):
        told, _ = self.run([], ["1"], (5,))  # the program's own status
        check("nothing found" in told and "1 child processes are in this report, too" in told, told)

    def other_programs(self):
        told, report = self.run([], ["1", "exec"], (5,))
        check(report["coverage"]["otherPrograms"] == 1 and "not built with Sooth" in told, told)

    def keeps_what_is_asked_for(self):
        self.run(["-o", "kept.sooth"], ["1", "race"], (66,))
        traces = self.traces()
        check(len(traces) == 2 and "kept.sooth" in traces, f"the parent's and the child's: {traces}")
        told = run([self.sooth, "check", "--json", "c.json", "kept.sooth"], self.folder).err
        check("child processes are not in this report" in told and "complete for" not in told, told)
        run([self.sooth, "check", *traces], self.folder, fine=(66,))
        # Another run beside it takes no notice of what is there.
        _, report = self.run(["-o", "again.sooth"], ["1"], (5,))
        check(len(report["traces"]) == 2, f"only its own: {report['traces']}")
        for trace in self.traces():
            (self.folder / trace).unlink()

    def confirms(self):
        told, _ = self.run(["--confirm"], ["1", "race"], (66,))
        check("a replay follows the first process" in told or "observed data race" in told, told)

    def repeats(self):
        _, report = self.run(["--repeat", "2"], ["1", "race"], (66,))
        check([row["child"] for row in report["traces"]] == [False, True, False, True], f"{report['traces']}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="Sooth's build folder")
    parser.add_argument("--work", type=pathlib.Path, required=True)
    test = Test(parser.parse_args())
    test.looks_at_children()
    test.nothing_in_children()
    test.other_programs()
    test.keeps_what_is_asked_for()
    test.confirms()
    test.repeats()
    print("fine")


if __name__ == "__main__":
    main()
