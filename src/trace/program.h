// What a program says of itself before it runs: the tables that the pass put into its file.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"
#include "trace/trace.h"

namespace sooth::trace {

// A trace without events: sites, globals, types and names of all modules in an executable or shared object (ELF, 64 bits,
// little-endian). Addresses are those of the file; a position-independent program is moved when it is loaded.
// An error if it cannot be read, or holds no instrumented module.
Result<Trace> read_program(const std::string& path);
// The same for a program in memory; `name` is what errors call it.
Result<Trace> read_program_bytes(std::span<const std::uint8_t> file, const std::string& name);

} // namespace sooth::trace
