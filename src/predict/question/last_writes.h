// What a thread saw under a lock that it still holds: the last of all writes before its section.
//
//     T1 acquire m, T1 read closed = 0, T1 wait c, m
//     T2 acquire m, T2 write closed = 1, T2 signal c, T2 release m
//
//     Can T2 be at its end while T1 stands before its wait? Then T1 has m, so T2's section came
//     before T1's. T2's last write of `closed` is 1, and nobody else writes it: T1 saw 0 all the
//     same, so there is no such run.
//
//     T1 acquire m, T1 read head = p, T1 read *p, T1 release m
//     T2 acquire m, T2 write head = q, T2 free p, T2 release m
//
//     Can T1 stand before its read of *p when p is freed? T1 has m, so T2's section is over, and
//     `head` was q when T1 read it.
//
// Question: does a Question ask for a run in which a thread stands inside a critical section, and
//   has seen a value there that it cannot have seen?
// Why it is certain. The section is open when the run ends. So every other section of its lock that
//   has begun in the run is over before it begins. Which sections have begun, the question says: it
//   names steps that have happened. Call the ends of these sections, and the beginning of the open
//   one, *anchors*. Whatever comes before an anchor in every run comes before all that was seen in
//   the section. Let `certain` be such writes of a location, the last one of each thread. The
//   section's first access of the location is a read, so the thread saw the last write before it.
//   Three sorts of writes cannot be this last write: those that come before a certain one in every
//   run, the thread's own in the section, and those that the question rules out. If no write of the
//   value is left, no run answers the question.
// Where it applies: models in which reads see their values; not where only deciding reads do
//   (full).
// Cost: the steps of the open section, times the threads that use a location, and the writes that
//   they may or may not have made by then.
// Gives up: sections longer than kLongestSection; threads that may or may not make more than
//   kMostWrites writes, if as many have the value; locations of more than kMostWriters threads.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "predict/question/feasibility.h"
#include "predict/question/index.h"
#include "predict/question/must_order.h"

namespace sooth::predict {

class LastWrites {
public:
  // `must`: what holds whatever orders a question waives.
  LastWrites(const Index& index, const MustOrder& must) : index_(index), must_(must) {}

  // True: no run answers the question.
  bool contradict(const Question& question) const;

private:
  struct Seen {
    std::uint32_t location = 0;
    std::uint32_t value = 0;
    bool usable = false; // it was read before it was written
  };
  struct OpenSection {
    std::uint32_t lock = 0;
    bool exclusive = true;
    StepId begin = kNoStep;
    std::vector<Seen> first; // by location, what the thread's first access of it saw
  };
  using Places = std::vector<std::uint32_t>; // by thread: so many of its steps

  std::vector<OpenSection> open_sections(StepId before) const;
  std::optional<std::vector<StepId>> anchors(const OpenSection& section, std::uint32_t thread,
                                             const Places& least) const;
  bool cannot_see(const OpenSection& section, const Seen& seen, std::uint32_t thread,
                  const std::vector<StepId>& anchors, const Places& most) const;
  std::size_t writes_before(const ThreadAccesses& own, const std::vector<StepId>& anchors) const;

  const Index& index_;
  const MustOrder& must_;
};

} // namespace sooth::predict
