// A report for people, on a terminal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "report/report.h"
#include "report/terminal/coverage_text.h"

namespace sooth::report {

enum class Detail : std::uint8_t {
  Quiet, // a line for each finding
  Usual,
  Verbose, // frames in libraries, every listed step, addresses, all bounds and notes
};

struct TextOptions {
  bool color = false;
  std::string here = {};   // files below this folder are shown without it
  std::size_t width = 100; // of the terminal, in characters
  Detail detail = Detail::Usual;
};

// Every finding, then a line that sums up, then the coverage.
std::string text(const Report& report, const TextOptions& options);
// The findings alone, without the last lines.
std::string findings_text(const Report& report, const TextOptions& options);

} // namespace sooth::report
