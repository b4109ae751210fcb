// A sum in an object hides a race on y. In the good one it is an index: it says where the second
// thread writes.
// EXPECT: race y
// MODELS: full
#include <sooth/sooth.h>

#include <mutex>

#include "pair.h"

extern "C" SOOTH_LOOKS_AT_NOTHING void at(int turn);

class Account {
public:
  void add(int amount) {
    const std::lock_guard guard(mutex_);
    sum_ += amount;
  }
  int* choose(int** places) {
    const std::lock_guard guard(mutex_);
    sum_ += 1;
    return places[BAD ? 2 : sum_];
  }

private:
  std::mutex mutex_;
  int sum_ = 0;
};

int y, spare;
Account account;

void* one(void* unused) {
  y = 1;
  account.add(1);
  at(0);
  return unused;
}

void* two(void* unused) {
  at(1);
  int* places[3] = {&spare, &spare, &y};
  *account.choose(places) = 2;
  return unused;
}

int main() {
  run_both(one, two);
  return y == 0;
}
