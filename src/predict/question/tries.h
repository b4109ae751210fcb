// How often engines ask about one finding, and how much they remember for it. Candidates beyond
// these limits count as undecided.
#pragma once

#include <cstddef>

#include "predict/question/coverage.h"

namespace sooth::predict {

inline constexpr std::size_t kTriesPerSites = 16;  // questions for each pair of sites
inline constexpr std::size_t kTriesPerLocks = 256; // questions for each cycle of requests, or for one that is never met
inline constexpr std::size_t kMaxTouches = 32;     // accesses that are remembered for each object or activation

// What became of the questions for one pair of sites.
struct Tried {
  std::size_t times = 0;
  std::size_t finding = 0; // 1 + its index; 0: none

  // Whether one more may be asked. If not, that is counted once, for all that are left out.
  bool once_more(Coverage& coverage, const char* left_out) {
    if (times++ < kTriesPerSites) return true;
    if (times == kTriesPerSites + 1) coverage.undecided_because(left_out);
    return false;
  }
};

} // namespace sooth::predict
