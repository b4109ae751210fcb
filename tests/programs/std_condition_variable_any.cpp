// std::condition_variable_any over a shared mutex.
// EXPECT: wait * x1
// EXPECT: wake * x1
// EXPECT: broadcast * >=1
// EXPECT: acquire-shared * >=2
// EXPECT-OUTPUT: seen
// FLAGS: -std=c++17
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <shared_mutex>
#include <thread>

static std::shared_mutex lock;
static std::condition_variable_any changed;
static bool ready;

int main() {
  std::shared_lock<std::shared_mutex> hold(lock);
  std::thread setter([] {
    std::lock_guard<std::shared_mutex> inside(lock);
    ready = true;
    changed.notify_all();
  });
  while (!ready) changed.wait(hold);
  hold.unlock();
  setter.join();
  std::puts("seen");
}
