// The parts of the source files that a report needs: some lines around every place it names.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/report.h"

namespace sooth::report {

// Consecutive lines of one file.
struct Excerpt {
  std::string file;
  std::uint32_t first = 1; // number of its first line
  std::vector<std::string> lines;
};

// In the order of files and lines. Files that cannot be read have none, and neither have system
// headers. Long lines are cut, and beyond kMostExcerptBytes there are no more.
inline constexpr std::size_t kMostExcerptBytes = std::size_t{8} << 20;
std::vector<Excerpt> excerpts(const Report& report);

} // namespace sooth::report
