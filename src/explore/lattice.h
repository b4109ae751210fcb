// The computation lattice, built level by level from messages that may come in any order.
//
//     T1: a1 a2     T2: b1, after a1                  level 0: (0,0)
//     messages: b1 [1,1], a1 [1,0], a2 [2,0]          level 1: (1,0)
//     level 1 waits for a1, although b1 came first    level 2: (1,1) (2,0)     level 3: (2,1)
//
// Question: in which runs that the clocks allow does a property fail?
// Source: JMPaX online, section 4; JMPaX, section 3.3.
// Where we differ: threads come and go while the lattice grows, cuts are packed bit fields, levels
//   are sorted lists that are merged (no hashing), and each monitor state keeps the path that leads
//   to it.
// Cost: for each cut and thread one comparison of words and one step of a merge; memory is two
//   levels and the paths that lead to the newer one. It gives up at the limits of Options, and says
//   so.
//
// Each thread has one channel of numbered messages. A level is expanded as soon as, for each thread
// that some cut could let go next, its next event has arrived (or it is known that none will come).
// So threads announce their children (Fork) and their end (End), and may announce that nothing will
// come before another thread has ended (Waits).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>

#include "base/result.h"
#include "causality/computation/clock.h"
#include "causality/models/model.h"
#include "explore/exploration.h"
#include "explore/monitor_set.h"

namespace sooth::explore {

struct Message {
  enum class Kind : std::uint8_t {
    Event, // a relevant event
    Fork,  // created the thread `other`
    End,   // nothing more will come from this thread
    Waits, // until its next message: no event before all events of the thread `other` (it joins it)
  };
  Kind kind = Kind::Event;
  bool glued = false; // Event: no other thread comes between this and the thread's next event
  causality::ThreadNumber thread = 0;
  causality::ThreadNumber other = 0;
  std::uint64_t sequence = 0; // of the thread's channel: 0, 1, 2, ... over all kinds
  std::uint64_t position = 0; // Event: ascends along the observed run (index in the trace, or ticket)
  EventName event = 0;
  causality::SharedClock clock; // Event: by Algorithm A; its own component counts the thread's events, from 1
};

class Lattice {
public:
  // The monitors must outlive the lattice. Thread 0 is there from the start.
  Lattice(const MonitorSet& monitors, const Options& options);
  ~Lattice();
  Lattice(const Lattice&) = delete;
  Lattice& operator=(const Lattice&) = delete;

  // In any order. A repeated message is ignored; one that contradicts earlier ones is an error and
  // changes nothing.
  std::optional<Error> add(const Message& message);
  // No more messages will come: threads without an End are taken as cut off where they stand.
  void finish();

  // Expands levels as far as the messages allow, at most `levels` of them. True if a level was
  // finished.
  bool advance(std::uint64_t levels = UINT64_MAX);

  // Everything so far. `violations` only ever grows; `end` is Waiting while messages are missing.
  const Exploration& result() const;
  // Monitors that object in some run of the events that have arrived, though its level is not
  // complete yet (look_ahead.h). Nothing: there are more cuts than `most`.
  std::optional<std::set<std::uint32_t>> look_ahead(std::size_t most);
  // Messages that are there and not yet used, and those that lie beyond a gap.
  std::uint64_t pending() const;
  // Whether every known thread has announced its end, without gaps.
  bool input_complete() const;
  // After the end: events that no run reached because clocks ask for events that do not exist.
  std::uint64_t unreached() const;
  // Events of the thread up to this number are in no kept path and in every cut: they may be
  // forgotten.
  causality::Count forgotten(causality::ThreadNumber thread) const;
  std::uint64_t bytes() const; // of levels, paths and waiting messages

private:
  class Engine;
  std::unique_ptr<Engine> engine_;
};

// Offline: all runs of a model. Uses a Lattice if the model has clocks, and asks the model
// otherwise.
Exploration explore(const causality::Model& model, const MonitorSet& monitors, const Options& options);

} // namespace sooth::explore
