// jPredictor, Fig. 2. One thread writes x (e1). The other reads it (e2); `inside` is written (e3') if it was there, `after` (e3) in any case. In the recorded
// run e1 comes first. Nothing says that it must come before e3, which would happen anyway; before e3' it must.
#include <thread>

#include "../../pairs/pair.h"

int x, inside, after;

void one() {
  x = 1;
  at(0);
}

void two() {
  at(1);
  if (x != 0) inside = 1;
  after = 1;
}

int main() {
  std::thread first(one), second(two);
  first.join();
  second.join();
}
