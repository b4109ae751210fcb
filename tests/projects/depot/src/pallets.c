#include "ledger.h"

/* The last answer, kept for no other reason than that a file without instrumentation should touch memory too. */
long last_answer;

long pallets_for(long pieces) {
  last_answer = (pieces + 47) / 48;
  return last_answer;
}
