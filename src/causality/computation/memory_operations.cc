#include "causality/computation/memory_operations.h"

#include <absl/container/btree_map.h>

#include <algorithm>

#include "causality/computation/lifetimes.h"
#include "causality/computation/value_numbers.h"
#include "trace/contents.h"
#include "trace/kind_groups.h"
#include "trace/restore/holds.h"

namespace sooth::causality {
namespace {

using trace::Contents;
using trace::Event;
using trace::EventKind;

struct Memory {
  std::uint32_t value = kUnknownValue;
  std::uint32_t bytes = kUnknownValue; // the number of its bytes alone, whatever pointers in it mean
  bool exact = true;                   // `value` is that of certain bytes
  bool touched = false;                // since the trace began
  std::uint32_t renewal = kNoEvent;    // the event that made the bytes new, if they are untouched since
  bool zero = false;                   // ... and they are zero
};

using Holds = absl::btree_map<std::uint32_t, bool>; // location -> whether it was written

class MemoryOperations {
public:
  MemoryOperations(const trace::Trace& trace, const Locations& locations, const trace::ObjectTable& objects,
                   Effects& effects)
      : trace_(trace), locations_(locations), effects_(effects), memory_(locations.pieces().size()),
        initial_(locations.pieces().size(), kUnknownValue), holds_(trace.threads.size()),
        last_event_(trace.threads.size(), kNoEvent), no_values_((trace.flags & trace::kNoValues) != 0),
        places_(objects) {}

  std::vector<std::uint32_t> run() {
    for (event_ = 0; event_ < trace_.events.size(); ++event_) {
      const Event& e = trace_.events[event_];
      if (begins_or_ends_object(e.kind)) renew(e);
      else if (reads_memory(e.kind) || writes_memory(e.kind)) access(e);
      if (!holds_[e.thread].empty() && ends_segment(e)) end_holds(e.thread);
      last_event_[e.thread] = event_;
    }
    return std::move(initial_);
  }

private:
  void emit(std::uint32_t event, OperationKind kind, std::uint32_t location, std::uint32_t value) {
    effects_.operations.push_back({event, {kind, location, value}});
  }

  void renew(const Event& e) {
    const auto& pieces = locations_.pieces();
    auto it = std::lower_bound(pieces.begin(), pieces.end(), e.address,
                               [](const Piece& piece, std::uint64_t address) { return piece.address < address; });
    const bool begins = begins_object(e.kind);
    if (begins) places_.begin(e, event_);
    for (; it != pieces.end() && it->address - e.address < e.value; ++it) {
      Memory& memory = memory_[static_cast<std::size_t>(it - pieces.begin())];
      memory.renewal = event_;
      memory.zero = begins && e.has(trace::kFill);
      memory.value = memory.bytes = kUnknownValue;
    }
  }

  void access(const Event& e) {
    const LocationRange range = locations_.of(event_);
    const bool external = e.kind == EventKind::ExternalWrite;
    if (external && (range.count != 0 || found_atomically(e))) effects_.pinned.push_back(event_);
    if (range.count == 0) return;
    if (!external) end_holds_of(e, range);
    if (reads_memory(e.kind)) each(e, range, seen_by(trace_.bytes, e), &MemoryOperations::read);
    if (writes_memory(e.kind)) each(e, range, written_by(trace_.bytes, e), &MemoryOperations::write);
    if (e.has(trace::kHeld) && !external) begin_holds(e, range);
  }

  // If only one thread is seen to touch something, that thread changed it itself, in code without
  // hooks. Atomic loads are an exception: they are for values that others write, and the others'
  // code may have no hooks.
  bool found_atomically(const Event& external) const {
    if (event_ + 1 == trace_.events.size()) return false;
    const Event& next = trace_.events[event_ + 1];
    return next.thread == external.thread &&
           (next.kind == EventKind::AtomicRead || next.kind == EventKind::AtomicRmw) && overlap(external, next);
  }

  void each(const Event& e, LocationRange range, const Contents& contents,
            void (MemoryOperations::*f)(std::uint32_t, const Contents&, std::uint64_t)) {
    for (std::uint32_t i = range.first; i < range.first + range.count; ++i)
      (this->*f)(i, contents, locations_.pieces()[i].address - e.address);
  }

