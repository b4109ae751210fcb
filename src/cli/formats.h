// What import and export share: the choice of a foreign format.
#pragma once

#include <string>

#include "import/format.h"

namespace sooth::cli {

// By name, or, without one, by the extension of `file`. Null after an error, which has been told.
const import::Format* choose_format(const std::string& name, const std::string& file, const std::string& option);
std::string format_list();

} // namespace sooth::cli
