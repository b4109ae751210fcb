// What a thread registered to be destroyed at the end was made before that. The error: the thread goes on using it.
// EXPECT: race * @use @destroy
#include <pthread.h>

#include "pair.h"

struct Table {
  Table() { rows = 1; }
  ~Table() { rows = 0; } // @destroy
  int rows;
};

static Table& table() {
  static Table only;
  return only;
}

void* worker(void* unused) {
  Table& mine = table();
  if (BAD) mine.rows = 2; // @use
  at(0);
  return unused;
}

int main() {
  pthread_t thread;
  pthread_create(&thread, nullptr, worker, nullptr);
  pthread_detach(thread);
  at(1);
  return 0;
}
