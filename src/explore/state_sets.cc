#include "explore/state_sets.h"

#include <algorithm>

namespace sooth::explore {

namespace {

std::uint32_t place_in(const std::vector<SetMember>& members, const SetMember& member) {
  return static_cast<std::uint32_t>(std::ranges::lower_bound(members, member) - members.begin());
}

void sort_unique(std::vector<SetMember>& members) {
  std::ranges::sort(members);
  members.erase(std::ranges::unique(members).begin(), members.end());
}

} // namespace

StateSets::StateSets(const MonitorSet& monitors) : monitors_(monitors), retired_(monitors.monitors(), false) {
  sets_.emplace_back(); // number 0 is the empty set
  numbers_.emplace(std::vector<SetMember>{}, kEmptySet);
}

SetNumber StateSets::number(std::vector<SetMember> members) {
  const auto [entry, fresh] = numbers_.try_emplace(members, static_cast<SetNumber>(sets_.size()));
  if (fresh) {
    bytes_ += 2 * members.size() * sizeof(SetMember) + 2 * sizeof(std::vector<SetMember>);
    sets_.push_back(std::move(members));
  }
  return entry->second;
}

const std::vector<SetMember>& StateSets::members(SetNumber set) const {
  const std::scoped_lock lock(mutex_);
  return sets_[set];
}

Transition StateSets::start(Letter letter) {
  const std::scoped_lock lock(mutex_);
  Transition out;
  std::vector<SetMember> members;
  for (std::uint32_t m = 0; m < monitors_.monitors(); ++m) {
    const Move move = monitors_.start(m, letter);
    if (move.violated) out.violated.push_back(m);
    else members.push_back({m, move.state});
  }
  out.target = number(std::move(members));
  return out;
}

Transition StateSets::compute(SetNumber set, Letter letter) {
  const std::vector<SetMember> from = sets_[set];
  Transition out;
  std::vector<SetMember> moved(from.size()), members;
  for (std::uint32_t k = 0; k < from.size(); ++k) {
    const Move move = monitors_.step(from[k].monitor, from[k].state, letter);
    moved[k] = {from[k].monitor, move.state};
    if (move.violated) out.violated.push_back(k);
    else members.push_back(moved[k]);
  }
  sort_unique(members);
  for (std::uint32_t k = 0, next = 0; k < from.size(); ++k) {
    const bool gone = next < out.violated.size() && out.violated[next] == k;
    next += gone ? 1 : 0;
    out.place.push_back(gone ? kDropped : place_in(members, moved[k]));
    out.same_places = out.same_places && out.place[k] == k;
  }
  out.target = number(std::move(members));
  return out;
}

const Transition& StateSets::step(SetNumber set, Letter letter) {
  const std::scoped_lock lock(mutex_);
  const auto [entry, fresh] = steps_.try_emplace(std::pair(set, letter), nullptr);
  if (fresh) {
    // The map may grow while the transition is computed only through number(), which does not touch
    // it.
    transitions_.push_back(compute(set, letter));
    entry->second = &transitions_.back();
    bytes_ += sizeof(Transition) + 4 * transitions_.back().place.size() + 32;
  }
  return *entry->second;
}

const Union& StateSets::unite(SetNumber left, SetNumber right) {
  const std::scoped_lock lock(mutex_);
  const auto [entry, fresh] = united_.try_emplace(std::pair(left, right), nullptr);
  if (fresh) {
    std::vector<SetMember> members = sets_[left];
    members.insert(members.end(), sets_[right].begin(), sets_[right].end());
    sort_unique(members);
    Union& out = unions_.emplace_back();
    for (const SetMember& member : sets_[left]) out.left.push_back(place_in(members, member));
    for (const SetMember& member : sets_[right]) out.right.push_back(place_in(members, member));
    out.target = number(std::move(members));
    entry->second = &out;
    bytes_ += sizeof(Union) + 4 * (out.left.size() + out.right.size()) + 32;
  }
  return *entry->second;
}

void StateSets::retire(std::uint32_t monitor) {
  const std::scoped_lock lock(mutex_);
  retired_[monitor] = true;
}

Transition StateSets::without_retired(SetNumber set) {
  const std::scoped_lock lock(mutex_);
  Transition out;
  std::vector<SetMember> members;
  for (const SetMember& member : sets_[set]) {
    const bool gone = retired_[member.monitor];
    out.place.push_back(gone ? kDropped : static_cast<std::uint32_t>(members.size()));
    if (gone) out.same_places = false;
    else members.push_back(member);
  }
  out.target = number(std::move(members));
  return out;
}

} // namespace sooth::explore
