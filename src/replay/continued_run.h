// A run that begins in a given order and goes on in the recorded one.
//
//     recorded:  T1 acquire m, T1 release m, T2 acquire m, T2 release m
//     begun by   T2 acquire m:   T2 release m, T1 acquire m, T1 release m follow
//
// Question: if the threads do all that they did in the recorded run, and always the one goes on
//   whose next event came first there, which order results, and where does it end?
// A thread cannot go on before a lock is free, a semaphore has a count, its wait was signalled, its
//   creator has created it, or a thread that it joins has ended; of other primitives, before what
//   it took was given.
// Cost: events times threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "trace/trace.h"

namespace sooth::replay {

inline constexpr std::uint32_t kNotMade = ~0u;

class ContinuedRuns {
public:
  explicit ContinuedRuns(const trace::Trace& trace);

  // All events of the run: first those of `begin`, then the others.
  std::vector<std::uint32_t> run(std::span<const std::uint32_t> begin) const;

private:
  const trace::Trace& trace_;
  std::vector<std::vector<std::uint32_t>> of_thread_;
  std::vector<std::uint32_t> needs_; // by event: another one that has to come before; or kNotMade
  absl::flat_hash_map<std::uint64_t, std::int64_t> first_counts_; // of semaphores, by address
};

} // namespace sooth::replay
