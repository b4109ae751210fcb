// A crash while another thread works.
// EXPECT: fork * x1
// EXPECT: sem-wait * x1
// EXPECT-EXIT: signal 11
#include <pthread.h>
#include <semaphore.h>

static sem_t started;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long counter;

static void* count(void* unused) {
  sem_post(&started);
  for (;;) {
    pthread_mutex_lock(&lock);
    ++counter;
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

int main(void) {
  pthread_t thread;
  int* volatile nowhere = NULL;
  sem_init(&started, 0, 0);
  pthread_create(&thread, NULL, count, NULL);
  sem_wait(&started);
  *nowhere = 1;
  return 0;
}
