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
  std::shared_ptr<int> one = common, two = common;
  std::thread first([&] {
    if (BAD) common = one; // @assign
    one.reset();
    at(0);
  });
  std::thread second([&] {
    at(1);
    if (BAD) common = two; // @assign
    two.reset();
  });
  first.join();
  second.join();
}
