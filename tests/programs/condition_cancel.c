// A thread is cancelled while it waits: it has the mutex again before its cleanup handler gives it back.
// EXPECT: wait * x1
// EXPECT: wake!failed * x1
// EXPECT: wake * x0
// EXPECT: cancel * x1
// EXPECT: acquire * x3
// EXPECT: release * x3
// EXPECT: join * x1
// EXPECT: thread-end * x2
// EXPECT-OUTPUT: cleaned up
// EXPECT-OUTPUT: cancelled
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t has_lock;

static void clean_up(void* unused) {
  (void)unused;
  puts("cleaned up");
  pthread_mutex_unlock(&lock);
}

static void* wait_forever(void* unused) {
  pthread_mutex_lock(&lock);
  pthread_cleanup_push(clean_up, NULL);
  pthread_barrier_wait(&has_lock);
  for (;;) pthread_cond_wait(&never, &lock);
  pthread_cleanup_pop(0);
  return unused;
}

int main(void) {
  pthread_t thread;
  void* result = NULL;
  pthread_barrier_init(&has_lock, NULL, 2);
  pthread_create(&thread, NULL, wait_forever, NULL);
  pthread_barrier_wait(&has_lock);
  pthread_mutex_lock(&lock); // free only once it waits
  pthread_mutex_unlock(&lock);
  pthread_cancel(thread);
  pthread_join(thread, &result);
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
  puts(result == PTHREAD_CANCELED ? "cancelled" : "?");
  return 0;
}
