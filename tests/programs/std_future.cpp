// Futures: async, promise, packaged_task, and an exception that travels.
// EXPECT: fork * x4
// EXPECT: join * x4
// EXPECT-OUTPUT: 1 2 3 lost
#include <cstdio>
#include <future>
#include <stdexcept>
#include <thread>

int main() {
  std::future<int> first = std::async(std::launch::async, [] { return 1; });
  std::promise<int> promise;
  std::thread second([&promise] { promise.set_value(2); });
  std::packaged_task<int()> task([] { return 3; });
  std::future<int> third = task.get_future();
  std::thread runner(std::move(task));
  std::future<int> fourth = std::async(std::launch::async, []() -> int { throw std::runtime_error("lost"); });
  std::printf("%d ", first.get());
  std::printf("%d ", promise.get_future().get());
  std::printf("%d ", third.get());
  try {
    fourth.get();
  } catch (const std::runtime_error& error) {
    std::puts(error.what());
  }
  second.join();
  runner.join();
}
