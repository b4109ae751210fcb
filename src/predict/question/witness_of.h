// From a run of steps to a witness of events.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "causality/computation/computation.h"
#include "predict/question/feasibility.h"
#include "trace/trace.h"
#include "witness/witness.h"

namespace sooth::predict {

// `next` are indices of events, as in Witness. Events that the run shares with the beginning of the
// trace become `observed`.
witness::Witness witness_of(const causality::Computation& computation, const trace::Trace& trace,
                            std::span<const causality::StepId> run, std::vector<std::uint32_t> next);
// The observed steps of the run cost nothing here, but for those with events far apart.
witness::Witness witness_of(const causality::Computation& computation, const trace::Trace& trace, const Run& run,
                            std::vector<std::uint32_t> next);

} // namespace sooth::predict
