// A statistic of a class is printed under the lock that protects it: printf and std::cout only look
// at it. In the good one, how much was printed decides.
// EXPECT: race y
// MODELS: full
#include <sooth/sooth.h>

#include <cstdio>
#include <iostream>
#include <mutex>

#include "pair.h"

extern "C" SOOTH_LOOKS_AT_NOTHING void at(int turn);

class Statistic {
public:
  Statistic& operator+=(int count) {
    sum_ += count;
    return *this;
  }
  int sum() const { return sum_; }

private:
  int sum_ = 4;
};

std::mutex mutex;
Statistic statistic;
int y;

int show() {
  const std::lock_guard guard(mutex);
  statistic += 5;
  std::cout << 2 * statistic.sum();
  const int characters = std::printf("sum: %d\n", statistic.sum());
  return BAD ? 8 : characters;
}

void* one(void* unused) {
  y = 1;
  show(); // 7 characters, and 8 the second time
  at(0);
  return unused;
}

void* two(void* unused) {
  at(1);
  if (show() == 8) y = 2;
  return unused;
}

int main() {
  std::cout << 0; // the first number makes the stream ready
  run_both(one, two);
  return y == 0;
}
