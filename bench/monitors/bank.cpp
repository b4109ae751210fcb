// The bank of DAME, section 3: two tellers move money between a checking and a saving account, and now and then add them
// up. Every transaction is a block that must be atomic, and is: one lock. `bank N journal` also keeps a journal as auditors
// want it: a line of text for each transaction, chained by SHA-256 to the lines before it.
#include <bit>
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
bool with_journal;

constexpr std::uint32_t kRounds[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

struct Journal {
  std::uint32_t chain[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                            0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

  // SHA-256's compression of one block of 64 bytes.
  void take(const char* block) {
    std::uint32_t w[64];
    for (int i = 0; i < 16; ++i) {
      w[i] = 0;
      for (int k = 0; k < 4; ++k) w[i] = w[i] << 8 | static_cast<unsigned char>(block[4 * i + k]);
    }
    for (int i = 16; i < 64; ++i) {
      const std::uint32_t a = w[i - 15], b = w[i - 2];
      w[i] = w[i - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3) + w[i - 7] +
             (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10);
    }
    std::uint32_t s[8];
    for (int i = 0; i < 8; ++i) s[i] = chain[i];
    for (int i = 0; i < 64; ++i) {
      const std::uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]),
                          major = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
      const std::uint32_t t =
          s[7] + (std::rotr(s[4], 6) ^ std::rotr(s[4], 11) ^ std::rotr(s[4], 25)) + choice + kRounds[i] + w[i];
      const std::uint32_t u = (std::rotr(s[0], 2) ^ std::rotr(s[0], 13) ^ std::rotr(s[0], 22)) + major;
      for (int k = 7; k > 0; --k) s[k] = s[k - 1];
      s[4] += t;
      s[0] = t + u;
    }
    for (int i = 0; i < 8; ++i) chain[i] += s[i];
  }

  void write(const char* what, int teller, long amount, long result) {
    char line[128] = {};
    std::snprintf(line, sizeof line, "%-18s teller %4d amount %12ld result %12ld chain %08x%08x", what, teller, amount,
                  result, chain[0], chain[1]);
    take(line);
    take(line + 64);
  }
};

void transfer(long amount, int teller, Journal& journal) {
  SOOTH_ATOMIC("transfer");
  {
    const std::scoped_lock hold(bank_lock);
    checking.balance = checking.balance - amount;
    saving.balance = saving.balance + amount;
  }
  if (with_journal) journal.write("transfer", teller, amount, 0);
}

long calculate_balance(int teller, Journal& journal) {
  SOOTH_ATOMIC("calculate_balance");
  long sum = 0;
  {
    const std::scoped_lock hold(bank_lock);
    sum = checking.balance + saving.balance;
  }
  if (with_journal) journal.write("calculate balance", teller, 0, sum);
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
  *result = std::uint64_t{journal.chain[0]} << 32 | journal.chain[7];
}

} // namespace

int main(int argc, char** argv) {
  const long transactions = argc > 1 ? std::atol(argv[1]) : 2'000'000;
  with_journal = argc > 2;
  std::uint64_t results[2] = {};
  std::thread first(tellers_day, 0, transactions / 2, &results[0]);
  std::thread second(tellers_day, 1, transactions / 2, &results[1]);
  first.join();
  second.join();
  std::printf("%ld %llx\n", checking.balance + saving.balance,
              static_cast<unsigned long long>(results[0] + results[1]));
}
