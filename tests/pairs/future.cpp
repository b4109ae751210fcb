// A future carries a value and an order; a look aside does not.
// EXPECT: race extra @write @read
#include <future>
#include <thread>

#include "pair.h"

int extra, seen;

int main() {
  std::promise<int> promise;
  std::future<int> future = promise.get_future();
  std::thread worker([&] {
    extra = 1; // @write
    promise.set_value(2);
    at(0);
  });
  at(1);
  if (!BAD) future.wait();
  seen = extra; // @read
  worker.join();
}
