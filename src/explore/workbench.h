// A worker's tables while it makes a part of a level (expand.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "explore/apart.h"
#include "explore/level.h"
#include "explore/observed_cut.h"
#include "explore/state_sets.h"

namespace sooth::explore {

// It stays from one part to the next, so that nothing need be allocated each time.
struct alignas(128) Workbench {
  struct Candidate {
    Strand strand;
    std::uint32_t distance = kDropped; // of the node it comes from; kDropped: none yet
  };
  struct GroupHit {
    std::uint32_t monitor;
    Candidate from;
  };
  // A node of the next level while its edges come in.
  struct Group {
    SetNumber set = kEmptySet;
    std::uint32_t distance = 0;
    ApartVector<std::uint64_t> extra; // the model's words and the values
    ApartVector<Candidate> candidates;
    std::vector<GroupHit> hits;
  };
  // The steps of one field, by nodes in their order: the node whose successor is next.
  struct Stream {
    const PartView* part = nullptr;
    std::size_t node = 0; // of the part
    const std::uint64_t* record = nullptr;
    const std::uint64_t* end = nullptr; // of the part's records
  };

  explicit Workbench(StateSets& all) : sets(all) {}

  StateSetsCache sets;
  ObservedCut observed;             // a copy of its own
  ApartVector<Stream> streams;      // by field
  ApartVector<std::uint64_t> heads; // by field: that successor's cut
  ApartVector<std::uint64_t> key;   // the cut that is made now
  ApartVector<Group> groups;        // only as many are in use as the cut has nodes
  ApartVector<std::uint64_t> extra;
  ApartVector<Candidate> united;
  ApartVector<Strand> strands; // of the part so far
};

} // namespace sooth::explore
