// The hooks that the monitors of a property file need in a program, and whether it has them.
//
// Before the program is compiled there is only the file: it is not certain which names in it are
// variables. So the pass leaves out accesses that these names cannot mean, and notes what it has
// left out (trace/format.h, NameKind). When the monitors are compiled, after linking or at start,
// names are looked up, and the notes are compared with the needs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "logic/names/symbols.h"
#include "logic/property.h"
#include "logic/syntax/syntax.h"

namespace sooth::logic {

struct MonitorNeeds {
  bool all_memory = false; // knowledge travels through every access
  // Names, without scopes and parts: `net::cfg.ready` is `cfg`.
  std::vector<std::string> variables;       // that may be variables
  std::vector<std::string> start_functions; // that may be functions in which threads start
};
MonitorNeeds monitor_needs(const SyntaxFile& file);

// Why monitors of these variables would miss accesses of this program; nothing if they see all of
// them.
std::optional<std::string> missing_hooks(const std::vector<Variable>& variables, bool all_memory,
                                         const Symbols& symbols);

} // namespace sooth::logic
