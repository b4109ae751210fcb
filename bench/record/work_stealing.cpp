// Work stealing on the deques of Chase and Lev ("Dynamic Circular Work-Stealing Deque", 2005), with the memory orders
// of Le, Pop, Cohen and Zappa Nardelli (2013) and an array of fixed size. The tasks walk a binary tree. Atomics and
// fences in every step, no locks.
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace {

constexpr std::int64_t kNone = -1;

class Deque {
public:
  void push(std::int64_t task) { // owner only; a walk never holds more tasks than the tree is deep, times two
    const std::int64_t bottom = bottom_.load(std::memory_order_relaxed);
    tasks_[bottom % kSlots].store(task, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    bottom_.store(bottom + 1, std::memory_order_relaxed);
  }
  std::int64_t pop() { // owner only
    const std::int64_t bottom = bottom_.load(std::memory_order_relaxed) - 1;
    bottom_.store(bottom, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    std::int64_t top = top_.load(std::memory_order_relaxed);
    if (top > bottom) {
      bottom_.store(bottom + 1, std::memory_order_relaxed);
      return kNone;
    }
    std::int64_t task = tasks_[bottom % kSlots].load(std::memory_order_relaxed);
    if (top == bottom) { // the last one: a thief may want it too
      if (!top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst, std::memory_order_relaxed))
        task = kNone;
      bottom_.store(bottom + 1, std::memory_order_relaxed);
    }
    return task;
  }
  std::int64_t steal() {
    std::int64_t top = top_.load(std::memory_order_acquire);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    const std::int64_t bottom = bottom_.load(std::memory_order_acquire);
    if (top >= bottom) return kNone;
    const std::int64_t task = tasks_[top % kSlots].load(std::memory_order_relaxed);
    if (!top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst, std::memory_order_relaxed)) return kNone;
    return task;
  }

private:
  static constexpr std::int64_t kSlots = 1024;
  alignas(64) std::atomic<std::int64_t> top_{0};
  alignas(64) std::atomic<std::int64_t> bottom_{0};
  std::array<std::atomic<std::int64_t>, kSlots> tasks_{};
};

std::array<Deque, 2> deques;
alignas(64) std::atomic<std::int64_t> leaves_left{0};
std::array<std::uint64_t, 2> sums;

// A leaf: some arithmetic of its own, so that stealing is not all there is.
std::uint64_t leaf(std::uint64_t seed) {
  for (int i = 0; i < 40; ++i) seed = (seed ^ (seed >> 7)) * 0x9e3779b97f4a7c15u;
  return seed >> 16;
}

// A task is a node of the tree: its height in the upper bits, its number in the lower ones.
void work(unsigned own) {
  std::uint64_t sum = 0;
  while (leaves_left.load(std::memory_order_relaxed) > 0) {
    std::int64_t task = deques[own].pop();
    if (task == kNone) task = deques[1 - own].steal();
    if (task == kNone) continue;
    const std::int64_t height = task >> 48, node = task & ((std::int64_t{1} << 48) - 1);
    if (height == 0) {
      sum += leaf(static_cast<std::uint64_t>(node));
      leaves_left.fetch_sub(1, std::memory_order_relaxed);
    } else {
      deques[own].push((height - 1) << 48 | (2 * node));
      deques[own].push((height - 1) << 48 | (2 * node + 1));
    }
  }
  sums[own] = sum;
}

} // namespace

int main(int argc, char** argv) {
  const std::int64_t height = argc > 1 ? std::strtoll(argv[1], nullptr, 10) : 22;
  leaves_left = std::int64_t{1} << height;
  deques[0].push(height << 48 | 1);
  std::thread first(work, 0), second(work, 1);
  first.join();
  second.join();
  std::printf("%llu\n", static_cast<unsigned long long>(sums[0] + sums[1]));
}
