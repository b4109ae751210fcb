// The condition of a check (kFactChecks) may begin with this word, and an exit status above it
// (<< 16): the program then does not die, but exits with that status, which says that it failed.
#pragma once

#include <cstdint>

namespace sooth::trace {

inline constexpr std::uint32_t kExits = 0xff; // no CheckOperation

} // namespace sooth::trace
