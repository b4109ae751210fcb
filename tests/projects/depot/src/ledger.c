#include "ledger.h"

#include <pthread.h>
#include <stdlib.h>

#include "config.h"

struct ledger {
  pthread_mutex_t lock;
  long* amounts;
  unsigned long used, room;
};

struct ledger* ledger_open(void) {
  struct ledger* ledger = calloc(1, sizeof *ledger);
  if (ledger != NULL) pthread_mutex_init(&ledger->lock, NULL);
  return ledger;
}

void ledger_close(struct ledger* ledger) {
  pthread_mutex_destroy(&ledger->lock);
  free(ledger->amounts);
  free(ledger);
}

static int make_room(struct ledger* ledger) {
  if (ledger->used < ledger->room) return 0;
  unsigned long room = ledger->room != 0 ? 2 * ledger->room : LEDGER_FIRST_ROOM;
  long* amounts = realloc(ledger->amounts, room * sizeof *amounts);
  if (amounts == NULL) return -1;
  ledger->amounts = amounts;
  ledger->room = room;
  return 0;
}

int ledger_add(struct ledger* ledger, long amount) {
  pthread_mutex_lock(&ledger->lock);
  int result = make_room(ledger);
  if (result == 0) ledger->amounts[ledger->used++] = amount;
  pthread_mutex_unlock(&ledger->lock);
  return result;
}

long ledger_total(struct ledger* ledger) {
  long total = 0;
  pthread_mutex_lock(&ledger->lock);
  for (unsigned long i = 0; i < ledger->used; i++) total += ledger->amounts[i];
  pthread_mutex_unlock(&ledger->lock);
  return total;
}

unsigned long ledger_entries(struct ledger* ledger) {
  pthread_mutex_lock(&ledger->lock);
  unsigned long entries = ledger->used;
  pthread_mutex_unlock(&ledger->lock);
  return entries;
}
