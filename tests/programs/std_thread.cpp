// std::thread: join and detach.
// EXPECT: fork * x3
// EXPECT: join * x2
// EXPECT: detach * x1
// EXPECT: thread-start * x4
// EXPECT-OUTPUT: 3
#include <atomic>
#include <cstdio>
#include <thread>

static std::atomic<int> done{0};

int main() {
  std::thread a([] { ++done; });
  std::thread b([](int n) { done += n; }, 1);
  std::thread([] { ++done; }).detach();
  a.join();
  b.join();
  while (done != 3) std::this_thread::yield();
  std::printf("%d\n", done.load());
}
