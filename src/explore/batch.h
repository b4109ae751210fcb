// Several narrow levels at a time, without a meeting for each.
//
//     level 1   | chain 0 | chain 1 |    each worker makes one chain: its part of level 2, then of
//     level 2   | chain 0 | chain 1 |    level 3, ... All meet once, after the last level.
//     level 3   | chain 0 | chain 1 |
//
// A level of some dozen cuts takes one worker a few microseconds, and a meeting of all workers
// takes as long. So each worker makes one part of several levels, one after the other: a chain of
// parts, between two borders. A step adds a unit to a key (packing.h), and so
// - if a border stays from one level to the next, the part below it comes from the part below it
//   alone;
// - if a border goes up by the largest unit, the part above it comes from the part above it alone.
// So of two neighbours, one never needs the other, and the other only needs to know that the first
// has made the level before. A level's middle goes up as well, by less than the largest unit. So
// borders stay for some levels and go up for some, in turn, in such a proportion that they follow
// the middle. Then all chains remain equally long, and neighbours wait for each other once in each
// turn.
//
// Any worker may take over a stalled chain: it makes the next part of a chain that no worker is at.
// The result is the same whatever the borders, and however many levels.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "explore/level.h"
#include "explore/observed_cut.h"
#include "explore/packing.h"
#include "explore/paths.h"
#include "explore/worker_pool.h"

namespace sooth::explore {

class Batch {
public:
  static constexpr std::size_t kFewest = 16, kMost = 48; // levels
  static constexpr std::size_t kNodes = 8192;   // of all levels together, about: they are all kept until the end
  static constexpr std::size_t kNarrowest = 16; // nodes of a level that two chains are worth while for

  explicit Batch(unsigned workers) : chains_(std::make_unique<Chain[]>(workers)), workers_(workers), levels_(kMost) {}

  // How many levels to make of a level of so many nodes; fewer than kFewest: rather none.
  static std::size_t levels_for(std::size_t nodes) { return nodes < kNarrowest ? 0 : std::min(kMost, kNodes / nodes); }
  std::size_t chains_for(std::size_t nodes) const {
    return std::clamp<std::size_t>(nodes / (kNarrowest / 2), 1, workers_);
  }

  // `from` is not empty, and `borders` are cuts that divide it. No step of the batch moves a field
  // in front of `lead`. `rise` is the number of steps of that field by which the middle goes up
  // with each level, from 0 to 1.
  void begin(const Level& from, const ObservedRun& observed, const std::vector<std::uint64_t>& borders,
             const Packing::Field& lead, double rise) {
    from_ = from.view();
    steps_ = observed.steps;
    words_ = from.layout.cut_words;
    chain_count_ = borders.size() / words_ + 1;
    plan(borders, lead, rise);
    for (std::size_t k = 0; k < steps_.size(); ++k) {
      levels_[k].layout = from.layout;
      levels_[k].begin_parts(chain_count_);
    }
    for (std::size_t c = 0; c < chain_count_; ++c) {
      chains_[c].observed = observed.begin;
      chains_[c].turn.store(0, std::memory_order_relaxed);
    }
    ++number_;
    end_.store(steps_.size(), std::memory_order_relaxed);
  }

  // Called by each worker that comes. Worker 0 certainly comes, and returns when everything is
  // made. make(const LevelView& from, const ObservedCut&, const std::uint64_t* low, const
  // std::uint64_t* high, Part& out) returns the strands of the part.
  template <typename Make>
  void work(unsigned worker, const Make& make) {
    if (worker >= chain_count_) return;
    for (unsigned looks = 0;;) {
      if (advance(worker, make)) {
        looks = 0;
      } else if (worker == 0 ? all_made() : made(worker)) {
        return;
      } else if (++looks % kPatience == 0 && help(worker, make)) {
        looks = 0;
      } else if (looks < kLooks) {
        pause_shortly();
      } else {
        std::this_thread::yield();
      }
    }
  }

