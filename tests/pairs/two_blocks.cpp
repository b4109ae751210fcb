// Each block writes one variable and reads the other. One of them must see what the other one wrote, and not both can:
// each block alone can be in one piece, but in some run not both.
// EXPECT: atomicity * @first
// MAY: atomicity
#include <atomic>
#include <mutex>
#include <sooth/sooth.h>
#include <thread>

#include "pair.h"

std::atomic<int> x, y;
std::mutex mutex;
int seen_by_first, seen_by_second;

void first() {
  std::unique_lock lock(mutex, std::defer_lock);
  if (!BAD) lock.lock();
  SOOTH_ATOMIC("first");
  x = 1;
  seen_by_first = y; // @first
}
void second() {
  std::unique_lock lock(mutex, std::defer_lock);
  if (!BAD) lock.lock();
  SOOTH_ATOMIC("second");
  y = 1;
  seen_by_second = x;
}

int main() {
  std::thread one([] {
    first();
    at(0);
  });
  std::thread two([] {
    at(1);
    second();
  });
  one.join();
  two.join();
  return 0;
}
