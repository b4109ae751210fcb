// Each access is atomic; together they are only with fetch_add.
// EXPECT: atomicity *
#include <atomic>
#include <thread>

#include <sooth/sooth.h>

#include "pair.h"

std::atomic<int> tickets;

void take() {
  SOOTH_ATOMIC("take");
  if (BAD) tickets.store(tickets.load() + 1);
  else tickets.fetch_add(1);
}

int main() {
  std::thread first([] {
    take();
    at(0);
  });
  std::thread second([] {
    at(1);
    take();
  });
  first.join();
  second.join();
}
