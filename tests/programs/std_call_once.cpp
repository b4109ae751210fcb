// std::call_once: the first attempt throws and does not count.
// The unwinder initialises itself once too, so the other counts are lower bounds.
// EXPECT: once-begin * >=2
// EXPECT: once-end * >=1
// EXPECT: once-end!failed * x1
// EXPECT: once-wait * >=1
// EXPECT-OUTPUT: thrown
// EXPECT-OUTPUT: 1
#include <cstdio>
#include <mutex>
#include <stdexcept>

static std::once_flag flag;
static int runs;

int main() {
  try {
    std::call_once(flag, [] { throw std::runtime_error("first"); });
  } catch (const std::runtime_error&) {
    std::puts("thrown");
  }
  std::call_once(flag, [] { ++runs; });
  std::call_once(flag, [] { ++runs; });
  std::printf("%d\n", runs);
}
