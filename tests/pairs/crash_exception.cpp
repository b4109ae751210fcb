// A thread throws what nobody catches.
// END: crash
// EXPECT: crash *
// NOTE: std::terminate was called, with an exception of type `std::runtime_error`; signal 6
#include <stdexcept>
#include <thread>

#include "pair.h"

void work() {
  if (BAD) throw std::runtime_error("nobody catches this");
}

int main() {
  std::thread thread(work);
  thread.join();
}
