#include "explore/paths.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace sooth::explore {

using causality::ThreadNumber;

Paths::Piece::Piece(std::span<const Strand> strands)
    : first(std::make_shared_for_overwrite<Strand[]>(strands.size())),
      size(static_cast<std::uint32_t>(strands.size())) {
  std::ranges::copy(strands, first.get());
}

void Paths::append(Pieces level) {
  newest_ = 0;
  for (const Piece& piece : level) newest_ += piece.size;
  strands_ += newest_;
  levels_.push_back({std::move(level), newest_});
  ++kept_levels_;
  ++appended_;
}

void Paths::begin_sweep() {
  sweeping_ = true;
  std::swap(sweep_.levels, levels_); // which was empty
  sweep_.dead = 0;
  cost_at_sweep_ = cost(); // so that the next one is not due before as much was appended again
}

// From the newest level back: strands without a continuation go away. The newest itself stays, so
// levels that are appended meanwhile continue the right strands.
void Paths::sweep_begun() {
  constexpr std::uint32_t kDead = 0xffffffff;
  std::vector<std::uint32_t> places;
  std::vector<Strand> kept;
  for (std::size_t l = sweep_.levels.size(); l-- > 1;) {
    Level& newer = sweep_.levels[l];
    Level& older = sweep_.levels[l - 1];
    places.assign(older.size, kDead);
    for (const Piece& piece : newer.pieces)
      for (const Strand& strand : piece.strands()) places[strand.parent + piece.parents_from] = 0;
    std::uint32_t live = 0;
    for (std::uint32_t& place : places)
      if (place != kDead) place = live++;
    // All of them live, and they pin no other memory: once a level was swept, its one piece has its
    // own.
    if (live == older.size && older.pieces.size() == 1) continue;
    kept.clear();
    auto place = places.begin();
    for (const Piece& piece : older.pieces)
      for (const Strand& strand : piece.strands())
        if (*place++ != kDead) kept.push_back({strand.parent + piece.parents_from, strand.thread});
    sweep_.dead += older.size - live;
    older.size = live;
    older.pieces.assign(1, Piece(kept));
    for (Piece& piece : newer.pieces) {
      for (Strand& strand : piece.strands()) strand.parent = places[strand.parent + piece.parents_from];
      piece.parents_from = 0;
    }
  }
}

void Paths::end_sweep() {
  strands_ -= sweep_.dead;
  std::ranges::move(levels_, std::back_inserter(sweep_.levels));
  levels_.clear();
  std::swap(levels_, sweep_.levels);
  sweeping_ = false;
  // The oldest levels that have one strand only are the trunk; the strands behind them continue
  // strand 0.
  while (levels_.size() > 1 && levels_.front().size == 1) {
    const auto of_one = std::ranges::find_if(levels_.front().pieces, [](const Piece& p) { return p.size != 0; });
    trunk_.push_back(of_one->strands().front().thread);
    levels_.pop_front();
    --strands_;
  }
  shorten();
  kept_levels_ = levels_.size();
  cost_at_sweep_ = cost();
}

void Paths::shorten() {
  if (keep_ == 0) return;
  while (!trunk_.empty() && trunk_.size() + levels_.size() > keep_) {
    trunk_.pop_front();
    ++dropped_;
  }
  while (levels_.size() > 1 && trunk_.empty() && levels_.size() > keep_) {
    strands_ -= levels_.front().size;
    levels_.pop_front();
    ++dropped_;
  }
}

std::vector<ThreadNumber> Paths::path(std::uint32_t strand, std::uint64_t& begins) const {
  std::vector<ThreadNumber> out;
  for (std::size_t l = levels_.size(); l-- > 0;) {
    std::size_t piece = 0;
    for (const Pieces& pieces = levels_[l].pieces; strand >= pieces[piece].size; ++piece) strand -= pieces[piece].size;
    const Strand& step = levels_[l].pieces[piece].strands()[strand];
    out.push_back(step.thread);
    strand = step.parent + levels_[l].pieces[piece].parents_from;
  }
  out.insert(out.end(), trunk_.rbegin(), trunk_.rend());
  std::ranges::reverse(out);
  begins = dropped_;
  return out;
}

std::uint64_t Paths::bytes() const {
  return strands_ * sizeof(Strand) + kept_levels_ * sizeof(Level) + trunk_.size() * sizeof(ThreadNumber);
}

} // namespace sooth::explore
