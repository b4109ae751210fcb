// An object is deleted under its lock, but another thread does not look whether it is still there.
// EXPECT: use-after-free * @use
// MAY: race
#include <mutex>
#include <thread>

#include "pair.h"

struct Connection {
  int sent = 0;
};
std::mutex lock;
Connection* connection = new Connection;
bool open = true;

int main() {
  std::thread sender([] {
    const std::lock_guard<std::mutex> guard(lock);
    if (BAD || open) ++connection->sent; // @use
    at(0);
  });
  std::thread closer([] {
    at(1);
    const std::lock_guard<std::mutex> guard(lock);
    open = false;
    delete connection;
  });
  sender.join();
  closer.join();
}
