// The bank of seed 003, section 3: two tellers move money between a checking and a saving account, one customer adds them up.
// Every transaction is a block that must be atomic, and is: one lock. As in a bank, a transaction writes a line of its
// journal and a checksum over it.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>

#include <sooth/sooth.h>

namespace {

struct Account {
  long balance;
};
Account checking = {1'000'000}, saving = {1'000'000};
std::mutex bank_lock;

struct Journal {
  char line[96];
  std::uint64_t checksum = 0;

  void write(const char* what, int teller, long amount, long result) {
    const int n = std::snprintf(line, sizeof line, "%-8s teller %d amount %12ld result %12ld", what, teller, amount, result);
    std::uint64_t hash = 14695981039346656037u;
    for (int i = 0; i < n; ++i) hash = (hash ^ static_cast<unsigned char>(line[i])) * 1099511628211u;
    checksum += hash;
  }
};

void transfer(long amount, int teller, Journal& journal) {
  SOOTH_ATOMIC("transfer");
  const std::scoped_lock hold(bank_lock);
  checking.balance = checking.balance - amount;
  saving.balance = saving.balance + amount;
  journal.write("transfer", teller, amount, 0);
}

long calculate_balance(int teller, Journal& journal) {
  SOOTH_ATOMIC("calculate_balance");
  const std::scoped_lock hold(bank_lock);
  const long sum = checking.balance + saving.balance;
  journal.write("balance", teller, 0, sum);
  return sum;
}

void tellers_day(int teller, long transactions, std::uint64_t* result) {
  Journal journal;
  std::uint32_t state = static_cast<std::uint32_t>(teller) + 1;
  for (long i = 0; i < transactions; ++i) {
    state = state * 1664525u + 1013904223u;
    if (i % 4 == 3) {
      if (calculate_balance(teller, journal) != 2'000'000) std::abort();
    } else {
      transfer(static_cast<long>(state >> 24) - 128, teller, journal);
    }
  }
  *result = journal.checksum;
}

} // namespace

int main(int argc, char** argv) {
  const long transactions = argc > 1 ? std::atol(argv[1]) : 2'000'000;
  std::uint64_t results[2] = {};
  std::thread first(tellers_day, 0, transactions / 2, &results[0]);
  std::thread second(tellers_day, 1, transactions / 2, &results[1]);
  first.join();
  second.join();
  std::printf("%ld %llu\n", checking.balance + saving.balance, static_cast<unsigned long long>(results[0] + results[1]));
}
