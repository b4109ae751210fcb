// Reads a trace for a command: errors and the reader's notes are told, and on a terminal how long it already takes.
#pragma once

#include <optional>
#include <string>

#include "trace/trace.h"

namespace sooth::cli {

// Empty after an error, which has been told.
std::optional<trace::Trace> load_trace(const std::string& path);

} // namespace sooth::cli
