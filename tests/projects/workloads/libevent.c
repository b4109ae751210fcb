// Two threads that use libevent at the same time. They race on a variable of its own
// (docs/replay.md).
#include <event2/event.h>
#include <event2/thread.h>
#include <pthread.h>
#include <stdio.h>

static void expired(evutil_socket_t file, short what, void* count) {
  (void)file;
  (void)what;
  ++*(int*)count;
}

static void* run(void* count) {
  struct event_base* base = event_base_new();
  struct timeval soon = {0, 1000};
  struct event* timer = event_new(base, -1, 0, expired, count);
  event_add(timer, &soon);
  event_base_dispatch(base);
  event_free(timer);
  event_base_free(base);
  return NULL;
}

int main(void) {
  int first = 0, second = 0;
  evthread_use_pthreads();
  pthread_t thread;
  pthread_create(&thread, NULL, run, &first);
  run(&second);
  pthread_join(thread, NULL);
  printf("%d %d\n", first, second);
}
