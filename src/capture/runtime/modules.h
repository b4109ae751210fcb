// Facts that instrumented modules and annotations declare once: sites, globals, names. Kept for the
// children of a fork.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sooth::runtime {

// Writes all modules and names known so far to the (new) trace file.
void rewrite_modules();
void reset_module_locks();
// Writes the loaded objects that have no instrumented module, as `library=` lines of a Process
// chunk.
void write_libraries();

// For an observer. Modules have the numbers 0, 1, 2, ... in the order of registration; `body` gets
// the bodies of their chunks. name_of gives the text of a name ("" if no name has this number).
std::uint32_t module_count();
void for_each_module(void (*body)(void* context, std::uint32_t number, const std::uint8_t* bytes, std::size_t size),
                     void* context);
const char* name_of(std::uint32_t number);

// A module's description of a site; empty if no module has the site. The texts stay valid.
struct SiteText {
  const char* file = "";
  const char* function = ""; // demangled
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t flags = 0; // trace::SiteFlags
};
SiteText text_of_site(std::uint32_t site);

} // namespace sooth::runtime
