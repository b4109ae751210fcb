// A promise is kept when its thread exits, by code of the library that is not recorded. Whoever has waited for it comes after the thread.
// EXPECT: race data
#include <future>
#include <thread>

#include "pair.h"

int data;

int main() {
  std::promise<void> promise;
  std::future<void> future = promise.get_future();
  std::thread([&promise] {
    data = 1;
    promise.set_value_at_thread_exit();
  }).detach();
  if (BAD) ++data;
  future.wait();
  if (!BAD) ++data;
  return 0;
}
