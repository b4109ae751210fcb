// Steps of a lattice that was made from messages: a thread may take its next event when the cut
// covers the event's clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "explore/expand.h"
#include "explore/packing.h"

namespace sooth::explore {

// What the expander needs of one thread, for the packing in use: indices count from the field's
// base.
struct Lane {
  std::vector<std::uint64_t> clocks; // packed, the words of one event after those of the other
  std::vector<EventName> names;
  std::vector<std::uint8_t> behind_glued; // [k]: the event before the k-th is glued to it
};

// Cuts of W words (0: known at run time); a step is enabled when the cut covers its clock.
template <std::size_t W>
class ClockStepper {
public:
  static constexpr std::size_t kWords = W;
  static constexpr bool kCutDecides = true;

  ClockStepper(const Packing& packing, const std::vector<Lane>& lanes, bool any_glued)
      : packing_(packing), lanes_(lanes), any_glued_(any_glued), guard_(packing.guards()[0]) {}

  const Packing& packing() const { return packing_; }
  bool enabled(const std::uint64_t* record, std::uint32_t field) const {
    const std::size_t next = index(record, field);
    const Lane& lane = lanes_[field];
    if (next >= lane.names.size()) return false;
    if (any_glued_ && held_by_another(record, field)) return false;
    if constexpr (W == 1) return (((record[0] | guard_) - lane.clocks[next]) & guard_) == guard_;
    return packing_.covers(record, lane.clocks.data() + next * packing_.words());
  }
  Taken take(const std::uint64_t* record, std::uint32_t field, std::uint64_t*) const {
    return {lanes_[field].names[index(record, field)], true};
  }

private:
  std::size_t index(const std::uint64_t* record, std::uint32_t field) const {
    const Packing::Field& place = packing_.field(field);
    return (record[place.word] >> place.shift) & place.mask();
  }
  // Another thread stands inside a glued block, which no other thread may enter.
  bool held_by_another(const std::uint64_t* record, std::uint32_t field) const {
    for (std::uint32_t f = 0; f < lanes_.size(); ++f)
      if (f != field && lanes_[f].behind_glued[index(record, f)] != 0) return true;
    return false;
  }

  const Packing& packing_;
  const std::vector<Lane>& lanes_;
  const bool any_glued_;
  const std::uint64_t guard_;
};

} // namespace sooth::explore
