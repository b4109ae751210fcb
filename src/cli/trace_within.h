// A trace for commands that show or draw it, within --memory.
//
// As in an analysis (attempts.h), trying shows how much fits. The beginning of a trace is a trace,
// and a note reports the events left out at its end.
#pragma once

#include <functional>
#include <string>

#include "cli/attempts.h"
#include "cli/parser.h"
#include "trace/trace.h"

namespace sooth::cli {

void add_memory_option(Parser& parser, std::string& memory);

// `use` gets the trace and returns the command's exit status; it calls BeginTelling before it
// prints anything. The result is the exit status: kUnanswered if all went well with a part of the
// trace.
int with_trace(const std::string& file, const std::string& memory,
               const std::function<int(trace::Trace, const BeginTelling&)>& use);

} // namespace sooth::cli
