// A witness, followed event by event: do the rules and the model allow each of them at that moment?
//
//     after T1 acquire m:  T2 acquire m is refused; T2 read x is accepted under maximal if x has
//                          the value that T2 saw in the trace
//
// The part of a witness that repeats the recorded run has happened; only what comes after it is
// judged. (The recorded order itself may break a hold or separate a glued block:
// docs/trace_format.md.)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "witness/facts.h"
#include "witness/finding.h"
#include "witness/taint.h"

namespace sooth::witness::checking {

using Objection = std::optional<std::string>; // a sentence; nothing: all is well

std::string describe(const trace::Trace& trace, EventNumber event); // "event 12 (write of 4 bytes at 0x10 by thread 1)"

class Replay {
public:
  explicit Replay(const Facts& facts);

  EventNumber observed() const { return observed_; } // so many events of the trace were followed, and nothing else
  void observe(EventNumber events);                  // follows the trace up to here; not backwards

  // Follows the witness from observed(), where its own steps begin. On acceptance the state is that
  // at its end.
  Objection run(const Witness& witness, Model model);

  // At the end of the run.
  std::uint32_t progress(std::uint32_t thread) const { return progress_[thread]; } // events done
  bool done(EventNumber event) const;
  const LockState& lock(std::uint64_t address) const { return locks_.at(address); }
  const Met& memory(std::uint32_t piece) const { return memory_.at(piece); }
  std::optional<std::uint64_t> semaphore(std::uint64_t address) const; // its count; nothing if it is not known
  // Whether the thread of the event stands directly before it, or before the glued block that it is
  // in.
  Objection stands_before(EventNumber event) const;
  // Model full: the event of the run reads or writes another value than in the trace, or may do so.
  bool tainted(EventNumber event) const { return tainted_events_.contains(event); }

private:
  void forget_old_holds();
  void apply(EventNumber event);
  Objection judge(EventNumber event, Model model);
  Objection in_thread_order(EventNumber event) const;
  Objection orders(EventNumber event);
  bool from_outside(EventNumber event) const;
  Objection held(EventNumber event);
  Objection lifetime(EventNumber event) const;
  Objection values(EventNumber event, Model model) const;
  Objection free_values(EventNumber event);
  Objection locks(EventNumber event, Model model) const;
  Objection semaphores(EventNumber event) const;

  const Facts& facts_;
  const trace::Trace& trace_;
  EventNumber observed_ = 0;
  std::vector<std::uint32_t> progress_;
  MemoryState memory_;
  Taint taint_;
  bool follows_taint_ = false; // the model is full, and the trace has what it needs
  bool reads_tainted_ = false; // the event that is judged reads something else than it did
  std::vector<bool> tainted_;  // by piece: what is there may be something else
  absl::flat_hash_set<EventNumber> tainted_events_;
  Locks locks_;
  struct Semaphore {
    std::uint64_t count = 0;
    std::uint32_t uses = 0;
    bool known = false;  // the first count was seen
    bool shared = false; // with other processes
  };
  absl::flat_hash_map<std::uint64_t, Semaphore> semaphores_;
  absl::flat_hash_map<std::uint32_t, std::vector<Hold>> holds_; // by piece; some may be over
  std::vector<std::uint32_t> sequence_done_;                    // first members of each sequence that are done
  EventNumber trace_done_ = 0;                                  // all events of the trace before this one are done
};

} // namespace sooth::witness::checking
