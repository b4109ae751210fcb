#include "explore/paths.h"

#include <algorithm>

namespace sooth::explore {

using causality::ThreadNumber;

void Paths::append(std::vector<Strand> level) {
  constexpr std::uint64_t kSmall = 4096;
  strands_ += level.size();
  const std::uint64_t newest = level.size();
  levels_.push_back(std::move(level));
  if (cost() > 2 * (cost_at_sweep_ + newest) + kSmall) sweep();
}

// From the newest level back: strands that nothing continues go away.
void Paths::sweep() {
  constexpr std::uint32_t kDead = 0xffffffff;
  std::vector<std::uint32_t> place;
  for (std::size_t l = levels_.size(); l-- > 1;) {
    std::vector<Strand>& older = levels_[l - 1];
    place.assign(older.size(), kDead);
    for (const Strand& strand : levels_[l]) place[strand.parent] = 0;
    std::uint32_t live = 0;
    for (std::size_t k = 0; k < older.size(); ++k) {
      if (place[k] == kDead) continue;
      place[k] = live;
      older[live++] = older[k];
    }
    if (live == older.size()) continue;
    strands_ -= older.size() - live;
    older.resize(live);
    older.shrink_to_fit();
    for (Strand& strand : levels_[l]) strand.parent = place[strand.parent];
  }
  // The oldest levels that have one strand only are the trunk; the strands behind them continue strand 0.
  while (levels_.size() > 1 && levels_.front().size() == 1) {
    trunk_.push_back(levels_.front().front().thread);
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
    strands_ -= levels_.front().size();
    levels_.pop_front();
    ++dropped_;
  }
}

std::vector<ThreadNumber> Paths::path(std::uint32_t strand, std::uint64_t& begins) const {
  std::vector<ThreadNumber> out;
  for (std::size_t l = levels_.size(); l-- > 0;) {
    out.push_back(levels_[l][strand].thread);
    strand = levels_[l][strand].parent;
  }
  out.insert(out.end(), trunk_.rbegin(), trunk_.rend());
  std::ranges::reverse(out);
  begins = dropped_;
  return out;
}

std::uint64_t Paths::bytes() const {
  return strands_ * sizeof(Strand) + levels_.size() * sizeof(std::vector<Strand>) +
         trunk_.size() * sizeof(ThreadNumber);
}

} // namespace sooth::explore
