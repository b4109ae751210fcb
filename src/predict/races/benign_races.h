// Bytes that the program annotated: races on them are intended, and are not reported
// (AnnotateBenignRaceSized).
//
//     1 T1 annotate hits, 8 bytes
//     2 T1 write hits = 1
//     3 T2 write hits = 1        a race with 2, but intended: not reported
//     4 T2 write hits + 8 = 1    other bytes: races on them are reported
//
// Question: may these two accesses, or accesses of this location, be reported as a race?
// Source: ThreadSanitizer's annotations of that name.
// Where we differ: an annotation is valid for the whole life of its object, also for accesses
//   before the annotation: another run may order them differently. Two accesses are left out if the
//   first byte that they share is annotated (the unsized annotation names just that one of a
//   variable). For ThreadSanitizer any byte is enough.
// Cost: one pass over the trace; a lookup for each question.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "trace/trace.h"

namespace sooth::predict {

class BenignRaces {
public:
  explicit BenignRaces(const trace::Trace& trace);

  // The event is an access of a thread that may race at the moment, whatever its address
  // (AnnotateIgnoreReadsBegin and similar).
  bool ignores(std::uint32_t event) const { return event < ignored_.size() && ignored_[event]; }
  bool has(std::uint64_t address) const;
  // The common bytes of the two accesses begin there.
  bool has(const trace::Event& a, const trace::Event& b) const { return has(std::max(a.address, b.address)); }

private:
  std::map<std::uint64_t, std::uint64_t> ranges_; // first byte -> last byte; apart from each other
  std::vector<bool> ignored_;                     // by event; empty if no thread said so
};

} // namespace sooth::predict
