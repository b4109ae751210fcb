// Rule 4 of docs/trace_format.md. A glued or opaque read has the bytes from when a loop or a call
// began, not those that each of its loads saw. If another thread wrote some of them in the recorded
// run without synchronisation in between, it is not known what the reading thread did afterwards.
//
// Cost: vector clocks over the synchronisation of the whole trace, only if there is such a read of
//   shared bytes.
#include <algorithm>
#include <limits>

#include "base/shared_counts.h"
#include "witness/facts.h"

namespace sooth::witness::checking {

namespace {

using trace::Event;
using trace::EventKind;
using trace::kFailed;

using Clock = SharedCounts; // by thread: synchronisations that it gave away, seen from here

class Synchronisation {
public:
  explicit Synchronisation(std::size_t threads) : now_(threads), first_(threads) {
    for (std::uint32_t t = 0; t < threads; ++t) now_[t].raise(t, 1);
  }

  const Clock& of(std::uint32_t thread) const { return now_[thread]; }
  std::uint32_t epoch(std::uint32_t thread) const { return now_[thread][thread]; }

  // The knowledge that the event takes from others, before it counts as done.
  void takes(const Event& e) {
    Clock& mine = now_[e.thread];
    if (!first_[e.thread].empty()) {
      mine.join(first_[e.thread]);
      first_[e.thread] = {};
    }
    switch (e.kind) {
    case EventKind::Acquire:
      mine.join(objects_[e.address]);
      mine.join(readers_[e.address]);
      break;
    case EventKind::AcquireShared:
    case EventKind::AtomicRead:
    case EventKind::AtomicRmw:
    case EventKind::BarrierLeave:
    case EventKind::SemWait:
    case EventKind::OnceWait:
    case EventKind::OnceBegin:
    case EventKind::HbAcquire:
    case EventKind::FutexWait: mine.join(objects_[e.address]); break;
    case EventKind::Wake:
      mine.join(objects_[e.address]);
      mine.join(objects_[e.value]);
      break;
    case EventKind::Join:
      if (e.value < now_.size() && !e.has(kFailed)) mine.join(now_[e.value]);
      break;
    default: break;
    }
  }

  // The knowledge that it hands to others.
  void gives(const Event& e) {
    Clock& mine = now_[e.thread];
    switch (e.kind) {
    case EventKind::LockInit:
    case EventKind::SemInit:
    case EventKind::BarrierInit:
    case EventKind::Release:
    case EventKind::AtomicWrite:
    case EventKind::AtomicRmw:
    case EventKind::Signal:
    case EventKind::Broadcast:
    case EventKind::BarrierArrive:
    case EventKind::SemPost:
    case EventKind::OnceEnd:
    case EventKind::HbRelease:
    case EventKind::FutexWake: objects_[e.address].join(mine); break;
    case EventKind::ReleaseShared: readers_[e.address].join(mine); break;
    case EventKind::Wait: objects_[e.value].join(mine); break;
    case EventKind::Fork:
      if (e.value < first_.size() && !e.has(kFailed)) first_[e.value] = mine;
      break;
    default: return;
    }
    mine.raise(e.thread, mine[e.thread] + 1);
  }

private:
  std::vector<Clock> now_;
  std::vector<Clock> first_; // what a forked thread begins with
  absl::flat_hash_map<std::uint64_t, Clock> objects_, readers_;
};

} // namespace

std::vector<std::uint32_t> believed_events(const trace::Trace& trace, const MemoryMap& memory,
                                           const std::vector<std::uint32_t>& place) {
  std::vector<std::uint32_t> believed(trace.threads.size(), std::numeric_limits<std::uint32_t>::max());

  // Pieces that such a read covers and more than one thread touches.
  const auto doubtful = [](const Event& e) {
    return e.kind == EventKind::Read && (e.has(trace::kGlued) || e.has(trace::kOpaque));
  };
  absl::flat_hash_map<std::uint32_t, std::uint32_t> numbers; // piece -> index below
  for (EventNumber number = 0; number < trace.events.size(); ++number) {
    if (!doubtful(trace.events[number])) continue;
    const MemoryMap::Pieces pieces = memory.pieces(number);
    for (std::uint32_t piece = pieces.first; piece < pieces.end; ++piece)
      if (!memory.private_piece(piece)) numbers.try_emplace(piece, static_cast<std::uint32_t>(numbers.size()));
  }
  if (numbers.empty()) return believed;

  struct Access {
    std::uint32_t thread, epoch, place;
  };
  struct Piece {
    std::vector<Access> writes; // the last one of each thread
    std::vector<Access> reads;  // doubtful ones
  };
  std::vector<Piece> pieces_seen(numbers.size());
  Synchronisation order(trace.threads.size());
  for (EventNumber number = 0; number < trace.events.size(); ++number) {
    const Event& e = trace.events[number];
    order.takes(e);
    if (touches_memory(e.kind)) {
      const MemoryMap::Pieces pieces = memory.pieces(number);
      for (std::uint32_t piece = pieces.first; piece < pieces.end; ++piece) {
        const auto found = numbers.find(piece);
        if (found == numbers.end()) continue;
        Piece& seen = pieces_seen[found->second];
        const Access access{e.thread, order.epoch(e.thread), place[number]};
        const auto unordered = [&](const Access& earlier) {
          return earlier.thread != e.thread && order.of(e.thread)[earlier.thread] < earlier.epoch;
        };
        if (doubtful(e)) {
          if (std::any_of(seen.writes.begin(), seen.writes.end(), unordered))
            believed[e.thread] = std::min(believed[e.thread], place[number] + 1);
          seen.reads.push_back(access);
        }
        if (trace::writes_memory(e.kind) && e.kind != EventKind::ExternalWrite) {
          for (const Access& read : seen.reads)
            if (unordered(read)) believed[read.thread] = std::min(believed[read.thread], read.place + 1);
          std::erase_if(seen.writes, [&](const Access& write) { return write.thread == e.thread; });
          seen.writes.push_back(access);
        }
      }
    }
    order.gives(e);
  }
  return believed;
}

} // namespace sooth::witness::checking
