// std::atomic::wait with acquire, after a store that releases or is relaxed.
// EXPECT: race data @write @read
// FLAGS: -std=c++20
#include <atomic>
#include <thread>

#include "pair.h"

std::atomic<int> ready;
int data, taken;

int main() {
  std::thread consumer([] {
    at(1);
    ready.wait(0, std::memory_order_acquire);
    taken = data; // @read
  });
  data = 1; // @write
  ready.store(1, BAD ? std::memory_order_relaxed : std::memory_order_release);
  ready.notify_one();
  at(0);
  consumer.join();
}
