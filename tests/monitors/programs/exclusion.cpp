// A lock made of a flag. `exclusion broken` looks and sets in two steps, and both threads get in; `exclusion sound` does it
// in one. `exclusion free` is the sound one, without a forced order.
#include <atomic>
#include <cstdio>
#include <cstring>
#include <thread>

#include <sooth/monitor.h>

#include "turns.h"

std::atomic<int> flag;
int counter;
bool broken;

void enter(int me) {
  if (!broken) {
    while (flag.exchange(1) != 0) std::this_thread::yield();
    return;
  }
  turn(me);
  while (flag.load() != 0) std::this_thread::yield();
  done(); // both have looked before either sets
  turn(2 + me);
  flag.store(1);
  done();
}

void worker(int me, int rounds) {
  for (int i = 0; i < rounds; ++i) {
    enter(me);
    sooth_internal("critical", 1);
    if (broken) turn(4 + me);
    counter = counter + 1;
    if (broken) done();
    if (broken) turn(6); // nobody leaves before both are in
    sooth_internal("critical", 0);
    flag.store(0);
  }
}

int main(int, char** argv) {
  broken = std::strcmp(argv[1], "broken") == 0;
  const int rounds = broken ? 1 : 200;
  std::thread first(worker, 0, rounds), second(worker, 1, rounds);
  first.join();
  second.join();
  std::printf("%d\n", counter);
}
