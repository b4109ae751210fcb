#include "predict/races/locks_held.h"

#include <absl/container/btree_map.h>

#include <algorithm>

namespace sooth::predict {

using causality::OperationKind;

LocksHeld::LocksHeld(const causality::Computation& computation, const FlagLocks& flags)
    : set_of_step_(computation.steps.size(), 0) {
  std::vector<Set> now(computation.threads.size());
  std::vector<std::uint32_t> number(computation.threads.size(), 0);
  absl::btree_map<Set, std::uint32_t> numbers{{{}, 0}};
  sets_.emplace_back();
  const auto change = [&](std::uint32_t thread, std::uint32_t lock, bool takes, bool exclusive) {
    std::erase_if(now[thread], [&](const Held& held) { return held.lock == lock; });
    if (takes) now[thread].push_back({lock, exclusive});
    std::ranges::sort(now[thread]);
  };
  const auto locks = static_cast<std::uint32_t>(computation.locks.size()); // flags are numbered behind them
  auto flag = flags.changes().begin();
  for (causality::StepId id = 0; id < computation.steps.size(); ++id) {
    const std::uint32_t thread = computation.steps[id].thread;
    set_of_step_[id] = number[thread];
    bool changed = false;
    for (const causality::Operation& o : computation.operations_of(id)) {
      const bool begins = o.kind == OperationKind::Acquire || o.kind == OperationKind::AcquireShared;
      const bool ends = o.kind == OperationKind::Release || o.kind == OperationKind::ReleaseShared;
      if (!begins && !ends) continue;
      change(thread, o.object, begins, o.kind == OperationKind::Acquire);
      changed = true;
    }
    for (; flag != flags.changes().end() && flag->step == id; ++flag, changed = true)
      change(thread, locks + flag->location, flag->takes, true);
    if (!changed) continue;
    const auto [it, fresh] = numbers.try_emplace(now[thread], static_cast<std::uint32_t>(sets_.size()));
    if (fresh) sets_.push_back(now[thread]);
    number[thread] = it->second;
  }
}

bool LocksHeld::sets_exclude(std::uint32_t a, std::uint32_t b) const {
  for (const Held& x : sets_[a])
    for (const Held& y : sets_[b])
      if (x.lock == y.lock && (x.exclusive || y.exclusive)) return true;
  return false;
}

} // namespace sooth::predict