  std::uint32_t number(std::uint32_t location, const Contents& contents, std::uint64_t offset) {
    return values_.number(contents, offset, locations_.pieces()[location].bytes);
  }
  bool known(const Contents& contents) const { return !contents.is_opaque() && !no_values_; }

  // The location is untouched since it was new: the first access says what it had.
  void begin_life(std::uint32_t location, std::uint32_t seen) {
    Memory& memory = memory_[location];
    const bool zero = memory.renewal != kNoEvent && memory.zero && !no_values_;
    const std::uint32_t value = zero ? values_.zeros(locations_.pieces()[location].bytes) : seen;
    memory.value = memory.bytes = value;
    memory.exact = true;
    if (!memory.touched) initial_[location] = value;
    else if (memory.renewal != kNoEvent) emit(memory.renewal, OperationKind::Write, location, value);
    memory.touched = true;
    memory.renewal = kNoEvent;
  }
  bool is_new(const Memory& memory) const { return !memory.touched || memory.renewal != kNoEvent; }

  void read(std::uint32_t location, const Contents& contents, std::uint64_t offset) {
    Memory& memory = memory_[location];
    const std::uint32_t seen = known(contents) ? number(location, contents, offset) : kUnknownValue;
    if (is_new(memory)) {
      begin_life(location, seen != kUnknownValue ? seen : values_.unique());
      if (seen == kUnknownValue && !memory.zero) memory.exact = false;
    }
    if (seen != kUnknownValue && memory.exact && seen != memory.bytes) {
      // Not legal; treated as an unknown write just before.
      effects_.pinned.push_back(event_);
      emit(event_, OperationKind::Write, location, seen);
      memory.value = memory.bytes = seen;
      return;
    }
    emit(event_, OperationKind::Read, location, memory.value);
  }

  void write(std::uint32_t location, const Contents& contents, std::uint64_t offset) {
    Memory& memory = memory_[location];
    if (is_new(memory)) begin_life(location, kUnknownValue);
    memory.exact = known(contents);
    memory.bytes = memory.exact ? number(location, contents, offset) : values_.unique();
    memory.value = memory.bytes;
    if (memory.exact)
      memory.value = values_.with_objects(memory.bytes, contents, offset, locations_.pieces()[location].bytes, places_);
    emit(event_, OperationKind::Write, location, memory.value);
  }

  // --- holds (rule 1) ---
  void begin_holds(const Event& e, LocationRange range) {
    const bool writes = writes_memory(e.kind);
    for (std::uint32_t i = range.first; i < range.first + range.count; ++i) {
      holds_[e.thread][i] = writes;
      emit(event_, OperationKind::HoldBegin, i, writes ? 1 : 0);
    }
  }
  // The thread's next kept access ends the hold: with it, if it is merged, otherwise with the event
  // before it.
  void end_holds_of(const Event& e, LocationRange range) {
    Holds& holds = holds_[e.thread];
    const std::uint32_t last = e.has(trace::kMerged) ? event_ : last_event_[e.thread];
    auto it = holds.lower_bound(range.first);
    while (it != holds.end() && it->first - range.first < range.count) {
      emit(last, OperationKind::HoldEnd, it->first, it->second ? 1 : 0);
      it = holds.erase(it);
    }
  }
  void end_holds(std::uint32_t thread) {
    for (const auto& [location, writes] : holds_[thread])
      emit(last_event_[thread], OperationKind::HoldEnd, location, writes ? 1 : 0);
    holds_[thread].clear();
  }

  const trace::Trace& trace_;
  const Locations& locations_;
  Effects& effects_;
  std::vector<Memory> memory_;
  std::vector<std::uint32_t> initial_;
  std::vector<Holds> holds_;              // by thread: open ones
  std::vector<std::uint32_t> last_event_; // by thread
  const bool no_values_;
  ValueNumbers values_;
  ReusedPlaces places_;
  std::uint32_t event_ = 0;
};

} // namespace

std::vector<std::uint32_t> add_memory_operations(const trace::Trace& trace, const Locations& locations,
                                                 const trace::ObjectTable& objects, Effects& effects) {
  return MemoryOperations(trace, locations, objects, effects).run();
}

} // namespace sooth::causality
