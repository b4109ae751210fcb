// pthread_exit from a nested call: cleanup handlers and destructors of keys still belong to the thread.
// EXPECT: fork * x1
// EXPECT: join * x1
// EXPECT: thread-end * x2
// EXPECT: acquire * x2
// EXPECT: release * x2
// EXPECT: stack-begin * >=1
// EXPECT: stack-end * >=1
// EXPECT-OUTPUT: cleanup, destructor, result 5
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t key;
static int result = 5;

static void locked_print(const char* text) {
  pthread_mutex_lock(&lock);
  printf("%s, ", text);
  pthread_mutex_unlock(&lock);
}
static void clean_up(void* text) { locked_print(text); }
static void destroy(void* value) { locked_print(value); }
static void leave(void) { pthread_exit(&result); }

static void* work(void* unused) {
  pthread_setspecific(key, "destructor");
  pthread_cleanup_push(clean_up, "cleanup");
  leave();
  pthread_cleanup_pop(0);
  return unused;
}

int main(void) {
  pthread_t thread;
  void* value = NULL;
  pthread_key_create(&key, destroy);
  pthread_create(&thread, NULL, work, NULL);
  pthread_join(thread, &value);
  printf("result %d\n", *(int*)value);
  return 0;
}
