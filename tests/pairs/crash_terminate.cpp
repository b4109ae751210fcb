// A thread object is destroyed while its thread is neither joined nor detached.
// END: crash
// EXPECT: crash *
// NOTE: std::terminate was called; signal 6
#include <thread>

#include "pair.h"

int main() {
  std::thread thread([] {});
  if (!BAD) thread.join();
}
