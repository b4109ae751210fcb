// Loops that walk over known ranges, and their near relatives that do not. All memory they share is in one arena at a
// fixed address, so that two builds can be compared byte by byte. A name that begins with `range_` is of a loop that is
// recorded as ranges wherever it is optimised, `each_` of one that keeps a hook for each access, `any_` of one where
// that is the optimiser's choice.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define OWN __attribute__((noinline))
void fake_mark(const char* tag) __attribute__((weak));

enum { kLength = 120, kWidth = 24 };
struct Point {
  double x, y;
};
struct Padded {
  char kind;
  int value;
};
struct Arena {
  int a[kLength], b[kLength], c[kLength];
  double real[kLength], other[kLength];
  char text[kLength];
  struct Point points[kLength];
  struct Padded padded[kLength];
  double grid[kWidth * kWidth], next[kWidth * kWidth];
};
static struct Arena* arena;
int global[kLength];
static _Thread_local int own_table[kLength];

// --- ranges -----------------------------------------------------------------------------------------------------
OWN int range_sum(const int* a, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += a[i];
  return sum;
}
OWN double range_strict_sum(const double* a, long n) { // not vectorised: the order of additions matters
  double sum = 0;
  for (long i = 0; i < n; ++i) sum += sqrt(fabs(a[i]));
  return sum;
}
OWN void range_scale(int* b, const int* a, int n) {
  for (int i = 0; i < n; ++i) b[i] = a[i] * 2;
}
OWN void range_restrict(int* restrict b, const int* restrict a, int n) {
  for (int i = 0; i < n; ++i) b[i] = a[i] * 3 + 1;
}
OWN void range_in_place(double* a, unsigned n) {
  for (unsigned i = 0; i < n; ++i) a[i] = a[i] * 0.5 + 1;
}
OWN void range_stencil(double* restrict to, const double* restrict from, long n) {
  for (long i = 1; i < n - 1; ++i) to[i] = 0.25 * from[i - 1] + 0.5 * from[i] + 0.25 * from[i + 1];
}
OWN void range_stencil_may_alias(double* to, const double* from, long n) {
  for (long i = 1; i < n - 1; ++i) to[i] = 0.25 * from[i - 1] + 0.5 * from[i] + 0.25 * from[i + 1];
}
OWN void any_rows(double* restrict to, const double* restrict from) {
  for (int y = 1; y < kWidth - 1; ++y)
    for (int x = 1; x < kWidth - 1; ++x) {
      const double* at = from + y * kWidth + x;
      to[y * kWidth + x] = 0.25 * (at[-kWidth] + at[-1] + at[1] + at[kWidth]);
    }
}
OWN void range_rows_unknown_width(double* restrict to, const double* restrict from, int width, int height) {
  for (int y = 1; y < height - 1; ++y)
    for (int x = 0; x < width; ++x)
      to[(long)y * width + x] = from[(long)(y - 1) * width + x] + from[(long)(y + 1) * width + x];
}
OWN void range_down(int* b, const int* a, int n) {
  for (int i = n - 1; i >= 0; --i) b[i] += a[i];
}
OWN long range_down_bytes(const char* p, const char* end) {
  long sum = 0;
  while (end != p) sum = sum * 31 + *--end;
  return sum;
}
OWN int range_pointers(const int* from, const int* end) {
  int sum = 0;
  for (; from < end; ++from) sum ^= *from + sum / 3;
  return sum;
}
OWN int range_unrolled(const int* a, int n) {
  int sum = 0;
#pragma clang loop vectorize(disable) unroll_count(4)
  for (int i = 0; i < n; ++i) sum = sum * 3 + a[i];
  return sum;
}
OWN int range_by_hand(const int* a, int n) {
  int even = 0, odd = 0;
  for (int i = 0; i < n; i += 2) even += a[i], odd -= a[i + 1] * 3;
  return even * odd;
}
OWN double range_points(const struct Point* p, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += p[i].x * p[i].y;
  return sum;
}
OWN int range_global_read(int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += global[i];
  return sum;
}
OWN void range_factor(int* b, const int* factor, int n) { // the compiler must read the factor each time
  for (int i = 0; i < n; ++i) b[i] = b[i] * 2 + *factor;
}
OWN void range_shift(int* a, int n) { // reads what it wrote
  for (int i = 0; i < n; ++i) a[i + 1] = (int)(a[i] * 3u) ^ 1;
}
OWN int range_short_index(const int* a, unsigned char n) {
  int sum = 0;
  for (unsigned char i = 0; i < n; ++i) sum += a[i];
  return sum;
}
OWN int range_offset(const int* a, long from, long to) {
  int sum = 0;
  for (long i = from; i < to; ++i) sum += a[i] * 7;
  return sum;
}
OWN int any_until_end(const int* a, unsigned n) { // do: at least once
  int sum = 0;
  unsigned i = 0;
  do sum += a[i++];
  while (i < n);
  return sum;
}
OWN double any_columns(const double* grid) {
  double sum = 0;
  for (int x = 0; x < kWidth; ++x)
    for (int y = 0; y < kWidth; ++y) sum = sum * 0.5 + grid[y * kWidth + x];
  return sum;
}
OWN int any_conditional(const int* a, int n) {
  int best = -1;
  for (int i = 0; i < n; ++i)
    if (a[i] > 10 && a[i] * 3 < 1000) best = best * 3 + a[i];
  return best;
}

