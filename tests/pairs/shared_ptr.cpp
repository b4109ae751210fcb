// Copies of a shared_ptr are safe; one shared_ptr that two threads assign is not.
// EXPECT: race * @assign @assign
// MAY: race
// MAY: use-after-free
// MAY: double-free
#include <memory>
#include <thread>

#include "pair.h"

std::shared_ptr<int> common = std::make_shared<int>(1);

int main() {
  std::thread first([mine = common]() mutable {
    if (BAD) common = mine; // @assign
    mine.reset();
    at(0);
  });
  std::thread second([mine = common]() mutable {
    at(1);
    if (BAD) common = mine; // @assign
    mine.reset();
  });
  first.join();
  second.join();
}
