// A mutex is destroyed while a thread may still come to lock it. In the recorded run the thread was
// done with it.
// EXPECT: use-after-free mutex @lock @destroy
// NOTE: It was destroyed
// SUPPRESSED-BY: race:visit
#include "pair.h"

pthread_mutex_t mutex;
int visits;

static void* visit(void* unused) {
  pthread_mutex_lock(&mutex); // @lock
  ++visits;
  pthread_mutex_unlock(&mutex);
  at(0);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_mutex_init(&mutex, NULL);
  pthread_create(&thread, NULL, visit, NULL);
  at(1);
  if (!BAD) pthread_join(thread, NULL);
  pthread_mutex_destroy(&mutex); // @destroy
  if (BAD) pthread_join(thread, NULL);
  return 0;
}
