// Hundreds of threads, a few at a time: each makes an event, learns what the others know, and ends.
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

volatile long steps; // the property's variable; only under the lock
static std::mutex lock;
volatile long apart[4]; // and four more, each of one thread of a generation

int main(int, char** arguments) {
  const int generations = std::atoi(arguments[1]);
  for (int g = 0; g < generations; ++g) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([i, g] {
        apart[i] = g + 1;
        if (i % 2 == 0) {
          const std::lock_guard<std::mutex> guard(lock);
          steps = steps + 1;
        }
      });
    for (std::thread& t : threads) t.join();
  }
  std::printf("%ld\n", static_cast<long>(steps));
}
