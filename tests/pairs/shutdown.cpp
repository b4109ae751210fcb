// Two workers wait for the end of the program. A worker that has looked at `stop` and does not wait
// yet misses the broadcast, unless `stop` changes under the mutex.
// EXPECT: lost-wakeup * @wait
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "pair.h"

std::mutex lock;
std::condition_variable wake;
std::atomic<bool> stop = false;

void work(int turn) {
  at(turn);
  std::unique_lock<std::mutex> guard(lock);
  at(turn + 1);
  while (!stop) wake.wait(guard); // @wait
}

int main() {
  std::thread first(work, 0), second(work, 2);
  at(4);
  {
    const std::lock_guard<std::mutex> both_wait(lock);
    if (!BAD) stop = true;
  }
  if (BAD) stop = true;
  wake.notify_all();
  first.join();
  second.join();
}
