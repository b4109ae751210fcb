// A shop with several mistakes, for the tests of the page. tests/pairs/order.c forces the schedule:
// in the recorded run, nothing goes wrong.
#include <mutex>
#include <thread>

extern "C" void at(int turn);

std::mutex stock_lock, till_lock, door;
int stock = 5, till = 0, customers = 0;
int price = 3;

// Race: price is written before the door's lock is taken, and read after it was given back.
void raise_price() {
  price = 4;
  const std::lock_guard<std::mutex> inside(door);
  customers = 1;
}
int look_at_price() {
  {
    const std::lock_guard<std::mutex> inside(door);
    customers = 2;
  }
  return price;
}

// Deadlock: the two locks are taken in both orders.
void sell(int amount) {
  const std::lock_guard<std::mutex> first(stock_lock);
  const std::lock_guard<std::mutex> second(till_lock);
  stock -= amount;
  till += 3 * amount;
}
void take_back(int amount) {
  const std::lock_guard<std::mutex> first(till_lock);
  const std::lock_guard<std::mutex> second(stock_lock);
  till -= 3 * amount;
  stock += amount;
}

int seen = 0;

int main() {
  std::thread clerk([] {
    at(1);
    raise_price();
    sell(2);
    at(2);
  });
  std::thread guest([] {
    at(3);
    seen = look_at_price();
    take_back(1);
  });
  at(0);
  clerk.join();
  guest.join();
}
