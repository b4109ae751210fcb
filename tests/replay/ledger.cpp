// In the recorded run (order.c forces it) the reader has the lock first, and the lock orders its
// read before the end of the ledger. In another run, it reads a null pointer.
#include <cstdio>
#include <mutex>
#include <thread>

#include "../pairs/pair.h"

std::mutex gate;
int page = 7;
int* ledger = &page;
int readers, closed;

void read_ledger() {
  at(0);
  const int number = *ledger; // @read
  {
    const std::lock_guard<std::mutex> lock(gate);
    ++readers;
  }
  std::printf("%d\n", number);
  std::fflush(stdout);
  at(1);
}

int main() {
  std::thread reader(read_ledger);
  at(2);
  {
    const std::lock_guard<std::mutex> lock(gate);
    ++closed;
  }
  ledger = nullptr; // @close
  reader.join();
}
