// What threads wait for, as a run goes on: owners of locks, semaphores' counts, barriers, signals,
// initialisations.
//
//     1 T1 sem-init s = 0
//     2 T2 sem-wait s        after 1: not allowed, it waits
//     3 T1 sem-post s        after 1 3: allowed
//     4 T3 sem-wait s        after 1 3 2: waits for another post
//
// Question: may this step happen now, as far as its primitive is concerned; and if not, does it
//   wait?
// Source: the serial specifications of POSIX's primitives. The computation has some of them only as
//   orders that repeat the observed matching (which post a wait took). Here they are followed
//   exactly, so that such orders can be waived.
// Where we are careful: a signal may have woken any of the waiting threads, so none of them counts
//   as waiting after it.
// Cost: a hash lookup for each event.
#pragma once

#include <cstdint>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "causality/computation/computation.h"
#include "trace/effects.h"
#include "trace/trace.h"

namespace sooth::predict {

class Blocking {
public:
  Blocking(const trace::Trace& trace, const causality::Computation& computation);

  // The step's primitive lets it happen. Steps of other kinds, and unknown states, are left to the
  // computation's orders.
  bool allows(causality::StepId step) const;
  void take(causality::StepId step);

  // The thread of the step has made its request, and waits until another thread does something.
  // Timed requests never do.
  bool waits(causality::StepId step) const;
  // The same for a reader that stands in line behind a writer that waits.
  bool waits_behind(causality::StepId reader, causality::StepId writer) const;

  // It has ended, and the program has not ended with it.
  bool ended(std::uint32_t thread) const { return ended_[thread]; }

private:
  struct Lock {
    std::uint32_t owner = kNobody;
    std::uint32_t depth = 0;
    absl::flat_hash_map<std::uint32_t, std::uint32_t> readers; // thread: how often
    bool others_read(std::uint32_t thread) const { return readers.size() > (readers.contains(thread) ? 1u : 0u); }
  };
  struct Semaphore {
    std::int64_t count = 0;
    bool known = false;
  };
  struct Barrier {
    std::uint64_t needed = 0; // 0: unknown
    std::uint64_t arrived = 0;
  };
  static constexpr std::uint32_t kNobody = 0xffffffff;

  void apply(const trace::Event& event);
  void take_lock(std::uint32_t thread, const trace::Affected& taken);
  void give_lock(std::uint32_t thread, const trace::Affected& given);
  bool lock_taken(std::uint64_t address, std::uint32_t thread, bool shared) const;
  const trace::Event& event_of(causality::StepId step) const;

  const trace::Trace& trace_;
  const causality::Computation& computation_;
  absl::flat_hash_map<std::uint64_t, Lock> locks_;
  absl::flat_hash_map<std::uint64_t, Semaphore> semaphores_;
  absl::flat_hash_map<std::uint64_t, Barrier> barriers_;
  absl::flat_hash_map<std::uint64_t, std::uint32_t> running_; // one-time initialisations: the thread inside
  struct Wait {
    std::uint64_t condition = 0;
    bool timed = false, open = false, signalled = false;
  };
  std::vector<Wait> waiting_; // by thread
  absl::flat_hash_map<std::uint64_t, absl::flat_hash_set<std::uint32_t>>
      waiters_; // by condition: threads that were not signalled
  std::vector<absl::flat_hash_map<std::uint64_t, std::uint64_t>> arrivals_; // by thread: its last one's number
  std::vector<bool> ended_;                                                 // by thread
  std::vector<std::uint32_t> left_;                                         // by thread: steps to come
};

// The end of one thread, but not of the program: main returned, or a thread called exit.
bool ends_only_its_thread(const trace::Trace& trace, const trace::Event& event);

} // namespace sooth::predict
