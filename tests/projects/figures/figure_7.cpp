// jPredictor, Fig. 7, as its text tells it: two threads, a block under the same lock each; the second block's write depends on the first one's.
#include <mutex>
#include <thread>

#include "../../pairs/pair.h"

std::mutex lock;
int e11, e12, e13, e21, e22;

void one() {
  {
    const std::lock_guard hold(lock);
    e11 = 1;
    e12 = 1;
  }
  e13 = 1;
  at(0);
}

void two() {
  at(1);
  {
    const std::lock_guard hold(lock);
    e21 = e11;
  }
  e22 = 1;
}

int main() {
  std::thread first(one), second(two);
  first.join();
  second.join();
}
