// Sets of locks that threads hold, each stored once and numbered.
//
//     T1 acquire a, acquire-shared b       set 3: {a exclusively, b shared}
//     T2 acquire-shared b                  set 4: {b shared}      3 and 4 do not exclude each other
//     T3 acquire b                         set 5: {b exclusively} 5 excludes 3 and 4
//
// Two threads that hold the same lock, at least one of them exclusively, are never there at the
// same time, in any run.
// Cost: a lookup for each acquire and release.
// Gives up: beyond kMaxSets sets, a set counts as empty. So more accesses seem to conflict.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

namespace sooth::survey {

class LockSets {
public:
  using Id = std::uint32_t;
  static constexpr Id kNone = 0;

  LockSets() { number({}); }

  struct Held {
    std::uint64_t lock = 0;
    bool exclusive = false;
    friend auto operator<=>(const Held&, const Held&) = default;
    template <typename H>
    friend H AbslHashValue(H h, const Held& held) {
      return H::combine(std::move(h), held.lock, held.exclusive);
    }
  };
  using Set = std::vector<Held>; // ascending; no lock twice

  Id number(Set held);
  const Set& at(Id id) const { return sets_[id]; }
  // What both have. A lock that one of them has shared is shared.
  Id common(Id a, Id b);
  // Every lock of a is in b, exclusively if it is in a.
  bool contains(Id b, Id a) const;
  // No two threads can have these sets at the same time.
  bool exclude(Id a, Id b) const;

  // The lock's address belonged to several objects, so it does not stand for one lock.
  void distrust(std::uint64_t lock) { distrusted_.insert(lock); }
  std::vector<std::uint64_t> locks() const;

private:
  static constexpr std::size_t kMaxSets = 1024;

  std::vector<Set> sets_;
  absl::flat_hash_map<Set, Id> ids_;
  absl::flat_hash_set<std::uint64_t> distrusted_;
};

} // namespace sooth::survey
