// The strings of a Module chunk: each once, zero-terminated, offset 0 the empty one.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <string>
#include <vector>

namespace sooth::trace {

class StringTable {
public:
  StringTable() : bytes_(1, 0) { offsets_.emplace("", 0); }

  std::uint32_t add(const std::string& text) {
    const auto [at, fresh] = offsets_.try_emplace(text, static_cast<std::uint32_t>(bytes_.size()));
    if (fresh) {
      bytes_.insert(bytes_.end(), text.begin(), text.end());
      bytes_.push_back(0);
    }
    return at->second;
  }
  const std::vector<std::uint8_t>& bytes() const { return bytes_; }

private:
  absl::flat_hash_map<std::string, std::uint32_t> offsets_;
  std::vector<std::uint8_t> bytes_;
};

} // namespace sooth::trace
