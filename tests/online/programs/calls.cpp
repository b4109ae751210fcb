// Calls, locks, user events and watched memory: what properties can name besides variables.
#include <cstdio>
#include <mutex>
#include <thread>

#include <sooth/sooth.h>

std::mutex lock;
int shared_value = 0;

__attribute__((noinline)) void work(int value) {
  const std::lock_guard<std::mutex> held(lock);
  shared_value = value;
}

// An optimiser sees that this does nothing.
static int nothing(int value) { return value; }

int main() {
  long* watched = new long(0);
  SOOTH_WATCH("level", *watched);
  std::thread first([] { work(1); });
  first.join();
  *watched = 5;
  sooth_event("done", 3);
  std::thread second([] { work(2); });
  second.join();
  nothing(1);
  std::printf("%d %ld\n", shared_value, *watched);
  delete watched;
}
