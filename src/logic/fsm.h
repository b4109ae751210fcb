// State machines that are written out.
#pragma once

#include "base/result.h"
#include "logic/monitor.h"
#include "logic/syntax/syntax.h"

namespace sooth::logic {

// The machine of an entry of kind Machine; errors have their place in `file`.
Result<MonitorPointer> make_machine_monitor(const SyntaxFile& file, const SyntaxEntry& entry);

} // namespace sooth::logic
