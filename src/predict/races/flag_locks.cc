#include "predict/races/flag_locks.h"

#include <algorithm>
#include <optional>

#include <absl/container/flat_hash_map.h>

#include "predict/question/must_order.h"

namespace sooth::predict {

using causality::Computation;
using causality::kNoStep;
using causality::kUnknownValue;
using causality::Operation;
using causality::OperationKind;
using causality::StepDependence;
using causality::StepId;

namespace {

// What a step does to one location.
struct Touch {
  StepId step = kNoStep;
  std::optional<std::uint32_t> read, write; // values
};

class FlagLockSearch {
public:
  FlagLockSearch(const Computation& computation, const MustOrder& must, bool reads_freely)
      : c_(computation), must_(must), reads_freely_(reads_freely), free_value_(computation.locations.size(), kNone) {}

  std::vector<FlagLocks::Change> run() {
    find_updates();
    collect();
    std::vector<FlagLocks::Change> out;
    for (const auto& [location, touches] : touches_) {
      std::vector<FlagLocks::Change> changes;
      if (is_lock(location, touches, changes)) out.insert(out.end(), changes.begin(), changes.end());
    }
    std::ranges::sort(out, {}, [](const FlagLocks::Change& change) { return std::pair(change.step, change.location); });
    return out;
  }

private:
  static constexpr std::uint32_t kNone = 0xfffffffe, kSpoilt = 0xffffffff;

  // The operations of a step come in no order that says which one of two locations is meant.
  std::optional<Touch> touch(StepId step, std::uint32_t location) const {
    Touch out{step, {}, {}};
    for (const Operation& o : c_.operations_of(step)) {
      if (o.object != location) continue;
      if (o.kind == OperationKind::HoldBegin || o.kind == OperationKind::HoldEnd) return std::nullopt;
      auto* const value = o.kind == OperationKind::Read    ? &out.read
                          : o.kind == OperationKind::Write ? &out.write
                                                           : nullptr;
      if (value == nullptr) continue; // a lock of this number
      if (value->has_value()) return std::nullopt;
      *value = o.value;
    }
    return out;
  }
  static bool changes(const Touch& touch) { return touch.read && touch.write && *touch.read != *touch.write; }

  // Atomic updates that change a value. The first one of a location says what is free.
  void find_updates() {
    for (StepId id = 0; id < c_.steps.size(); ++id) {
      if ((c_.steps[id].flags & causality::kAtomicStep) == 0) continue;
      for (const Operation& o : c_.operations_of(id)) {
        if (o.kind != OperationKind::Write || free_value_[o.object] != kNone) continue;
        const std::optional<Touch> update = touch(id, o.object);
        if (!update) free_value_[o.object] = kSpoilt;
        else if (changes(*update)) free_value_[o.object] = *update->read == kUnknownValue ? kSpoilt : *update->read;
      }
    }
  }
  bool may_be_lock(std::uint32_t location) const {
    return free_value_[location] != kNone && free_value_[location] != kSpoilt;
  }

  void collect() {
    for (StepId id = 0; id < c_.steps.size(); ++id)
      for (const Operation& o : c_.operations_of(id)) {
        if (o.kind != OperationKind::Write || !may_be_lock(o.object)) continue;
        const std::optional<Touch> found = touch(id, o.object);
        const bool certain = found && is_certain(*found) && (c_.steps[id].flags & causality::kExternalRead) == 0;
        if (certain) touches_[o.object].push_back(*found);
        else free_value_[o.object] = kSpoilt;
      }
    absl::erase_if(touches_, [&](const auto& entry) { return !may_be_lock(entry.first); });
  }

  // In every run that has the step, it reads and writes these values.
  bool is_certain(const Touch& touch) const {
    if (!reads_freely_) return true;
    const StepDependence::Row& row = c_.dependence.steps[touch.step];
    const auto decides = c_.dependence.of(row.decides);
    const auto is_bound = [&](causality::DependenceNode node) {
      return std::ranges::find(decides, node) != decides.end();
    };
    return (!touch.read || is_bound(row.own)) && std::ranges::all_of(c_.dependence.of(row.writes), is_bound);
  }

  bool is_lock(std::uint32_t location, const std::vector<Touch>& touches,
               std::vector<FlagLocks::Change>& changed) const {
    const std::uint32_t free = free_value_[location];
    std::vector<bool> holds(c_.threads.size());
    std::vector<StepId> foreign;
    for (const Touch& touch : touches) {
      const std::uint32_t thread = c_.steps[touch.step].thread;
      const bool takes = touch.read == free && touch.write != free;
      const bool gives = touch.write == free && touch.read != free;
      const bool marks = touch.read && *touch.read != free && touch.write != free; // one of its other values
      if (takes) {
        if (holds[thread] || (c_.steps[touch.step].flags & causality::kAtomicStep) == 0) return false;
        holds[thread] = true;
        changed.push_back({touch.step, location, true});
      } else if (gives && holds[thread]) {
        holds[thread] = false;
        changed.push_back({touch.step, location, false});
      } else if (!marks && !(touch.read == free && touch.write == free) && !holds[thread]) {
        foreign.push_back(touch.step);
      }
    }
    return std::ranges::all_of(foreign, [&](StepId step) { return is_apart(step, changed); });
  }

  // Every other thread is through with the lock before, or comes to it behind; and its own thread
  // does not hold it.
  bool is_apart(StepId step, const std::vector<FlagLocks::Change>& changed) const {
    absl::flat_hash_map<std::uint32_t, std::pair<const FlagLocks::Change*, const FlagLocks::Change*>> of_thread;
    for (const FlagLocks::Change& change : changed) {
      const auto [it, fresh] = of_thread.try_emplace(c_.steps[change.step].thread, &change, &change);
      it->second.second = &change;
    }
    return std::ranges::all_of(of_thread, [&](const auto& entry) {
      const auto& [first, last] = entry.second;
      if (entry.first == c_.steps[step].thread) return true; // checked where it was met
      return must_.precedes(step, first->step) || (!last->takes && must_.precedes(last->step, step));
    });
  }

  const Computation& c_;
  const MustOrder& must_;
  const bool reads_freely_;
  std::vector<std::uint32_t> free_value_;                          // by location
  absl::flat_hash_map<std::uint32_t, std::vector<Touch>> touches_; // writes, by location
};

} // namespace

FlagLocks::FlagLocks(const Computation& computation, const MustOrder& must, bool reads_freely)
    : changes_(FlagLockSearch(computation, must, reads_freely).run()) {}

} // namespace sooth::predict
