// Children: a forked child dies by a failed assertion. The parent does not care.
// FOUND: crash
#undef NDEBUG
#include <assert.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
int value;
void* work(void* unused) {
  assert(value == 1);
  return unused;
}
int main(void) {
  if (fork() == 0) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    _exit(0);
  }
  wait(NULL);
}
