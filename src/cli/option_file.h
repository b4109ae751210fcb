// Options from a file `.sooth` in the current folder: one `name=value` a line, as on the command
// line without `--`.
//
//   # what this project wants
//   suppressions=known.txt
//   find=races,deadlocks
//
// Options on the command line come later, and so win.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sooth::cli {

// As arguments: `--suppressions=known.txt`, ... Empty if there is no such file.
Result<std::vector<std::string>> options_from_file();
Result<std::vector<std::string>> parse_option_file(std::string_view text, const std::string& file);

} // namespace sooth::cli
