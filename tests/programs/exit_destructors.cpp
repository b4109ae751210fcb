// atexit functions, destructors of statics and of thread_locals touch shared data under a lock.
// EXPECT: acquire * x5
// EXPECT: release * x5
// EXPECT: thread-end * x2
// EXPECT-OUTPUT: thread_local, thread_local, at exit, static
// EXPECT-EXIT: 3
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>

static std::mutex lock;
static int steps;

static void step(const char* text) {
  std::lock_guard<std::mutex> hold(lock);
  ++steps;
  std::printf("%s%s", text, steps == 5 ? "\n" : steps > 1 ? ", " : "");
}
struct Global {
  ~Global() { step("static"); }
} global;
struct Local {
  ~Local() { step("thread_local"); }
  int used = 0;
};
static thread_local Local local;

int main() {
  std::atexit([] { step("at exit"); });
  step("");
  std::thread([] { ++local.used; }).join();
  ++local.used;
  return 3;
}
