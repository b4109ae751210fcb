// Writing to standard output, and opening a file that has nothing to do with it, orders nothing.
// EXPECT: race shared
#include <fcntl.h>
#include <unistd.h>

#include "pair.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int shared;

void* first(void* unused) {
  if (!BAD) pthread_mutex_lock(&lock);
  shared = 1;
  if (!BAD) pthread_mutex_unlock(&lock);
  if (write(1, "first\n", 6) != 6) return NULL;
  at(0);
  return unused;
}
void* second(void* unused) {
  at(1);
  close(open("/dev/null", O_RDONLY));
  if (!BAD) pthread_mutex_lock(&lock);
  shared = 2;
  if (!BAD) pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  run_both(first, second);
  return 0;
}
