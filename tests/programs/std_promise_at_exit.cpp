// A promise that is kept when the thread has ended: the library makes the future ready and counts references by atomics of its
// own. It works as ever, and Sooth says that it does not follow it.
// EXPECT-UNSUPPORTED: std::promise at thread exit
// EXPECT-OUTPUT: 0 1 2
#include <cstdio>
#include <future>
#include <thread>

int main() {
  for (int i = 0; i < 3; ++i) {
    std::promise<int> promise;
    std::future<int> future = promise.get_future();
    std::thread([&promise, i] { promise.set_value_at_thread_exit(i); }).detach();
    std::printf("%d%s", future.get(), i < 2 ? " " : "\n");
  }
  return 0;
}
