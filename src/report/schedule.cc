#include "report/schedule.h"

#include <algorithm>

#include <absl/container/flat_hash_map.h>

namespace sooth::report {

namespace {

constexpr std::size_t kStepsListed = 6; // of one turn: the last ones
constexpr std::size_t kTurnsShown = 24; // the first few, which create threads, and the last ones
constexpr std::size_t kFirstTurns = 4;

// Addresses that several threads touch.
class SharedAddresses {
public:
  void take(const ScheduleStep& step) {
    if (!step.access) return;
    const auto [it, added] = thread_of_.try_emplace(step.address, step.thread);
    if (!added && it->second != step.thread) it->second = kSeveral;
  }
  bool has(const ScheduleStep& step) const {
    const auto it = thread_of_.find(step.address);
    return step.access && it != thread_of_.end() && it->second == kSeveral;
  }

private:
  static constexpr std::uint32_t kSeveral = 0xffffffff;
  absl::flat_hash_map<std::uint64_t, std::uint32_t> thread_of_;
};

struct LongTurn {
  std::uint32_t thread = 0;
  std::uint64_t events = 0;
  std::vector<std::uint32_t> listed;
};

// How many turns between the first and the last ones are not shown.
std::size_t turns_to_skip(std::size_t turns, bool whole) {
  return whole || turns <= kTurnsShown ? 0 : turns - kTurnsShown;
}

} // namespace

Schedule schedule_of(std::span<const std::uint32_t> events, std::span<const std::uint32_t> next,
                     const ScheduleStepOf& step_of, bool whole) {
  SharedAddresses shared;
  for (const std::uint32_t event : events) shared.take(step_of(event));
  for (const std::uint32_t event : next) shared.take(step_of(event));
  std::vector<LongTurn> turns;
  for (const std::uint32_t event : events) {
    const ScheduleStep step = step_of(event);
    if (turns.empty() || turns.back().thread != step.thread) turns.push_back({step.thread, 0, {}});
    ++turns.back().events;
    if (whole || step.synchronises || shared.has(step)) turns.back().listed.push_back(event);
  }
  Schedule out;
  const std::size_t skipped = turns_to_skip(turns.size(), whole);
  for (std::size_t i = 0; i < turns.size(); ++i) {
    if (skipped != 0 && i >= kFirstTurns && i < kFirstTurns + skipped) continue;
    const LongTurn& turn = turns[i];
    const std::size_t more = whole || turn.listed.size() <= kStepsListed ? 0 : turn.listed.size() - kStepsListed;
    out.listed.insert(out.listed.end(), turn.listed.begin() + static_cast<std::ptrdiff_t>(more), turn.listed.end());
    out.turns.push_back({turn.thread, turn.events, turn.listed.size() - more, more,
                         skipped != 0 && i == kFirstTurns + skipped ? skipped : 0});
  }
  return out;
}

} // namespace sooth::report
