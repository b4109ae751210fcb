// What the source does not read is not read by the optimised program either, for that would be recorded. Such a value is 0x5ec7e7.
// LOG-NOT: 0x5ec7e7
// LOG-NOT: e7c75e
#include <cstdio>

#define HIDDEN 0x5ec7e7

int hidden = HIDDEN, open = 1;
bool wanted;
struct Many {
  int values[8];
} many = {{0, 0, 0, HIDDEN}}, many_too = {{0, 0, 0, HIDDEN}};
int every_second[16] = {1, HIDDEN, 2, HIDDEN, 3, HIDDEN, 4, HIDDEN, 5, HIDDEN, 6, HIDDEN, 7, HIDDEN, 8, HIDDEN};
int flags[16];
int unflagged[16] = {HIDDEN, HIDDEN, HIDDEN, HIDDEN, HIDDEN, HIDDEN, HIDDEN, HIDDEN};

__attribute__((noinline)) int one_arm() { return wanted ? hidden : 1; }
__attribute__((noinline)) int two_arms() { return wanted ? hidden : open; }
__attribute__((noinline)) int in_a_computation() { return wanted ? 2 * hidden + 1 : open; }
const int& pick(bool first, const int& a, const int& b) { return first ? a : b; }
// The two reads are made one, which both selects look at.
__attribute__((noinline)) int twice() {
  int local = 4;
  const bool first = wanted;
  const int sum = pick(first, hidden, local);
  const int& again = first ? hidden : local;
  return sum + again;
}
// Its callers must not load for it.
__attribute__((noinline)) static int callee(bool look, const Many& at) { return look ? at.values[3] : 3; }
__attribute__((noinline)) int caller() {
  const bool look = wanted;
  return callee(look, many) + callee(look, many_too);
}
__attribute__((noinline)) int evens() {
  int sum = 0;
  for (int i = 0; i < 8; ++i) sum += every_second[2 * i];
  return sum;
}
__attribute__((noinline)) int conditional_loop() {
  int sum = 0;
  for (int i = 0; i < 16; ++i)
    if (flags[i]) sum += unflagged[i];
  return sum;
}
// With masks the vectors are wider, and the compiler is keener on them.
__attribute__((noinline, target("avx2"))) int conditional_loop_of_masks() {
  int sum = 0;
  for (int i = 0; i < 16; ++i)
    if (flags[i]) sum += unflagged[i];
  return sum;
}
// Four choices side by side: two vectors and one choice.
__attribute__((noinline)) void side_by_side(int* out) {
  for (int i = 0; i < 8; ++i) out[i] = flags[i] ? unflagged[i] : open;
}

// The loop changes it only under its condition.
__attribute__((noinline)) void changed_by_loop() {
  for (int i = 0; i < 16; ++i)
    if (flags[i]) hidden += i;
}
__attribute__((noinline)) void changed_by_loops(int& variable, int count) {
  for (int i = 0; i < count; ++i)
    for (int j = 0; j < 16; ++j) {
      if (flags[j]) variable = 2 * variable + i;
      open += j;
    }
}
// The branches choose between places; one of the ways from there has an effect of its own.
__attribute__((noinline)) int of_a_way(int local) {
  const int* place = &hidden;
  if (!wanted) {
    place = &local;
    open += local;
  }
  return *place;
}
__attribute__((noinline)) int of_the_next_iteration(int local) {
  int sum = 0;
  const int* place = &local;
  do {
    sum += *place;
    place = &hidden;
  } while (flags[sum & 1]);
  return sum;
}

int main() {
  int out[8];
  side_by_side(out);
  changed_by_loop();
  changed_by_loops(hidden, 3);
  std::printf("%d %d %d %d %d %d\n", one_arm(), two_arms(), in_a_computation(), twice(), caller(), evens());
  std::printf("%d %d\n", conditional_loop(), out[7]);
  std::printf("%d %d\n", of_a_way(2), of_the_next_iteration(3));
  if (__builtin_cpu_supports("avx2")) std::printf("%d\n", conditional_loop_of_masks());
}
