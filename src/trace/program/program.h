// Program files before they run: the tables that the pass put into an executable and its libraries.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "trace/trace.h"

namespace sooth::trace {

struct Program {
  // Without events: sites, globals, types and names of all modules. Addresses are those of the
  // files, each library's moved up by a multiple of kLibraryStep to keep them apart; the loader
  // will choose others.
  Trace tables;
  bool instrumented = false;          // some module was built with Sooth
  std::vector<std::string> libraries; // [k]: the library whose addresses are moved up by k + 1 steps
  bool may_grow = false;              // it can load more while it runs (dlopen), or a library was not found
};
inline constexpr std::uint64_t kLibraryStep = std::uint64_t{1} << 44;

// An executable or shared object (ELF, 64 bits, little-endian), and the libraries that it is linked
// to, where the loader will look for them. An error if it cannot be read, or neither it nor a
// library holds an instrumented module.
Result<Program> read_program(const std::string& path);

// One file, in memory. Errors call it `name`. It need not have an instrumented module.
struct ProgramFile {
  Program program;
  std::vector<std::string> libraries; // that it needs, as it names them
  std::vector<std::string> folders;   // where it looks for them ($ORIGIN stands for its own folder)
};
Result<ProgramFile> read_program_bytes(std::span<const std::uint8_t> file, const std::string& name);

} // namespace sooth::trace
