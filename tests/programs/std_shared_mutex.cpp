// Readers and a writer over std::shared_mutex.
// EXPECT: acquire * x5
// EXPECT: release * x5
// EXPECT: acquire-shared * x10
// EXPECT: release-shared * x10
// EXPECT-OUTPUT: 5
// FLAGS: -std=c++17
#include <cstdio>
#include <mutex>
#include <shared_mutex>
#include <thread>

static std::shared_mutex lock;
static int value;

int main() {
  auto read = [] {
    int last = 0;
    for (int i = 0; i < 5; ++i) {
      std::shared_lock<std::shared_mutex> hold(lock);
      if (value < last) std::puts("went back");
      last = value;
    }
  };
  std::thread a(read), b(read);
  for (int i = 0; i < 5; ++i) {
    std::lock_guard<std::shared_mutex> hold(lock);
    ++value;
  }
  a.join();
  b.join();
  std::printf("%d\n", value);
}
