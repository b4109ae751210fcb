// 32 threads that take more than they may; the recovery function gives back what is too much, and they go on.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

#include <sooth/monitor.h>

constexpr int kThreads = 32;
std::mutex pool_lock;
int available = 1000;
std::atomic<int> recoveries;
thread_local int held;

void take_one() {
  const std::scoped_lock hold(pool_lock);
  --available;
}

// Runs in the thread whose formula failed, and itself touches what is monitored.
void give_back(const sooth_violation* violation, void* context) {
  long long known = 0;
  if (!sooth_known("held", &known) || known != 3 || violation->line == 0) std::abort();
  {
    const std::scoped_lock hold(pool_lock);
    ++available;
  }
  sooth_internal("held", 2);
  sooth_internal("held", 4); // fails once more, here: told, but no second call
  sooth_internal("held", held = 2);
  static_cast<std::atomic<int>*>(context)->fetch_add(1);
}

void worker(int rounds) {
  for (int i = 0; i < rounds; ++i) {
    for (int k = 0; k < 3; ++k) {
      take_one();
      sooth_internal("held", ++held);
    }
    while (held != 0) {
      const std::scoped_lock hold(pool_lock);
      ++available;
      sooth_internal("held", --held);
    }
  }
}

int main(int, char** argv) {
  const int rounds = std::atoi(argv[1]);
  sooth_on_violation("give_back", give_back, &recoveries);
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(worker, rounds);
  for (std::thread& thread : threads) thread.join();
  std::printf("recoveries %s, available %d\n", recoveries.load() == kThreads * rounds ? "all" : "wrong", available);
}
