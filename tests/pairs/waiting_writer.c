// Two readers would not stand in each other's way; with a lock that prefers writers, one that waits comes between them.
// EXPECT: deadlock * @mutex @behind @write
// FLAGS: -D_GNU_SOURCE
#include "pair.h"

pthread_rwlock_t lock;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void* first(void* unused) {
  pthread_rwlock_rdlock(&lock);
  pthread_mutex_lock(&mutex); // @mutex
  pthread_mutex_unlock(&mutex);
  pthread_rwlock_unlock(&lock);
  at(0);
  return unused;
}
void* second(void* unused) {
  at(1);
  pthread_mutex_lock(&mutex);
  pthread_rwlock_rdlock(&lock); // @behind
  pthread_rwlock_unlock(&lock);
  pthread_mutex_unlock(&mutex);
  at(2);
  return unused;
}
void* writer(void* unused) {
  at(3);
  pthread_rwlock_wrlock(&lock); // @write
  pthread_rwlock_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_rwlockattr_t attributes;
  pthread_rwlockattr_init(&attributes);
  if (BAD) pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
  pthread_rwlock_init(&lock, &attributes);
  pthread_t thread;
  pthread_create(&thread, NULL, writer, NULL);
  run_both(first, second);
  pthread_join(thread, NULL);
  return 0;
}