  // The levels that were made: fewer than were asked for if they became wide.
  std::size_t levels() const { return end_.load(std::memory_order_relaxed); }
  // A level's summary.
  struct Sum {
    std::uint64_t made = 0, edges = 0;
    std::size_t nodes = 0;
    bool any_hits = false;
  };
  Sum sum(std::size_t level) const {
    Sum sum;
    for (std::size_t c = 0; c < chain_count_; ++c) {
      const Slot& slot = chains_[c].slots[level];
      sum.made += slot.made;
      sum.edges += slot.edges;
      sum.nodes += slot.view.size;
      sum.any_hits = sum.any_hits || slot.any_hits;
    }
    return sum;
  }
  // Once for each level.
  Paths::Pieces take_strands(std::size_t level) {
    Paths::Pieces pieces;
    std::uint32_t below = 0; // strands of the level before: parents count from the chain's own
    for (std::size_t c = 0; c < chain_count_; ++c) {
      pieces.push_back(std::move(chains_[c].slots[level].strands));
      pieces.back().parents_from = below;
      if (level > 0) below += chains_[c].slots[level - 1].view.strands;
    }
    return pieces;
  }
  // The level as if it had been made alone, with its strands.
  Level& level(std::size_t index) {
    Paths::Pieces pieces = take_strands(index);
    for (std::size_t c = 0; c < chain_count_; ++c) levels_[index].part(c).summary.strands = std::move(pieces[c]);
    return levels_[index];
  }
  std::uint64_t bytes() const {
    std::uint64_t sum = 0;
    for (std::size_t c = 0; c < chain_count_; ++c)
      for (std::size_t k = 0; k < steps_.size(); ++k) sum += chains_[c].slots[k].bytes;
    return sum;
  }

private:
  static constexpr std::size_t kPeriod = 8;     // levels until borders have stayed and gone up once
  static constexpr std::size_t kTooWide = 1024; // nodes of a part: levels are better shared one by one
  static constexpr std::size_t kBlock = 512;    // strands
  static constexpr unsigned kPatience = 32;     // looks at a stalled chain: a microsecond or two
  static constexpr unsigned kLooks = 1000;      // then others may have the core

  // The facts about a part that other workers need, in one cache line.
  struct alignas(64) Slot {
    std::atomic<std::uint32_t> made_in{0}; // the batch; set last
    bool any_hits = false;
    PartView view;
    std::uint32_t made = 0, edges = 0, bytes = 0;
    Paths::Piece strands;
  };
  struct Chain {
    Slot slots[kMost]; // by level
    // Twice the number of finished parts; plus one while a worker makes the next. Only workers that
    // want to make it look here.
    alignas(128) std::atomic<std::uint32_t> turn = 0;
    // Of the worker that is at it.
    ObservedCut observed;
    std::vector<PartView> parts;
    std::vector<std::uint64_t> first_cuts;
    std::shared_ptr<Strand[]> block; // where strands go, of one level after the other
    std::size_t block_size = 0, block_used = 0;
  };

  void plan(const std::vector<std::uint64_t>& borders, const Packing::Field& lead, double rise) {
    const auto stay = static_cast<std::size_t>(std::lround(kPeriod * (1 - rise)));
    go_up_.assign(steps_.size(), false);
    borders_ = borders;
    for (std::size_t k = 1; k < steps_.size(); ++k) {
      const std::size_t last = borders_.size() - borders.size();
      borders_.resize(borders_.size() + borders.size());
      std::copy_n(borders_.begin() + static_cast<std::ptrdiff_t>(last), borders.size(),
                  borders_.end() - static_cast<std::ptrdiff_t>(borders.size()));
      // Begins in the middle of a stay, so that the middle is as long above the border as below it.
      if ((k + stay / 2) % kPeriod < stay) continue;
      // No key has more in the field than this; further up, the sum might not fit the word.
      std::uint64_t* const first = borders_.data() + borders_.size() - borders.size();
      const std::uint64_t highest = first[borders.size() - words_ + lead.word];
      if (((highest >> lead.shift) & lead.mask()) == lead.mask()) continue;
      go_up_[k] = true;
      for (std::size_t b = 0; b < borders.size(); b += words_) first[b + lead.word] += Packing::unit(lead);
    }
  }
  // Below the chain's part of a level; null: none.
  const std::uint64_t* border_below(std::size_t level, std::size_t chain) const {
    return chain == 0 ? nullptr : borders_.data() + (level * (chain_count_ - 1) + chain - 1) * words_;
  }

  // The chains that a chain's next part is made from are [first, last].
  std::size_t first_needed(std::size_t level, std::size_t chain) const { return go_up_[level] ? chain : 0; }
  std::size_t last_needed(std::size_t level, std::size_t chain) const {
    return go_up_[level] ? chain_count_ - 1 : chain;
  }

  // Acquire, here and below: with it one sees the part, or all parts that were made before.
  bool ready(std::size_t level, std::size_t chain) const {
    if (level == 0) return true;
    for (std::size_t c = first_needed(level, chain); c <= last_needed(level, chain); ++c)
      if (c != chain && chains_[c].slots[level - 1].made_in.load(std::memory_order_acquire) != number_) return false;
    return true;
  }
  bool made(std::size_t chain) const {
    const std::uint32_t turn = chains_[chain].turn.load(std::memory_order_acquire);
    return turn % 2 == 0 && turn / 2 >= levels();
  }
  bool all_made() const {
    for (std::size_t c = 0; c < chain_count_; ++c)
      if (!made(c)) return false;
    return true;
  }

