// The reference explorer: maximal models, Fig. 3, written plainly. Linked only into tests; everything fast is compared with it.
//
// It enumerates the runs that a model allows, an event at a time, by asking for every event whether
// it may come next. A run's future depends on how far the threads have come, on who wrote each byte
// last, on the order of the uses of conditions and barriers and on nothing else, so runs that agree
// in that are followed once (`states`); `runs` enumerates them one by one, as Fig. 3 does, and the
// tests check that both say the same.
//
// It knows: reads, writes, atomic ones, read-modify-writes, of any bytes; locks, shared locks,
// failed tries; semaphores, conditions, barriers (under hb the first two as they were recorded);
// initialisations and destructions of locks, which keep their order with all uses; fork, join,
// starts and ends of threads; begins and ends of blocks. Every event is a step of its own. The
// models are prefix-local: an event may be added to a run if the model's condition for it holds
// then. Where Fig. 3 extends a run by one read with another value (lines 8 to 10), here the thread
// stands before that read: Definitions 4 and 5 ask for no more.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "trace/trace.h"
#include "witness/finding.h"

namespace sooth::reference {

using EventNumber = std::uint32_t;
using witness::Model;

// What decides about the future of a run.
struct State {
  std::vector<std::uint32_t> progress;       // by thread: events done
  std::map<std::uint64_t, EventNumber> last; // by byte: who wrote it last
  // By condition: its events since somebody began to wait; by barrier: who arrived, one after the
  // other.
  std::map<std::uint64_t, std::vector<EventNumber>> uses;
  friend auto operator<=>(const State&, const State&) = default;
};

class Reference {
public:
  explicit Reference(const trace::Trace& trace);

  // Whether the thread's next event may follow in this state.
  // late: a thread that destructions do not wait for.
  bool enabled(const State& state, std::uint32_t thread, Model model, bool locks = true,
               std::uint32_t late = kNone) const;
  State after(const State& state, std::uint32_t thread) const;
  State initial() const;

  // All states that runs of the model reach, the initial one included.
  std::set<State> states(Model model) const;
  // Every run (all its prefixes are runs, too), as in Fig. 3. For very small traces only.
  void runs(Model model, const std::function<void(const std::vector<EventNumber>&, const State&)>& visit) const;

  // Definition 4: pairs of events, the earlier one first.
  using Pair = std::pair<EventNumber, EventNumber>;
  std::set<Pair> races(const std::set<State>& states) const;
  // The requests of threads that stand, each of them, before something that the next one has: locks or its own end.
  // Cycles without a smaller one inside them.
  std::set<std::set<EventNumber>> deadlocks(const std::set<State>& states) const;
  // The requests for locks whose owner has ended.
  std::set<EventNumber> abandoned(const std::set<State>& states) const;
  // Whole states in which nobody goes on: every thread stands before a request that is not granted, has ended, or never
  // begins; and somebody waits for a semaphore. The requests.
  std::set<std::set<EventNumber>> standstills(const std::set<State>& states) const;
  // A use of a lock and a destruction, which another thread makes: some run, in which the
  // destruction does not wait for the user, comes to stand before the use behind it. The user's
  // uses before that one were in time.
  std::set<Pair> uses_after_destroy(Model model) const;
  // A thread and another one's initialisation: some state has both directly before the
  // initialisation and a use, initialisation or destruction of the same lock, with no other
  // initialisation or destruction between the two in the trace.
  std::set<Pair> half_made(const std::set<State>& states) const;
  // Definition 5. Blocks are given by their begin events; only those that end are transactions.
  std::vector<EventNumber> transactions() const;
  bool atomic(EventNumber begin, Model model, const std::set<State>& states) const;
  bool serialisable(Model model) const;

