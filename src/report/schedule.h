// A run in few lines: the steps that one thread makes in a row are one line, with the events that matter.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "report/report.h"

namespace sooth::report {

struct ScheduleLine {
  std::uint32_t thread = 0;
  std::uint64_t events = 0;
  std::vector<std::string> key; // the events that explain the run: synchronisation, accesses that threads share
  std::uint64_t more = 0;       // so many of them are left out
  std::uint64_t skipped = 0;    // lines left out before this one
};

// `next`: events of the finding, which make what they touch worth showing.
std::vector<ScheduleLine> schedule_lines(const Report& report, std::span<const std::uint32_t> events,
                                         std::span<const std::uint32_t> next);

} // namespace sooth::report
