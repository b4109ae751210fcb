// Hangs: as in wait_not_made.c, with a predicate. The call is in a header.
// TOLD: no thread waited at wait_not_made.cpp
#include <condition_variable>
#include <mutex>

#include "pair.h"
std::mutex lock;
std::condition_variable changed;
bool ready;
void* give(void* unused) {
  {
    const std::lock_guard<std::mutex> hold(lock);
    ready = true;
  }
  at(0);
  return unused;
}
void* take(void* unused) {
  at(1);
  std::unique_lock<std::mutex> hold(lock);
  changed.wait(hold, [] { return ready; });
  return unused;
}
int main() { run_both(give, take); }
