// C11: create, join, detach, exit.
// EXPECT: fork * x3
// EXPECT: join * x2
// EXPECT: detach * x1
// EXPECT: thread-start * x4
// EXPECT: thread-end * >=3
// EXPECT-OUTPUT: 3 4
// FLAGS: -std=c11
#include <stdio.h>
#include <threads.h>

static mtx_t lock;
static cnd_t changed;
static int detached_done;

static int returns(void* value) { return *(int*)value; }
static int leaves(void* value) { thrd_exit(*(int*)value); }
static int tells(void* unused) {
  (void)unused;
  mtx_lock(&lock);
  detached_done = 1;
  cnd_signal(&changed);
  mtx_unlock(&lock);
  return 0;
}

int main(void) {
  thrd_t a, b, c;
  int three = 3, four = 4, first = 0, second = 0;
  mtx_init(&lock, mtx_plain);
  cnd_init(&changed);
  thrd_create(&a, returns, &three);
  thrd_create(&b, leaves, &four);
  thrd_join(a, &first);
  thrd_join(b, &second);
  thrd_create(&c, tells, NULL);
  thrd_detach(c);
  mtx_lock(&lock);
  while (!detached_done) cnd_wait(&changed, &lock);
  mtx_unlock(&lock);
  printf("%d %d\n", first, second);
  return 0;
}
