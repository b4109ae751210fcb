// std::binary_semaphore: released after the work, or before it.
// EXPECT: race result @write @read
// FLAGS: -std=c++20
#include <semaphore>
#include <thread>

#include "pair.h"

std::binary_semaphore done(0);
int result, seen;

int main() {
  std::thread worker([] {
    if (BAD) done.release();
    result = 1; // @write
    if (!BAD) done.release();
    at(0);
  });
  at(1);
  done.acquire();
  seen = result; // @read
  worker.join();
}
