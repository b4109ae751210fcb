// One thread reads from a pipe, another one may close it before.
// EXPECT: race * @read @close
#include <unistd.h>

#include "pair.h"

static int ends[2];

static void* reader(void* unused) {
  char letter;
  if (read(ends[0], &letter, 1) != 1) return NULL; // @read
  at(0);
  return unused;
}

int main(void) {
  pthread_t thread;
  if (pipe(ends) != 0 || write(ends[1], "x", 1) != 1) return 1;
  pthread_create(&thread, NULL, reader, NULL);
  at(1);
  if (!BAD) pthread_join(thread, NULL);
  close(ends[0]); // @close
  if (BAD) pthread_join(thread, NULL);
  return 0;
}
