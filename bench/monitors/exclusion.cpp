// Peterson's mutual exclusion: two threads, three atomics, a counter and a little work inside.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include <sooth/monitor.h>

namespace {

std::atomic<int> wants[2], turn;
long counter;
std::uint64_t work;

void enter(int me) {
  wants[me].store(1);
  turn.store(1 - me);
  while (wants[1 - me].load() != 0 && turn.load() == 1 - me) std::this_thread::yield();
}

void worker(int me, long rounds) {
  std::uint64_t own = static_cast<std::uint64_t>(me) + 1;
  for (long i = 0; i < rounds; ++i) {
    for (int k = 0; k < 200; ++k) own = own * 6364136223846793005u + 1442695040888963407u;
    enter(me);
    sooth_internal("critical", 1);
    counter = counter + 1;
    work = work + own;
    sooth_internal("critical", 0);
    wants[me].store(0);
  }
}

} // namespace

int main(int argc, char** argv) {
  const long rounds = argc > 1 ? std::atol(argv[1]) : 500'000;
  std::thread first(worker, 0, rounds), second(worker, 1, rounds);
  first.join();
  second.join();
  std::printf("%ld %llu\n", counter, static_cast<unsigned long long>(work));
}
