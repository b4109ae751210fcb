// std::mutex and std::shared_mutex, taken the other way round.
// END: standstill
// EXPECT: deadlock * @first @second
// FLAGS: -std=c++17
#include <mutex>
#include <shared_mutex>
#include <thread>

#include "pair.h"

std::mutex a;
std::shared_mutex b;

void first() {
  std::unique_lock<std::mutex> outer(a);
  if (BAD) at(0);
  if (BAD) at(2);
  std::shared_lock<std::shared_mutex> inner(b); // @first
}
void second() {
  if (!BAD) {
    std::unique_lock<std::mutex> outer(a);
    std::unique_lock<std::shared_mutex> inner(b);
    return;
  }
  std::unique_lock<std::shared_mutex> outer(b);
  at(1);
  std::unique_lock<std::mutex> inner(a); // @second
}

int main() {
  std::thread one(first), two(second);
  one.join();
  two.join();
}
