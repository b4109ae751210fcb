// One thread makes blocks, another takes them from a bounded queue and hashes them; two condition variables.
#include <array>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <thread>

namespace {

using Block = std::array<std::uint32_t, 128>;

class BoundedQueue {
public:
  void put(const Block& block) {
    std::unique_lock hold(lock_);
    not_full_.wait(hold, [this] { return blocks_.size() < 64; });
    blocks_.push_back(block);
    not_empty_.notify_one();
  }
  bool take(Block& block) { // false: closed and empty
    std::unique_lock hold(lock_);
    not_empty_.wait(hold, [this] { return !blocks_.empty() || closed_; });
    if (blocks_.empty()) return false;
    block = blocks_.front();
    blocks_.pop_front();
    not_full_.notify_one();
    return true;
  }
  void close() {
    const std::scoped_lock hold(lock_);
    closed_ = true;
    not_empty_.notify_all();
  }

private:
  std::mutex lock_;
  std::condition_variable not_full_, not_empty_;
  std::deque<Block> blocks_;
  bool closed_ = false;
};

BoundedQueue queue;

void produce(std::size_t blocks) {
  std::uint32_t state = 1;
  for (std::size_t i = 0; i < blocks; ++i) {
    Block block;
    for (auto& word : block) word = state = state * 1664525u + 1013904223u;
    queue.put(block);
  }
  queue.close();
}

} // namespace

int main(int argc, char** argv) {
  const std::size_t blocks = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 600'000;
  std::thread producer(produce, blocks);
  std::uint64_t checksum = 0;
  std::thread consumer([&checksum] {
    Block block;
    while (queue.take(block)) {
      std::uint64_t hash = 14695981039346656037u;
      for (const std::uint32_t word : block) hash = (hash ^ word) * 1099511628211u;
      checksum += hash;
    }
  });
  producer.join();
  consumer.join();
  std::printf("%llu\n", static_cast<unsigned long long>(checksum));
}
