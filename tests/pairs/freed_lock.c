// A mutex is memory: its block is freed while another thread may still come to lock it.
// EXPECT: use-after-free * @lock @free
#include <stdlib.h>

#include "pair.h"

struct gate {
  int unused[4];
  pthread_mutex_t mutex;
}* gate;

static void* pass(void* unused) {
  struct gate* mine = gate;
  pthread_mutex_lock(&mine->mutex); // @lock
  pthread_mutex_unlock(&mine->mutex);
  at(0);
  return unused;
}

int main(void) {
  pthread_t thread;
  gate = malloc(sizeof *gate);
  pthread_mutex_init(&gate->mutex, NULL);
  pthread_create(&thread, NULL, pass, NULL);
  at(1);
  if (!BAD) pthread_join(thread, NULL);
  free(gate); // @free
  if (BAD) pthread_join(thread, NULL);
  return 0;
}
