#include "ledger.h"

/* The last answer, kept for no other reason than that a file without instrumentation should touch memory too. */
static _Thread_local long last_answer;

long pallets_for(long pieces) {
  last_answer = (pieces + 47) / 48;
  return last_answer;
}
