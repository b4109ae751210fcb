#include "survey/lock_sets.h"

#include <algorithm>

namespace sooth::survey {

namespace {

const LockSets::Held* find(const LockSets::Set& set, std::uint64_t lock) {
  const auto it = std::ranges::lower_bound(set, lock, {}, &LockSets::Held::lock);
  return it != set.end() && it->lock == lock ? &*it : nullptr;
}

} // namespace

LockSets::Id LockSets::number(Set held) {
  if (const auto it = ids_.find(held); it != ids_.end()) return it->second;
  if (sets_.size() == kMaxSets) return kNone;
  const auto id = static_cast<Id>(sets_.size());
  sets_.push_back(held);
  ids_.emplace(std::move(held), id);
  return id;
}

LockSets::Id LockSets::common(Id a, Id b) {
  if (a == b || a == kNone) return a;
  Set out;
  for (const Held& held : sets_[a])
    if (const Held* other = find(sets_[b], held.lock)) out.push_back({held.lock, held.exclusive && other->exclusive});
  return number(std::move(out));
}

bool LockSets::contains(Id b, Id a) const {
  if (a == b || a == kNone) return true;
  return std::ranges::all_of(sets_[a], [&](const Held& held) {
    const Held* other = find(sets_[b], held.lock);
    return other != nullptr && (other->exclusive || !held.exclusive);
  });
}

bool LockSets::exclude(Id a, Id b) const {
  return std::ranges::any_of(sets_[a], [&](const Held& held) {
    const Held* other = find(sets_[b], held.lock);
    return other != nullptr && (held.exclusive || other->exclusive) && !distrusted_.contains(held.lock);
  });
}

std::vector<std::uint64_t> LockSets::locks() const {
  std::vector<std::uint64_t> out;
  for (const Set& set : sets_)
    for (const Held& held : set) out.push_back(held.lock);
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

} // namespace sooth::survey
