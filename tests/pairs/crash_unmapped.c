// Memory is read after another thread unmapped it.
// END: crash
// EXPECT: crash *
// MAY: use-after-free
// MAY: race
// NOTE: The address is in memory that thread 1 unmapped before
#include <sys/mman.h>

#include "pair.h"

int* volatile page;

void* remover(void* unused) {
  if (BAD) at(0);
  munmap(page, 4096);
  if (BAD) at(1);
  return unused;
}

int main(void) {
  pthread_t thread;
  page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  page[1] = 1;
  if (!BAD && page[1] != 1) return 1;
  pthread_create(&thread, NULL, remover, NULL);
  if (BAD) at(2);
  const int seen = BAD ? page[1] : 1;
  pthread_join(thread, NULL);
  return seen - 1;
}
