// Bytes that the program annotated: races on them are meant to be, and are not reported (AnnotateBenignRaceSized).
//
// Question: may these two accesses, or accesses of this location, be reported as a race?
// Source: ThreadSanitizer's annotations of that name.
// Where we differ: an annotation is good for all of its object's life, and for what was done to it before the annotation, too:
// which came first need not be so in another run. Two accesses are left out if the first byte that they share is annotated (the
// unsized annotation names just that one of a variable); for ThreadSanitizer any byte will do.
// Cost: one pass over the trace; a lookup for each question.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "causality/computation/computation.h"
#include "trace/trace.h"

namespace sooth::predict {

class BenignRaces {
public:
  explicit BenignRaces(const trace::Trace& trace);

  bool any() const { return !ranges_.empty(); }
  // The event is an access of a thread that has said it may race, whatever its address (AnnotateIgnoreReadsBegin and its like).
  bool ignores(std::uint32_t event) const { return event < ignored_.size() && ignored_[event]; }
  bool has(std::uint64_t address) const;
  // What the two accesses have in common begins there.
  bool has(const trace::Event& a, const trace::Event& b) const { return has(std::max(a.address, b.address)); }

private:
  std::map<std::uint64_t, std::uint64_t> ranges_; // first byte -> last byte; apart from each other
  std::vector<bool> ignored_;                     // by event; empty if no thread said so
};

// How many pairs of places may race, and are left out for such annotations.
std::uint64_t benign_pairs(const trace::Trace& trace, const causality::Computation& computation);

} // namespace sooth::predict
