// Local statics: one that throws at first, and one that several threads want.
// The unwinder initialises itself once too, so the other counts are lower bounds.
// EXPECT: once-begin * >=3
// EXPECT: once-end * >=2
// EXPECT: once-end!failed * x1
// EXPECT-OUTPUT: thrown
// EXPECT-OUTPUT: 7 10
#include <cstdio>
#include <thread>
#include <vector>

static int attempts;

struct Fussy {
  Fussy() {
    if (attempts++ == 0) throw 1;
  }
  int value = 7;
};
static Fussy& fussy() {
  static Fussy one;
  return one;
}
struct Table {
  Table() : cells(10) {}
  std::vector<int> cells;
};
static Table& table() {
  static Table one;
  return one;
}

int main() {
  try {
    fussy();
  } catch (int) {
    std::puts("thrown");
  }
  const int value = fussy().value;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([] { table(); });
  for (std::thread& thread : threads) thread.join();
  std::printf("%d %d\n", value, static_cast<int>(table().cells.size()));
}
