// How a recorded program ended, in words.
#pragma once

#include <string>

#include "trace/trace.h"

namespace sooth::report {

// "exited with status 0"
std::string end_text(const trace::ProcessInfo& process);

} // namespace sooth::report
