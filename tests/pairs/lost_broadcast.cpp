// std::condition_variable::wait without a predicate, and with one.
// EXPECT: lost-wakeup * @wait
#include <condition_variable>
#include <mutex>
#include <thread>

#include "pair.h"

std::mutex lock;
std::condition_variable ready;
bool set;

int main() {
  std::thread waiter([] {
    std::unique_lock<std::mutex> guard(lock);
    at(0);
    if (BAD) ready.wait(guard); // @wait
    else ready.wait(guard, [] { return set; });
  });
  std::thread sender([] {
    at(1);
    const std::lock_guard<std::mutex> guard(lock);
    set = true;
    ready.notify_all();
  });
  waiter.join();
  sender.join();
}
