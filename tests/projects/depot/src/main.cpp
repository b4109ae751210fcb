// A day in the depot: two lorries deliver, three orders take, everything is booked. The output is the same every day.
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

#include "ledger.h"
#include "store.h"

namespace {

depot::Store store;
std::atomic<int> orders_done{0};
int lorries_unloaded[2];

void lorry(ledger* book, int number) {
  for (int round = 0; round < 50; ++round) {
    store.deliver(round % 2 == 0 ? "bolts" : "nuts", 12);
    if (ledger_add(book, 12) != 0) return;
    ++lorries_unloaded[number];
  }
}

void order(ledger* book, const char* item) {
  for (int round = 0; round < 20; ++round) {
    store.take(item, 10);
    if (ledger_add(book, -10) != 0) return;
  }
  orders_done.fetch_add(1);
}

} // namespace

int main() {
  ledger* book = ledger_open();
  if (book == nullptr) return 1;
  std::vector<std::thread> threads;
  for (int number = 0; number < 2; ++number) threads.emplace_back(lorry, book, number);
  for (const char* item : {"bolts", "nuts", "bolts"}) threads.emplace_back(order, book, item);
  for (std::thread& thread : threads) thread.join();
  const long left = store.pieces_of("bolts") + store.pieces_of("nuts");
  std::printf("%d orders, %d deliveries, %lu entries, %ld pieces left on %ld pallets\n", orders_done.load(),
              lorries_unloaded[0] + lorries_unloaded[1], ledger_entries(book), left, pallets_for(left));
  const bool balanced = ledger_total(book) == left;
  ledger_close(book);
  return balanced ? 0 : 1;
}
