// Works on shared data in several threads until one of them ends the process:  killed kill|segv|abort|_exit SEED
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

#include <sooth/sooth.h>

namespace {

constexpr unsigned kThreads = 4;
std::mutex lock;
std::condition_variable changed;
std::vector<std::string*> queue;
long total;
unsigned char bytes[4096];

struct Random {
  unsigned state;
  unsigned next() { return state = state * 1664525u + 1013904223u, state >> 8; }
};

void step(Random& random) {
  switch (random.next() % 4) {
  case 0: {
    std::lock_guard<std::mutex> hold(lock);
    queue.push_back(new std::string(random.next() % 100, 'x'));
    changed.notify_one();
    break;
  }
  case 1: {
    std::unique_lock<std::mutex> hold(lock);
    if (queue.empty()) break;
    std::string* item = queue.back();
    queue.pop_back();
    total += static_cast<long>(item->size());
    hold.unlock();
    delete item;
    break;
  }
  case 2: {
    std::lock_guard<std::mutex> hold(lock);
    std::memset(bytes + random.next() % 2048, static_cast<int>(random.next()), random.next() % 2048);
    break;
  }
  default: {
    std::lock_guard<std::mutex> hold(lock);
    for (unsigned i = 0; i < 256; ++i) total += bytes[i];
  }
  }
}

void die(const char* how) {
  sooth_event("dying", 1);
  if (std::strcmp(how, "kill") == 0) kill(getpid(), SIGKILL);
  if (std::strcmp(how, "segv") == 0) {
    int* volatile nowhere = nullptr;
    *nowhere = 1;
  }
  if (std::strcmp(how, "abort") == 0) std::abort();
  _exit(7);
}

void work(unsigned seed, unsigned steps, const char* how) {
  Random random{seed};
  for (unsigned i = 0; steps == 0 || i < steps; ++i) step(random);
  die(how);
}

} // namespace

int main(int count, char** arguments) {
  if (count != 3) return 2;
  const unsigned seed = static_cast<unsigned>(std::strtoul(arguments[2], nullptr, 10));
  Random random{seed * 7919u + 13u};
  const unsigned steps = 1 + random.next() % 400; // those of the thread that ends it all; the others never stop
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < kThreads; ++i)
    threads.emplace_back(work, random.next(), i == seed % kThreads ? steps : 0, arguments[1]);
  for (std::thread& thread : threads) thread.join();
}
