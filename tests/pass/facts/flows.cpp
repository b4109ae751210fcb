// What becomes of values that are read: at every level, the load of a line that ends with `flows`
// has a class, and none of a line that ends with `decides`.
#include <atomic>

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
  sum += value; // flows
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

void behind_a_reference(int& counter) {
  ++counter; // flows
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

// The second load may be left out of the trace as a repeat of the first one.
void twice() {
  int first = x;  // decides
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
  table[i & 3] = x; // decides
}
void divides() {
  y = 7 / x; // decides
}
void arguments() {
  outside(x); // decides
}
int returns() {
  return x; // decides
}
void calls_in_between() {
  int t = x; // decides
  outside(1);
  y = t;
}
void devices() {
  device = device + 1; // decides
}
int tickets() {
  return ticks.fetch_add(1, std::memory_order_relaxed); // decides
}
#ifdef __OPTIMIZE__
void ticking() {
  ticks.fetch_add(1, std::memory_order_relaxed); // flows
}
#endif

int main() {
  counts();
  return 0;
}
