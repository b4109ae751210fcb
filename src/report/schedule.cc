#include "report/schedule.h"

#include <algorithm>

#include <absl/container/flat_hash_map.h>

#include "report/phrases.h"

namespace sooth::report {

namespace {

constexpr std::size_t kKeysShown = 6;   // of one line: the last ones
constexpr std::size_t kLinesShown = 24; // the first few, which create threads, and the last ones
constexpr std::size_t kFirstLines = 4;

// Addresses that more than one thread touches.
class Shared {
public:
  void take(const StepText& step) {
    if (!step.access) return;
    const auto [it, added] = thread_of_.try_emplace(step.address, step.thread);
    if (!added && it->second != step.thread) it->second = kSeveral;
  }
  bool has(const StepText& step) const {
    const auto it = thread_of_.find(step.address);
    return step.access && it != thread_of_.end() && it->second == kSeveral;
  }

private:
  static constexpr std::uint32_t kSeveral = 0xffffffff;
  absl::flat_hash_map<std::uint64_t, std::uint32_t> thread_of_;
};

void add(ScheduleLine& line, const StepText& step) {
  std::string phrase = step_phrase(step);
  if (!line.key.empty() && line.key.back() == phrase) return; // a loop that waits
  line.key.push_back(std::move(phrase));
  if (line.key.size() <= kKeysShown) return;
  line.key.erase(line.key.begin());
  ++line.more;
}

void shorten(std::vector<ScheduleLine>& lines) {
  if (lines.size() <= kLinesShown) return;
  const std::size_t skipped = lines.size() - kLinesShown;
  const auto first = lines.begin() + kFirstLines;
  lines.erase(first, first + static_cast<std::ptrdiff_t>(skipped));
  lines[kFirstLines].skipped = skipped;
}

} // namespace

std::vector<ScheduleLine> schedule_lines(const Report& report, std::span<const std::uint32_t> events,
                                         std::span<const std::uint32_t> next) {
  Shared shared;
  for (const std::uint32_t event : events) shared.take(step_of(report, event));
  for (const std::uint32_t event : next) shared.take(step_of(report, event));
  std::vector<ScheduleLine> out;
  for (const std::uint32_t event : events) {
    const StepText& step = step_of(report, event);
    if (out.empty() || out.back().thread != step.thread) out.push_back({step.thread, 0, {}, 0, 0});
    ++out.back().events;
    if (step.synchronises || shared.has(step)) add(out.back(), step);
  }
  shorten(out);
  return out;
}

} // namespace sooth::report
