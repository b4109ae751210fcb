// A thread waits for an atomic to change; it does, but nobody notifies. Whether the thread slept by then, only the kernel knows.
// END: asleep
// EXPECT: deadlock * @wait
// FLAGS: -std=c++20
#include <atomic>
#include <thread>

#include "pair.h"

std::atomic<int> ready;

int main() {
  std::thread waiter([] {
    will_sleep();
    at(0);
    ready.wait(0); // @wait
  });
  at(1);
  until_asleep();
  ready = 1;
  if (!BAD) ready.notify_one();
  waiter.join();
}
