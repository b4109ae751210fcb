// The polynomial tier: sets of steps that are closed under what steps need.
//
//     1 T1 acquire m              Question A: can T1 stand before 8, and T2 before 7?
//     2 T1 write x = 1            Preserving: T2 needs 4 5 6; 5 saw 2; T1 needs 1 2 3. In the
//     3 T1 release m              observed order, 1 to 6 are a run: yes.
//     4 T2 acquire m
//     5 T2 read  x = 1            Question B: can T1 stand before 2, and T2 before 7?
//     6 T2 release m              Necessary: 5 needs the value 1, and only 2 writes it. But T1
//     7 T2 write y = 2            stops before 2: no.
//     8 T1 write y = 1
//
// Question: is there an answer among the runs that are the observed one with steps left out
//   (sync-preserving)? And if not: is there something that every answering run must contain, and
//   cannot?
// Source: sync-preserving closures (Mathur, Pavlogiannis, Viswanathan: Optimal prediction of
//   synchronization-preserving races), for all primitives of a computation and for questions that
//   are not only about two accesses.
// Where we differ: the same walk computes both sets. `Preserving` follows each read to the write it
//   saw, and closes critical sections that another one follows; the result, in the observed order,
//   is a run. `Necessary` follows only what every run has: a read's writer if only one write has
//   the value; the end of a critical section if the other section can never end.
// Cost: time in proportion to the resulting set, plus the locks' open sections.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "predict/question/feasibility.h"
#include "predict/question/index.h"

namespace sooth::predict {

// How far each thread may come in an answer to the question: not beyond its trusted steps, nor
// beyond the place where it has to stand. Nothing if the question contradicts itself.
std::optional<std::vector<std::uint32_t>> limits_of(const Index& index, const Question& question);

enum class ClosureKind : std::uint8_t { Preserving, Necessary };

// How far each thread comes in the smallest such set; nothing if a thread would have to go beyond
// its limit. A base is a number of steps of each thread that are a run in the observed order,
// without the question's own. With a base, `Preserving` is the smallest set that contains the base,
// too; `Necessary` does not ask what the base's steps need, and so knows less.
std::optional<std::vector<std::uint32_t>> close(const Index& index, const Question& question,
                                                const std::vector<std::uint32_t>& limits, ClosureKind kind,
                                                const std::vector<std::uint32_t>& base = {});

// The steps of these prefixes, behind those of the base, in the observed order.
std::vector<StepId> observed_order(const Computation& computation, const std::vector<std::uint32_t>& prefixes,
                                   const std::vector<std::uint32_t>& base = {});

// By thread: so many of its steps every answer to the question has.
std::vector<std::uint32_t> least_of(const Computation& computation, const Question& question);

} // namespace sooth::predict
