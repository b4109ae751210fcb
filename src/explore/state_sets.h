// Sets of monitor states, numbered: the same set has the same number, and the effect of a letter is
// looked up.
//
//     set 3 = {p: 0, p: 1, q: 0}     letter a: {p: 1, q: 0} = set 5      remembered: (3, a) -> 5
//
// A node of the lattice carries, for all monitors together, the states that some run brings there
// (JMPaX, section 3.3: PreSet and NowSet). Few different sets occur, so a node has the number of
// one, and steps and unions are remembered.
// Cost: a known step or union is one look into a small table of the worker's own; a new one is
//   computed under a lock.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "explore/monitor_set.h"

namespace sooth::explore {

using SetNumber = std::uint32_t;
inline constexpr SetNumber kEmptySet = 0;
inline constexpr std::uint32_t kDropped = 0xffffffff;

struct SetMember {
  std::uint32_t monitor = 0;
  MonitorState state = 0;
  friend auto operator<=>(const SetMember&, const SetMember&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const SetMember& m) {
    return H::combine(std::move(h), m.monitor, m.state);
  }
};

// Where each member of a set goes. A member whose monitor objects goes nowhere: its runs have
// failed, once is enough.
struct Transition {
  SetNumber target = kEmptySet;
  bool same_places = true;             // member k becomes member k
  std::vector<std::uint32_t> place;    // by member: its place in the target, or kDropped
  std::vector<std::uint32_t> violated; // members whose monitor objects
};
struct Union {
  SetNumber target = kEmptySet;
  std::vector<std::uint32_t> left, right; // places in the target
};

class StateSets {
public:
  explicit StateSets(const MonitorSet& monitors);

  const MonitorSet& monitors() const { return monitors_; }
  // The monitors' states before the first event; those that object at once are in `violated` (as
  // monitors).
  Transition start(Letter letter);
  const Transition& step(SetNumber set, Letter letter);
  const Union& unite(SetNumber left, SetNumber right);
  // A retired monitor's states are taken out of the set.
  Transition without_retired(SetNumber set);
  void retire(std::uint32_t monitor);
  bool retired(std::uint32_t monitor) const { return retired_[monitor]; }

  const std::vector<SetMember>& members(SetNumber set) const;
  std::size_t size(SetNumber set) const { return members(set).size(); }
  std::uint64_t bytes() const { return bytes_; }

private:
  SetNumber number(std::vector<SetMember> members);
  Transition compute(SetNumber set, Letter letter);

  const MonitorSet& monitors_;
  mutable std::mutex mutex_; // everything below
  std::deque<std::vector<SetMember>> sets_;
  absl::flat_hash_map<std::vector<SetMember>, SetNumber> numbers_;
  std::deque<Transition> transitions_;
  std::deque<Union> unions_;
  absl::flat_hash_map<std::pair<SetNumber, Letter>, const Transition*> steps_;
  absl::flat_hash_map<std::pair<SetNumber, SetNumber>, const Union*> united_;
  std::vector<bool> retired_;
  std::uint64_t bytes_ = 0;
};

// A worker's own view: no lock for what it has seen lately.
class StateSetsCache {
public:
  explicit StateSetsCache(StateSets& sets) : sets_(sets) {}

  const Transition& step(SetNumber set, Letter letter) {
    Seen& seen = steps_[slot(set, letter)];
    if (seen.transition == nullptr || seen.set != set || seen.letter != letter)
      seen = {set, letter, &sets_.step(set, letter), 0};
    return *seen.transition;
  }
  const Union& unite(SetNumber left, SetNumber right) { return sets_.unite(left, right); }
  std::size_t size(SetNumber set) {
    if (set >= sizes_.size()) sizes_.resize(std::size_t{set} + 64, 0);
    if (sizes_[set] == 0) sizes_[set] = static_cast<std::uint32_t>(sets_.size(set)) + 1;
    return sizes_[set] - 1;
  }
  std::uint32_t monitor_of(SetNumber set, std::uint32_t member) { return sets_.members(set)[member].monitor; }

private:
  struct Seen {
    SetNumber set = 0;
    Letter letter = 0;
    const Transition* transition = nullptr;
    std::uint64_t unused = 0;
  };
  static constexpr std::size_t kSlots = 1024;
  static std::size_t slot(SetNumber set, Letter letter) {
    return ((letter * 0x9e3779b97f4a7c15ull) ^ (set * 0xd6e8feb86659fd93ull)) >> 54;
  }

  StateSets& sets_;
  std::array<Seen, kSlots> steps_{};
  std::vector<std::uint32_t> sizes_; // plus one; 0: not asked yet
};

} // namespace sooth::explore
