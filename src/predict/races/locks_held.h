// The locks that a thread holds when it stands before a step.
//
// Two threads that hold the same lock, one of them exclusively, are never there at the same time,
// in any model: the oldest and cheapest reason why two accesses do not race (lock sets).
// Cost: one pass; the sets are kept once each.
#pragma once

#include <absl/container/btree_map.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "causality/computation/computation.h"

namespace sooth::predict {

class LocksHeld {
public:
  explicit LocksHeld(const causality::Computation& c) : set_of_step_(c.steps.size(), 0) {
    using causality::OperationKind;
    std::vector<Set> now(c.threads.size());
    std::vector<std::uint32_t> number(c.threads.size(), 0);
    absl::btree_map<Set, std::uint32_t> numbers{{{}, 0}};
    sets_.emplace_back();
    for (causality::StepId id = 0; id < c.steps.size(); ++id) {
      const std::uint32_t thread = c.steps[id].thread;
      set_of_step_[id] = number[thread];
      bool changed = false;
      for (const causality::Operation& o : c.operations_of(id)) {
        const bool begins = o.kind == OperationKind::Acquire || o.kind == OperationKind::AcquireShared;
        const bool ends = o.kind == OperationKind::Release || o.kind == OperationKind::ReleaseShared;
        if (!begins && !ends) continue;
        std::erase_if(now[thread], [&](const Held& held) { return held.lock == o.object; });
        if (begins) {
          now[thread].push_back({o.object, o.kind == OperationKind::Acquire});
          std::ranges::sort(now[thread]);
        }
        changed = true;
      }
      if (!changed) continue;
      const auto [it, fresh] = numbers.try_emplace(now[thread], static_cast<std::uint32_t>(sets_.size()));
      if (fresh) sets_.push_back(now[thread]);
      number[thread] = it->second;
    }
  }

  // Number of the set of locks that the step's thread has before it.
  std::uint32_t set(causality::StepId step) const { return set_of_step_[step]; }
  // Two threads cannot have these sets at the same time.
  bool sets_exclude(std::uint32_t a, std::uint32_t b) const {
    for (const Held& x : sets_[a])
      for (const Held& y : sets_[b])
        if (x.lock == y.lock && (x.exclusive || y.exclusive)) return true;
    return false;
  }

private:
  struct Held {
    std::uint32_t lock = 0;
    bool exclusive = false;
    friend auto operator<=>(const Held&, const Held&) = default;
  };
  using Set = std::vector<Held>; // ascending
  std::vector<std::uint32_t> set_of_step_;
  std::vector<Set> sets_;
};

} // namespace sooth::predict
