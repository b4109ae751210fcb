// libc stores a thread's id before the thread begins, so the thread may read it. Another thread may
// not, unless something else orders it.
// EXPECT: race id
#include "pair.h"

pthread_t id;
int found;

static void* look(void* unused) {
  if (pthread_equal(id, pthread_self())) found = 1;
  return unused;
}
static void* rest(void* unused) { return unused; }

int main(void) {
  pthread_t other;
  if (BAD) pthread_create(&other, NULL, look, NULL);
  pthread_create(&id, NULL, BAD ? rest : look, NULL);
  if (BAD) pthread_join(other, NULL);
  pthread_join(id, NULL);
  return 0;
}
