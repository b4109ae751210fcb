// Algorithm A: multithreaded vector clocks for relevant events.
//
//     T1 write x    relevant      T1's clock (1, 0); x remembers it
//     T2 read  x                  T2 learns (1, 0)
//     T2 write y    relevant      T2's clock (1, 1): after T1's event
//     T1 write x    relevant      T1's clock (2, 0): T1 does not know of T2's write of y
//
// Question: which relevant events causally precede which? (`e` precedes `f` if and only if the
//   component of e's thread in e's clock is not larger than in f's: JMPaX online, Theorem 3.)
// Source: JMPaX online, Figure 2, for any number of threads.
// Where we differ: an event may touch several objects, and a block of events may have to stay
//   together. So the one operation of Figure 2 also exists in three parts: what an event sees, that
//   it counts, and what it leaves behind.
// Cost: at most one comparison and one copy of a clock for each access; variables share the clock
//   of the thread that touched them last, so there are as many clocks in memory as different ones
//   are needed.
#pragma once

#include <cstddef>
#include <vector>

#include "causality/computation/clock.h"

namespace sooth::causality {

class AlgorithmA {
public:
  AlgorithmA(std::size_t threads, std::size_t objects) : threads_(threads), objects_(objects) {}

  // Figure 2, one event each. The clock is the one to send if the event is relevant.
  SharedClock internal(ThreadNumber thread, bool relevant);
  SharedClock read(ThreadNumber thread, std::size_t object, bool relevant);
  SharedClock write(ThreadNumber thread, std::size_t object, bool relevant);

  // The same in parts. An event that sees an object's reads and writes comes after them. One that
  // is left behind as a read comes before later writes, one left behind as a write before all later
  // accesses.
  void see_writes(ThreadNumber thread, std::size_t object) { see(thread, objects_[object].write); }
  void see_accesses(ThreadNumber thread, std::size_t object) { see(thread, objects_[object].access); }
  void see(ThreadNumber thread, const SharedClock& clock);
  void count(ThreadNumber thread); // a relevant event
  void leave_read(ThreadNumber thread, std::size_t object);
  void leave_write(ThreadNumber thread, std::size_t object);
  // An event that depends on something unknown: `thread` need not be one of the program's.
  void raise(ThreadNumber thread, ThreadNumber component, Count count);

  const SharedClock& now(ThreadNumber thread); // shared until it changes
  Count counted(ThreadNumber thread) const { return threads_[thread].clock[thread]; }

private:
  struct Thread {
    Clock clock;
    SharedClock shared; // a copy of `clock`, or null
  };
  struct Object {
    SharedClock access, write; // invariant: access covers write
  };
  std::vector<Thread> threads_;
  std::vector<Object> objects_;
};

} // namespace sooth::causality
