// The last user destroys the lock that it has just given up, and frees it. POSIX allows that. The
// bad one looks at the object once more, under the same lock, after it has given up its share.
// EXPECT: use-after-free * @again
// MAY: double-free
#include <stdlib.h>

#include "pair.h"

struct shared {
  pthread_mutex_t mutex;
  int users;
}* shared;

static void give_up(struct shared* mine) {
  pthread_mutex_lock(&mine->mutex);
  const int last = --mine->users == 0;
  pthread_mutex_unlock(&mine->mutex);
  if (!last) return;
  pthread_mutex_destroy(&mine->mutex);
  free(mine);
}
void* first(void* unused) {
  struct shared* mine = shared;
  give_up(mine);
  if (BAD) {
    pthread_mutex_lock(&mine->mutex); // @again
    pthread_mutex_unlock(&mine->mutex);
  }
  at(0);
  return unused;
}
void* second(void* unused) {
  struct shared* mine = shared;
  at(1);
  give_up(mine);
  return unused;
}

int main(void) {
  shared = malloc(sizeof *shared);
  pthread_mutex_init(&shared->mutex, NULL);
  shared->users = 2;
  run_both(first, second);
  return 0;
}
