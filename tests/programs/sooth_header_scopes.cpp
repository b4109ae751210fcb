// <sooth/sooth.h> in C++: the scope ends when an exception leaves it.
// EXPECT: user * x1
// EXPECT: atomic-begin * x2
// EXPECT: atomic-end * x2
// EXPECT: watch level x1
// EXPECT-OUTPUT: caught 1
// FLAGS: -std=c++11 -Wall -Wextra -Wpedantic -Werror
#include <cstdio>
#include <sooth/sooth.h>

static int level;

SOOTH_NO_RECORD static int quietly(int n) { return n; }

static void fails() {
  SOOTH_ATOMIC("outer");
  {
    SOOTH_ATOMIC("inner");
    ++level;
  }
  throw quietly(1);
}

int main() {
  SOOTH_WATCH("level", level);
  try {
    fails();
  } catch (int n) {
    sooth_event("caught", n);
    std::printf("caught %d\n", level);
  }
  SOOTH_TERMINATES();
}
