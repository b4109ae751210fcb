// Numbers for the contents of a location: equal numbers, equal bytes.
//
// Up to 8 bytes are compared as they are; longer contents by a hash of 128 bits. An unknown value
// (opaque writes, traces without values) gets a number that equals nothing else.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "causality/computation/computation.h"
#include "causality/computation/reused_places.h"
#include "trace/contents.h"

namespace sooth::causality {

class ValueNumbers {
public:
  // The number of `bytes` bytes of the contents, from `offset` on. The contents must not be opaque.
  std::uint32_t number(const trace::Contents& contents, std::uint64_t offset, std::uint32_t bytes);
  // The number of a written value, from that of its bytes: equal numbers also mean that pointers in
  // it point to the same objects.
  std::uint32_t with_objects(std::uint32_t number, const trace::Contents& contents, std::uint64_t offset,
                             std::uint32_t bytes, const ReusedPlaces& places);
  std::uint32_t zeros(std::uint32_t bytes) { return number(trace::Contents::filled(0, bytes), 0, bytes); }
  std::uint32_t unique() { return next_++; }

private:
  std::uint32_t of_key(std::uint64_t low, std::uint64_t high) {
    const auto [it, fresh] = numbers_.try_emplace({low, high}, next_);
    if (fresh) ++next_;
    return it->second;
  }
  absl::flat_hash_map<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t> numbers_;
  std::vector<std::uint8_t> room_;
  std::uint32_t next_ = kUnknownValue + 1;
};

} // namespace sooth::causality
