// A latch that is counted down after the work, or before it.
// EXPECT: race result @write @read
// FLAGS: -std=c++20
#include <latch>
#include <thread>

#include "pair.h"

std::latch done(1);
int result, seen;

int main() {
  std::thread worker([] {
    if (BAD) done.count_down();
    result = 1; // @write
    if (!BAD) done.count_down();
    at(0);
  });
  at(1);
  done.wait();
  seen = result; // @read
  worker.join();
}
