// One event as the JSON object of `sooth show --json`.
#pragma once

#include <cstddef>
#include <string>

#include "cli/event_text.h"
#include "trace/trace.h"

namespace sooth::cli {

// One line, without its line end. `narrator` has followed the event.
std::string event_json(const trace::Trace& trace, std::size_t index, const Narrator& narrator);

} // namespace sooth::cli
