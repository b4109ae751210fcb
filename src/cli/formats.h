// The choice of a foreign format, shared by import and export.
#pragma once

#include <string>

#include "import/format.h"

namespace sooth::cli {

// By name or, if that is empty, by the extension of `file`. Null after an error, which has been
// reported.
const import::Format* choose_format(const std::string& name, const std::string& file, const std::string& option);
std::string format_list();

} // namespace sooth::cli
