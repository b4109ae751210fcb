// Children: a forked child takes two locks in two orders, one thread after the other.
// FOUND: deadlock
#include "pair.h"
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
void both(pthread_mutex_t* first, pthread_mutex_t* second) {
  pthread_mutex_lock(first);
  pthread_mutex_lock(second);
  pthread_mutex_unlock(second);
  pthread_mutex_unlock(first);
}
void* forth(void* unused) {
  both(&a, &b);
  at(0);
  return unused;
}
void* back(void* unused) {
  at(1);
  both(&b, &a);
  return unused;
}
int main(void) {
  if (fork() == 0) {
    run_both(forth, back);
    _exit(0);
  }
  wait(NULL);
}
