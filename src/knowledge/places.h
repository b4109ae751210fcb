// Rows of the knowledge vectors (vector.h) as places: threads take one when they are created and
// give it back.
//
//     main creates T1 (place 1), joins T1, creates T2: T2 gets place 1, as main knows of the join
//
// Rule: a place that was another thread's is given to a new thread if its creator knows that the
// other one was joined. So every thread that knows of the new thread knows that, too, and nothing
// is lost. Only if there is no such place and no fresh one left, a place is taken from a thread
// that is not known to have ended (detached), or whose join the creator has not heard of. That is
// counted, because formulas then no longer range over it.
// One thread at a time: the caller has a lock.
// Cost: linear in the places, at the creation of a thread.
#pragma once

#include "knowledge/monitoring.h"

namespace sooth::knowledge {

class Places {
public:
  // `memory`: 2 * count words.
  void begin(Word* memory, std::uint32_t count);

  // For the thread with this number. `creator`: null for threads without a known creator. kNoPlace:
  // there are as many threads as places already.
  std::uint32_t take(const Setup& setup, const Thread* creator, std::uint32_t number);
  // The thread was joined, or it has ended and will not be joined.
  void joined(std::uint32_t place, std::uint32_t number) { leave(place, number, kJoined); }
  void ended_detached(std::uint32_t place, std::uint32_t number) { leave(place, number, kEnded); }

  std::uint64_t given_early() const { return given_early_; } // threads that gave way
  std::uint64_t refused() const { return refused_; }         // threads without a place: not ranged over

private:
  static constexpr Word kFresh = 0, kTaken = 1, kJoined = 2, kEnded = 3;
  void leave(std::uint32_t place, std::uint32_t number, Word state);
  std::uint32_t give(std::uint32_t place, std::uint32_t number);

  Word* owners_ = nullptr; // by place: identity << 2 | state
  Word* left_ = nullptr;   // by place: when it was given back
  std::uint32_t count_ = 0;
  Word clock_ = 0;
  std::uint64_t given_early_ = 0, refused_ = 0;
};

} // namespace sooth::knowledge
