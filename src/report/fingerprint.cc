#include "report/fingerprint.h"

#include <algorithm>
#include <filesystem>
#include <map>
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
bool is_named(const PlaceText& place) { return !place.step.variable.starts_with("0x"); }
std::string name_of_unknown(const PlaceText& place) {
  return place.step.spot.line == 0 && is_named(place) ? "|" + place.step.variable : std::string();
}

std::string place_key(const PlaceText& place, bool lines) {
  const Spot& spot = place.step.spot;
  // Without the line of its allocation, which tells objects of one name apart (lock_names.h).
  const std::string own = place.step.variable.substr(0, place.step.variable.find(" of the object made at "));
  const std::string name = is_named(place) ? own : "";
  const std::string at = lines ? fmt::format("{}|{}", spot.line, spot.column) : name;
  return fmt::format("{}|{}|{}|{}|{}", name_of(place.role), std::filesystem::path(spot.file).filename().string(), at,
                     spot.function, place.step.kind) +
         name_of_unknown(place);
}

std::string hash_of(const FindingText& finding, bool lines) {
  std::vector<std::string> keys;
  keys.reserve(finding.places.size());
  for (const PlaceText& place : finding.places) keys.push_back(place_key(place, lines));
  std::sort(keys.begin(), keys.end());
  Hash hash;
  hash.add(row_of(finding.kind).name);
  hash.add(finding.property);
  for (const std::string& key : keys) hash.add(key);
  return fmt::format("{:016x}", hash.value());
}

} // namespace

std::string fingerprint(const FindingText& finding) { return hash_of(finding, true); }

std::string fingerprint_without_lines(const FindingText& finding) { return hash_of(finding, false); }

void tell_apart_fingerprints(Report& report) {
  std::map<std::string, std::uint64_t> seen;
  for (FindingText& finding : report.findings)
    if (const std::uint64_t before = seen[finding.fingerprint]++; before != 0)
      finding.fingerprint = fingerprint_of_group(fmt::format("{}|{}", finding.fingerprint, before));
}

std::string fingerprint_of_group(const std::string& name) {
  Hash hash;
  hash.add(name);
  return fmt::format("{:016x}", hash.value());
}

} // namespace sooth::report
