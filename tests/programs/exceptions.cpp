// Exceptions through instrumented frames, in two threads.
// EXPECT: acquire * x200
// EXPECT: release * x200
// EXPECT-OUTPUT: 200
#include <cstdio>
#include <mutex>
#include <stdexcept>
#include <thread>

static std::mutex lock;
static int caught;

static void deep(int n) {
  if (n == 0) throw std::runtime_error("deep");
  deep(n - 1);
}
static void work() {
  for (int i = 0; i < 100; ++i) {
    try {
      deep(i % 10);
    } catch (const std::runtime_error&) {
      std::lock_guard<std::mutex> hold(lock);
      ++caught;
    }
  }
}

int main() {
  std::thread a(work), b(work);
  a.join();
  b.join();
  std::printf("%d\n", caught);
}
