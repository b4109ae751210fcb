// Threads that are named by the functions they start with, in all the ways there are to start one. Each writes a level of its own.
#include <pthread.h>
#include <thread>

#include <sooth/monitor.h>
#include <sooth/sooth.h>

int levels[6];

static void set(int which) { levels[which] = 1; } // the start functions themselves touch nothing

void by_std_thread(int which) { set(which); }

namespace depot {
namespace {
void* unnamed(void* argument) {
  set(1);
  return argument;
}
} // namespace
struct Crane {
  static void* lift(void* argument) {
    set(2);
    return argument;
  }
};
} // namespace depot

extern "C" void* in_c(void* argument) {
  set(3);
  return argument;
}

template <typename T>
void* pattern(void* argument) {
  set(4);
  return argument;
}

void* caller(void* argument) {
  by_std_thread(5); // no thread starts there
  return argument;
}

static void run(void* (*start)(void*)) {
  pthread_t thread;
  pthread_create(&thread, nullptr, start, nullptr);
  pthread_join(thread, nullptr);
}

int main() {
  std::thread(by_std_thread, 0).join();
  run(depot::unnamed);
  run(depot::Crane::lift);
  run(in_c);
  run(pattern<int>);
  run(caller);
}
