// Atomicity: a class whose members are locked one by one; what uses two of them in a row is not
// atomic. Nobody marked it.
// TOLD: 1 block looks as if it should be atomic
#include <mutex>

#include "pair.h"
class Account {
public:
  __attribute__((noinline)) int balance() {
    const std::lock_guard<std::mutex> hold(lock_);
    return balance_;
  }
  __attribute__((noinline)) void set(int balance) {
    const std::lock_guard<std::mutex> hold(lock_);
    balance_ = balance;
  }

private:
  std::mutex lock_;
  int balance_ = 0;
};
Account account;
__attribute__((noinline)) void deposit(int amount) { account.set(account.balance() + amount); }
void* first(void* unused) {
  deposit(10);
  at(0);
  return unused;
}
void* second(void* unused) {
  at(1);
  deposit(20);
  return unused;
}
int main() { run_both(first, second); }
