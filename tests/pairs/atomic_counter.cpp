// An atomic counter, or a plain one.
// EXPECT: race hits @count @count
#include <atomic>

#include "pair.h"

#if BAD
int hits;
#else
std::atomic<int> hits;
#endif

void* count(void* unused) {
  for (int i = 0; i < 3; ++i) ++hits; // @count
  return unused;
}

int main() {
  run_both(count, count);
  return 0;
}
