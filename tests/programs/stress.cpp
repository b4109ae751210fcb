// Sixty-four threads on all primitives at once. Each chooses its next step by its own seeded numbers, so what is done is
// the same in every run; only the order is not.
// EXPECT: fork * >=64
// EXPECT: acquire * >=1000
// EXPECT: release * >=1000
// EXPECT: acquire-shared * >=500
// EXPECT: wait * >=0
// EXPECT: barrier-arrive * x256
// EXPECT: barrier-leave * x256
// EXPECT: sem-post * >=500
// EXPECT: once-begin * >=2
// EXPECT: alloc * >=500
// EXPECT: atomic-rmw * >=500
// EXPECT-OUTPUT: all steps done, queue empty
// FLAGS: -std=c++20
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <future>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

#include <pthread.h>
#include <semaphore.h>

namespace {

constexpr int kThreads = 64;
constexpr int kSteps = 200;
constexpr int kRounds = 4;

std::mutex plain_lock;
std::recursive_mutex recursive_lock;
std::timed_mutex timed_lock;
std::shared_mutex shared_lock;
pthread_spinlock_t spin_lock;
pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
pthread_barrier_t meeting;
sem_t tokens;
pthread_once_t once = PTHREAD_ONCE_INIT;

std::mutex queue_lock;
std::condition_variable queue_changed;
std::vector<int*> queue;

long counts[8];
std::atomic<long> steps{0};
std::atomic<long> ring{0};
thread_local long own_steps;

struct Random {
  unsigned state;
  unsigned next() { return state = state * 1664525u + 1013904223u, state >> 8; }
};

int& expensive() {
  static int value = [] { return 1; }();
  return value;
}

void push_and_pop() {
  {
    std::lock_guard<std::mutex> hold(queue_lock);
    queue.push_back(new int(7));
  }
  queue_changed.notify_one();
  std::unique_lock<std::mutex> hold(queue_lock);
  while (queue.empty()) queue_changed.wait(hold);
  int* item = queue.back();
  queue.pop_back();
  hold.unlock();
  delete item;
}

void descend(int depth) {
  std::lock_guard<std::recursive_mutex> hold(recursive_lock);
  ++counts[1];
  if (depth > 0) descend(depth - 1);
}

void one_step(Random& random) {
  switch (random.next() % 12) {
  case 0: {
    std::lock_guard<std::mutex> hold(plain_lock);
    ++counts[0];
    break;
  }
  case 1: descend(2); break;
  case 2:
    if (timed_lock.try_lock()) {
      ++counts[2];
      timed_lock.unlock();
    }
    break;
  case 3: {
    std::shared_lock<std::shared_mutex> hold(shared_lock);
    own_steps += counts[3] & 1;
    break;
  }
  case 4: {
    std::lock_guard<std::shared_mutex> hold(shared_lock);
    ++counts[3];
    break;
  }
  case 5:
    pthread_spin_lock(&spin_lock);
    ++counts[4];
    pthread_spin_unlock(&spin_lock);
    break;
  case 6:
    pthread_rwlock_rdlock(&rwlock);
    own_steps += counts[5] & 1;
    pthread_rwlock_unlock(&rwlock);
    break;
  case 7:
    sem_wait(&tokens);
    ring.fetch_add(1, std::memory_order_relaxed);
    sem_post(&tokens);
    break;
  case 8: push_and_pop(); break;
  case 9: {
    char* text = static_cast<char*>(std::malloc(64 + random.next() % 512));
    std::memset(text, 'x', 63);
    text[63] = 0;
    own_steps += static_cast<long>(std::strlen(text)) & 1;
    std::free(text);
    break;
  }
  case 10:
    pthread_once(&once, [] { counts[6] = 1; });
    own_steps += expensive() & 1;
    break;
  default:
    if (random.next() % 16 == 0) ring += std::async(std::launch::async, [] { return 1; }).get();
    else ring.exchange(ring.load() + 1);
  }
  steps.fetch_add(1);
}

void work(unsigned seed) {
  Random random{seed * 7919u + 1};
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < kSteps / kRounds; ++i) one_step(random);
    pthread_barrier_wait(&meeting);
  }
}

} // namespace

int main() {
  pthread_spin_init(&spin_lock, PTHREAD_PROCESS_PRIVATE);
  pthread_barrier_init(&meeting, nullptr, kThreads);
  sem_init(&tokens, 0, 4);
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < kThreads; ++i) threads.emplace_back(work, i);
  for (std::thread& thread : threads) thread.join();
  std::printf("%s, %s\n", steps == kThreads * kSteps ? "all steps done" : "steps missing",
              queue.empty() ? "queue empty" : "items left");
}
