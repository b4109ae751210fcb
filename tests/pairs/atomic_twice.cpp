// Each access is atomic; the look before it and the change are not, together.
// EXPECT: atomicity *
#include <atomic>
#include <thread>

#include <sooth/sooth.h>

#include "pair.h"

std::atomic<int> tickets;

void take() {
  SOOTH_ATOMIC("take");
  if (!BAD || tickets.load() < 10) tickets.fetch_add(1);
}

int main() {
  std::thread first([] {
    take();
    at(0);
  });
  std::thread second([] {
    at(1);
    tickets.store(10);
  });
  first.join();
  second.join();
}
