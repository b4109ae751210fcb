// Thirty threads, each created by the one before it, go in through a door, one at a time; a thirty-first shuts it.
//
// In the run that is observed the door is shut when all are inside. But nobody waits for anybody: it could be shut at any
// time, and the property (crowd.prop) then fails when the thirtieth comes in.
#include <cstdio>
#include <mutex>
#include <thread>

#include <sched.h>

#include <sooth/sooth.h>

constexpr int kCrowd = 30;

int inside = 0;
int shut = 0;
std::mutex door;

// Only so that the same run is shown every time: not recorded, and no part of the program that is meant.
static int came_in = 0;
SOOTH_NO_RECORD __attribute__((noinline)) static void count_one() { __atomic_fetch_add(&came_in, 1, __ATOMIC_RELEASE); }
SOOTH_NO_RECORD __attribute__((noinline)) static void wait_for_all() {
  while (__atomic_load_n(&came_in, __ATOMIC_ACQUIRE) != kCrowd) sched_yield();
}

static void come_in(int number) {
  {
    const std::lock_guard hold(door);
    ++inside;
  }
  count_one();
  if (number < kCrowd) std::thread(come_in, number + 1).join();
}

static void shut_it() {
  wait_for_all();
  sooth_event("now", 0);
  shut = 1;
}

int main() {
  std::thread porter(shut_it);
  std::thread(come_in, 1).join();
  porter.join();
  std::printf("inside = %d, shut = %d\n", inside, shut);
}
