// System V's semaphore keeps two threads apart; or only one of them asks for it.
// EXPECT: race shared
#include <sys/ipc.h>
#include <sys/sem.h>

#include "pair.h"

int set;
int shared;

static void change(int by) {
  struct sembuf operation = {0, (short)by, 0};
  semop(set, &operation, 1);
}
void* careful(void* unused) {
  change(-1);
  ++shared;
  change(1);
  return unused;
}
void* careless(void* unused) {
  if (!BAD) change(-1);
  ++shared;
  if (!BAD) change(1);
  return unused;
}

int main(void) {
  set = semget(IPC_PRIVATE, 1, 0600);
  change(1);
  run_both(careful, careless);
  semctl(set, 0, IPC_RMID);
  return 0;
}
