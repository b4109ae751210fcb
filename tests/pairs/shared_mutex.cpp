// std::shared_mutex: a writer that only takes the shared side.
// EXPECT: race total @write @read
#include <shared_mutex>
#include <thread>

#include "pair.h"

std::shared_mutex lock;
int total, seen;

int main() {
  std::thread first([] {
    if (BAD) lock.lock_shared();
    else lock.lock();
    total = 1; // @write
    if (BAD) lock.unlock_shared();
    else lock.unlock();
    at(0);
  });
  std::thread second([] {
    at(1);
    const std::shared_lock<std::shared_mutex> guard(lock);
    seen = total; // @read
  });
  first.join();
  second.join();
}
