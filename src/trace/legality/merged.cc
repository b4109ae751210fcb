// A merged write stands for several writes of the same bytes by one thread within one segment. The
// first of them must have been kept as it was; otherwise a property would miss states.
#include <cstdint>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "trace/legality/judge.h"

namespace sooth::trace::legality {

namespace {

// What an end of ownership is in the trace (docs/trace_format.md, "Owned blocks").
constexpr bool is_hand_over(const Event& e) {
  return (e.kind == EventKind::HbRelease || e.kind == EventKind::HbAcquire) && (e.address & kHandOverTags) != 0;
}
// Or a part of it: a sieve leaves out what cannot matter. An object at a reused address may have
// been moved with it.
bool is_owned_block(const Event& write) { return write.has(kOpaque) && write.site == 0 && write.size <= kOwnedBytes; }

// Events that leave the thread's segment as it is: accesses, the calls around them, marks on memory
// and names.
constexpr bool keeps_segment(const Event& e) {
  if (renews_memory(e.kind) || e.has(kFailed) || is_hand_over(e)) return true;
  switch (e.kind) {
  case EventKind::Read:
  case EventKind::Write:
  case EventKind::ExternalWrite:
  case EventKind::AtomicRead:
  case EventKind::Enter:
  case EventKind::Exit:
  case EventKind::Branch:
  case EventKind::ThreadName:
  case EventKind::FdUse:
  case EventKind::FdClose:
  case EventKind::LockInit:
  case EventKind::LockDestroy:
  case EventKind::BarrierInit:
  case EventKind::BarrierDestroy:
  case EventKind::SemInit:
  case EventKind::SemDestroy:
  case EventKind::Watch:
  case EventKind::User:
  case EventKind::AtomicBegin:
  case EventKind::AtomicEnd:
  case EventKind::SignalEnter: // a handler runs in between, and the segment continues behind it
  case EventKind::SignalExit: return true;
  default: return false;
  }
}

class Merged final : public Family {
public:
  explicit Merged(Judge& judge) : Family(judge), threads_(judge.trace.threads.size()) {
    for (const Event& e : judge.trace.events) any_ = any_ || e.has(kMerged);
  }

  std::unique_ptr<Family> copy() const override { return std::make_unique<Merged>(*this); }
  bool wants(EventKind) const override { return any_; } // most traces of tools and importers have none

  void step(const Event& e) override {
    PerThread& mine = threads_[e.thread];
    if (e.kind == EventKind::Write) {
      if (!e.has(kMerged)) keep(e, mine);
      else if (!is_owned_block(e)) check(e, mine); // else nothing of it was kept
    } else if (!keeps_segment(e)) {
      ++mine.segment;
      mine.ranges.clear();
    }
  }

private:
  static constexpr std::uint64_t kGranule = 8;
  static constexpr std::uint64_t kSmall = 64; // larger writes are kept as ranges

  struct Kept {
    std::uint64_t segment = 0;
    std::uint8_t mask = 0; // bytes of the granule
  };
  struct Range {
    std::uint64_t address;
    std::uint64_t bytes;
  };
  struct PerThread {
    std::uint64_t segment = 1;
    absl::flat_hash_map<std::uint64_t, Kept> granules;
    std::vector<Range> ranges; // of this segment
  };

  static std::uint8_t mask_in(std::uint64_t granule, std::uint64_t address, std::uint64_t bytes) {
    std::uint8_t mask = 0;
    for (unsigned i = 0; i < kGranule; ++i)
      if (granule * kGranule + i - address < bytes) mask = static_cast<std::uint8_t>(mask | 1u << i);
    return mask;
  }

  static std::uint8_t kept_in(std::uint64_t granule, const PerThread& mine) {
    const auto it = mine.granules.find(granule);
    std::uint8_t mask = it != mine.granules.end() && it->second.segment == mine.segment ? it->second.mask : 0;
    for (auto r = mine.ranges.begin(); mask != 0xff && r != mine.ranges.end(); ++r)
      mask |= mask_in(granule, r->address, r->bytes);
    return mask;
  }

  void keep(const Event& e, PerThread& mine) {
    if (e.size > kSmall) {
      mine.ranges.push_back({e.address, e.size});
      return;
    }
    for (std::uint64_t g = e.address / kGranule; g <= (e.address + e.size - 1) / kGranule; ++g) {
      Kept& kept = mine.granules[g];
      if (kept.segment != mine.segment) kept = {mine.segment, 0};
      kept.mask |= mask_in(g, e.address, e.size);
    }
  }

  void check(const Event& e, const PerThread& mine) {
    // Each byte by itself: one merged range may repeat the first writes of several small and large
    // accesses.
    bool found = true;
    for (std::uint64_t g = e.address / kGranule; found && g <= (e.address + e.size - 1) / kGranule; ++g)
      found = (mask_in(g, e.address, e.size) & ~kept_in(g, mine)) == 0;
    if (!found)
      judge_.object(Rule::MergedWrite, [&] {
        return fmt::format(
            "The merged write of {} bytes at {} by {} follows no kept write of these bytes in its segment.", e.size,
            judge_.name_of(e.address), judge_.thread_name(e.thread));
      });
  }

  bool any_ = false;
  std::vector<PerThread> threads_;
};

} // namespace

std::unique_ptr<Family> make_merged(Judge& judge) { return std::make_unique<Merged>(judge); }

} // namespace sooth::trace::legality
