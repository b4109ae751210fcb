// Two atomic operations are not one: an update in between is lost.
// TOLD: 1 block looks as if it should be atomic
#include <atomic>
#include <thread>

std::atomic<int> balance{100};

void deposit(int amount) { balance.store(balance.load() + amount); }

int main() {
  std::thread salary(deposit, 50), rent(deposit, -20);
  salary.join();
  rent.join();
  return balance.load() > 0 ? 0 : 1;
}
