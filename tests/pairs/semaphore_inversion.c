// Two semaphores, each taken by one thread and wanted by the other, as with locks; the good one takes them in one order.
// EXPECT: deadlock * @first @second
#include <semaphore.h>

#include "pair.h"

sem_t left, right;

void* first(void* unused) {
  sem_wait(&left);
  sem_wait(&right); // @first
  sem_post(&right);
  sem_post(&left);
  at(0);
  return unused;
}
void* second(void* unused) {
  at(1);
  sem_wait(BAD ? &right : &left);
  sem_wait(BAD ? &left : &right); // @second
  sem_post(&left);
  sem_post(&right);
  return unused;
}

int main(void) {
  sem_init(&left, 0, 1);
  sem_init(&right, 0, 1);
  run_both(first, second);
  return 0;
}
