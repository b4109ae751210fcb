// A promise is kept when its thread exits, by code of the library that is not recorded: nothing is said about such a program.
// EXPECT: race data
#include <future>
#include <thread>

#include "pair.h"

int data;

int main() {
  std::promise<void> promise;
  std::future<void> future = promise.get_future();
  std::thread thread([&promise] {
    data = 1;
    if (BAD) promise.set_value();
    else promise.set_value_at_thread_exit();
  });
  if (BAD) ++data;
  future.wait();
  if (!BAD) ++data;
  thread.join();
  return 0;
}
