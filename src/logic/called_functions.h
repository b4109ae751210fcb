// The functions that a property file names in `call` and `return`: known before the program is
// compiled.
#pragma once

#include <string>
#include <vector>

#include "logic/syntax/syntax.h"

namespace sooth::logic {

// Without scopes and template arguments, ascending, each once: `net::send<int>` is `send`. "*"
// stands for all.
std::vector<std::string> called_functions(const SyntaxFile& file);

} // namespace sooth::logic
