// Standstill: no thread goes on, and none ever will.
//
//     sem-init s = 1
//     T1 sem-wait s, T1 sem-post s
//     T2 sem-wait s                 never posts
//     If T2 comes first, T2 has ended and T1 waits for s: no thread is left to post.
//
// Question: from this run, with some threads standing before their requests, how far can all others
//   go? Does then every thread either stand before a request that no thread is left to grant, or
//   has it reached its end?
// Source: a deadlock in the sense of operating systems, as a state of a feasible run. If an object
//   has no owner (a semaphore's count, a barrier, a signal), a cycle proves nothing: any other
//   thread might help. So all of them are followed, to their ends.
// Where we are careful: a thread that would read another value than it did, or whose end was not
//   recorded, might do anything; then nothing is reported.
// Cost: the rest of the trace, once for each question.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "predict/question/feasibility.h"
#include "predict/question/index.h"
#include "trace/trace.h"

namespace sooth::predict {

enum class Stillness : std::uint8_t {
  Still,   // no thread goes on
  GoesOn,  // one of those that were to stand is let go by the others
  Unknown, // a thread would do something that was not recorded, or primitives object to the run
};

struct Standstill {
  Stillness stillness = Stillness::Unknown;
  std::vector<StepId> run;      // from the beginning: the given one, and what the others did after it
  std::vector<StepId> requests; // of all threads that stand
};

// `run` answers `question`; the threads of `question.before` do not move.
Standstill follow(const trace::Trace& trace, const Index& index, const Question& question, std::span<const StepId> run);

} // namespace sooth::predict
