// Elements are appended to one vector, with and without a lock.
// EXPECT: race * @push @push
// MAY: race
// MAY: use-after-free
// MAY: double-free
#include <mutex>
#include <thread>
#include <vector>

#include "pair.h"

std::mutex lock;
std::vector<int> items;

void add(int item) {
  std::unique_lock<std::mutex> guard(lock, std::defer_lock);
  if (!BAD) guard.lock();
  items.push_back(item); // @push
}

int main() {
  std::thread first([] {
    add(1);
    at(0);
  });
  std::thread second([] {
    at(1);
    add(2);
  });
  first.join();
  second.join();
}
