// Reads a trace for a command: errors and the reader's notes are told, and on a terminal how long it already takes.
#pragma once

#include <optional>
#include <string>

#include "analysis/prepare.h"
#include "trace/trace.h"

namespace sooth::cli {

// Both are empty after an error, which has been told.
std::optional<trace::Trace> load_trace(const std::string& path);
// Within a part of what may be spent; the rest is for what is done with the trace.
std::optional<trace::Trace> load_in_time(const std::string& path, analysis::Spending& spending,
                                         analysis::LeftOut& left_out, trace::Sieve* sieve = nullptr);

} // namespace sooth::cli
