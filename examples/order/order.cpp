// Example 2 of Rosu and Sen, "An Instrumentation Technique for Online Analysis of Multithreaded Programs", section 4.1.
//
// The property (order.prop): if x > 0, then y == 0 at some time, and since then y > z was never true. In the run that is
// observed the states (x, y, z) are (-1,0,0) (0,0,0) (0,0,1) (1,0,1) (1,1,1), and it holds. There are three runs on seven
// states; in one of them y is written before z, and the property fails.
//
// To show the same run every time, the threads take turns. The turns are not part of the program that is meant: nothing
// of them is recorded, and nothing in the trace orders the threads.
#include <cstdio>
#include <thread>

#include <sched.h>

#include <sooth/sooth.h>

int x = -1, y = 0, z = 0;

static int turn = 0;

SOOTH_NO_RECORD __attribute__((noinline)) static void wait_for_turn(int mine) {
  while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) != mine) sched_yield();
}
SOOTH_NO_RECORD __attribute__((noinline)) static void end_turn() { __atomic_fetch_add(&turn, 1, __ATOMIC_RELEASE); }

static void first() {
  wait_for_turn(0);
  sooth_event("turn", 0); // orders nothing, but what comes is recorded as later than what was
  x++;
  const int seen = x;
  end_turn();
  wait_for_turn(2);
  sooth_event("turn", 0);
  y = seen + 1;
  end_turn();
}

static void second() {
  wait_for_turn(1);
  sooth_event("turn", 0);
  z = x + 1;
  sooth_event("turn", 0);
  x++;
  end_turn();
}

int main() {
  std::thread one(first), two(second);
  one.join();
  two.join();
  std::printf("x = %d, y = %d, z = %d\n", x, y, z);
}
