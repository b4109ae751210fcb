// Conditions that had no value in C, in words.
#pragma once

#include <string>

#include <fmt/format.h>

#include "knowledge/machine.h"

namespace sooth::properties {

// "2 divisions by zero and 1 shift by too much"; `faults` has some.
inline std::string faults_text(const knowledge::Faults& faults) {
  const auto part = [](std::uint64_t count, const char* one, const char* many) {
    return count == 0 ? std::string() : fmt::format("{} {}", count, count == 1 ? one : many);
  };
  const std::string divisions = part(faults.divisions_by_zero, "division by zero", "divisions by zero");
  const std::string shifts = part(faults.wide_shifts, "shift by too much", "shifts by too much");
  return divisions + (divisions.empty() || shifts.empty() ? "" : " and ") + shifts;
}

} // namespace sooth::properties
