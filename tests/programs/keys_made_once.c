// libc writes the number of a key: the program made it, and not code without hooks.
// EXPECT: external-write * x0
// EXPECT: write pthread_key_create x1
// EXPECT: write tss_create x1
// EXPECT-OUTPUT: 3 3
// FLAGS: -std=c11
#include <pthread.h>
#include <stdio.h>
#include <threads.h>

static pthread_key_t posix_key;
static tss_t c11_key;
static once_flag once = ONCE_FLAG_INIT;
static mtx_t mutex;
static int posix_sum, c11_sum;

static void make(void) {
  pthread_key_create(&posix_key, NULL);
  tss_create(&c11_key, NULL);
  mtx_init(&mutex, mtx_plain);
}

static int work(void* number) {
  call_once(&once, make);
  pthread_setspecific(posix_key, number);
  tss_set(c11_key, number);
  mtx_lock(&mutex);
  posix_sum += *(int*)pthread_getspecific(posix_key);
  c11_sum += *(int*)tss_get(c11_key);
  mtx_unlock(&mutex);
  return 0;
}

int main(void) {
  int numbers[2] = {1, 2};
  thrd_t threads[2];
  for (int i = 0; i < 2; ++i) thrd_create(&threads[i], work, &numbers[i]);
  for (int i = 0; i < 2; ++i) thrd_join(threads[i], NULL);
  printf("%d %d\n", posix_sum, c11_sum);
  return 0;
}
