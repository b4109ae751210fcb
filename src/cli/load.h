// Reads a trace for a command: errors and the reader's notes are told, and on a terminal how long it already takes.
#pragma once

#include <optional>
#include <string>

#include "cli/allowance.h"
#include "cli/attempts.h"
#include "trace/trace.h"

namespace sooth::cli {

// Empty after an error, which has been told.
std::optional<trace::Trace> load_trace(const std::string& path);
// The same within a part of the allowance; the rest is for what is done with the trace. `stopped`: events at its end were left
// out; if the file alone takes too much memory, everything.
std::optional<trace::Trace> load_trace(const std::string& path, const Allowance& allowance, Attempt& attempt,
                                       bool& stopped);

} // namespace sooth::cli
