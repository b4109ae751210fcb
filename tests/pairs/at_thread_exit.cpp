// A promise that the library keeps when the thread has ended, and a notification that it makes then: both in code without hooks. The
// error: what is read before.
// EXPECT: race early @write @read
#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>

#include "pair.h"

int data, early, sum;
static std::mutex guard;
static std::condition_variable changed;
static bool ready;

static void promise_at_exit() {
  std::promise<int> promise;
  std::future<int> future = promise.get_future();
  std::thread worker([&promise] {
    if (BAD) at(1);
    if (BAD) early = 1; // @write
    data = 1;
    promise.set_value_at_thread_exit(2);
  });
  if (BAD) sum = early; // @read
  if (BAD) at(0);
  sum += future.get() + data;
  worker.join();
}

static void notify_at_exit() {
  std::thread worker([] {
    std::unique_lock<std::mutex> lock(guard);
    data = 3;
    ready = true;
    std::notify_all_at_thread_exit(changed, std::move(lock));
  });
  std::unique_lock<std::mutex> lock(guard);
  changed.wait(lock, [] { return ready; });
  sum += data;
  lock.unlock();
  worker.join();
}

int main() {
  promise_at_exit();
  notify_at_exit();
  return 0;
}
