// The bank of jPredictor, Table 1. Ten tellers move money between accounts, each of which has a lock of its own. At the end of the day every
// teller adds what it has moved to the bank's turnover, and there nobody thought of a lock: that is the race.
//
//   bank [TRANSACTIONS]      of each teller
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

#include "../../tests/pairs/pair.h"

constexpr int kTellers = 10, kAccounts = 8;

struct Account {
  std::mutex lock;
  long balance = 1'000'000'000;
};
Account accounts[kAccounts];
long turnover;

// What a card's code is checked with: rounds of mixing. It only computes, and is left out when the program is recorded.
__attribute__((noinline, const)) std::uint32_t card_code(std::uint32_t card) {
  std::uint32_t a = card, b = ~card;
  for (int round = 0; round < 400; ++round) {
    a = (a << 5 | a >> 27) + b * 0x9e3779b1u;
    b = (b << 11 | b >> 21) ^ a;
  }
  return a ^ b;
}

bool transfer(int from, int to, long amount) {
  if (from == to) return false;
  const std::lock_guard first(accounts[from < to ? from : to].lock);
  const std::lock_guard second(accounts[from < to ? to : from].lock);
  if (accounts[from].balance < amount) return false;
  accounts[from].balance -= amount;
  accounts[to].balance += amount;
  return true;
}

void tellers_day(int teller, long transactions) {
  long moved = 0;
  std::uint32_t random = static_cast<std::uint32_t>(teller) + 1;
  for (long i = 0; i < transactions; ++i) {
    random = card_code(random);
    const int from = static_cast<int>(random % kAccounts), to = static_cast<int>((random >> 8) % kAccounts);
    const long amount = 1 + static_cast<long>((random >> 16) % 100);
    if (transfer(from, to, amount)) moved += amount;
  }
  at(2 * teller); // in the recorded run the tellers go home one after the other
  turnover += moved;
  at(2 * teller + 1);
}

int main(int argc, char** argv) {
  const long transactions = argc > 1 ? std::atol(argv[1]) : 20'000;
  std::vector<std::thread> tellers;
  for (int teller = 0; teller < kTellers; ++teller) tellers.emplace_back(tellers_day, teller, transactions);
  for (std::thread& teller : tellers) teller.join();
  long sum = 0;
  for (const Account& account : accounts) sum += account.balance;
  std::printf("accounts %ld, turnover %ld\n", sum, turnover);
}
