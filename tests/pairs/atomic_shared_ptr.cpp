// An atomic std::shared_ptr that one thread replaces while another one looks. The error: the pointer is a plain one.
// FLAGS: -std=c++20
// EXPECT: race * @write @read
// MAY: race
// MAY: use-after-free
#include <atomic>
#include <memory>

#include "pair.h"

#if BAD
std::shared_ptr<int> current = std::make_shared<int>(1);
#else
std::atomic<std::shared_ptr<int>> current = std::make_shared<int>(1);
#endif
int seen;

void* reader(void* unused) {
  const std::shared_ptr<int> mine = current; // @read
  seen = *mine;
  at(0);
  return unused;
}
void* writer(void* unused) {
  at(1);
  current = std::make_shared<int>(2); // @write
  return unused;
}

int main() {
  run_both(reader, writer);
  return 0;
}
