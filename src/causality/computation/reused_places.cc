#include "causality/computation/reused_places.h"

#include <iterator>

#include "base/address_ranges.h"

namespace sooth::causality {

void ReusedPlaces::begin(const trace::Event& e, std::uint32_t number) {
  if (objects_.moved.empty()) return;
  const std::uint64_t original = objects_.original(e.address);
  if (original == e.address || e.value == 0) return; // the first one there
  erase_overlapping(now_, original, original + e.value);
  now_[original] = {original + e.value, std::uint64_t{number} + 1};
}

std::uint64_t ReusedPlaces::object_at(std::uint64_t address) const {
  const auto after = now_.upper_bound(address);
  if (after == now_.begin()) return 0;
  const Object& object = std::prev(after)->second;
  return address < object.end ? object.number : 0;
}

} // namespace sooth::causality
