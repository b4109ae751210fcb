// Options from a file `.sooth` in the current folder: one `name=value` a line, as on the command line without `--`.
//
//   # what this project wants
//   suppressions=known.txt
//   find=races,deadlocks
//
// What stands on the command line comes later, and so wins.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sooth::cli {

// As arguments: `--suppressions=known.txt`, ... Nothing if there is no such file.
Result<std::vector<std::string>> options_from_file();
Result<std::vector<std::string>> parse_option_file(std::string_view text, const std::string& file);

} // namespace sooth::cli
