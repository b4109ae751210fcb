// A sum over shared numbers, in a loop, through a function's result and an operator, hides a race
// on y. In the good one the sum is the number of rounds of a loop that writes y.
// EXPECT: race y
// MODELS: full
#include <sooth/sooth.h>

#include <mutex>

#include "pair.h"

extern "C" SOOTH_LOOKS_AT_NOTHING void at(int turn);

struct Total {
  long value = 0;
  Total& operator+=(long more) {
    value += more;
    return *this;
  }
  long operator++(int) { return value++; }
};

std::mutex mutex;
struct Node {
  long number = 0;
  Node* next = nullptr;
} last, middle{0, &last}, head{0, &middle};
Total total;
int y;

__attribute__((noinline)) long sum() {
  long all = 0;
  for (Node* node = &head; node; node = node->next) all += node->number++;
  return all;
}

__attribute__((noinline)) long add_up() {
  const std::lock_guard guard(mutex);
  total += sum();
  total++;
  return total.value;
}

void* one(void* unused) {
  y = 1;
  add_up();
  at(0);
  return unused;
}

void* two(void* unused) {
  at(1);
  const long rounds = add_up(); // 5
  for (long i = 0; i < (BAD ? 5 : rounds); ++i)
    if (i == 4) y = 2;
  return unused;
}

int main() {
  run_both(one, two);
  return y == 0;
}
