/* A ledger that threads write to: the C part of the depot. */
#ifndef DEPOT_LEDGER_H
#define DEPOT_LEDGER_H

#ifdef __cplusplus
extern "C" {
#endif

struct ledger; /* one mutex, one growing list of amounts */

struct ledger* ledger_open(void);
void ledger_close(struct ledger* ledger);
/* 0, or -1 if there is no memory left. */
int ledger_add(struct ledger* ledger, long amount);
long ledger_total(struct ledger* ledger);
unsigned long ledger_entries(struct ledger* ledger);

/* Rounds to whole pallets. Lives in a file that is compiled by another compiler in some builds. */
long pallets_for(long pieces);

#ifdef __cplusplus
}
#endif

#endif
