// Names that properties may use and that are constants in the source (trace/format.h, kFactNames):
// of user events and watched variables; functions whose calls were inlined away, which no property
// can see; and, in a build for monitors, variables that are left out and those for the sake of
// which others are.
#pragma once

#include <cstdint>
#include <vector>

#include "capture/pass/module_context.h"
#include "capture/pass/tables/global_table.h"

namespace sooth::pass {

std::vector<std::uint32_t> name_words(ModuleContext& context, const std::vector<GlobalEntry>& globals);

} // namespace sooth::pass