// --- no ranges --------------------------------------------------------------------------------------------------
OWN int each_break(const int* a, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    if (a[i] == 77) break;
    sum += a[i];
  }
  return sum;
}
OWN int called(int n) { return n ^ 5; }
OWN int each_call(const int* a, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += called(a[i] + sum);
  return sum;
}
OWN int each_index(const int* a, const int* index, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += a[index[i] & 127];
  return sum;
}
OWN void each_global_write(int n) {
  for (int i = 0; i < n; ++i) global[i] = global[i] * 3 + i;
}
OWN void each_own_table(int n) {
  for (int i = 0; i < n; ++i) own_table[i] = own_table[i] * 5 + i;
}
OWN int each_stride(const int* a, int n) {
  int sum = 0;
#pragma clang loop vectorize(disable) interleave(disable)
  for (int i = 0; i < n; i += 3) sum += a[i];
  return sum;
}
OWN int each_padded(const struct Padded* p, int n) {
  int sum = 0;
#pragma clang loop vectorize(disable) interleave(disable)
  for (int i = 0; i < n; ++i) sum += p[i].kind * p[i].value;
  return sum;
}
OWN int each_volatile(const volatile int* a, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += a[i];
  return sum;
}
OWN int each_atomic(const int* a, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += __atomic_load_n(&a[i], __ATOMIC_RELAXED);
  return sum;
}
OWN int each_fence(const int* a, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    sum += a[i];
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
  }
  return sum;
}
OWN int each_assembly(const int* a, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    sum += a[i];
    __asm__ volatile("" ::: "memory");
  }
  return sum;
}
OWN void each_last_write(int* total, const int* a, int n) { // the total is written each time: it may be in `a`
  for (int i = 0; i < n; ++i) *total += a[i];
}
OWN long each_text(const char* p) {
  const char* end = p;
  long sum = 0;
  while (*end) sum = sum * 7 + *end++;
  return sum;
}
OWN void each_some_writes(int* b, const int* a, int n) {
  for (int i = 0; i < n; ++i)
    if (a[i] & 1) b[i] = 7;
}

