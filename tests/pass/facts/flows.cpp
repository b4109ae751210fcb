// What becomes of values that are read: at every level, the load of a line that ends with `flows`
// has a class, and none of a line that ends with `decides`. `anywhere`: it flows into memory that
// may be any.
#include <sooth/sooth.h>

#include <atomic>
#include <cstdio>
#include <iostream>

extern "C" int outside(int);

int x, y, table[4];
static int hidden;
float ratio;
volatile int device;
struct Bits {
  unsigned low : 3, high : 5;
} bits;
std::atomic<int> ticks;

struct Box {
  int sum = 0;
  __attribute__((noinline)) void add(int value);
};
void Box::add(int value) {
  sum += value; /* anywhere */ // flows
}

void counts() {
  x++;         // flows
  hidden += 3; // flows
  ratio *= 2;  // flows
  bits.high++; // flows
}
void halves() {
  x = x / 2 - 1; // flows
}

__attribute__((noinline)) void behind_one_that_is_static(int& counter) {
  counter += 2; // flows
}
void passes_static_variables() {
  behind_one_that_is_static(x);
  behind_one_that_is_static(table[2]);
}
__attribute__((noinline)) void behind_a_reference(int& counter) {
  ++counter; /* anywhere */ // flows
}
void passes_any_memory(int** counter, Box** box) {
  behind_a_reference(**counter);
  (*box)->add(1);
}

void copies() {
  y = x; // flows
}

void through_a_local() {
  int t = x; // flows
  t = t * 3;
  y = t + 1;
}

void local_is_looked_at_later() {
  int t = x; // decides
  y = t;
  if (t == 2) table[0] = 1;
}

// The second load may be left out of the trace as a repeat of the first one; then that one says so.
void twice() {
  int first = x;
  int second = x; // decides
  y = first;
  if (second == 2) table[1] = 1;
}

void branches() {
  if (x == 2) y = 1; // decides
}
void addresses() {
  table[x & 3] = 1; // decides
}
void elements(int i) {
  table[i & 3] = x; // flows
}
void divides() {
  y = 7 / x; // decides
}
void arguments() {
  outside(x); // decides
}
// What becomes of a result is decided by all callers.
__attribute__((noinline)) int returns() {
  return x; // decides
}
void uses_a_result() {
  if (returns() == 2) y = 1;
}
__attribute__((noinline)) int returns_to_a_store() {
  return x; // flows
}
void stores_a_result() { y = returns_to_a_store() + 1; }
// Its address is taken: anybody may call it.
__attribute__((noinline)) int returns_to_anybody() {
  return x; // decides
}
int (*function)() = returns_to_anybody;

__attribute__((noinline)) void takes(int value) { y = value; }
__attribute__((noinline)) void takes_and_looks(int value) {
  if (value == 3) y = 2;
}
void passes() {
  takes(x); // flows
}
void passes_what_decides() {
  takes_and_looks(x); // decides
}

void adds_up(int rounds) {
  int sum = 0;
  for (int i = 0; i < rounds; ++i) {
    sum += x; // flows
    outside(i);
  }
  table[0] = sum;
}
void is_a_bound() {
  for (int i = 0; i < x; ++i) outside(1); // decides
}
void chosen(bool first) {
  int t = 0;
  if (first) t = x; // flows
  outside(1);
  y = t;
}

void prints() {
  std::printf("%d %5ld\n", x, 1L);   // flows
  std::fprintf(stderr, "%03x\n", x); // flows
}
void printed_and_used() {
  if (std::printf("%d\n", x) == 2) y = 1; // decides
}
void prints_so_many(std::FILE* file) {
  std::printf("%*d\n", x, 1);    // decides
  std::fprintf(file, "%d\n", x); // decides
}
void formats(char* text) {
  std::sprintf(text, "%d\n", x); // decides
}
void writes_out() {
  std::fwrite(&x, sizeof x, 1, stdout); // flows
}
void writes_so_many(unsigned count) {
  std::fwrite(&x, 1, count, stdout); // decides
}
void writes_elsewhere(std::FILE* file) {
  std::fwrite(&x, sizeof x, 1, file); // decides
}
void shows() {
  std::cout << x << 'a' << x; // flows
}
void shows_elsewhere(std::ostream& stream) {
  stream << x; // decides
}
extern "C" SOOTH_ONLY_LOOKS void log_value(int value);
void logs() {
  log_value(x); // flows
}
void calls_in_between() {
  int t = x; // flows
  outside(1);
  y = t;
}
void devices() {
  device = device + 1; // decides
}
__attribute__((noinline)) int tickets() {
  return ticks.fetch_add(1, std::memory_order_relaxed); // decides
}
void looks_at_tickets() {
  if (tickets() == 2) y = 1;
}
void reads_atomically() {
  y = __atomic_load_n(&x, __ATOMIC_ACQUIRE); // flows
}
void stores_atomically() {
  __atomic_store_n(&y, x + 1, __ATOMIC_RELEASE); // flows
}
void adds_atomically() {
  __atomic_fetch_add(&y, x, __ATOMIC_RELAXED); // flows
}
void compares(int expected) {
  __atomic_compare_exchange_n(&y, &expected, x, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED); // decides
}
void waits() {
  while (__atomic_load_n(&x, __ATOMIC_ACQUIRE) == 0) outside(0); // decides
}
void ticking() {
  __atomic_fetch_add(&hidden, 1, __ATOMIC_RELAXED); // flows
}

int main() {
  counts();
  return 0;
}
