// A C program is not given the C++ library: the runtime needs none. Streams that it locks are locks like others.
// EXPECT: acquire * x3
// EXPECT: release * x3
// EXPECT: acquire!failed * x1
// EXPECT-OUTPUT: 0 1
#define _GNU_SOURCE
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static int busy;

static int look(struct dl_phdr_info* info, size_t size, void* found) {
  (void)size;
  *(int*)found += strstr(info->dlpi_name, "libstdc++") != NULL;
  return 0;
}

static void* try_lock(void* unused) {
  busy = ftrylockfile(stdin) != 0;
  return unused;
}

int main(void) {
  pthread_t thread;
  int libraries = 0;
  dl_iterate_phdr(look, &libraries);
  flockfile(stdin);
  flockfile(stdin);
  pthread_create(&thread, NULL, try_lock, NULL);
  pthread_join(thread, NULL);
  funlockfile(stdin);
  funlockfile(stdin);
  if (ftrylockfile(stdin) == 0) funlockfile(stdin);
  printf("%d %d\n", libraries, busy);
  return 0;
}
