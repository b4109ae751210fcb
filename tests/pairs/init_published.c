// An object with a lock is published through a pointer. If the load is relaxed, nothing orders the
// lock's initialisation before its use.
// EXPECT: race * @init @lock
#include <stdatomic.h>
#include <stdlib.h>

#include "pair.h"

struct account {
  pthread_mutex_t lock;
  int balance;
};
static _Atomic(struct account*) published;

static void* deposit(void* unused) {
  at(1);
  struct account* account = atomic_load_explicit(&published, BAD ? memory_order_relaxed : memory_order_acquire);
  pthread_mutex_lock(&account->lock); // @lock
  account->balance = 10;
  pthread_mutex_unlock(&account->lock);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, deposit, NULL);
  struct account* account = malloc(sizeof *account);
  pthread_mutex_init(&account->lock, NULL); // @init
  atomic_store_explicit(&published, account, memory_order_release);
  at(0);
  pthread_join(thread, NULL);
  free(account);
  return 0;
}
