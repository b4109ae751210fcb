// One line of an STD file, taken apart.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sooth::import {

enum class StdOperation : std::uint8_t { Read, Write, Acquire, Release, Fork, Join, Begin, End };

struct StdLine {
  std::string_view thread;
  StdOperation operation = StdOperation::Read;
  std::string_view target; // empty only for begin and end
  std::optional<std::int64_t> location;
};

struct StdLineError {
  std::string message;      // without a full stop; the caller adds the place
  std::uint64_t column = 0; // 1-based
};

// `line` without its line end, not empty. Returns an error without a message if it is fine.
StdLineError parse_std_line(std::string_view line, StdLine& out);

std::string_view std_operation_name(StdOperation operation);

} // namespace sooth::import
