// Ranges of addresses in an ordered map. The key is the first address of a range; the mapped value
// has the address behind it as `end`. Ranges do not overlap.
#pragma once

#include <cstdint>
#include <iterator>

namespace sooth {

// The first range with an address that is not below `address`: the one that has it, or the next.
template <typename Ranges>
auto first_overlapping(Ranges& ranges, std::uint64_t address) {
  auto it = ranges.upper_bound(address);
  if (it != ranges.begin() && std::prev(it)->second.end > address) --it;
  return it;
}

// Removes every range that has an address in [begin, end), including the parts that stick out.
template <typename Ranges>
void erase_overlapping(Ranges& ranges, std::uint64_t begin, std::uint64_t end) {
  for (auto it = first_overlapping(ranges, begin); it != ranges.end() && it->first < end;) it = ranges.erase(it);
}

} // namespace sooth
