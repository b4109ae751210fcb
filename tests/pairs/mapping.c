// Memory from mmap, each thread its own or one for both.
// EXPECT: race * @write @write
#include <sys/mman.h>

#include "pair.h"

int* common;

static int* fresh(void) { return mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); }
static void use(void) {
  int* page = BAD ? common : fresh();
  *page = 1; // @write
  if (!BAD) munmap(page, 4096);
}
void* first(void* unused) {
  use();
  at(0);
  return unused;
}
void* second(void* unused) {
  at(1);
  use();
  return unused;
}

int main(void) {
  common = fresh();
  run_both(first, second);
  return 0;
}
