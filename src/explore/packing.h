// Cuts as bit fields: how far each thread has come, all in one or a few words.
//
//     T1 at 2, T2 at 5, fields of 3 bits and a guard:   key     0 010 0 101
//     a step of T1 adds                                 unit    0 001 0 000
//     does the key cover the clock (2, 6)?              (key | guards) - clock = 1 000 0 111:
//                                                       T2's guard is gone, so no
//
// Each thread that can still move has a field: its count above a base, and one guard bit above it
// that is always 0 in a key. Fields stand in the order of threads from the top of the first word,
// so keys compare as numbers, word by word. The lattice relies on two consequences:
// - taking a step of thread i adds unit(i) to a key, whatever the key: sorted keys stay sorted;
// - `key covers clock` is (key | guards) - clock, with all guards still set: one subtraction for a
//   whole word.
// If a clock's component is too large for the field, the field's largest number is stored, which no
// key ever reaches (Field::limit): not covered, which is right.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "causality/computation/clock.h"

namespace sooth::explore {

using causality::Count;
using causality::ThreadNumber;

class Packing {
public:
  struct Field {
    ThreadNumber thread = 0;
    std::uint32_t word = 0;
    std::uint32_t shift = 0;
    std::uint32_t bits = 0; // without the guard
    Count base = 0;         // counts below it are in every cut
    // Keys stay below this count; the largest number of the field marks clocks that are out of
    // reach.
    Count limit() const { return base + static_cast<Count>((std::uint64_t{1} << bits) - 2); }
    std::uint64_t mask() const { return (std::uint64_t{1} << bits) - 1; }
  };

  static constexpr std::uint32_t kNoField = 0xffffffff;

  void clear() {
    fields_.clear();
    guards_.assign(1, 0);
    used_ = 0;
    field_of_.clear();
  }
  // Ascending threads. `highest` is the largest count that keys may reach before the next packing.
  void add(ThreadNumber thread, Count base, Count highest) {
    const auto bits = static_cast<std::uint32_t>(std::bit_width(std::uint64_t{highest} - base + 1));
    if (used_ + bits + 1 > 64) {
      guards_.push_back(0);
      used_ = 0;
    }
    used_ += bits + 1;
    Field field{thread, static_cast<std::uint32_t>(guards_.size() - 1), 64 - used_, bits, base};
    guards_.back() |= std::uint64_t{1} << (field.shift + bits);
    if (field_of_.size() <= thread) field_of_.resize(std::size_t{thread} + 1, kNoField);
    field_of_[thread] = static_cast<std::uint32_t>(fields_.size());
    fields_.push_back(field);
  }

  std::size_t words() const { return guards_.size(); }
  std::size_t fields() const { return fields_.size(); }
  const Field& field(std::size_t i) const { return fields_[i]; }
  std::uint32_t field_of(ThreadNumber thread) const { return thread < field_of_.size() ? field_of_[thread] : kNoField; }
  const std::uint64_t* guards() const { return guards_.data(); }

  Count get(const std::uint64_t* key, const Field& field) const {
    return field.base + static_cast<Count>((key[field.word] >> field.shift) & field.mask());
  }
  void put(std::uint64_t* key, const Field& field, Count count) const {
    const std::uint64_t number = count <= field.base ? 0 : std::min<std::uint64_t>(count - field.base, field.mask());
    key[field.word] = (key[field.word] & ~(field.mask() << field.shift)) | number << field.shift;
  }
  static std::uint64_t unit(const Field& field) { return std::uint64_t{1} << field.shift; }

  bool covers(const std::uint64_t* key, const std::uint64_t* clock) const {
    for (std::size_t w = 0; w < guards_.size(); ++w)
      if ((((key[w] | guards_[w]) - clock[w]) & guards_[w]) != guards_[w]) return false;
    return true;
  }

private:
  std::vector<Field> fields_;
  std::vector<std::uint64_t> guards_ = {0};
  std::uint32_t used_ = 0; // bits of the last word
  std::vector<std::uint32_t> field_of_;
};

} // namespace sooth::explore
