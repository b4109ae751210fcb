// A notification that the library makes when the thread has ended, in code without hooks. The error: what is read before.
// EXPECT: race early @write @read
#include <condition_variable>
#include <mutex>
#include <thread>

#include "pair.h"

int data, early, sum;
static std::mutex guard;
static std::condition_variable changed;
static bool ready;

int main() {
  std::thread worker([] {
    if (BAD) at(1);
    if (BAD) early = 1; // @write
    std::unique_lock<std::mutex> lock(guard);
    data = 3;
    ready = true;
    std::notify_all_at_thread_exit(changed, std::move(lock));
  });
  if (BAD) sum = early; // @read
  if (BAD) at(0);
  std::unique_lock<std::mutex> lock(guard);
  changed.wait(lock, [] { return ready; });
  sum += data;
  lock.unlock();
  worker.join();
  return 0;
}
