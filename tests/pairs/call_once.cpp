// std::call_once, or two calls.
// EXPECT: race value @init @init
#include <mutex>
#include <thread>

#include "pair.h"

std::once_flag flag;
int value;

void initialise() {
  value = 1; // @init
}
void work() {
  if (BAD) initialise();
  else std::call_once(flag, initialise);
}

int main() {
  std::thread first([] {
    work();
    at(0);
  });
  std::thread second([] {
    at(1);
    work();
  });
  first.join();
  second.join();
}
