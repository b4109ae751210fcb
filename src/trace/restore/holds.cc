#include "trace/restore/holds.h"

#include <absl/container/btree_map.h>
#include <absl/container/inlined_vector.h>

#include <algorithm>
#include <array>
#include <vector>

#include "trace/restore/hand_over.h"

namespace sooth::trace {
namespace {

constexpr unsigned kBlockShift = 9;
constexpr std::uint64_t kBlockBytes = 1u << kBlockShift;

// Bytes of one block, a bit each. Bits are processed a word at a time: a range of kilobytes costs a
// few words.
struct ByteSet {
  std::array<std::uint64_t, kBlockBytes / 64> words = {};

  // The bytes first to last of the block.
  static ByteSet range(std::uint64_t first, std::uint64_t last) {
    ByteSet set;
    for (std::uint64_t word = first / 64; word <= last / 64; ++word) {
      set.words[word] = ~std::uint64_t{0};
      if (word == first / 64) set.words[word] &= ~std::uint64_t{0} << first % 64;
      if (word == last / 64) set.words[word] &= ~std::uint64_t{0} >> (63 - last % 64);
    }
    return set;
  }
  bool any() const {
    return std::any_of(words.begin(), words.end(), [](std::uint64_t word) { return word != 0; });
  }
  void add(const ByteSet& other) {
    for (std::size_t i = 0; i < words.size(); ++i) words[i] |= other.words[i];
  }
  void take(const ByteSet& other) {
    for (std::size_t i = 0; i < words.size(); ++i) words[i] &= ~other.words[i];
  }
};

// The bytes of a block that one thread holds.
struct Hold {
  std::uint32_t thread;
  std::uint32_t segment;
  ByteSet reads;   // bytes held by a read
  ByteSet writes;  // ... by a write
  ByteSet touched; // ... that another thread touched since the holder's last event
};

using Holds = absl::InlinedVector<Hold, 1>; // most bytes are held by one thread at a time

class HoldCheck {
public:
  explicit HoldCheck(Trace& trace) : trace_(trace), segments_(trace.threads.size()), touched_(trace.threads.size()) {}

  void run() {
    for (const Event& e : trace_.events) {
      const bool memory = (reads_memory(e.kind) || writes_memory(e.kind)) && e.kind != EventKind::ExternalWrite &&
                          e.size != 0 && e.address + (e.size - 1) >= e.address;
      settle(e, memory);
      if (ends_segment(e)) ++segments_[e.thread];
      if (memory) access(e);
    }
  }

private:
  // The holder's next event decides about its holds that another thread touched.
  void settle(const Event& e, bool memory) {
    std::vector<std::uint64_t>& blocks = touched_[e.thread];
    if (blocks.empty()) return;
    for (const std::uint64_t block : blocks) {
      const auto found = holds_.find(block);
      Hold* hold = found != holds_.end() ? of_thread(found->second, e.thread) : nullptr;
      if (hold != nullptr) settle(*hold, e, memory ? bytes_in(e, block) : ByteSet{});
    }
    blocks.clear();
  }

  // Counted once for each 8 aligned bytes.
  void settle(Hold& hold, const Event& e, const ByteSet& here) {
    const bool merges = e.has(kMerged) && writes_memory(e.kind);
    const bool goes_on = !ends_segment(e);
    for (std::size_t i = 0; i < here.words.size(); ++i) {
      std::uint64_t broken = merges ? hold.touched.words[i] & here.words[i] : 0;
      if (goes_on) broken |= hold.touched.words[i] & ~here.words[i];
      for (unsigned granule = 0; broken != 0 && granule < 8; ++granule) {
        const std::uint64_t mask = std::uint64_t{0xff} << (8 * granule);
        if ((broken & mask) == 0) continue;
        ++trace_.defects[static_cast<unsigned>(Defect::BrokenHolds)];
        hold.reads.words[i] &= ~mask;
        hold.writes.words[i] &= ~mask;
      }
    }
    hold.touched = {};
  }

  void access(const Event& e) {
    const bool writes = writes_memory(e.kind);
    const std::uint64_t last = (e.address + (e.size - 1)) >> kBlockShift;
    for (auto at = holds_.lower_bound(e.address >> kBlockShift); at != holds_.end() && at->first <= last; ++at) {
      if (budget_ == 0) return; // a trace made to be slow: skip the rest
      --budget_;
      meet(at->second, e, at->first, writes);
    }
    if (!e.has(kHeld) || e.size > kMaxPayload) return;
    for (std::uint64_t block = e.address >> kBlockShift; block <= last; ++block) {
      Holds& holds = holds_[block];
      Hold* hold = of_thread(holds, e.thread);
      if (hold == nullptr) hold = &holds.emplace_back(Hold{e.thread, segments_[e.thread], {}, {}, {}});
      (writes ? hold->writes : hold->reads).add(bytes_in(e, block));
    }
  }

  void meet(Holds& holds, const Event& e, std::uint64_t block, bool writes) {
    const auto ended = [&](const Hold& hold) { return hold.segment != segments_[hold.thread]; };
    holds.erase(std::remove_if(holds.begin(), holds.end(), ended), holds.end());
    if (holds.empty()) return;
    const ByteSet here = bytes_in(e, block);
    for (Hold& hold : holds) {
      if (hold.thread == e.thread) { // the thread's next kept access ends the hold of these bytes
        hold.reads.take(here);
        hold.writes.take(here);
        continue;
      }
      ByteSet met;
      for (std::size_t i = 0; i < met.words.size(); ++i) {
        const std::uint64_t held = hold.writes.words[i] | (writes ? hold.reads.words[i] : 0);
        met.words[i] = held & here.words[i];
      }
      if (!met.any()) continue;
      if (!hold.touched.any()) touched_[hold.thread].push_back(block);
      hold.touched.add(met);
    }
  }

  Hold* of_thread(Holds& holds, std::uint32_t thread) const {
    for (Hold& hold : holds)
      if (hold.thread == thread && hold.segment == segments_[thread]) return &hold;
    return nullptr;
  }

  static ByteSet bytes_in(const Event& e, std::uint64_t block) {
    const std::uint64_t begin = block << kBlockShift;
    const std::uint64_t from = std::max(e.address, begin);
    const std::uint64_t last = std::min(e.address + (e.size - 1), begin + (kBlockBytes - 1));
    return from <= last ? ByteSet::range(from - begin, last - begin) : ByteSet{};
  }

  Trace& trace_;
  std::vector<std::uint32_t> segments_;             // of each thread: segments ended so far
  std::vector<std::vector<std::uint64_t>> touched_; // of each thread: blocks with touched holds
  absl::btree_map<std::uint64_t, Holds> holds_;     // by block
  std::uint64_t budget_ = std::uint64_t{1} << 28;
};

} // namespace

bool ends_segment(const Event& e) {
  if (is_hand_over(e)) return false;
  if (e.kind == EventKind::AtomicRead) return true;
  if (e.kind == EventKind::Read || e.kind == EventKind::Write || object_of(e.kind) == ObjectKind::Call) return false;
  return !does(e.kind, act::kMarks) && e.has(kTicket);
}

void count_broken_holds(Trace& trace) {
  const bool any = std::any_of(trace.events.begin(), trace.events.end(), [](const Event& e) { return e.has(kHeld); });
  if (any) HoldCheck(trace).run();
}

} // namespace sooth::trace
