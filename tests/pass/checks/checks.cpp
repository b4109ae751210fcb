// Branches that end the program. A comment says what is known of the loads of its line:
//     // CHECK N FUNCTION   they are a check of N loads that fails with this function
//     // NONE               no check begins here
// `NONE -O0`: the optimiser makes another program of it, in which the load alone decides.
#undef NDEBUG
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <mutex>
#include <pthread.h>
#include <sooth/sooth.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
std::mutex guard;
int x, y;
bool flag;
int* pointer;
double real;
int items[4];
extern "C" void unknown(void);
extern "C" [[noreturn]] void leave(void);
extern "C" SOOTH_FAILS void give_up(int);
[[noreturn]] void die() {
  std::fputs("dead\n", stderr);
  std::abort();
}
[[noreturn]] void quit() { std::exit(1); }
void done() { std::exit(0); }
void left(int status) { std::exit(status); }
__attribute__((noinline)) void failed(const char* text) {
  std::cerr << "failed: " << text << std::endl;
  std::exit(EXIT_FAILURE);
}
struct Noisy {
  ~Noisy() { unknown(); }
};
[[noreturn]] void complain() { throw 1; }

void plain() { assert(x == 1); }            // CHECK 1 __assert_fail
void truth() { assert(flag); }              // CHECK 1 __assert_fail
void null() { assert(pointer != nullptr); } // CHECK 1 __assert_fail
void two() { assert(x + y == 100); }        // CHECK 2 __assert_fail
void order() {
  if (x > y) std::terminate(); // CHECK 2 std::terminate()
}
void trap() {
  if (x < 0) __builtin_trap(); // CHECK 1 __builtin_trap
}
void own() {
  if (x == 3) die(); // CHECK 1 die()
}
void message() {
  if (x == 3) { // CHECK 1 abort
    std::fprintf(stderr, "x is %d\n", 3);
    std::abort();
  }
}
void local() {
  const int seen = x; // CHECK 1 abort
  if (seen == 3) std::abort();
}
void unlocked() {
  pthread_mutex_lock(&lock);
  const int seen = x; // CHECK 1 abort
  pthread_mutex_unlock(&lock);
  if (seen == 3) std::abort();
}
int guarded() {
  int seen = 0;
  {
    const std::lock_guard<std::mutex> hold(guard);
    seen = x; // CHECK 1 abort
  }
  if (seen == 3) std::abort();
  return 0;
}
void exits() {
  if (x == 3) quit(); // CHECK 1 quit()
}
void exits_at_once() {
  if (x == 3) _Exit(2); // CHECK 1 _Exit
}
void complains() {
  if (x == 3) failed("x"); // CHECK 1 failed(char const*)
}
void complains_among_others() {
  const Noisy noisy;
  if (x == 3) { // CHECK 1 exit
    std::cerr << "x is " << 3 << '\n';
    std::exit(1);
  }
}
void marked() {
  if (x == 3) give_up(1); // CHECK 1 give_up
}
void ends_well() {
  if (x == 3) done(); // NONE
}
void ends_somehow(int status) {
  if (x == 3) left(status); // NONE
}
void killed() {
  if (x == 3) std::exit(130); // NONE
}
void throws() {
  if (x == 3) complain(); // NONE
}
void leaves() {
  if (x == 3) leave(); // NONE
}
void returns() {
  if (x == 3) std::puts("3"); // NONE
}
void called() {
  const int seen = x; // NONE
  unknown();
  if (seen == 3) std::abort();
}
void locked() {
  const int seen = x; // NONE
  pthread_mutex_lock(&lock);
  if (seen == 3) std::abort();
  pthread_mutex_unlock(&lock);
}
void twice() {
  pthread_mutex_lock(&lock);
  const int first = x; // NONE
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);
  const int second = y;
  pthread_mutex_unlock(&lock);
  if (first + second != 100) std::abort();
}
void changed() {
  const int first = x; // NONE -O0
  y = 5;
  if (first + y != 100) std::abort();
}
void fraction() {
  if (real > 0.5) std::abort(); // NONE
}
void followed() {
  if (*pointer + items[x] == 3) std::abort(); // NONE
}
void decided(int way) {
  const int seen = x; // NONE -O0
  if (way == 1 && seen == 3) std::abort();
}
void counted() {
  int all = 0;
  for (int i = 0; i < y; ++i) all += x; // NONE
  if (all == 3) std::abort();
}
