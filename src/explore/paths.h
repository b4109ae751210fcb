// How each monitor state of the newest level was reached: a tree of steps back to the start, kept compactly.
//
// Each level has one strand for each member of each node's set: the strand of the level before that it continues, and the
// thread that moved. Runs share their beginnings, so most old strands lead nowhere after some levels. They are swept out
// whenever the tree has doubled, which costs a constant for each strand made (the owner says when, because it has other
// work to go on with meanwhile); where only one strand is left in the
// oldest levels, these become the trunk, four bytes for each step. So memory is the live paths, twice at most.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "causality/clock.h"

namespace sooth::explore {

struct Strand {
  std::uint32_t parent = 0; // index among the strands of the level before
  causality::ThreadNumber thread = 0;
};

class Paths {
public:
  // `keep`: newest steps that are to be kept; 0: all.
  explicit Paths(std::uint64_t keep) : keep_(keep) {}

  // The strands of a level, in pieces that follow each other as they were made.
  using Pieces = std::vector<std::vector<Strand>>;

  // The strands of the next level; `parent` speaks of the level appended last (at first: of the initial one).
  void append(Pieces level);
  // Whether enough was appended since the last sweep. Results are the same whether one sweeps now, later or never.
  bool sweep_is_due() const { return cost() > 2 * (cost_at_sweep_ + newest_) + kSmall; }
  void sweep();
  // The threads that moved on the way to a strand of the newest level, first step first; `begins` is how many steps
  // before them are not known any more.
  std::vector<causality::ThreadNumber> path(std::uint32_t strand, std::uint64_t& begins) const;

  std::uint64_t levels() const { return dropped_ + trunk_.size() + levels_.size(); }
  // Steps at the beginning that are not kept.
  std::uint64_t dropped() const { return dropped_; }
  std::uint64_t bytes() const;

private:
  static constexpr std::uint64_t kSmall = 4096;

  struct Level {
    Pieces pieces;
    std::size_t size = 0; // strands of all pieces
  };

  void shorten();
  // A level of one strand costs more in overhead than in strands, hence the number of levels counts as well.
  std::uint64_t cost() const { return strands_ + 4 * levels_.size(); }

  const std::uint64_t keep_;
  std::uint64_t dropped_ = 0;
  std::deque<causality::ThreadNumber> trunk_; // the steps before `levels_`, the same for all strands
  std::deque<Level> levels_;
  std::uint64_t strands_ = 0;       // in `levels_`
  std::uint64_t cost_at_sweep_ = 0; // cost() after the last sweep
  std::uint64_t newest_ = 0;        // strands of the level appended last
};

} // namespace sooth::explore
