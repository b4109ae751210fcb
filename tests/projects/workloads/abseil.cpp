// Abseil's primitives between threads; what it prints does not depend on their order.
#include <cstdio>
#include <deque>
#include <string>
#include <thread>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/barrier.h"
#include "absl/synchronization/blocking_counter.h"
#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"

namespace {

constexpr int kThreads = 4;
constexpr int kItems = 200;

struct Queue {
  absl::Mutex mutex;
  std::deque<int> items ABSL_GUARDED_BY(mutex);
  bool closed ABSL_GUARDED_BY(mutex) = false;

  bool ready() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) { return !items.empty() || closed; }
};

struct Table {
  absl::Mutex mutex;
  absl::flat_hash_map<std::string, long> sums ABSL_GUARDED_BY(mutex);
};

void consume(Queue& queue, Table& table, absl::Barrier* start) {
  if (start->Block()) delete start;
  for (;;) {
    int item = 0;
    {
      const absl::MutexLock lock(&queue.mutex);
      queue.mutex.Await(absl::Condition(&queue, &Queue::ready));
      if (queue.items.empty()) return;
      item = queue.items.front();
      queue.items.pop_front();
    }
    const absl::MutexLock lock(&table.mutex);
    table.sums[absl::StrCat("key", item % 7)] += item;
  }
}

} // namespace

int main() {
  Queue queue;
  Table table;
  absl::Notification all_sent;
  absl::BlockingCounter readers(2);
  auto* start = new absl::Barrier(kThreads);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back([&] { consume(queue, table, start); });
  for (int i = 0; i < 2; ++i)
    threads.emplace_back([&] {
      all_sent.WaitForNotification();
      const absl::ReaderMutexLock lock(&table.mutex);
      readers.DecrementCount();
    });
  for (int i = 0; i < kItems; ++i) {
    const absl::MutexLock lock(&queue.mutex);
    queue.items.push_back(i);
  }
  {
    const absl::MutexLock lock(&queue.mutex);
    queue.closed = true;
  }
  all_sent.Notify();
  readers.Wait();
  for (std::thread& thread : threads) thread.join();
  const absl::MutexLock lock(&table.mutex);
  for (int i = 0; i < 7; ++i) std::printf("key%d %ld\n", i, table.sums[absl::StrCat("key", i)]);
  return 0;
}
