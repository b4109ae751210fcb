// The two executions of DAME, section 3. `bank interleaved`: the transfer is seen half done. `bank apart`: the blocks
// overlap in time, but could have been one after the other.
#include <cstdio>
#include <cstring>
#include <thread>

#include <sooth/sooth.h>

#include "turns.h"

struct Account {
  int balance;
};
Account checking = {100}, saving = {0};
bool interleaved;

int calculate_balance() {
  SOOTH_ATOMIC("calculate_balance");
  turn(interleaved ? 1 : 0);
  const int first = checking.balance;
  if (!interleaved) done();
  turn(interleaved ? 1 : 2);
  const int second = saving.balance;
  done();
  return first + second;
}

void transfer(int amount) {
  SOOTH_ATOMIC("transfer");
  turn(interleaved ? 0 : 1);
  checking.balance = checking.balance - amount;
  done();
  turn(interleaved ? 2 : 3);
  saving.balance = saving.balance + amount;
}

int main(int, char** argv) {
  interleaved = std::strcmp(argv[1], "interleaved") == 0;
  int seen = 0;
  std::thread first([&seen] { seen = calculate_balance(); });
  std::thread second(transfer, 30);
  first.join();
  second.join();
  std::printf("seen %d, in all %d\n", seen, checking.balance + saving.balance);
}
