// Updates that are split: memory that a thread reads in one critical section, and writes in a later
// one, where it does not look at it again or may not have done so.
//
//     lock m ; b = balance ; unlock m ; lock m ; balance = b + 1 ; unlock m
//     Another thread's update in between is lost. No access races, so nothing else notices.
//
// Question: may the thread have such a place? If no thread has one, no engine has to look for
//   blocks that were meant to be atomic (predict/atomicity/unmarked_blocks.h, which has the exact
//   rule).
// Where we differ: the survey knows granules and does not look at what other threads do. So a yes
//   only means that the engine has to look.
// Cost: a lookup for each access under a lock, until the first such place.
#pragma once

#include <cstdint>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "trace/stack.h"

namespace sooth::survey {

class SplitUpdates {
public:
  using Calls = trace::ActivationStack::Nearest;

  bool any() const { return any_; }

  // Events come thread by thread.
  void begin_thread() {
    reads_.clear();
    section_ = 0;
  }
  // A lock was taken or released.
  void begin_section() { ++section_; }
  // An access of one granule, under some lock, in these calls.
  void see_access(std::uint64_t granule, bool writes, bool reads, std::uint32_t site, const Calls& calls) {
    if (any_) return;
    if (reads) read(reads_[granule], site, calls);
    if (!writes) return;
    const auto known = reads_.find(granule);
    if (known == reads_.end()) return;
    Reads& own = known->second;
    const bool elsewhere = own.last.section != section_;
    any_ = (elsewhere && is_near(own.last, calls)) ||
           (own.before.section != kNone && own.before.site != own.last.site && is_near(own.before, calls));
    if (elsewhere) reads_.erase(known); // it knows what it has written
    else own = {{}, own.last, true};
  }

private:
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};
  struct Read { // the first one of a section
    std::uint64_t section = kNone;
    std::uint32_t site = 0;
    Calls calls;
  };
  struct Reads {
    Read before; // of the last section before that, if it only read
    Read last;
    bool wrote = false; // in the last section
  };
  void read(Reads& own, std::uint32_t site, const Calls& calls) {
    if (own.last.section == section_) return;
    own.before = own.wrote ? Read{} : own.last;
    own.last = {section_, site, calls};
    own.wrote = false;
  }
  static bool is_near(const Read& read, const Calls& calls) {
    return trace::ActivationStack::common(read.calls, calls).has_value();
  }
  absl::flat_hash_map<std::uint64_t, Reads> reads_; // by granule
  std::uint64_t section_ = 0;
  bool any_ = false;
};

} // namespace sooth::survey
