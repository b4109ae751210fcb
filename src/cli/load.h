// Reads a trace for a command. Reports errors and the reader's notes, and shows progress on a
// terminal.
#pragma once

#include <optional>
#include <string>

#include "analysis/prepare.h"
#include "trace/trace.h"

namespace sooth::cli {

// As much of the trace as `spending` allows, without a sieve. Empty after an error, which has been
// reported.
std::optional<trace::Trace> load_in_time(const std::string& path, analysis::Spending& spending,
                                         analysis::LeftOut& left_out);

} // namespace sooth::cli
