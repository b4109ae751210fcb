// Serial orders: is there a run in which certain parts of threads stand in one piece each?
//
//     parts: A = T1 read x = 0, T1 write x = 1     B = T2 read x = 0, T2 write x = 1
//     A B: B reads 1, not 0. B A: A reads 1, not 0. So no run has both in one piece.
//
// Question: for some parts (steps [first, end) of one thread), is there a run of the maximal model
//   that contains all of them, each without another thread's step inside? A part may end in a read
//   that sees another value than it did in the trace: then its thread stands before that read, and
//   the value is there.
// Source: maximal models, Definition 5, literally: a search over the feasibility closure (its Fig.
//   3), where a part is one move.
// Where we differ: steps that neither write nor lock are taken as soon as possible, since they
//   hinder no other thread. A `no` is first looked for with only the locations of the parts, and
//   without locks: what is impossible with fewer conditions is impossible.
// Cost: up to `states` states; gives up beyond them, and for computations with more than
//   kMaxSearched steps.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "causality/computation/computation.h"
#include "predict/question/feasibility.h"

namespace sooth::predict {

struct Part {
  std::uint32_t thread = 0;
  std::uint32_t first = 0; // places
  std::uint32_t end = 0;   // the place behind its last step
  struct Read {
    std::uint32_t location = 0;
    std::uint32_t value = 0;
  };
  std::optional<Read> last_read; // of the step at `end`
};

inline constexpr std::size_t kMaxSearched = 100'000;

Truth serial_run_exists(const causality::Computation& computation, const std::vector<Part>& parts, std::size_t states);

// A part that cannot be in one piece because its own steps contradict each other: it reads a value
// that it neither read nor wrote just before. The place of the first such read; `end` for the last
// one; nothing if there is none.
std::optional<std::uint32_t> contradiction(const causality::Computation& computation, const Part& part);

} // namespace sooth::predict
