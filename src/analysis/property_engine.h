// `--property`: checks a property file on a trace, as one more engine of the analysis.
#pragma once

#include <optional>
#include <string>

#include "analysis/engines.h"

namespace sooth::analysis {

// Nothing to do without a property file. An error if the file does not fit the trace.
std::optional<Error> find_properties(const EngineInput& input, EngineOutput& output);

// `full` where reads are free, else `hb`.
std::string default_model_for_properties(const Prepared& prepared);

} // namespace sooth::analysis
