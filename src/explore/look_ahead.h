// Violations that are possible already, though the level that shows them is not complete.
//
//     property: x <= y     T1's x = 1 has arrived; T2 is silent, so level 1 is not complete
//     The cut (1,0) needs no more than T1's event: the violation is seen now.
//
// Question: which monitors object in some run of the events that have come so far?
// Source: JMPaX online, section 4: the observer is to warn before the program gets there. A level
//   of the lattice is finished only when the next event of every thread is known; a failing run
//   needs no more than the events in it. So, to stop the program in time, this looks at the cuts
//   behind the level, made of the events that have arrived. They are made again later, with the
//   rest: nothing of this is kept.
// Cost: for each cut behind the level and each thread, a comparison of clocks; gives up above a
//   number of cuts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "explore/channel.h"
#include "explore/state_sets.h"

namespace sooth::explore {

class LookAhead {
public:
  // A cut by its counts, with what the monitors see and remember there.
  struct Node {
    std::vector<std::uint64_t> values;
    SetNumber set = kEmptySet;
  };
  using Nodes = std::map<std::vector<Count>, Node>;

  LookAhead(const std::vector<Channel>& channels, StateSets& sets) : channels_(channels), sets_(sets) {}

  // Nothing: there are more cuts than that.
  std::optional<std::set<std::uint32_t>> behind(Nodes level, std::size_t most) {
    std::set<std::uint32_t> objecting;
    for (std::size_t cuts = level.size(); !level.empty(); cuts += level.size()) {
      if (cuts > most) return std::nullopt;
      Nodes next;
      for (const auto& [counts, node] : level)
        for (ThreadNumber t = 0; t < channels_.size(); ++t)
          if (is_enabled(counts, t)) step(counts, node, t, next, objecting);
      level = std::move(next);
    }
    return objecting;
  }

private:
  // The thread stands inside a glued block, which no other thread may enter.
  static bool is_held(Count count, const Channel& channel) {
    const bool ended = channel.closed() && count == channel.arrived(); // its last event is glued to nothing
    return count > channel.first() && channel.event(count - 1).glued && !ended;
  }

  bool is_enabled(const std::vector<Count>& counts, ThreadNumber thread) const {
    if (counts[thread] >= channels_[thread].arrived()) return false;
    for (ThreadNumber t = 0; t < channels_.size(); ++t)
      if (t != thread && is_held(counts[t], channels_[t])) return false;
    const auto clock = channels_[thread].event(counts[thread]).clock->components();
    for (ThreadNumber t = 0; t < clock.size(); ++t)
      if (t != thread && clock[t] > (t < counts.size() ? counts[t] : 0)) return false;
    return true;
  }

  void step(std::vector<Count> counts, Node node, ThreadNumber thread, Nodes& next,
            std::set<std::uint32_t>& objecting) {
    const EventName event = channels_[thread].event(counts[thread]++).name;
    const Letter letter = sets_.monitors().apply(event, node.values);
    const Transition& transition = sets_.step(node.set, letter);
    for (const std::uint32_t member : transition.violated) objecting.insert(sets_.members(node.set)[member].monitor);
    if (transition.target == kEmptySet) return;
    node.set = transition.target;
    const auto [known, fresh] = next.try_emplace(std::move(counts), node);
    if (!fresh) known->second.set = sets_.unite(known->second.set, node.set).target;
  }

  const std::vector<Channel>& channels_;
  StateSets& sets_;
};

} // namespace sooth::explore
