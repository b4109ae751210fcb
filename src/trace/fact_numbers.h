// Numbers of variable length in static facts: seven bits a byte, the lowest first, the top bit set
// on all but the last byte. The pass writes them, the readers read them.
#pragma once

#include <cstdint>
#include <span>

namespace sooth::trace {

template <typename Bytes>
void put_number(Bytes& out, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) out.push_back(static_cast<std::uint8_t>(number | 0x80));
  out.push_back(static_cast<std::uint8_t>(number));
}

// In kFactFlows, slots that no value is passed to (trace/program/static_stores.h): the memory that
// a parameter points to, and, of function number 0, that of static variables.
inline constexpr std::uint32_t kPointedTo = 1u << 24; // added to the number of the parameter
inline constexpr std::uint32_t kStaticSlot = 0;

// A section: its tag, its length, its bytes.
template <typename Bytes>
void put_section(Bytes& out, std::uint32_t tag, const Bytes& payload) {
  for (const std::uint32_t word : {tag, static_cast<std::uint32_t>(payload.size())})
    for (unsigned shift = 0; shift < 32; shift += 8) out.push_back(static_cast<std::uint8_t>(word >> shift));
  out.insert(out.end(), payload.begin(), payload.end());
}

// Reads one after the other, and stays at 0 once something was wrong.
class Numbers {
public:
  explicit Numbers(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  bool good() const { return good_; }
  std::uint64_t next() {
    std::uint64_t number = 0;
    for (unsigned shift = 0; good_; shift += 7) {
      if (at_ == bytes_.size() || shift > 63) {
        good_ = false;
        break;
      }
      const std::uint8_t byte = bytes_[at_++];
      number |= std::uint64_t{static_cast<std::uint8_t>(byte & 0x7f)} << shift;
      if ((byte & 0x80) == 0) return number;
    }
    return 0;
  }
  // A number that must be below `bound`.
  std::uint32_t next_below(std::uint64_t bound) {
    const std::uint64_t number = next();
    if (number >= bound) good_ = false;
    return good_ ? static_cast<std::uint32_t>(number) : 0;
  }
  // How many things follow, each of at least one byte: a hostile count must not make us allocate.
  std::uint32_t next_count() { return next_below(bytes_.size() - at_ + 1); }

private:
  std::span<const std::uint8_t> bytes_;
  std::size_t at_ = 0;
  bool good_ = true;
};

} // namespace sooth::trace
