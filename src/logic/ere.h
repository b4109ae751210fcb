// Extended regular expressions over events.
#pragma once

#include "base/result.h"
#include "logic/monitor.h"
#include "logic/syntax/syntax.h"

namespace sooth::logic {

// The pattern of an entry of kind Pattern; errors have their place in `file`.
Result<MonitorPointer> make_pattern_monitor(const SyntaxFile& file, const SyntaxEntry& entry);

} // namespace sooth::logic