  // Makes the chain's next part; false if it cannot be made yet, or a worker is at it.
  template <typename Make>
  bool advance(std::size_t chain, const Make& make) {
    Chain& own = chains_[chain];
    std::uint32_t now = own.turn.load(std::memory_order_acquire);
    const std::size_t level = now / 2;
    if (now % 2 != 0 || level >= levels() || !ready(level, chain)) return false;
    if (!own.turn.compare_exchange_strong(now, now + 1, std::memory_order_acquire)) return false;
    own.observed.go_on(steps_[level]);
    Part& out = levels_[level].part(chain);
    publish(own, level, out,
            make(level == 0 ? from_ : parts_for(level, chain), own.observed, border_below(level, chain),
                 chain + 1 == chain_count_ ? nullptr : border_below(level, chain + 1), out));
    if (out.size() > kTooWide) end_after(level + 1);
    own.turn.store(now + 2, std::memory_order_release);
    return true;
  }
  template <typename Make>
  bool help(std::size_t but, const Make& make) {
    for (std::size_t c = 0; c < chain_count_; ++c)
      if (c != but && advance(c, make)) return true;
    return false;
  }
  // Parts of later levels that others have made already are for nothing.
  void end_after(std::size_t levels) {
    std::size_t now = end_.load(std::memory_order_relaxed);
    while (now > levels && !end_.compare_exchange_weak(now, levels, std::memory_order_relaxed)) {
    }
  }

  void publish(Chain& chain, std::size_t level, const Part& part, std::span<const Strand> strands) {
    Slot& slot = chain.slots[level];
    slot.view = part.summary.view;
    slot.any_hits = part.summary.any_hits;
    slot.made = static_cast<std::uint32_t>(part.summary.made);
    slot.edges = static_cast<std::uint32_t>(part.summary.edges);
    slot.bytes = static_cast<std::uint32_t>(part.summary.bytes);
    slot.made_in.store(number_, std::memory_order_release);
    // Not read before the end of the batch.
    if (chain.block_size - chain.block_used < strands.size()) {
      chain.block_size = std::max(kBlock, strands.size());
      chain.block = std::make_shared_for_overwrite<Strand[]>(chain.block_size);
      chain.block_used = 0;
    }
    Strand* const place = chain.block.get() + chain.block_used;
    std::ranges::copy(strands, place);
    chain.block_used += strands.size();
    slot.strands.first = std::shared_ptr<Strand[]>(chain.block, place);
    slot.strands.size = static_cast<std::uint32_t>(strands.size());
  }

  // The number of strands in the chains below may not be known yet: strands count from the chain's
  // own.
  LevelView parts_for(std::size_t level, std::size_t chain) {
    Chain& own = chains_[chain];
    own.parts.clear();
    own.first_cuts.clear();
    const Layout& layout = levels_[level].layout;
    std::uint32_t strands = 0;
    for (std::size_t c = first_needed(level, chain); c < chain; ++c)
      strands -= chains_[c].slots[level - 1].view.strands;
    for (std::size_t c = first_needed(level, chain); c <= last_needed(level, chain); ++c) {
      PartView view = chains_[c].slots[level - 1].view;
      view.strands_before = strands;
      strands += view.strands;
      if (view.size == 0) continue;
      // A neighbour's nodes at the border are needed soon, and come from another worker's cache.
      if (c != chain) {
        const std::size_t near = c < chain ? view.size - 1 : 0;
        __builtin_prefetch(view.records + near * layout.words());
        __builtin_prefetch(view.infos + near);
      }
      if (own.parts.empty()) own.first_cuts.resize(words_); // not asked for
      else own.first_cuts.insert(own.first_cuts.end(), view.records, view.records + words_);
      own.parts.push_back(view);
    }
    return {layout, own.parts.data(), own.parts.size(), own.first_cuts.data()};
  }

  const std::unique_ptr<Chain[]> chains_;
  const unsigned workers_;
  std::vector<Level> levels_;
  // The plan, which does not change while the batch is made.
  LevelView from_;
  std::uint32_t number_ = 0; // of the batch; it may wrap around
  std::size_t words_ = 1;    // of a cut
  std::size_t chain_count_ = 1;
  std::vector<ObservedStep> steps_;               // by level
  std::vector<std::uint64_t> borders_;            // by level, then chain
  std::vector<bool> go_up_;                       // by level: the borders are higher than those of the level before
  alignas(128) std::atomic<std::size_t> end_ = 0; // levels that are to be made
};

} // namespace sooth::explore
