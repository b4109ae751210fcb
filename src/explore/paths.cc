#include "explore/paths.h"

#include <algorithm>

namespace sooth::explore {

using causality::ThreadNumber;

void Paths::append(Pieces level) {
  newest_ = 0;
  for (const auto& piece : level) newest_ += piece.size();
  strands_ += newest_;
  levels_.push_back({std::move(level), newest_});
}

// From the newest level back: strands that nothing continues go away.
void Paths::sweep() {
  constexpr std::uint32_t kDead = 0xffffffff;
  std::vector<std::uint32_t> places;
  for (std::size_t l = levels_.size(); l-- > 1;) {
    Level& older = levels_[l - 1];
    places.assign(older.size, kDead);
    for (const auto& piece : levels_[l].pieces)
      for (const Strand& strand : piece) places[strand.parent] = 0;
    std::uint32_t live = 0;
    for (std::uint32_t& place : places)
      if (place != kDead) place = live++;
    if (live == older.size) continue;
    std::vector<Strand> kept;
    kept.reserve(live);
    auto place = places.begin();
    for (const auto& piece : older.pieces)
      for (const Strand& strand : piece)
        if (*place++ != kDead) kept.push_back(strand);
    strands_ -= older.size - live;
    older.size = live;
    older.pieces.clear();
    older.pieces.push_back(std::move(kept));
    for (auto& piece : levels_[l].pieces)
      for (Strand& strand : piece) strand.parent = places[strand.parent];
  }
  // The oldest levels that have one strand only are the trunk; the strands behind them continue strand 0.
  while (levels_.size() > 1 && levels_.front().size == 1) {
    trunk_.push_back(levels_.front().pieces.front().front().thread);
    levels_.pop_front();
    --strands_;
  }
  shorten();
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
    for (const Pieces& pieces = levels_[l].pieces; strand >= pieces[piece].size(); ++piece)
      strand -= static_cast<std::uint32_t>(pieces[piece].size());
    const Strand& step = levels_[l].pieces[piece][strand];
    out.push_back(step.thread);
    strand = step.parent;
  }
  out.insert(out.end(), trunk_.rbegin(), trunk_.rend());
  std::ranges::reverse(out);
  begins = dropped_;
  return out;
}

std::uint64_t Paths::bytes() const {
  return strands_ * sizeof(Strand) + levels_.size() * (sizeof(Level) + sizeof(std::vector<Strand>)) +
         trunk_.size() * sizeof(ThreadNumber);
}

} // namespace sooth::explore
