#include "report/fingerprint.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "report/names.h"

namespace sooth::report {

namespace {

// FNV-1a, 64 bits: the value must never change, so no library computes it.
class Hash {
public:
  void add(std::string_view text) {
    for (const char letter : text) add_byte(static_cast<unsigned char>(letter));
    add_byte(0); // so that "a", "bc" differs from "ab", "c"
  }
  std::uint64_t value() const { return value_; }

private:
  void add_byte(unsigned char byte) { value_ = (value_ ^ byte) * 0x100000001b3; }
  std::uint64_t value_ = 0xcbf29ce484222325;
};

// If the line is unknown, as in imported traces, the variable's name stands for it. An address
// would differ in another run.
std::string name_of_unknown(const PlaceText& place) {
  const bool named = !place.step.variable.starts_with("0x");
  return place.step.spot.line == 0 && named ? "|" + place.step.variable : std::string();
}

std::string place_key(const PlaceText& place) {
  const Spot& spot = place.step.spot;
  return fmt::format("{}|{}|{}|{}|{}|{}", name_of(place.role), std::filesystem::path(spot.file).filename().string(),
                     spot.line, spot.column, spot.function, place.step.kind) +
         name_of_unknown(place);
}

} // namespace

std::string fingerprint(const FindingText& finding) {
  std::vector<std::string> keys;
  keys.reserve(finding.places.size());
  for (const PlaceText& place : finding.places) keys.push_back(place_key(place));
  std::sort(keys.begin(), keys.end());
  Hash hash;
  hash.add(row_of(finding.kind).name);
  hash.add(finding.property);
  for (const std::string& key : keys) hash.add(key);
  return fmt::format("{:016x}", hash.value());
}

std::string fingerprint_of_group(const std::string& name) {
  Hash hash;
  hash.add(name);
  return fmt::format("{:016x}", hash.value());
}

} // namespace sooth::report
