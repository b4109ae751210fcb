/* What lies side by side is not the same: bytes of one word, locks of one word, atomics of one word. `neighbours MODE`: this
   thread touches something in its block, the other one touches its neighbour (or the same thing: MODE_same), and this one
   touches it again. Only if knowledge travels between the two, the block is not atomic. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include <sooth/sooth.h>

#include "turns.h"

static struct {
  char mine, theirs;
} bytes __attribute__((aligned(8)));
static pthread_spinlock_t locks[2] __attribute__((aligned(8)));
static atomic_char counts[2];
static const char* mode;

static int is(const char* what) { return strcmp(mode, what) == 0; }

static void spin(int which) {
  pthread_spin_lock(&locks[which]);
  pthread_spin_unlock(&locks[which]);
}

static void touch_mine(void) {
  if (is("locks") || is("locks_same")) spin(0);
  else if (is("atomics") || is("atomics_same")) atomic_fetch_add(&counts[0], 1);
  else bytes.mine += 1;
}

static void touch_theirs(void) {
  const char both[2] = {5, 5};
  if (is("locks") || is("locks_same")) spin(is("locks"));
  else if (is("atomics") || is("atomics_same")) atomic_fetch_add(&counts[is("atomics")], 1);
  else if (is("bytes")) bytes.theirs += 1;
  else if (is("bytes_same")) bytes.mine += 1;
  else memcpy(&bytes, both, sizeof both); /* both at once */
}

static void update(void) {
  SOOTH_ATOMIC("update");
  turn(0);
  touch_mine();
  done();
  turn(2);
  touch_mine();
}

static void* other(void* argument) {
  turn(1);
  touch_theirs();
  done();
  return argument;
}

int main(int argc, char** argv) {
  pthread_t thread;
  mode = argc > 1 ? argv[1] : "bytes";
  pthread_spin_init(&locks[0], 0);
  pthread_spin_init(&locks[1], 0);
  pthread_create(&thread, NULL, other, NULL);
  update();
  pthread_join(thread, NULL);
  printf("%d %d\n", bytes.mine, bytes.theirs);
  return 0;
}
