// Recovery functions, by the names that property files use for them.
#pragma once

#include "sooth/monitor.h"

namespace sooth::runtime::monitoring {

bool has_recovery(const char* name);
void call_recovery(const char* name, const sooth_violation& violation);

} // namespace sooth::runtime::monitoring
