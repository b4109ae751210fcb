// Four threads hand items to each other, in many ways at once. An item names the event that its
// sender made last; who gets it makes an event with that name. So the test knows which event
// precedes which, however the threads ran.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

constexpr int kThreads = 4;

// The property's variables: thread t writes only seen[t].
volatile long seen[kThreads];

struct Item {
  long name;
  char text[48];
};
struct Queue {
  std::mutex lock;
  std::deque<Item*> items;
};
static Queue queues[3];
static std::atomic<Item*> slot;
static std::mutex table_lock;
static long table[64];
static long scratch[kThreads][512];

static Item* take(unsigned way) {
  if (way % 4 == 3) return slot.exchange(nullptr);
  Queue& queue = queues[way % 4];
  const std::lock_guard<std::mutex> guard(queue.lock);
  if (queue.items.empty()) return nullptr;
  Item* item = queue.items.front();
  queue.items.pop_front();
  return item;
}

static void give(unsigned way, Item* item) {
  if (way % 4 == 3) {
    if (Item* old = slot.exchange(item)) std::free(old);
    return;
  }
  Queue& queue = queues[way % 4];
  const std::lock_guard<std::mutex> guard(queue.lock);
  queue.items.push_back(item);
}

static void work(int self, int rounds) {
  unsigned random = 12345u + 977u * static_cast<unsigned>(self);
  long count = 0;
  for (int round = 0; round < rounds; ++round) {
    random = random * 1664525u + 1013904223u;
    for (long& cell : scratch[self]) cell = cell * 3 + round; // memory that is its own
    long from = 0;
    if (Item* item = take(random >> 20)) {
      from = item->name;
      if (std::strncmp(item->text, "item", 4) != 0) std::abort();
      std::free(item);
    } else {
      const std::lock_guard<std::mutex> guard(table_lock);
      from = table[random >> 26];
    }
    ++count;
    seen[self] = from; // the event: after the one that it names
    const long name = count * kThreads + self;
    if (random >> 31) {
      auto* item = static_cast<Item*>(std::malloc(sizeof(Item)));
      item->name = name;
      std::strcpy(item->text, "item of somebody");
      give(random >> 24, item);
    } else {
      const std::lock_guard<std::mutex> guard(table_lock);
      table[random >> 26] = name;
    }
  }
}

int main(int, char** arguments) {
  const int rounds = std::atoi(arguments[1]);
  for (int again = 0; again < 3; ++again) { // threads come and go
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) threads.emplace_back(work, i, rounds);
    for (std::thread& t : threads) t.join();
    const std::lock_guard<std::mutex> guard(table_lock);
    for (long& cell : table) cell = 0; // names of threads that are gone
    for (Queue& queue : queues) {
      for (Item* item : queue.items) std::free(item);
      queue.items.clear();
    }
    if (Item* old = slot.exchange(nullptr)) std::free(old);
  }
  std::puts("done");
}
