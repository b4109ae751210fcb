// How often engines ask about one finding, and how much they remember for it. Candidates beyond
// these limits count as undecided.
#pragma once

#include <cstddef>

namespace sooth::predict {

inline constexpr std::size_t kTriesPerSites = 16;  // questions for each pair of sites
inline constexpr std::size_t kTriesPerLocks = 256; // questions for each cycle of requests, or for one that is never met
inline constexpr std::size_t kMaxTouches = 32;     // accesses that are remembered for each object or activation

} // namespace sooth::predict
