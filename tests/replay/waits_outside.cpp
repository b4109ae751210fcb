// The reader waits for the writer by means that no schedule knows: the predicted order cannot be
// forced.
#include <mutex>
#include <thread>

#include "../pairs/pair.h"

std::mutex gate;
int value;

int main() {
  std::thread writer([] {
    value = 1;
    {
      const std::lock_guard<std::mutex> lock(gate);
    }
    at(0);
  });
  at(1);
  {
    const std::lock_guard<std::mutex> lock(gate);
  }
  value = 2;
  writer.join();
}