  // View serialisability. What a run did, as far as its order does not matter: which events, what they read, what is there at the
  // end. One thread may end with a read that sees something else than in the trace.
  struct Outcome {
    std::vector<std::uint32_t> progress; // by thread; the read that sees something else is not counted
    std::map<std::uint64_t, int> values; // by byte that was written; kAny: not known
    std::uint32_t diverged = kNone;      // the thread that ends so
    std::map<std::uint64_t, int> seen;   // by byte of its last read
    friend auto operator<=>(const Outcome&, const Outcome&) = default;
  };
  // The outcomes of all runs of the model.
  std::set<Outcome> outcomes(Model model) const { return outcomes(model, {}, false); }
  // Those of all orders of events, in which reads see what they saw, that have these blocks, given by their begins, in one piece. Locks
  // do not count.
  std::set<Outcome> outcomes_with(const std::set<EventNumber>& whole) const {
    return outcomes(Model::Maximal, whole, true);
  }
  // The outermost blocks that are over, or that the read which sees something else ends; all of them, with those inside.
  std::set<EventNumber> blocks_of(const Outcome& outcome, bool outermost) const;
  Outcome recorded() const;

  // Whether the byte has, in this state, the value that the event found there in the trace.
  bool same_value(const State& state, EventNumber event, std::uint64_t byte) const;
  EventNumber next(const State& state, std::uint32_t thread) const; // kNone: it has come to its end
  static constexpr EventNumber kNone = 0xffffffff;
  bool every_lock_released() const;
  bool conflict(EventNumber a, EventNumber b) const; // same bytes, different threads, one writes

private:
  struct Extended {
    State state;
    std::uint32_t diverged = kNone;
    std::map<std::uint64_t, int> seen;
    std::set<std::uint64_t> unknown;    // bytes that its last event has written
    std::map<std::uint64_t, int> first; // bytes that nobody saw before they were written: what they must have had
    friend auto operator<=>(const Extended&, const Extended&) = default;
  };
  // `anything`: bytes that are not known may have any value (an order of events that happened); else nothing follows such a write.
  std::set<Outcome> outcomes(Model model, const std::set<EventNumber>& whole, bool anything) const;
  std::vector<Extended> followers(const Extended& here, std::uint32_t thread, Model model, bool anything) const;
  Outcome outcome_of(const Extended& run) const;
  static constexpr int kAny = -2;

  struct LockState {
    std::uint32_t owner = kNone;
    std::set<std::uint32_t> readers;
  };
  bool done(const State& state, EventNumber event) const;
  LockState lock(const State& state, std::uint64_t address) const;
  bool lock_allows(const State& state, EventNumber event) const;
  bool memory_allows(const State& state, EventNumber event, Model model) const;
  bool started(const State& state, std::uint32_t thread) const;
  bool ended(const State& state, std::uint32_t thread) const;
  std::int64_t count(const State& state, std::uint64_t semaphore) const;
  bool primitive_allows(const State& state, EventNumber event, Model model) const;
  bool initialised(const State& state, EventNumber event) const;
  bool life_allows(const State& state, EventNumber event, std::uint32_t late) const;
  bool comes_too_late(EventNumber use, EventNumber destroy, Model model) const;
  bool as_recorded(const State& state, EventNumber event) const;
  bool wake_allowed(const State& state, EventNumber wake) const;
  bool leave_allowed(const State& state, EventNumber leave) const;
  EventNumber wait_of(EventNumber wake) const;
  void pair_up();
  // The threads that the request waits for.
  std::set<std::uint32_t> blockers(const State& state, EventNumber request) const;
  int value(std::uint64_t byte, EventNumber writer) const; // -1: unknown
  EventNumber end_of(EventNumber begin) const;

  const trace::Trace& trace_;
  std::vector<std::vector<EventNumber>> threads_;
  std::vector<std::uint32_t> place_;
  std::vector<std::map<std::uint64_t, EventNumber>> saw_; // by event: who had written each of its bytes
  std::map<std::uint64_t, std::int64_t> least_count_;     // by semaphore that nobody initialised
  std::map<EventNumber, std::vector<EventNumber>> after_; // hb: what came before it, as recorded
  std::set<EventNumber> spurious_;                        // wake-ups without a signal
  std::set<int> values_;                                  // of all bytes
  std::map<std::uint64_t, int> first_value_;              // bytes that were read before anybody wrote them
};

} // namespace sooth::reference
