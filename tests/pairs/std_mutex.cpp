// std::mutex with guards; one access is outside.
// EXPECT: race total @outside @inside
#include <mutex>
#include <thread>

#include "pair.h"

std::mutex lock;
int total, seen;

int main() {
  std::thread first([] {
    const std::lock_guard<std::mutex> guard(lock);
    total = 1; // @inside
    at(0);
  });
  std::thread second([] {
    at(1);
    std::unique_lock<std::mutex> guard(lock, std::defer_lock);
    if (!BAD) guard.lock();
    seen = total; // @outside
  });
  first.join();
  second.join();
}
