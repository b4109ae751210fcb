// `sooth show --facts`: the trace's static facts about the program.
#pragma once

#include "cli/output.h"
#include "trace/trace.h"

namespace sooth::cli {

// One line, or one JSON object, for each site that has static facts. Sites are named #1, #2, ...:
// their numbers in this trace.
void print_facts(const trace::Trace& trace, bool json, Output& out);

} // namespace sooth::cli
