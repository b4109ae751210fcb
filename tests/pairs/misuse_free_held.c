// An account is freed while its lock is taken: by the same thread, which forgot to give it up.
// EXPECT: misuse * @free
#include <stdlib.h>

#include "pair.h"

struct Account {
  pthread_mutex_t lock;
  int balance;
};

static void* use(void* p) {
  struct Account* account = p;
  pthread_mutex_lock(&account->lock);
  ++account->balance;
  pthread_mutex_unlock(&account->lock);
  return NULL;
}

int main(void) {
  struct Account* account = malloc(sizeof *account);
  pthread_mutex_init(&account->lock, NULL);
  account->balance = 0;
  pthread_t thread;
  pthread_create(&thread, NULL, use, account);
  pthread_join(thread, NULL);
  pthread_mutex_lock(&account->lock);
  const int last = account->balance;
  if (!BAD) pthread_mutex_unlock(&account->lock);
  free(account); // @free
  return last == 1 ? 0 : 1;
}
