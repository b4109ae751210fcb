// All mutexes of the standard library, locked twice each, once by try_lock or with a time.
// EXPECT: acquire * x11
// EXPECT: release * x11
// EXPECT: acquire-shared * x4
// EXPECT: release-shared * x4
// EXPECT-OUTPUT: done
// FLAGS: -std=c++17
#include <chrono>
#include <cstdio>
#include <mutex>
#include <shared_mutex>

using namespace std::chrono_literals;

template <typename Mutex>
static void twice(Mutex& mutex) {
  mutex.lock();
  mutex.unlock();
  if (mutex.try_lock()) mutex.unlock();
}

int main() {
  std::mutex plain;
  std::recursive_mutex recursive;
  std::timed_mutex timed;
  std::shared_mutex shared;
  std::shared_timed_mutex shared_timed;
  twice(plain);
  twice(recursive);
  twice(timed);
  if (timed.try_lock_for(1h)) timed.unlock();
  twice(shared);
  twice(shared_timed);
  for (int i = 0; i < 2; ++i) {
    std::shared_lock<std::shared_mutex> a(shared);
    std::shared_lock<std::shared_timed_mutex> b(shared_timed);
  }
  std::puts("done");
}
