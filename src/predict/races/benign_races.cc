#include "predict/races/benign_races.h"

#include <algorithm>
#include <iterator>

#include "trace/may_race.h"

namespace sooth::predict {

namespace {

// How often a thread's annotations are open.
struct OpenAnnotations {
  unsigned reads = 0, writes = 0;
};

// Whether the event opens or closes a stretch in which its thread's accesses may race.
bool follow_annotation(const trace::Trace& trace, const trace::Event& e, OpenAnnotations& open) {
  const std::uint64_t name = e.value >> 32;
  if (e.kind != trace::EventKind::Watch || !e.has(trace::kFill) || (e.value & 0xffffffff) != 0) return false;
  if (name >= trace.strings.size()) return false;
  const std::string& text = trace.strings[name];
  if (text == trace::kReadsMayRace) ++open.reads;
  else if (text == trace::kWritesMayRace) ++open.writes;
  else if (text == trace::kReadsMayRaceEnd) open.reads -= open.reads != 0;
  else if (text == trace::kWritesMayRaceEnd) open.writes -= open.writes != 0;
  else return false;
  return true;
}

// Plain accesses only: atomics do not race.
std::vector<bool> ignored_accesses(const trace::Trace& trace) {
  std::vector<bool> ignored;
  std::vector<OpenAnnotations> open(trace.threads.size());
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const trace::Event& e = trace.events[i];
    if (e.thread >= open.size()) continue;
    if (follow_annotation(trace, e, open[e.thread])) ignored.resize(trace.events.size());
    const OpenAnnotations& now = open[e.thread];
    if ((e.kind == trace::EventKind::Read && now.reads != 0) || (e.kind == trace::EventKind::Write && now.writes != 0))
      ignored[i] = true;
  }
  return ignored;
}

} // namespace

BenignRaces::BenignRaces(const trace::Trace& trace) : ignored_(ignored_accesses(trace)) {
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

} // namespace sooth::predict
