#include "trace/holds.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/inlined_vector.h>

#include <algorithm>
#include <vector>

namespace sooth::trace {
namespace {

struct Hold {
  std::uint32_t thread;
  std::uint32_t segment;
  std::uint8_t reads = 0;   // bytes of the granule held by a read
  std::uint8_t writes = 0;  // ... by a write
  std::uint8_t touched = 0; // ... that another thread came upon since the holder's last event
};

using Holds = absl::InlinedVector<Hold, 1>; // most bytes are held by one thread at a time

class HoldCheck {
public:
  explicit HoldCheck(Trace& trace) : trace_(trace), segments_(trace.threads.size()), touched_(trace.threads.size()) {}

  void run() {
    for (const Event& e : trace_.events) {
      const bool memory = (reads_memory(e.kind) || writes_memory(e.kind)) && e.kind != EventKind::ExternalWrite;
      settle(e, memory);
      if (ends_segment(e)) ++segments_[e.thread];
      if (memory) access(e);
    }
  }

private:
  // The holder's next event decides about those of its holds that another thread came upon.
  void settle(const Event& e, bool memory) {
    std::vector<std::uint64_t>& granules = touched_[e.thread];
    if (granules.empty()) return;
    for (const std::uint64_t granule : granules) {
      Hold* hold = find(granule, e.thread);
      if (hold == nullptr) continue;
      const std::uint8_t here = memory ? mask_in(e, granule) : 0;
      const bool merged = (hold->touched & here) != 0 && e.has(kMerged) && writes_memory(e.kind);
      const bool goes_on = (hold->touched & ~here) != 0 && !ends_segment(e);
      if (merged || goes_on) {
        ++trace_.defects[static_cast<unsigned>(Defect::BrokenHolds)];
        hold->reads = hold->writes = 0; // counted once
      }
      hold->touched = 0;
    }
    granules.clear();
  }

  void access(const Event& e) {
    const bool writes = writes_memory(e.kind);
    each_granule(e, [&](std::uint64_t granule, std::uint8_t mask) {
      const auto found = holds_.find(granule);
      if (found == holds_.end()) return;
      Holds& holds = found->second;
      holds.erase(
          std::remove_if(holds.begin(), holds.end(), [&](const Hold& h) { return h.segment != segments_[h.thread]; }),
          holds.end());
      for (Hold& hold : holds) {
        if (hold.thread == e.thread) { // the thread's next kept access ends the hold of these bytes
          hold.reads &= static_cast<std::uint8_t>(~mask);
          hold.writes &= static_cast<std::uint8_t>(~mask);
          continue;
        }
        const std::uint8_t held = writes ? hold.reads | hold.writes : hold.writes;
        if ((held & mask) == 0) continue;
        if (hold.touched == 0) touched_[hold.thread].push_back(granule);
        hold.touched |= held & mask;
      }
    });
    if (!e.has(kHeld) || e.size > kMaxPayload) return;
    each_granule(e, [&](std::uint64_t granule, std::uint8_t mask) {
      Hold* hold = find(granule, e.thread);
      if (hold == nullptr) hold = &holds_[granule].emplace_back(Hold{e.thread, segments_[e.thread]});
      (writes ? hold->writes : hold->reads) |= mask;
    });
  }

  Hold* find(std::uint64_t granule, std::uint32_t thread) {
    const auto found = holds_.find(granule);
    if (found == holds_.end()) return nullptr;
    for (Hold& hold : found->second) {
      if (hold.thread == thread && hold.segment == segments_[thread]) return &hold;
    }
    return nullptr;
  }

  static std::uint8_t mask_in(const Event& e, std::uint64_t granule) {
    const std::uint64_t from = std::max(e.address, granule * 8);
    const std::uint64_t last = std::min(e.address + e.size - 1, granule * 8 + 7);
    if (e.size == 0 || from > last) return 0;
    return static_cast<std::uint8_t>(((1u << (last - from + 1)) - 1) << (from & 7));
  }

  template <typename F>
  void each_granule(const Event& e, F&& f) {
    if (e.size == 0) return;
    if (e.size > kMaxPayload) {
      if (budget_ < holds_.size()) return;
      budget_ -= holds_.size();
      for (auto& [granule, holds] : holds_) {
        if (const std::uint8_t mask = mask_in(e, granule)) f(granule, mask);
      }
      return;
    }
    for (std::uint64_t granule = e.address >> 3; granule <= (e.address + e.size - 1) >> 3; ++granule)
      f(granule, mask_in(e, granule));
  }

  Trace& trace_;
  std::vector<std::uint32_t> segments_;             // of each thread: segments ended so far
  std::vector<std::vector<std::uint64_t>> touched_; // of each thread: granules with touched holds
  absl::flat_hash_map<std::uint64_t, Holds> holds_; // by granule
  std::uint64_t budget_ = std::uint64_t{1} << 28;
};

} // namespace

bool ends_segment(const Event& e) {
  switch (e.kind) {
  case EventKind::AtomicRead: return true;
  case EventKind::Alloc:
  case EventKind::Free:
  case EventKind::Map:
  case EventKind::Unmap:
  case EventKind::StackBegin:
  case EventKind::StackEnd:
  case EventKind::ThreadName:
  case EventKind::Enter:
  case EventKind::Exit:
  case EventKind::User:
  case EventKind::Watch: return false;
  default: return e.has(kTicket);
  }
}

void count_broken_holds(Trace& trace) {
  const bool any = std::any_of(trace.events.begin(), trace.events.end(), [](const Event& e) { return e.has(kHeld); });
  if (any) HoldCheck(trace).run();
}

} // namespace sooth::trace
