// Each thread gets the address of the loop's variable, or of a cell of its own.
// EXPECT: race * @read @next
#include "pair.h"

int seen;

void* child(void* argument) {
  seen = *(int*)argument; // @read
  at(0);
  return NULL;
}
void* idle(void* unused) { return unused; }

int main(void) {
  pthread_t threads[2];
  int cells[2] = {0, 1};
  for (int i = 0; i < 2; ++i) { // @next
    pthread_create(&threads[i], NULL, i == 0 ? child : idle, BAD ? &i : &cells[i]);
    if (i == 0) at(1);
  }
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return 0;
}
