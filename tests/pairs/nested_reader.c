// A reader reads once more; with a lock that prefers writers, one that waits stands between the two.
// EXPECT: deadlock * @again @write
// FLAGS: -D_GNU_SOURCE
#include "pair.h"

pthread_rwlock_t lock;

void* reader(void* unused) {
  pthread_rwlock_rdlock(&lock);
  pthread_rwlock_rdlock(&lock); // @again
  pthread_rwlock_unlock(&lock);
  pthread_rwlock_unlock(&lock);
  at(0);
  return unused;
}
void* writer(void* unused) {
  at(1);
  pthread_rwlock_wrlock(&lock); // @write
  pthread_rwlock_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_rwlockattr_t attributes;
  pthread_rwlockattr_init(&attributes);
  if (BAD) pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
  pthread_rwlock_init(&lock, &attributes);
  run_both(reader, writer);
  return 0;
}
