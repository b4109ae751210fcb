// The lock of a file (here: of the folder) keeps two threads apart; or one of them does not ask for it.
// EXPECT: race shared
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "pair.h"

int shared;

static void change(int locks) {
  const int folder = open(".", O_RDONLY);
  if (locks) flock(folder, LOCK_EX);
  ++shared;
  if (locks) flock(folder, LOCK_UN);
  close(folder);
}
void* careful(void* unused) {
  change(1);
  return unused;
}
void* careless(void* unused) {
  change(!BAD);
  return unused;
}

int main(void) {
  run_both(careful, careless);
  return 0;
}
