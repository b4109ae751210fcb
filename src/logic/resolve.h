// From the text of a property file to monitors: parse, look up every name, check types, compile.
//
// An error has file, line and column, and its message ends with the source line and a caret below
// the place.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "logic/names/symbols.h"
#include "logic/property.h"
#include "logic/syntax/syntax.h"

namespace sooth::logic {

Result<PropertyFile> resolve(const SyntaxFile& file, const Symbols& symbols);

// Both steps at once. `name` is what errors call the file.
Result<PropertyFile> read_properties(std::string_view text, const std::string& name, const Symbols& symbols);
Result<PropertyFile> load_properties(const std::string& path, const Symbols& symbols);

} // namespace sooth::logic
