// What comes through a pipe was sent before: nothing else orders the two threads.
// EXPECT: send * >=1
// EXPECT: receive * >=1
// EXPECT-OUTPUT: 42
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int ends[2];
static int data;

static void* produce(void* unused) {
  data = 42;
  if (write(ends[1], "x", 1) != 1) return unused;
  return NULL;
}

int main(void) {
  pthread_t thread;
  char byte;
  if (pipe(ends) != 0 || pthread_create(&thread, NULL, produce, NULL) != 0) return 1;
  if (read(ends[0], &byte, 1) != 1) return 1;
  printf("%d\n", data);
  return pthread_join(thread, NULL);
}
