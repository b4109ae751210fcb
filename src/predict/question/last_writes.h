// What a thread saw under a lock that it still holds: the last of all writes under that lock.
//
//     T1 acquire m, T1 read closed = 0, T1 wait c, m
//     T2 acquire m, T2 write closed = 1, T2 signal c, T2 release m
//
//     Can T2 be at its end while T1 stands before its wait? Then T1 has m, so T2's section came
//     before T1's. T2's last write of `closed` is 1, and nobody else writes it: T1 saw 0 all the
//     same, so there is no such run.
//
// Question: does a Question ask for a run in which a thread stands inside a critical section, and
//   has seen a value there that cannot have been the last one?
// Why it is certain: the section is open when the run ends, so every other section of its lock in
//   that run is over before it begins. If all writes of a location by other threads are under the
//   lock, all of them that are in the run come before. A thread's last write in the run is known
//   where the question says how far the thread comes. One of these last writes is what was seen.
//   It is none that comes before another one of them in every run.
// Where it applies: models in which reads see their values; not where only deciding reads do
//   (full).
// Cost: the steps of the open section, times the threads that use a location; whether the writes of
//   a location are all under a lock is found out once.
// Gives up: sections longer than kMostSteps; threads that may or may not make more than kMostWrites
//   writes.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "predict/question/feasibility.h"
#include "predict/question/index.h"
#include "predict/question/must_order.h"

namespace sooth::predict {

// Whether a step lies in one of the thread's exclusive sections of the lock; which one. Null: none.
const Section* section_around(const Index& index, std::uint32_t lock, std::uint32_t thread, StepId step);

// Whether all writes of some location by some thread are in exclusive sections of a lock.
class GuardedWrites {
public:
  explicit GuardedWrites(const Index& index) : index_(index) {}
  bool all_under(std::uint32_t lock, std::uint32_t location, const ThreadAccesses& own);

private:
  const Index& index_;
  absl::flat_hash_map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, bool> known_; // lock, location, thread
};

class LastWrites {
public:
  // `must`: what holds whatever orders a question waives.
  LastWrites(const Index& index, const MustOrder& must) : index_(index), must_(must), guarded_(index) {}

  // True: no run answers the question.
  bool contradict(const Question& question);

private:
  struct Seen {
    std::uint32_t location = 0;
    std::uint32_t value = 0;
    bool usable = false; // it was read before it was written
  };
  struct OpenSection {
    std::uint32_t lock = 0;
    StepId begin = kNoStep;
    std::vector<Seen> first; // by location, what the thread's first access of it saw
  };

  std::vector<OpenSection> open_sections(StepId before) const;
  bool cannot_see(const OpenSection& section, const Seen& seen, std::uint32_t thread,
                  const std::vector<std::uint32_t>& least, const std::vector<std::uint32_t>& most);

  const Index& index_;
  const MustOrder& must_;
  GuardedWrites guarded_;
};

} // namespace sooth::predict