static void mark(const char* tag) {
  if (fake_mark) fake_mark(tag);
}
#define RUN(call)                                                                                                      \
  do {                                                                                                                 \
    mark(#call);                                                                                                       \
    call;                                                                                                              \
  } while (0)
#define SHOW(call)                                                                                                     \
  do {                                                                                                                 \
    mark(#call);                                                                                                       \
    printf("%s %.6g\n", #call, (double)(call));                                                                        \
    mark("main");                                                                                                      \
  } while (0)

static void fill(void) {
  for (int i = 0; i < kLength; ++i) {
    arena->a[i] = i * 7 % 103 + (i == 30);
    arena->b[i] = i * 5 % 97;
    arena->c[i] = i % 11;
    arena->real[i] = i * 0.25;
    arena->other[i] = i * 0.125;
    arena->text[i] = (char)('a' + i % 26);
    arena->points[i] = (struct Point){i, i * 0.5};
    arena->padded[i].kind = (char)(i % 5);
    arena->padded[i].value = i;
    global[i] = i;
  }
  arena->text[kLength - 1] = 0;
  for (int i = 0; i < kWidth * kWidth; ++i) arena->grid[i] = i % 13, arena->next[i] = 0;
}

static unsigned checksum(void) {
  unsigned sum = 0;
  for (size_t i = 0; i < sizeof *arena; ++i) sum = sum * 31 + ((const volatile unsigned char*)arena)[i];
  for (int i = 0; i < kLength; ++i) sum = sum * 31 + (unsigned)global[i] + (unsigned)own_table[i];
  return sum;
}

static void run_ranges(int n) {
  struct Arena* m = arena;
  SHOW(range_sum(m->a, n));
  SHOW(range_strict_sum(m->real, n));
  RUN(range_scale(m->b, m->a, n));
  RUN(range_scale(m->a + 1, m->a, n)); // overlapping
  RUN(range_restrict(m->c, m->b, n));
  RUN(range_in_place(m->real, (unsigned)n));
  RUN(range_stencil(m->other, m->real, n));
  RUN(range_stencil_may_alias(m->other, m->real, n));
  RUN(range_stencil_may_alias(m->real + 1, m->real, n));
  RUN(any_rows(m->next, m->grid));
  RUN(range_rows_unknown_width(m->next, m->grid, n < kWidth ? n : kWidth, n < kWidth ? n : kWidth));
  RUN(range_down(m->b, m->c, n));
  SHOW(range_down_bytes(m->text, m->text + n));
  SHOW(range_pointers(m->a, m->a + n));
  SHOW(range_unrolled(m->a, n));
  SHOW(range_by_hand(m->a, n));
  SHOW(range_points(m->points, n));
  SHOW(range_global_read(n));
  RUN(range_factor(m->b, m->b + 3, n));
  RUN(range_shift(m->a, n));
  SHOW(range_short_index(m->a, (unsigned char)n));
  SHOW(range_offset(m->a, n / 3, n));
  SHOW(any_until_end(m->a, (unsigned)n));
  SHOW(any_columns(m->grid));
  SHOW(any_conditional(m->a, n));
}

static void run_each(int n) {
  struct Arena* m = arena;
  SHOW(each_break(m->a, n));
  SHOW(each_call(m->a, n));
  SHOW(each_index(m->a, m->c, n));
  RUN(each_global_write(n));
  RUN(each_own_table(n));
  SHOW(each_stride(m->a, n));
  SHOW(each_padded(m->padded, n));
  SHOW(each_volatile(m->a, n));
  SHOW(each_atomic(m->a, n));
  SHOW(each_fence(m->a, n));
  SHOW(each_assembly(m->a, n));
  RUN(each_last_write(m->a + 5, m->a, n));
  SHOW(each_text(m->text));
  RUN(each_some_writes(m->b, m->a, n));
}

int main(int argc, char** argv) {
  (void)argv;
  arena = mmap((void*)0x200000000000, sizeof *arena, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (arena == MAP_FAILED) return 1;
  // Zero iterations, one, fewer than a vector holds, and every kind of rest.
  const int lengths[] = {0, 1, 2, 3, 4, 5, 7, 8, 17, 63, 103};
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; ++i) {
    const int n = lengths[i] * argc;
    mark("main");
    fill();
    printf("length %d\n", n);
    run_ranges(n);
    mark("main");
    fill();
    run_each(n);
    mark("main");
    printf("%u\n", checksum());
  }
  return 0;
}
