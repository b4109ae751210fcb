// More thread-specific keys than libc has room for without an allocation: it gets the room when the
// 33rd is set, and frees it after the thread's recorded end.
// EXPECT: thread-end * x3
// EXPECT-OUTPUT: 80 destroyed
#include <pthread.h>
#include <stdio.h>

enum { kKeys = 40 };
static pthread_key_t keys[kKeys];
static int destroyed;

static void destroy(void* value) { ++*(int*)value; }

static void* use(void* unused) {
  for (int i = 0; i < kKeys; ++i) pthread_setspecific(keys[i], &destroyed);
  return unused;
}

int main(void) {
  for (int i = 0; i < kKeys; ++i) pthread_key_create(&keys[i], destroy);
  for (int i = 0; i < 2; ++i) {
    pthread_t thread;
    pthread_create(&thread, NULL, use, NULL);
    pthread_join(thread, NULL);
  }
  printf("%d destroyed\n", destroyed);
  return 0;
}
