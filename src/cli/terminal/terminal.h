// The terminal that reports go to.
#pragma once

#include "report/text.h"

namespace sooth::cli {

// Colours only on a terminal, and not if NO_COLOR is set or the terminal is dumb; the terminal's
// width; files below the current folder without its name.
report::TextOptions text_options(report::Detail detail);

} // namespace sooth::cli
