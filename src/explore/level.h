// One level of the lattice: its nodes, sorted by their cuts, in parts that follow each other.
//
//     part 0: (0,4) (1,3)   part 1: (2,2) (3,1) (4,0)       two workers, two parts of level 4
//
// A node is a record of words (the packed cut, the model's state, the values that monitors see),
// the number of its set of monitor states, its distance from the observed run, and the strands that
// lead to it, one for each member of the set.
//
// A part holds the nodes whose cuts lie between two borders, and one worker makes it. Parts are
// never put together. The next level is made from them as they are, by preference each by the
// worker that made it, so that a worker reads from its own cache and nothing is copied.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "explore/apart.h"
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

// A monitor that objects in a node.
struct Hit {
  std::uint32_t monitor = 0;
  std::uint32_t distance = 0; // of the node
  Strand strand;              // the last step of the run that fails
  std::size_t cut = 0;        // index of the node's packed cut in Part::hit_cuts
};

// What a node has besides its record.
struct NodeInfo {
  SetNumber set = kEmptySet;
  // From the observed run's cut of the same level: the sum, over threads, of the steps they are
  // ahead or behind.
  std::uint32_t distance = 0;
  std::uint32_t first_strand = 0; // among the strands of its part
};

// The nodes of a part, as workers read them.
struct PartView {
  const std::uint64_t* records = nullptr;
  const NodeInfo* infos = nullptr;
  std::uint32_t size = 0;
  std::uint32_t strands = 0;        // of all nodes
  std::uint32_t strands_before = 0; // those of the parts before this one
};

// A level, or the parts of it that a worker needs, in their order and none of them empty.
struct LevelView {
  Layout layout;
  const PartView* parts = nullptr;
  std::size_t count = 0;
  const std::uint64_t* first_cuts = nullptr; // of each part the smallest; that of the first part is never asked for
};

// Two workers fill two neighbours at the same time, so they must not share a cache line (nor the
// pair that processors fetch together). Data that the maker writes all the time lies apart from
// data that others look at afterwards: that is two cache lines for each part, fetched together.
struct alignas(128) Part {
  struct Summary {
    PartView view;
    Paths::Piece strands; // all of them; they go to the paths
    std::uint64_t edges = 0;
    std::uint64_t made = 0; // nodes, those without monitors included
    std::uint64_t bytes = 0;
    bool any_hits = false;
  };
  Summary summary; // made last

  alignas(128) ApartVector<std::uint64_t> records;
  ApartVector<NodeInfo> infos;
  std::vector<Hit> hits;
  std::vector<std::uint64_t> hit_cuts;
  std::uint64_t edges = 0;
  std::uint64_t made = 0;

  std::size_t size() const { return summary.view.size; }
  std::uint64_t bytes() const {
    return records.capacity() * 8 + infos.capacity() * sizeof(NodeInfo) + hits.capacity() * sizeof(Hit);
  }
  void clear() {
    records.clear();
    infos.clear();
    hits.clear();
    hit_cuts.clear();
    edges = made = 0;
  }
  void look_again() {
    summary.view = {records.data(), infos.data(), static_cast<std::uint32_t>(infos.size()), summary.view.strands,
                    summary.view.strands_before};
  }
  // The nodes are complete, with so many strands. The caller that knows where the strands stay puts
  // them into the summary.
  void sum_up(std::size_t strands) {
    summary.view.strands = static_cast<std::uint32_t>(strands);
    look_again();
    summary.edges = edges;
    summary.made = made;
    summary.bytes = bytes() + strands * sizeof(Strand);
    summary.any_hits = !hits.empty();
  }
};

class Level {
public:
  Layout layout;

  // The parts in use. Others keep their memory for later levels.
  std::vector<Part>::iterator begin() { return parts_.begin(); }
  std::vector<Part>::iterator end() { return parts_.begin() + static_cast<std::ptrdiff_t>(used_); }
  std::vector<Part>::const_iterator begin() const { return parts_.begin(); }
  std::vector<Part>::const_iterator end() const { return parts_.begin() + static_cast<std::ptrdiff_t>(used_); }
  std::size_t parts() const { return used_; }
  Part& part(std::size_t index) { return parts_[index]; }
  const Part& part(std::size_t index) const { return parts_[index]; }
  // Apart from the parts, where workers write.
  LevelView view() const { return {layout, views_.data(), used_, first_cuts_.data()}; }

  std::size_t size() const { return size_; } // nodes of all parts
  const std::uint64_t* record(const Part& part, std::size_t node) const {
    return part.summary.view.records + node * layout.words();
  }
  std::uint64_t bytes() const {
    std::uint64_t sum = 0;
    for (const Part& part : parts_) sum += part.summary.bytes;
    return sum;
  }

  // Parts to be filled.
  void begin_parts(std::size_t count) {
    if (parts_.size() < count) parts_.resize(count);
    used_ = count;
  }
  // After they were filled: parts without nodes give their places to those behind them.
  void settle() {
    std::size_t filled = 0;
    std::uint32_t strands = 0;
    size_ = 0;
    for (std::size_t p = 0; p < used_; ++p) {
      if (parts_[p].size() == 0) continue;
      if (filled != p) std::swap(parts_[filled], parts_[p]);
      Part::Summary& summary = parts_[filled++].summary;
      summary.view.strands_before = strands;
      strands += summary.view.strands;
      size_ += summary.view.size;
    }
    used_ = filled;
    copy_views();
  }
  // After records were changed.
  void look_again() {
    for (Part& part : *this) part.look_again();
    copy_views();
  }
  void clear() { used_ = size_ = 0; }

private:
  void copy_views() {
    views_.resize(used_);
    first_cuts_.resize(used_ * layout.cut_words);
    for (std::size_t p = 0; p < used_; ++p) {
      views_[p] = parts_[p].summary.view;
      std::copy_n(views_[p].records, layout.cut_words,
                  first_cuts_.begin() + static_cast<std::ptrdiff_t>(p * layout.cut_words));
    }
  }

  std::vector<Part> parts_;
  std::vector<PartView> views_;           // of the parts in use
  std::vector<std::uint64_t> first_cuts_; // of the parts in use
  std::size_t used_ = 0;
  std::size_t size_ = 0;
};

inline int compare_words(const std::uint64_t* a, const std::uint64_t* b, std::size_t words) {
  for (std::size_t w = 0; w < words; ++w)
    if (a[w] != b[w]) return a[w] < b[w] ? -1 : 1;
  return 0;
}

} // namespace sooth::explore
