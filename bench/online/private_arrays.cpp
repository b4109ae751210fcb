// Two threads that update arrays of their own, and add to a sum under a lock now and then.
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

std::mutex gate;
int total;

namespace {

void work(unsigned seed, int rounds) {
  std::vector<unsigned> mine(1 << 14);
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0, at = seed; i < mine.size(); ++i) {
      at = (at * 5 + 1) % mine.size();
      mine[at] = mine[at] * 3 + mine[i] + seed;
    }
    const std::lock_guard<std::mutex> lock(gate);
    total += static_cast<int>(mine[static_cast<std::size_t>(round) % mine.size()] & 1);
  }
}

} // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 6000;
  std::thread first(work, 1, rounds), second(work, 2, rounds);
  first.join();
  second.join();
  std::printf("%d\n", total);
}
