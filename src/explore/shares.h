// Which worker takes which part of a level: its own share first, then parts of the others'.
//
// Workers have what they made in their caches. So a worker begins with the same share of every
// level, and takes from its neighbours only at the border between them, once its own share is done.
// The parts of a share become smaller: the first ones cost little besides their work, the last ones
// let all workers finish at about the same time.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace sooth::explore {

class Shares {
public:
  explicit Shares(unsigned workers) : workers_(workers), shares_(std::make_unique<Share[]>(workers)) {}

  // Divides `nodes` into parts and deals them out; before workers take any. `begins` gets the first
  // node of each part.
  void deal(std::size_t nodes, std::vector<std::size_t>& begins) {
    begins.clear();
    for (unsigned w = 0; w < workers_; ++w) {
      const std::size_t first = begins.size();
      divide(nodes * w / workers_, nodes * (w + 1) / workers_, forward(w), begins);
      shares_[w].left.store(pack(first, begins.size()), std::memory_order_relaxed);
    }
  }
  // One part, for the first worker that comes.
  void deal_one() {
    for (unsigned w = 0; w < workers_; ++w) shares_[w].left.store(pack(0, w == 0 ? 1 : 0), std::memory_order_relaxed);
  }
  // Each part once; nothing when all are taken.
  std::optional<std::size_t> take(unsigned worker) {
    // The outer end of the own share first: the neighbour may take parts at the other end.
    if (const auto own = take_from(worker, forward(worker))) return own;
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
  // Whether a worker goes through its share from its front.
  bool forward(unsigned worker) const { return worker < (workers_ + 1) / 2; }

  static void divide(std::size_t begin, std::size_t end, bool forward, std::vector<std::size_t>& begins) {
    constexpr std::size_t kSmallest = 32, kOfWideShare = 8, kWide = 512;
    const std::size_t largest = end - begin < kWide ? end - begin : (end - begin) / kOfWideShare;
    const auto first = static_cast<std::ptrdiff_t>(begins.size());
    for (std::size_t left = end - begin; left > 0;) {
      std::size_t size = std::clamp(left - left / 4, kSmallest, std::max(largest, kSmallest));
      if (left < size + kSmallest) size = left;
      begins.push_back(forward ? end - left : begin + left - size);
      left -= size;
    }
    if (!forward) std::reverse(begins.begin() + first, begins.end());
  }

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
