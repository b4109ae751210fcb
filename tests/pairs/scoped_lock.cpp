// std::scoped_lock takes two locks without a fixed order, and never waits for one while it holds the other.
// EXPECT: deadlock * @first @second
// FLAGS: -std=c++17
#include <mutex>
#include <thread>

#include "pair.h"

std::mutex a, b;

int main() {
  std::thread first([] {
    if (BAD) {
      const std::lock_guard<std::mutex> outer(a);
      const std::lock_guard<std::mutex> inner(b); // @first
    } else {
      const std::scoped_lock both(a, b);
    }
    at(0);
  });
  std::thread second([] {
    at(1);
    if (BAD) {
      const std::lock_guard<std::mutex> outer(b);
      const std::lock_guard<std::mutex> inner(a); // @second
    } else {
      const std::scoped_lock both(b, a);
    }
  });
  first.join();
  second.join();
}
