#include "causality/computation/value_numbers.h"

#include <xxhash.h>

namespace sooth::causality {

std::uint32_t ValueNumbers::number(const trace::Contents& contents, std::uint64_t offset, std::uint32_t bytes) {
  // Locations of different lengths are never compared; a short content's key needs only to stay
  // apart from hashes.
  if (bytes <= 8) return of_key(contents.word(offset, 0, bytes), 0);
  room_.resize(bytes);
  for (std::uint32_t i = 0; i < bytes; ++i) room_[i] = contents.byte(offset + i);
  const XXH128_hash_t hash = XXH3_128bits(room_.data(), bytes);
  return of_key(hash.low64, hash.high64 | 1);
}

std::uint32_t ValueNumbers::with_objects(std::uint32_t number, const trace::Contents& contents, std::uint64_t offset,
                                         std::uint32_t bytes, const ReusedPlaces& places) {
  if (places.none() || contents.is_fill()) return number;
  for (std::uint32_t at = 0; at + 8 <= bytes; at += 8) // locations that hold pointers begin with one
    if (const std::uint64_t object = places.object_at(contents.word(offset + at, 0, 8)))
      number = of_key(std::uint64_t{number} << 32 | at, object << 1); // even: no hash
  return number;
}

} // namespace sooth::causality
