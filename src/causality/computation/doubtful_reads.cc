#include "causality/computation/doubtful_reads.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <utility>

#include "base/shared_counts.h"

namespace sooth::causality {
namespace {

using trace::Event;
using trace::EventKind;
using trace::MemoryOrder;

bool is_doubtful_kind(const Event& e) {
  return (e.kind == EventKind::Read && e.has(trace::kGlued)) || (reads_memory(e.kind) && e.has(trace::kOpaque));
}
bool acquires(const Event& e) {
  return reads_memory(e.kind) && (e.order == MemoryOrder::Acquire || e.order == MemoryOrder::Consume ||
                                  e.order == MemoryOrder::AcqRel || e.order == MemoryOrder::SeqCst);
}
bool releases(const Event& e) {
  return writes_memory(e.kind) &&
         (e.order == MemoryOrder::Release || e.order == MemoryOrder::AcqRel || e.order == MemoryOrder::SeqCst);
}

bool moves_lock(OperationKind kind) {
  return kind == OperationKind::Acquire || kind == OperationKind::AcquireShared || kind == OperationKind::Release ||
         kind == OperationKind::ReleaseShared;
}

struct Mark {
  std::uint32_t thread;
  SharedCounts::Count count; // the thread's events up to and with it
  std::uint32_t event;
};
struct Accesses {
  std::vector<Mark> writes; // each thread's last one
  std::vector<Mark> reads;  // doubtful kinds, all of them
};

class Doubt {
public:
  Doubt(const trace::Trace& trace, const Locations& locations, const Effects& effects)
      : trace_(trace), locations_(locations), effects_(effects), clocks_(trace.threads.size()),
        first_(trace.threads.size(), kTrusted) {
    for (std::uint32_t i = 0; i < trace.events.size(); ++i)
      if (is_doubtful_kind(trace.events[i]) && locations.of(i).count != 0) mark_locations(i);
    if (looked_at_.empty()) return;
    for (const EventOrder& order : effects.orders) {
      const EventKind kind = trace.events[order.second].kind;
      // Orders that only keep things as they were are not synchronisation.
      if (order.conservative && kind != EventKind::SemWait && kind != EventKind::BarrierLeave) continue;
      if (order.recorded && kind != EventKind::SemWait && kind != EventKind::Wake) continue;
      incoming_[order.second].push_back(order.first);
      outgoing_.try_emplace(order.first);
    }
    for (std::uint32_t n = 0; n < effects.operations.size(); ++n)
      if (moves_lock(effects.operations[n].operation.kind)) locks_.emplace_back(effects.operations[n].event, n);
    std::ranges::sort(locks_);
  }

  std::vector<std::uint32_t> run() {
    if (looked_at_.empty()) return std::move(first_);
    std::vector<SharedCounts::Count> counts(trace_.threads.size(), 0);
    for (std::uint32_t i = 0; i < trace_.events.size(); ++i) {
      const Event& e = trace_.events[i];
      SharedCounts& clock = clocks_[e.thread];
      const SharedCounts::Count count = ++counts[e.thread];
      if (const auto it = incoming_.find(i); it != incoming_.end())
        for (const std::uint32_t first : it->second) clock.join(outgoing_[first]);
      synchronise(e, i, clock, count);
      if (const auto it = outgoing_.find(i); it != outgoing_.end()) it->second = up_to_now(e, clock, count);
      if (e.kind != EventKind::ExternalWrite) access(e, i, clock, count);
    }
    return std::move(first_);
  }

private:
  void mark_locations(std::uint32_t event) {
    const LocationRange range = locations_.of(event);
    for (std::uint32_t i = 0; i < range.count; ++i) looked_at_.try_emplace(range.first + i);
  }

  // A thread's own count only matters to those whom the clock is handed on to.
  static const SharedCounts& up_to_now(const Event& e, SharedCounts& clock, SharedCounts::Count count) {
    clock.raise(e.thread, count);
    return clock;
  }

  void synchronise(const Event& e, std::uint32_t i, SharedCounts& clock, SharedCounts::Count count) {
    for (; next_lock_ < locks_.size() && locks_[next_lock_].first == i; ++next_lock_) {
      const Operation& o = effects_.operations[locks_[next_lock_].second].operation;
      // Only the next writer sees what readers did.
      switch (o.kind) {
      case OperationKind::Acquire: clock.join(readers_[o.object]); [[fallthrough]];
      case OperationKind::AcquireShared: clock.join(writers_[o.object]); break;
      case OperationKind::Release: writers_[o.object].join(up_to_now(e, clock, count)); break;
      case OperationKind::ReleaseShared: readers_[o.object].join(up_to_now(e, clock, count)); break;
      default: break;
      }
    }
    if (acquires(e)) clock.join(atomics_[e.address]);
    if (releases(e)) atomics_[e.address].join(up_to_now(e, clock, count));
  }

  void access(const Event& e, std::uint32_t i, const SharedCounts& clock, SharedCounts::Count count) {
    const LocationRange range = locations_.of(i);
    for (std::uint32_t l = range.first; l < range.first + range.count; ++l) {
      const auto it = looked_at_.find(l);
      if (it == looked_at_.end()) continue;
      Accesses& accesses = it->second;
      if (is_doubtful_kind(e)) {
        for (const Mark& write : accesses.writes)
          if (write.thread != e.thread && clock[write.thread] < write.count) doubt(e.thread, i);
        accesses.reads.push_back({e.thread, count, i});
      }
      if (!writes_memory(e.kind)) continue;
      for (const Mark& read : accesses.reads)
        if (read.thread != e.thread && clock[read.thread] < read.count) doubt(read.thread, read.event);
      // Doubtful reads, and reads before a synchronised write, need no second look by that
      // thread's later writes; the others stay.
      const auto mine = std::ranges::find(accesses.writes, e.thread, &Mark::thread);
      if (mine != accesses.writes.end()) *mine = {e.thread, count, i};
      else accesses.writes.push_back({e.thread, count, i});
    }
  }
  void doubt(std::uint32_t thread, std::uint32_t event) { first_[thread] = std::min(first_[thread], event); }

  const trace::Trace& trace_;
  const Locations& locations_;
  const Effects& effects_;
  std::vector<SharedCounts> clocks_; // by thread
  std::vector<std::uint32_t> first_;
  absl::flat_hash_map<std::uint32_t, std::vector<std::uint32_t>> incoming_; // by event: what comes before it
  absl::flat_hash_map<std::uint32_t, SharedCounts> outgoing_;               // by event that orders others
  std::vector<std::pair<std::uint32_t, std::uint32_t>> locks_;              // event, operation: taken and given
  std::size_t next_lock_ = 0;                                               // of these
  absl::flat_hash_map<std::uint32_t, SharedCounts> writers_, readers_;      // by lock: what its releases hand on
  absl::flat_hash_map<std::uint64_t, SharedCounts> atomics_;                // by address
  absl::flat_hash_map<std::uint32_t, Accesses> looked_at_;                  // by location
};

} // namespace

std::vector<std::uint32_t> first_doubtful(const trace::Trace& trace, const Locations& locations,
                                          const Effects& synchronisation) {
  return Doubt(trace, locations, synchronisation).run();
}

} // namespace sooth::causality
