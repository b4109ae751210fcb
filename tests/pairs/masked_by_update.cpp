// jPredictor, Fig. 1: two writes of y race, and the recorded run hides it behind updates of x, on which nothing depends.
// EXPECT: race y @first @second
// FLAGS: -fsooth-facts -std=c++20
// MODELS: full sliced
#include <mutex>

#include "pair.h"

std::mutex lock;
int x, y;

void update_x() {
  const std::lock_guard hold(lock);
  x = x + 1;
}

void* one(void* unused) {
  std::unique_lock hold(lock, std::defer_lock);
  if (!BAD) hold.lock();
  y = 1; // @first
  if (!BAD) hold.unlock();
  update_x();
  at(0);
  return unused;
}

void* two(void* unused) {
  at(1);
  update_x();
  std::unique_lock hold(lock, std::defer_lock);
  if (!BAD) hold.lock();
  y = 2; // @second
  return unused;
}

int main() {
  run_both(one, two);
  return 0;
}
