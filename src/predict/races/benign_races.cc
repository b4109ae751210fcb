#include "predict/races/benign_races.h"

#include <algorithm>
#include <iterator>

#include "predict/races/race_candidates.h"

namespace sooth::predict {

BenignRaces::BenignRaces(const trace::Trace& trace) {
  for (const trace::Event& e : trace.events) {
    const std::uint64_t bytes = e.value & 0xffffffff;
    if (e.kind != trace::EventKind::Watch || !e.has(trace::kFill) || bytes == 0) continue;
    std::uint64_t first = e.address;
    std::uint64_t last = bytes - 1 > ~first ? ~std::uint64_t{0} : first + (bytes - 1);
    // Joined with what it meets, so that one lookup answers.
    auto at = ranges_.upper_bound(first);
    if (at != ranges_.begin() && std::prev(at)->second >= first) --at;
    while (at != ranges_.end() && at->first <= last) {
      first = std::min(first, at->first);
      last = std::max(last, at->second);
      at = ranges_.erase(at);
    }
    ranges_.emplace(first, last);
  }
}

bool BenignRaces::has(std::uint64_t address) const {
  const auto after = ranges_.upper_bound(address);
  return after != ranges_.begin() && std::prev(after)->second >= address;
}

std::uint64_t benign_pairs(const trace::Trace& trace, const causality::Computation& computation) {
  std::uint64_t pairs = 0;
  if (BenignRaces(trace).any()) race_candidates(trace, computation, 1, Budget(), &pairs);
  return pairs;
}

} // namespace sooth::predict
