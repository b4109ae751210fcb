// One level of the lattice: its nodes, sorted by their cuts.
//
// A node is a record of words (the packed cut, the model's state, the values that monitors see), the number of its set
// of monitor states, its distance from the observed run, and the strands that lead to it, one for each member of the set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "explore/packing.h"
#include "explore/paths.h"
#include "explore/state_sets.h"

namespace sooth::explore {

// How the words of a record are divided.
struct Layout {
  std::size_t cut_words = 1;
  std::size_t state_words = 0;
  std::size_t value_words = 0;
  std::size_t words() const { return cut_words + state_words + value_words; }
};

struct Level {
  Layout layout;
  std::vector<std::uint64_t> records;
  std::vector<SetNumber> sets;
  // From the observed run's cut of the same level: the sum, over threads, of how many steps they are ahead or behind.
  std::vector<std::uint32_t> distances;
  std::vector<std::uint32_t> first_strands;

  std::size_t size() const { return sets.size(); }
  const std::uint64_t* record(std::size_t node) const { return records.data() + node * layout.words(); }
  std::uint64_t bytes() const {
    return records.capacity() * 8 + (sets.capacity() + distances.capacity() + first_strands.capacity()) * 4;
  }
  void clear() {
    records.clear();
    sets.clear();
    distances.clear();
    first_strands.clear();
  }
};

// A monitor that objects in a node.
struct Hit {
  std::uint32_t monitor = 0;
  std::uint32_t distance = 0; // of the node
  Strand strand;              // the last step of the run that fails
  std::size_t cut = 0;        // index of the node's packed cut in Fragment::hit_cuts
};

// What one worker makes of one part of a level; parts are put together in their order. Two neighbours are filled by two
// workers at the same time, so they must not share a cache line (nor the pair that processors fetch together).
struct alignas(128) Fragment {
  Level nodes;
  std::vector<Strand> strands;
  std::vector<Hit> hits;
  std::vector<std::uint64_t> hit_cuts;
  std::uint64_t edges = 0;
  std::uint64_t made = 0; // nodes, those without monitors included

  std::uint64_t bytes() const {
    return nodes.bytes() + strands.capacity() * sizeof(Strand) + hits.capacity() * sizeof(Hit);
  }
  void clear() {
    nodes.clear();
    strands.clear();
    hits.clear();
    hit_cuts.clear();
    edges = made = 0;
  }
};

inline int compare_words(const std::uint64_t* a, const std::uint64_t* b, std::size_t words) {
  for (std::size_t w = 0; w < words; ++w)
    if (a[w] != b[w]) return a[w] < b[w] ? -1 : 1;
  return 0;
}

} // namespace sooth::explore
