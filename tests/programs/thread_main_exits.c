// main leaves by pthread_exit; the process ends with the last thread, with status 0.
// EXPECT: fork * x1
// EXPECT: thread-start * x2
// EXPECT: thread-end * x2
// EXPECT: join * x1
// EXPECT-OUTPUT: main has ended
#include <pthread.h>
#include <stdio.h>

static pthread_t main_thread;

static void* outlive(void* unused) {
  pthread_join(main_thread, NULL);
  puts("main has ended");
  return unused;
}

int main(void) {
  pthread_t thread;
  main_thread = pthread_self();
  pthread_create(&thread, NULL, outlive, NULL);
  pthread_detach(thread);
  pthread_exit(NULL);
}
