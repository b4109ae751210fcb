// Structures passed by value whose address other code gets: the copy is a write at the callee's entry, after its frame.
// LOG: write-range 64 0700000000000000@@at by_value.c:24 in init
// LOG: read8 0x9@@in get
// LOG: write8 0x10@@in init
#include <stdio.h>

struct plan {
  long steps[8];
};
struct device {
  struct plan plan;
  long first;
};
struct device device;

__attribute__((noinline)) long get(struct plan* p) { return p->steps[1]; }

__attribute__((noinline)) long sum(const struct plan* p, int n) {
  long total = 0;
  for (int i = 0; i < n; ++i) total += p->steps[i];
  return total;
}

__attribute__((noinline)) long init(struct device* d, struct plan p) {
  d->plan = p;
  d->first = get(&p) + p.steps[0];
  return d->first + sum(&p, 8);
}

int main(void) {
  const struct plan p = {{7, 9, 1, 2, 3, 4, 5, 6}};
  const long total = init(&device, p);
  printf("%ld %ld %ld\n", total, device.first, device.plan.steps[7]);
  return 0;
}
