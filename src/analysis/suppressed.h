// The file of suppressions that --suppressions names.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "report/suppressions.h"

namespace sooth::analysis {

// None if the path is empty.
Result<std::vector<report::Suppression>> read_suppressions(const std::string& path);

} // namespace sooth::analysis
