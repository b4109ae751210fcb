// Two threads read a variable at the same time, then a third one writes it, over and over. What
// keeps the rounds apart is not recorded: the variable alone carries what the threads know.
#include <cstdio>
#include <cstdlib>
#include <thread>

#include <sched.h>

#include <sooth/sooth.h>

volatile long seen[3]; // the property's variables: thread t writes only seen[t]
static volatile int x;

static int round_now = 1, readers_done;

SOOTH_NO_RECORD __attribute__((noinline)) static void wait_for_round(int round) {
  while (__atomic_load_n(&round_now, __ATOMIC_ACQUIRE) != round) sched_yield();
}
SOOTH_NO_RECORD __attribute__((noinline)) static void reader_is_done() {
  __atomic_add_fetch(&readers_done, 1, __ATOMIC_ACQ_REL);
}
SOOTH_NO_RECORD __attribute__((noinline)) static void wait_for_readers(int round) {
  while (__atomic_load_n(&readers_done, __ATOMIC_ACQUIRE) != 2 * round) sched_yield();
}
SOOTH_NO_RECORD __attribute__((noinline)) static void next_round(int round) {
  __atomic_store_n(&round_now, round, __ATOMIC_RELEASE);
}

int main(int, char** arguments) {
  const int rounds = std::atoi(arguments[1]);
  const auto read = [rounds](int self) {
    for (int round = 1; round <= rounds; ++round) {
      wait_for_round(round);
      seen[self] = round;
      (void)x;
      reader_is_done();
    }
  };
  std::thread first(read, 0), second(read, 1), writer([rounds] {
    for (int round = 1; round <= rounds; ++round) {
      wait_for_readers(round);
      x = round;
      seen[2] = round;
      next_round(round + 1);
    }
  });
  first.join();
  second.join();
  writer.join();
  std::puts("done");
}
