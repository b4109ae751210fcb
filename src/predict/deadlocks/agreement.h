// Two threads that wait for each other's signals have seen the same last values.
//
//     T1 acquire m, read full = 1, wait not_full, m      before that, under m, T1 has set `full`
//     T2 acquire m, read full = 0, wait not_empty, m     to 1 and signalled not_empty, and T2 has
//                                                        set it to 0 and signalled not_full
//
//     Can both wait for ever? T1 was not signalled since it waits, so all that T2 has signalled
//     came before. So did all that T2 has written. The same holds the other way round. So both have
//     seen the last value of `full`, and it was the same one: these two waits never meet.
//
// Question: which instances of a circle of two waits cannot stand still together?
// Why it is certain. Let a and b be waits with one mutex m, on conditions c and d. A standstill has
//   no signal of c behind a, and none of d behind b (blocking.h), unless a thread that stands still
//   has m. No thread of the trace makes a request while it has m, so there is none. Let all writes
//   of a location by the two threads be under m, and each be made before the thread's last signal
//   of the other one's condition, or in the same section as it. Then all of b's thread's writes
//   come before a's section, since they come before a and not inside it; and the other way round.
//   If nobody else writes the location, or only before both, its value at the end of both sections
//   is that of the last write in the run, and so the same.
// Where it applies: circles of two waits, each of one thread; models in which reads see their
//   values. Other instances are left to questions.
// Cost: the sections before the waits; the writes of at most kMostLocations locations.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "predict/deadlocks/requests.h"
#include "predict/question/index.h"
#include "predict/question/must_order.h"

namespace sooth::predict {

// Whether all writes of some location by some thread are in exclusive sections of a lock.
class GuardedWrites {
public:
  explicit GuardedWrites(const Index& index) : index_(index) {}
  bool all_under(std::uint32_t lock, std::uint32_t location, const ThreadAccesses& own);

private:
  const Index& index_;
  absl::flat_hash_map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, bool> known_; // lock, location, thread
};

class Agreement {
public:
  // The wake-ups of both places of the circle. `must`: what holds whatever a question waives.
  Agreement(const Index& index, const MustOrder& must, const Requests& requests, std::span<const StepId> first,
            std::span<const StepId> second);

  // The instances that cannot stand still with any one of the other place. Ascending.
  std::vector<StepId> alone() const;
  // Whether two instances may stand still together. False is certain.
  bool may_meet(StepId first, StepId second) const;

private:
  using Values = std::vector<std::uint32_t>; // of locations_
  struct Wait {
    StepId wake = kNoStep;
    StepId begin = kNoStep;
    const Section* section = nullptr; // before it; null: not known
    std::optional<Values> seen;       // nothing: the rule does not apply to it
  };
  struct Side {
    std::uint32_t thread = 0;
    std::uint32_t condition = 0;
    std::vector<Wait> waits; // ascending
  };

  bool gather(std::span<const StepId> wakes, Side& side);
  bool somebody_stands_with_the_mutex(const Requests& requests) const;
  std::vector<std::uint32_t> used_in(const Wait& wait) const;
  void choose_locations();
  bool is_theirs(std::uint32_t location);
  void look(Side& side, const Side& other);
  std::optional<Values> values_at(const Wait& wait, const Side& side, const Side& other) const;
  static const Wait* find(const Side& side, StepId wake);

  const Index& index_;
  const MustOrder& must_;
  GuardedWrites guarded_;
  std::uint32_t mutex_ = 0;
  bool has_mutex_ = false;
  Side sides_[2];
  std::vector<std::uint32_t> locations_; // that both sides saw before their waits; empty: the rule does not apply
};

} // namespace sooth::predict
