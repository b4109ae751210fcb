// Memory as the checker sees it: cut into pieces such that every access covers whole pieces, and
// for each piece its last writer. The same little state machine runs over the trace, once, and over
// every witness: each access of a witness is compared with what it met in the trace.
//
// Contents are compared as bytes of the trace. If they are unknown (memory that was there before
// the trace, opaque writes, fresh blocks), the first read in the trace defines them; until then
// they equal nothing but themselves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "trace/trace.h"

namespace sooth::witness::checking {

using EventNumber = std::uint32_t;
inline constexpr EventNumber kNoEvent = 0xffffffff;

constexpr bool touches_memory(trace::EventKind kind) { return trace::reads_memory(kind) || trace::writes_memory(kind); }
// An object begins or ends: what the bytes were before does not count any more.
constexpr bool begins_object(trace::EventKind kind) {
  return kind == trace::EventKind::Alloc || kind == trace::EventKind::Map || kind == trace::EventKind::StackBegin;
}
constexpr bool ends_object(trace::EventKind kind) {
  return kind == trace::EventKind::Free || kind == trace::EventKind::Unmap || kind == trace::EventKind::StackEnd;
}

// The state of one piece at some moment of a run.
struct Met {
  EventNumber writer = kNoEvent; // wrote it last, or began or ended the object; kNoEvent: none so far
  EventNumber life = kNoEvent;   // began or ended the object last
  std::uint32_t reads = 0;       // since then
  friend bool operator==(const Met&, const Met&) = default;
};

class MemoryMap {
public:
  explicit MemoryMap(const trace::Trace& trace);

  struct Pieces {
    std::uint32_t first = 0;
    std::uint32_t end = 0;
  };
  std::size_t count() const { return begins_.size(); }
  // The pieces that an access, or a begin or end of an object, covers.
  Pieces pieces(EventNumber event) const;
  // The state that the access met at each of its pieces in the trace.
  std::span<const Met> met(EventNumber event) const;
  // Whether only one thread accesses the piece in the whole trace.
  bool private_piece(std::uint32_t piece) const { return owner_[piece] != kManyThreads; }
  std::uint64_t address(std::uint32_t piece) const { return begins_[piece]; }

  // Whether the piece has the same bytes after one writer as after the other, as far as the trace
  // knows them.
  bool same_contents(EventNumber writer, EventNumber other, std::uint32_t piece) const;

private:
  static constexpr std::uint32_t kManyThreads = 0xfffffffe;
  static constexpr std::uint32_t kNoThread = 0xffffffff;

  void cut();
  void follow();
  bool has_contents(EventNumber writer) const;

  const trace::Trace& trace_;
  const bool values_;                 // false: imported without values; each write is a value of its own
  std::vector<std::uint64_t> begins_; // of the pieces, ascending; a piece ends where the next begins
  std::uint64_t last_end_ = 0;        // ... and the last one here
  std::vector<std::uint64_t> met_of_; // by event: index of its first entry in met_
  std::vector<std::uint32_t> first_piece_;
  std::vector<Met> met_;
  std::vector<std::uint32_t> owner_;                        // by piece: the one thread that accesses it
  absl::flat_hash_map<std::uint64_t, EventNumber> told_by_; // (writer, piece) without contents -> its first reader
};

// The pieces at one moment of a run.
class MemoryState {
public:
  explicit MemoryState(const MemoryMap& map) : map_(map), now_(map.count()) {}
  void reset() { now_.assign(now_.size(), {}); }
  void apply(const trace::Event& event, EventNumber number);
  const Met& at(std::uint32_t piece) const { return now_[piece]; }

private:
  const MemoryMap& map_;
  std::vector<Met> now_;
};

} // namespace sooth::witness::checking
