// The text of a Process chunk, one `key=value` a line, both ways.
//
//   program, directory       once
//   argument, library        repeated, in order
//   thread                   frozen traces: `number parent ended name`; events alone may not say it
//   note                     frozen traces: a note of the reader of the original
//
// In frozen traces `\n` and `\\` stand for a line end and a backslash; the runtime writes values as
// they are.
#pragma once

#include <string>
#include <string_view>

#include "trace/trace.h"

namespace sooth::trace {

// Ignores unknown keys: a later version may have more. `trace.flags` must be set.
void read_process_text(std::string_view text, Trace& trace);
std::string write_process_text(const Trace& trace);

} // namespace sooth::trace
