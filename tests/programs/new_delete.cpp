// operator new and delete in all forms; each object is one alloc and one free. An address that comes back is a new object.
// EXPECT: alloc * >=8
// EXPECT: free * >=8
// EXPECT-OUTPUT: 1 2 3 4 5
// FLAGS: -std=c++17
#include <cstdio>
#include <new>

struct alignas(128) Wide {
  int value = 4;
};
struct Small {
  explicit Small(int v) : value(v) {}
  int value;
};

static void keep(void* p) { __asm__ volatile("" : : "r"(p) : "memory"); } // or the compiler drops the pair

int main() {
  auto* one = new int(1);
  auto* array = new int[3]{2, 2, 2};
  auto* quiet = new (std::nothrow) int(3);
  auto* wide = new Wide;
  auto* wides = new Wide[2];
  auto* small = new Small(5);
  keep(one), keep(array), keep(quiet), keep(wide), keep(wides), keep(small);
  std::printf("%d %d %d %d %d\n", *one, array[1], *quiet, wides[1].value, small->value);
  delete one;
  delete[] array;
  delete quiet;
  delete wide;
  delete[] wides;
  delete small;
  for (int i = 0; i < 2; ++i) {
    auto* again = new Small(i);
    keep(again);
    delete again;
  }
}
