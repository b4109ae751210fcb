// The polynomial tier: sets of steps that are closed under what steps need.
//
// Question: is there an answer among the runs that are the observed one with steps left out (sync-preserving)? And if
//   not: is there something that every answering run must contain, and cannot?
// Source: sync-preserving closures (Mathur, Pavlogiannis, Viswanathan: Optimal prediction of synchronization-preserving
//   races), for all primitives of a computation and for questions that are not only about two accesses.
// Where we differ: the same walk computes both sets. `Preserving` follows each read to the write it saw and closes lock
//   sections that another one follows; what comes out, in the observed order, is a run. `Necessary` follows only what every
//   run has: a read's writer if there is just one that gives the value; the end of a lock section if the other section can
//   never end.
// Cost: time in proportion to the set that comes out, plus the locks' open sections.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "predict/feasibility.h"
#include "predict/index.h"

namespace sooth::predict {

// How far each thread may come in an answer to the question: not beyond what is trusted, nor where it has to stand.
// Nothing if the question contradicts itself.
std::optional<std::vector<std::uint32_t>> limits_of(const Computation& computation, const Question& question);

enum class ClosureKind : std::uint8_t { Preserving, Necessary };

// How far each thread comes in the smallest such set; nothing if it would have to go beyond its limit.
std::optional<std::vector<std::uint32_t>> close(const Index& index, const Question& question,
                                                const std::vector<std::uint32_t>& limits, ClosureKind kind);

// The steps of these prefixes in the observed order.
std::vector<StepId> observed_order(const Computation& computation, const std::vector<std::uint32_t>& prefixes);

} // namespace sooth::predict
