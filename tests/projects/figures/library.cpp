// What the two threads of linked.cpp update in Fig. 1 of jPredictor, in a shared library.
#include <mutex>

static std::mutex lock;
static int x;

extern "C" void update_x() {
  const std::lock_guard hold(lock);
  x = x + 1;
}
