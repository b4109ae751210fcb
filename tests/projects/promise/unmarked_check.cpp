// Atomicity: the balance is checked in one critical section, and taken in the next. Nobody marked
// it.
// TOLD: 1 block looks as if it should be atomic
#include <mutex>

#include "pair.h"
class Account {
public:
  __attribute__((noinline)) int balance() {
    const std::lock_guard<std::mutex> hold(lock_);
    return balance_;
  }
  __attribute__((noinline)) void withdraw(int amount) {
    const std::lock_guard<std::mutex> hold(lock_);
    balance_ -= amount;
  }

private:
  std::mutex lock_;
  int balance_ = 100; // the second one finds too little
};
Account account;
__attribute__((noinline)) void pay(int amount) {
  if (account.balance() >= amount) account.withdraw(amount);
}
void* first(void* unused) {
  pay(80);
  at(0);
  return unused;
}
void* second(void* unused) {
  at(1);
  pay(90);
  return unused;
}
int main() { run_both(first, second); }
