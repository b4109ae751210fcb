// Updates that are split: memory that a thread reads in one critical section, and writes in a later
// one without looking at it again.
//
//     lock m ; b = balance ; unlock m ; lock m ; balance = b + 1 ; unlock m
//     Another thread's update in between is lost. No access races, so nothing else notices.
//
// Question: may the thread have such a place? If no thread has one, nobody needs to look for blocks
//   that were meant to be atomic (predict/atomicity/unmarked_blocks.h, which has the exact rule).
// Where we differ: the survey knows granules and does not look at what other threads do. So a yes
//   only means that somebody has to look.
// Cost: a lookup for each access under a lock, until the first such place.
#pragma once

#include <cstdint>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "trace/stack.h"

namespace sooth::survey {

class SplitUpdates {
public:
  bool any() const { return any_; }

  // Events come thread by thread.
  void begin_thread() {
    reads_.clear();
    stack_ = {};
    section_ = 0;
  }
  // A lock was taken or released.
  void begin_section() { ++section_; }
  void see_call(const trace::Event& e) {
    if (!any_) stack_.see(e);
  }
  // An access of one granule, under some lock.
  void see_access(std::uint64_t granule, bool writes, bool reads) {
    if (any_) return;
    if (reads) reads_[granule] = {section_, stack_.nearest()};
    if (!writes) return;
    const auto known = reads_.find(granule);
    if (known == reads_.end()) return;
    const bool elsewhere = known->second.section != section_;
    any_ = elsewhere && trace::ActivationStack::common(known->second.calls, stack_.nearest()).has_value();
    if (elsewhere) reads_.erase(known); // it knows what it has written
  }

private:
  struct Read {
    std::uint64_t section = 0;
    trace::ActivationStack::Nearest calls;
  };
  absl::flat_hash_map<std::uint64_t, Read> reads_; // by granule: the last one
  trace::ActivationStack stack_;
  std::uint64_t section_ = 0;
  bool any_ = false;
};

} // namespace sooth::survey
