// A latch for two that one thread counts down.
// END: standstill
// EXPECT: deadlock * @wait
// FLAGS: -std=c++20
#include <latch>
#include <thread>

#include "pair.h"

std::latch latch(BAD ? 2 : 1);

int main() {
  std::thread other([] {
    latch.count_down();
    at(0);
  });
  at(1);
  latch.wait(); // @wait
  other.join();
}
