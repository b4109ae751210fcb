#include "causality/computation/condition_operations.h"

#include <absl/container/btree_set.h>
#include <absl/container/flat_hash_map.h>

#include <algorithm>

namespace sooth::causality {
namespace {

using trace::Event;
using trace::EventKind;

struct Condition {
  std::uint32_t waits = 0;                // open ones
  std::vector<std::uint32_t> broadcasts;  // since the first open wait
  absl::btree_set<std::uint32_t> signals; // not given to a wake yet
};

class ConditionOperations {
public:
  ConditionOperations(const trace::Trace& trace, Effects& effects)
      : trace_(trace), effects_(effects), waits_(trace.threads.size()) {}

  void run() {
    for (std::uint32_t i = 0; i < trace_.events.size(); ++i) {
      const Event& e = trace_.events[i];
      if (e.kind == EventKind::Wait) wait(e, i);
      else if (e.kind == EventKind::Wake) wake(e, i);
      else if (e.kind == EventKind::Signal || e.kind == EventKind::Broadcast) signal(e, i);
    }
  }

private:
  struct OpenWait {
    std::uint64_t condition;
    std::uint32_t since;
  };

  void emit(std::uint32_t event, OperationKind kind, std::uint64_t address, std::uint32_t value = 0) {
    const auto [it, fresh] = numbers_.try_emplace(address, static_cast<std::uint32_t>(effects_.conditions.size()));
    if (fresh) effects_.conditions.push_back(address);
    effects_.operations.push_back({event, {kind, it->second, value}});
  }

  void wait(const Event& e, std::uint32_t i) {
    emit(i, OperationKind::WaitBegin, e.address);
    waits_[e.thread].push_back({e.address, i});
    ++conditions_[e.address].waits;
  }
  void signal(const Event& e, std::uint32_t i) {
    const bool all = e.kind == EventKind::Broadcast;
    emit(i, all ? OperationKind::Broadcast : OperationKind::Signal, e.address);
    const auto it = conditions_.find(e.address);
    if (it == conditions_.end()) return;
    if (all) it->second.broadcasts.push_back(i);
    else it->second.signals.insert(i);
  }

  void wake(const Event& e, std::uint32_t i) {
    auto& mine = waits_[e.thread];
    std::size_t n = mine.size();
    while (n > 0 && mine[n - 1].condition != e.address) --n;
    if (n == 0) return;
    const std::uint32_t since = mine[n - 1].since;
    mine.erase(mine.begin() + static_cast<std::ptrdiff_t>(n - 1));
    Condition& condition = conditions_[e.address];
    const std::uint32_t by = e.has(trace::kFailed) ? kNoEvent : woken_by(condition, since);
    if (by != kNoEvent) {
      effects_.recorded(since, by);
      effects_.recorded(by, i);
    }
    emit(i, by == kNoEvent ? OperationKind::WakeAnyway : OperationKind::WakeUp, e.address, by);
    if (--condition.waits == 0) conditions_.erase(e.address);
  }

  // The first signal that may have done it. A wake that comes later and began to wait before the
  // signal can use the broadcast behind it as well, so no wake remains without one.
  static std::uint32_t woken_by(Condition& condition, std::uint32_t since) {
    const auto signal = condition.signals.upper_bound(since);
    const auto broadcast = std::ranges::upper_bound(condition.broadcasts, since);
    if (signal != condition.signals.end() && (broadcast == condition.broadcasts.end() || *signal < *broadcast)) {
      const std::uint32_t found = *signal;
      condition.signals.erase(signal);
      return found;
    }
    return broadcast == condition.broadcasts.end() ? kNoEvent : *broadcast;
  }

  const trace::Trace& trace_;
  Effects& effects_;
  std::vector<std::vector<OpenWait>> waits_; // by thread
  absl::flat_hash_map<std::uint64_t, Condition> conditions_;
  absl::flat_hash_map<std::uint64_t, std::uint32_t> numbers_; // by address
};

} // namespace

void add_condition_operations(const trace::Trace& trace, Effects& effects) {
  ConditionOperations(trace, effects).run();
}

} // namespace sooth::causality
