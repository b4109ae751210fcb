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

#include "predict/question/feasibility.h"
#include "predict/question/index.h"

namespace sooth::predict {

// How far each thread may come in an answer to the question: not beyond what is trusted, nor where it has to stand.
// Nothing if the question contradicts itself.
std::optional<std::vector<std::uint32_t>> limits_of(const Index& index, const Question& question);

enum class ClosureKind : std::uint8_t { Preserving, Necessary };

// How far each thread comes in the smallest such set; nothing if it would have to go beyond its limit.
// With a base (so many steps of each thread, in the observed order a run, without the question's own): `Preserving` is the
// smallest set that has the base, too; `Necessary` does not ask what the base's steps need, and so knows less.
std::optional<std::vector<std::uint32_t>> close(const Index& index, const Question& question,
                                                const std::vector<std::uint32_t>& limits, ClosureKind kind,
                                                const std::vector<std::uint32_t>& base = {});

// The steps of these prefixes, behind those of the base, in the observed order.
std::vector<StepId> observed_order(const Computation& computation, const std::vector<std::uint32_t>& prefixes,
                                   const std::vector<std::uint32_t>& base = {});

} // namespace sooth::predict
