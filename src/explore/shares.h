// Who takes which part of a level: each worker its own share first, then from the others'.
//
// Workers hold in their caches what they made, so a worker begins with the same share of every level and takes from its
// neighbours only at the border between them, once its own share is done.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace sooth::explore {

class Shares {
public:
  explicit Shares(unsigned workers) : workers_(workers), shares_(std::make_unique<Share[]>(workers)) {}

  // Before workers take any.
  void deal(std::size_t parts) {
    for (unsigned w = 0; w < workers_; ++w)
      shares_[w].left.store(pack(parts * w / workers_, parts * (w + 1) / workers_), std::memory_order_relaxed);
  }
  // Each part once; nothing when all are taken.
  std::optional<std::size_t> take(unsigned worker) {
    // The outer end of the own share first: the end where it meets its neighbour's is what the neighbour may take.
    if (const auto own = take_from(worker, worker < workers_ / 2 || workers_ == 1)) return own;
    for (unsigned distance = 1; distance < workers_; ++distance) {
      if (worker >= distance)
        if (const auto lower = take_from(worker - distance, false)) return lower;
      if (worker + distance < workers_)
        if (const auto upper = take_from(worker + distance, true)) return upper;
    }
    return std::nullopt;
  }

private:
  // First part in the high half, the one behind the last in the low half.
  struct alignas(128) Share {
    std::atomic<std::uint64_t> left = 0;
  };
  static std::uint64_t pack(std::size_t first, std::size_t last) { return std::uint64_t{first} << 32 | last; }

  // Relaxed: what parts are made from was there before the round began (worker_pool.h).
  std::optional<std::size_t> take_from(unsigned share, bool front) {
    std::atomic<std::uint64_t>& left = shares_[share].left;
    std::uint64_t now = left.load(std::memory_order_relaxed);
    for (;;) {
      const std::size_t first = now >> 32, last = now & 0xffffffff;
      if (first >= last) return std::nullopt;
      if (left.compare_exchange_weak(now, front ? pack(first + 1, last) : pack(first, last - 1),
                                     std::memory_order_relaxed))
        return front ? first : last - 1;
    }
  }

  const unsigned workers_;
  std::unique_ptr<Share[]> shares_;
};

} // namespace sooth::explore
