#!/usr/bin/env python3
"""Functions that are meant to be atomic (--atomic): not inlined when `sooth run` compiles, and named if they are misspelt; the lost update
is reported by `full`, and keeps the answer of `maximal` from being complete.

    atomic_functions_test.py --build FOLDER --work FOLDER
"""

import argparse
import pathlib

from recording import check, fresh, run

SOURCE = """
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance;
static inline void deposit(int amount) {
  pthread_mutex_lock(&lock);
  const int before = balance;
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);
  balance = before + amount;
  pthread_mutex_unlock(&lock);
}
static void* work(void* amount) {
  deposit(*(int*)amount);
  return 0;
}
int main(void) {
  static int amounts[] = {10, 20};
  for (int i = 0; i < 2; ++i) { // one after the other, but for the runs that are predicted
    pthread_t thread;
    pthread_create(&thread, 0, work, &amounts[i]);
    if (TOGETHER) work(&amounts[1 - i]);
    pthread_join(thread, 0);
  }
  return 0;
}
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="Sooth's build folder")
    parser.add_argument("--work", type=pathlib.Path, required=True)
    options = parser.parse_args()
    folder = fresh(options.work)
    (folder / "bank.c").write_text(SOURCE)
    sooth = options.build / "bin" / "sooth"

    def deposits(*more, together=1, fine):
        flags = [f"--flag=-DTOGETHER={together}", "--flag=-O2"]
        return run([sooth, "run", *flags, *more, "bank.c"], folder, fine=fine).err

    told = deposits("--model", "full", "--atomic", "deposit", fine=(66,))
    check("broken atomicity" in told, f"the lost update: {told}")
    # The recorded run may have lost one itself; else nothing proves it.
    told = deposits("--model", "maximal", "--atomic", "deposit", fine=(0, 66))
    check("complete for this run" not in told or "broken atomicity" in told, f"a candidate bounds the answer: {told}")
    told = deposits("--model", "full", "--atomic", "deposit", together=0, fine=(0,))
    check("nothing found" in told and "complete for this run" in told, f"joins keep them apart: {told}")
    told = deposits("--atomic", "depozit", fine=(0, 66))
    check("`depozit` names no function" in told and "did you mean 'deposit'" in told, f"a misspelt name: {told}")
    print("fine")


if __name__ == "__main__":
    main()
