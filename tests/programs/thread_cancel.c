// Cancelled in read(2), a cancellation point that is intercepted.
// EXPECT: cancel * x1
// EXPECT: join * x1
// EXPECT: thread-end * x2
// EXPECT-OUTPUT: cancelled
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int ends[2];

static void* read_forever(void* unused) {
  char byte;
  while (read(ends[0], &byte, 1) != 0) {
  }
  return unused;
}

int main(void) {
  pthread_t thread;
  void* result = NULL;
  if (pipe(ends) != 0) return 1;
  pthread_create(&thread, NULL, read_forever, NULL);
  pthread_cancel(thread);
  pthread_join(thread, &result);
  puts(result == PTHREAD_CANCELED ? "cancelled" : "?");
  return 0;
}
