// Memory cut into locations.
//
//     T1 write 4 bytes at 100, T2 read 8 bytes at 100:   locations [100, 104) and [104, 108)
//
// Question: which pieces of memory do accesses share, such that every access covers whole pieces?
// Source: maximal models, section 2, has memory locations as given. Programs overlap them (bytes,
//   words, ranges), so the cuts are all borders of all accesses.
// Where we differ: pieces that only one thread touches, or that are never written, are not
//   locations. They cannot distinguish one run from another. External writes belong to no thread.
// Cost: a hash lookup per access; sorting the different ranges. A range over many locations costs
//   one operation each.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace sooth::causality {

inline constexpr std::uint32_t kNoRange = 0xffffffff;

// Consecutive locations that one access covers.
struct LocationRange {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

struct Piece {
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;
};

class Locations {
public:
  explicit Locations(const trace::Trace& trace);

  // The locations of the event's bytes; none if it touches no shared memory.
  LocationRange of(std::size_t event) const {
    const std::uint32_t range = range_of_event_[event];
    return range == kNoRange ? LocationRange{} : ranges_[range];
  }
  const std::vector<Piece>& pieces() const { return pieces_; } // ascending addresses

private:
  std::vector<std::uint32_t> range_of_event_; // kNoRange for events that do not access memory
  std::vector<LocationRange> ranges_;
  std::vector<Piece> pieces_;
};

} // namespace sooth::causality
