// Static facts as words of 32 bits (format.h): writing, and reading with bounds checks.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "trace/fact_numbers.h"

namespace sooth::trace {

// The text at an offset of the module's strings.
using StringAt = std::function<std::string(std::uint32_t)>;

// Words of a section; checks for its end before each.
class Words {
public:
  explicit Words(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  bool good() const { return good_; }
  bool at_end() const { return bytes_.size() < 4; }
  // Whether `rows` rows of `words` words can be left: a hostile count must not make us allocate.
  bool has(std::uint64_t rows, std::uint64_t words) {
    if (rows * words * 4 > bytes_.size()) good_ = false;
    return good_;
  }
  std::uint32_t next() {
    if (bytes_.size() < 4) good_ = false;
    if (!good_) return 0;
    std::uint32_t word = 0;
    std::memcpy(&word, bytes_.data(), 4);
    bytes_ = bytes_.subspan(4);
    return word;
  }
  std::uint64_t next_long() {
    const std::uint64_t low = next();
    return low | std::uint64_t{next()} << 32;
  }

private:
  std::span<const std::uint8_t> bytes_;
  bool good_ = true;
};

inline void put(std::vector<std::uint8_t>& out, std::uint32_t word) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(&word);
  out.insert(out.end(), bytes, bytes + 4);
}
inline void put_long(std::vector<std::uint8_t>& out, std::uint64_t value) {
  put(out, static_cast<std::uint32_t>(value));
  put(out, static_cast<std::uint32_t>(value >> 32));
}

} // namespace sooth::trace
