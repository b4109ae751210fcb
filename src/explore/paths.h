// How each monitor state of the newest level was reached: a tree of steps back to the start, kept
// compactly.
//
//     level 0   .                 strands: (parent, thread that moved)
//     level 1   T1 T2             T1's strand has no child left: swept out
//     level 2      T1 T2          one strand in level 1: part of the trunk
//
// Each level has one strand for each member of each node's set: the strand of the level before that
// it continues, and the thread that moved. Runs share their beginnings, so most old strands lead
// nowhere after some levels. They are swept out whenever the tree has doubled, which costs a
// constant for each strand made. If only one strand is left in the oldest levels, these become the
// trunk, four bytes for each step. So memory is the live paths, twice at most.
//
// A sweep of millions of strands takes as long as hundreds of levels. It changes only the strands
// that were there when it began, so another worker may do it while further levels are appended:
// begin_sweep, sweep_begun, end_sweep.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include <absl/container/inlined_vector.h>

#include "causality/computation/clock.h"

namespace sooth::explore {

struct Strand {
  std::uint32_t parent = 0; // index among the strands of the level before
  causality::ThreadNumber thread = 0;
};

class Paths {
public:
  // `keep`: newest steps that are to be kept; 0: all.
  explicit Paths(std::uint64_t keep) : keep_(keep), small_(keep == 0 ? 16384 : 1024) {}

  // The strands of a level come in pieces that follow each other as they were made. The parents in
  // a piece count from `parents_from`, modulo 2^32: its maker need not know how many there are
  // below (batch.h).
  struct Piece {
    std::shared_ptr<Strand[]> first; // perhaps within memory that it shares with other pieces
    std::uint32_t size = 0;
    std::uint32_t parents_from = 0;

    Piece() = default;
    explicit Piece(std::span<const Strand> strands); // memory of its own
    std::span<Strand> strands() const { return {first.get(), size}; }
  };
  // Mostly one or two, with thousands of levels.
  using Pieces = absl::InlinedVector<Piece, 2>;

  // The strands of the next level; parents are those of the level appended last (at first: of the
  // initial one).
  void append(Pieces level);

  // Whether enough was appended since the last sweep. Results are the same whether one sweeps now,
  // later or never.
  bool sweep_is_due() const { return cost() > 2 * (cost_at_sweep_ + newest_) + small_; }
  void sweep() {
    begin_sweep();
    sweep_begun();
    end_sweep();
  }
  // The three steps of a sweep. Only the second takes long. Another thread may do it, while this
  // one calls append, the numbers below and nothing else.
  void begin_sweep();
  void sweep_begun();
  void end_sweep();
  bool sweeping() const { return sweeping_; }

  // The threads that moved on the way to a strand of the newest level, first step first; `begins`
  // is the number of forgotten steps before them. Not during a sweep.
  std::vector<causality::ThreadNumber> path(std::uint32_t strand, std::uint64_t& begins) const;

  std::uint64_t levels() const { return appended_; }
  // Steps at the beginning that are not kept.
  std::uint64_t dropped() const { return dropped_; }
  std::uint64_t bytes() const;

private:
  struct Level {
    Pieces pieces;
    std::size_t size = 0; // strands of all pieces
  };

  void shorten();
  // A level of one strand costs more in overhead than in strands, hence the number of levels counts
  // as well.
  std::uint64_t cost() const { return strands_ + 8 * kept_levels_; }

  const std::uint64_t keep_;
  const std::uint64_t small_; // not worth a sweep; less where steps, and what they stand for, are to be forgotten soon
  std::uint64_t appended_ = 0;
  std::uint64_t dropped_ = 0;
  std::deque<causality::ThreadNumber> trunk_; // the steps before `levels_`, the same for all strands
  std::deque<Level> levels_;                  // during a sweep: those appended since it began
  std::uint64_t kept_levels_ = 0;             // those in `sweep_` included
  std::uint64_t strands_ = 0;                 // in these; what a sweep has dropped counts until its end
  std::uint64_t cost_at_sweep_ = 0;           // cost() after the last sweep; during one: before it
  std::uint64_t newest_ = 0;                  // strands of the level appended last

  bool sweeping_ = false;
  // During a sweep it belongs to the sweeping thread.
  struct Sweep {
    std::deque<Level> levels;
    std::uint64_t dead = 0; // strands that are gone
  } sweep_;
};

} // namespace sooth::explore
