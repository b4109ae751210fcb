// The project's own tests, in the plainest form: a status and a line for each mistake.
#include <cstdio>
#include <stdexcept>
#include <thread>

#include "ledger.h"
#include "store.h"

namespace {

int mistakes = 0;

void expect(bool holds, const char* what) {
  if (holds) return;
  std::printf("WRONG: %s\n", what);
  ++mistakes;
}

void an_order_waits_for_its_delivery() {
  depot::Store store;
  std::thread order([&] { store.take("bolts", 5); });
  store.deliver("bolts", 3);
  store.deliver("bolts", 4);
  order.join();
  expect(store.pieces_of("bolts") == 2, "two bolts are left");
  expect(store.pieces_of("nuts") == 0, "there never were nuts");
}

void entries_of_many_threads_add_up() {
  ledger* book = ledger_open();
  std::thread threads[4];
  for (std::thread& thread : threads)
    thread = std::thread([book] {
      for (long amount = 1; amount <= 100; ++amount) ledger_add(book, amount);
    });
  for (std::thread& thread : threads) thread.join();
  expect(ledger_entries(book) == 400, "400 entries");
  expect(ledger_total(book) == 4 * 5050, "their sum");
  ledger_close(book);
}

void an_exception_crosses_instrumented_frames() {
  bool caught = false;
  std::thread thread([&caught] {
    try {
      throw std::runtime_error("no lorry today");
    } catch (const std::exception&) {
      caught = true;
    }
  });
  thread.join();
  expect(caught, "the exception was caught");
}

} // namespace

int main() {
  an_order_waits_for_its_delivery();
  entries_of_many_threads_add_up();
  an_exception_crosses_instrumented_frames();
  expect(pallets_for(49) == 2, "49 pieces need two pallets");
  std::printf("%s\n", mistakes == 0 ? "all tests pass" : "some tests fail");
  return mistakes == 0 ? 0 : 1;
}
