// The text of a Process chunk, one `key=value` a line, both ways.
//
//   program, directory       once
//   argument, library        repeated, in order
//   thread                   frozen traces: `number parent ended name`, what the events alone may not say
//   note                     frozen traces: what the reader of the original had to say
//
// In frozen traces `\n` and `\\` stand for a line end and a backslash; the runtime writes values as they are.
#pragma once

#include <string>
#include <string_view>

#include "trace/trace.h"

namespace sooth::trace {

// Unknown keys are left alone: a later version may have more. `trace.flags` must be set.
void read_process_text(std::string_view text, Trace& trace);
std::string write_process_text(const Trace& trace);

} // namespace sooth::trace
