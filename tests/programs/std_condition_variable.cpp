// std::condition_variable: notify_one, notify_all, a wait that times out.
// EXPECT: wait * x3
// EXPECT: wake * x2
// EXPECT: wake!failed * x1
// EXPECT: signal * x1
// EXPECT: broadcast * x1
// EXPECT-OUTPUT: 1 2 timeout
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

static std::mutex lock;
static std::condition_variable changed;
static int value;

static void wait_for(int wanted) {
  std::unique_lock<std::mutex> hold(lock);
  std::thread setter([wanted] {
    std::lock_guard<std::mutex> inside(lock);
    value = wanted;
    if (wanted == 1) changed.notify_one();
    else changed.notify_all();
  });
  while (value != wanted) changed.wait(hold);
  std::printf("%d ", value);
  hold.unlock();
  setter.join();
}

int main() {
  wait_for(1);
  wait_for(2);
  std::unique_lock<std::mutex> hold(lock);
  const auto past = std::chrono::steady_clock::time_point{};
  std::puts(changed.wait_until(hold, past) == std::cv_status::timeout ? "timeout" : "?");
}
