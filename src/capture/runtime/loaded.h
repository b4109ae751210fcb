// Where the program and its libraries lie in memory.
#pragma once

#include <cstdint>

namespace sooth::runtime {

struct Loaded {
  bool found = false;
  bool holds = false; // the range that was asked for is in one of its segments
  std::uint64_t base = 0;
};

// `library` is its file, of which only the last part counts; empty for the program itself.
// [address, address + bytes) is a range as the file has it, before it is loaded.
Loaded find_loaded(const char* library, std::uint64_t address, std::uint64_t bytes);

} // namespace sooth::runtime
