// One event as the JSON object of `sooth show --json`.
#pragma once

#include <cstddef>
#include <string>

#include "report/event_text.h"
#include "trace/trace.h"

namespace sooth::cli {

// One line, without its line end. `narrator` has followed the event.
std::string event_json(const trace::Trace& trace, std::size_t index, const report::Narrator& narrator);

} // namespace sooth::cli
