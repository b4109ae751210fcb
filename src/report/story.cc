#include "report/story.h"

#include <algorithm>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "report/event_text.h"
#include "trace/kind_groups.h"

namespace sooth::report {

using trace::Event;
using trace::Trace;
using witness::Finding;

namespace {

constexpr std::uint32_t kScanned = 100'000; // events before the last place
constexpr std::uint32_t kNoEvent = ~0u;
constexpr std::size_t kNeighbours = 3; // steps that are kept before and behind each decisive one

// Objects of synchronisation, and how many threads use them.
class Users {
public:
  void take(const Event& e) {
    const auto [it, added] = thread_of_.try_emplace(e.address, e.thread);
    if (!added && it->second != e.thread) it->second = kSeveral;
  }
  bool several(std::uint64_t address) const {
    const auto it = thread_of_.find(address);
    return it != thread_of_.end() && it->second == kSeveral;
  }

private:
  static constexpr std::uint32_t kSeveral = 0xffffffff;
  absl::flat_hash_map<std::uint64_t, std::uint32_t> thread_of_;
};

class Storyteller {
public:
  Storyteller(const Trace& trace, const Finding& finding, std::span<const std::uint32_t> holds)
      : trace_(trace), finding_(finding) {
    for (const witness::Place& place : finding.places) add_decisive(place.event, true);
    for (const std::uint32_t event : finding.witness.next) add_decisive(event, true);
    for (const std::uint32_t event : holds) add_decisive(event, false);
    if (finding.status == witness::Status::Observed)
      for (const witness::Place& place : finding.places)
        if (place.role == witness::Role::Request && place.event < trace.events.size()) add_last_signal(place.event);
    for (const std::uint32_t event : decisive_) {
      first_ = std::min(first_, event);
      last_ = std::max(last_, event);
    }
    if (last_ - std::min(first_, last_) > kScanned) first_ = last_ - kScanned;
  }

  Story tell() {
    Story out;
    if (decisive_.empty()) return out;
    const std::vector<std::uint32_t> recorded = recorded_run(), predicted = predicted_run();
    for (const auto* run : {&recorded, &predicted})
      for (const std::uint32_t event : *run)
        if (const Event& e = trace_.events[event]; uses_object(e) && is_mine(e.thread)) users_.take(e);
    for (const std::uint32_t event : finding_.witness.steps) // a third thread that the witness needs
      if (event < trace_.events.size() && uses_object(trace_.events[event])) users_.take(trace_.events[event]);
    out.recorded = shortened(recorded, false);
    if (finding_.status == witness::Status::Observed) return out;
    out.predicted = shortened(predicted, true);
    for (const std::uint32_t event : finding_.witness.next)
      if (event < trace_.events.size()) out.predicted.push_back({event, 0, true, true});
    return out;
  }

private:
  void add_decisive(std::uint32_t event, bool of_its_thread) {
    if (event >= trace_.events.size()) return;
    decisive_.insert(event);
    const Event& e = trace_.events[event];
    if (of_its_thread && std::ranges::find(threads_, e.thread) == threads_.end()) threads_.push_back(e.thread);
    if (e.size != 0) accesses_.push_back(event);
  }
  // Of a thread that waits for a signal for ever: the last signal that came, and whom it woke.
  void add_last_signal(std::uint32_t request) {
    const Event wanted = trace::awaited(trace_.events[request]);
    if (wanted.kind != trace::EventKind::Wake) return;
    std::uint32_t woken = kNoEvent;
    const auto all = static_cast<std::uint32_t>(trace_.events.size());
    for (std::uint32_t i = all; i-- > all - std::min(all, kScanned);) {
      const Event& e = trace_.events[i];
      if (e.address != wanted.address) continue;
      if (e.kind == trace::EventKind::Wake && e.thread != wanted.thread) woken = i;
      if (e.kind != trace::EventKind::Signal && e.kind != trace::EventKind::Broadcast) continue;
      add_decisive(i, false);
      return add_decisive(woken, false);
    }
  }
  bool is_mine(std::uint32_t thread) const { return std::ranges::find(threads_, thread) != threads_.end(); }

  // The events between the first and the last decisive one, and those before them.
  std::vector<std::uint32_t> recorded_run() const {
    std::vector<std::uint32_t> out;
    for (const std::uint32_t event : decisive_)
      if (event < first_) out.push_back(event);
    std::ranges::sort(out);
    for (std::uint32_t event = first_; event <= last_; ++event) out.push_back(event);
    return out;
  }
  std::vector<std::uint32_t> predicted_run() const {
    std::vector<std::uint32_t> out;
    const auto prefix = std::min<std::size_t>(finding_.witness.observed, trace_.events.size());
    for (std::uint32_t event = first_; event < prefix; ++event) out.push_back(event);
    for (const std::uint32_t event : finding_.witness.steps)
      if (event < trace_.events.size()) out.push_back(event);
    return out;
  }

  static bool uses_object(const Event& e) {
    return has_address(e.kind) && (explains_schedules(e.kind) || is_atomic(e.kind));
  }
  bool touches_same(const Event& e) const {
    return e.size != 0 && std::ranges::any_of(accesses_, [&](std::uint32_t place) {
             const Event& p = trace_.events[place];
             return p.address < e.address + e.size && e.address < p.address + p.size;
           });
  }
  bool matters(std::uint32_t event, bool needed) const {
    if (decisive_.contains(event)) return true;
    const Event& e = trace_.events[event];
    if (touches_same(e)) return true;
    if (!is_mine(e.thread) && !needed) return false;
    if (uses_object(e)) return users_.several(e.address);
    std::uint32_t other = 0;
    return (e.kind == trace::EventKind::Fork || e.kind == trace::EventKind::Join) && other_thread(e, other) &&
           is_mine(e.thread) && is_mine(other);
  }

  // Of the steps that matter: the decisive ones, and those around them.
  std::vector<StoryStep> shortened(const std::vector<std::uint32_t>& run, bool needed) const {
    std::vector<std::uint32_t> listed;
    for (const std::uint32_t event : run)
      if (matters(event, needed)) listed.push_back(event);
    std::vector<bool> kept(listed.size(), false);
    for (std::size_t i = 0; i < listed.size(); ++i) {
      const bool is_end = needed && i + 1 == listed.size(); // the threads' next events follow
      if (!decisive_.contains(listed[i]) && !is_end) continue;
      for (std::size_t k = i - std::min(i, kNeighbours); k <= i + kNeighbours && k < listed.size(); ++k) kept[k] = true;
    }
    std::vector<StoryStep> out;
    std::uint64_t left_out = 0;
    for (std::size_t i = 0; i < listed.size(); ++i) {
      if (!kept[i]) {
        ++left_out;
        continue;
      }
      out.push_back({listed[i], left_out, decisive_.contains(listed[i]), false});
      left_out = 0;
    }
    return out;
  }

  const Trace& trace_;
  const Finding& finding_;
  absl::flat_hash_set<std::uint32_t> decisive_; // events
  std::vector<std::uint32_t> threads_;          // of the places
  std::vector<std::uint32_t> accesses_;         // decisive events that touch memory
  Users users_;
  std::uint32_t first_ = ~0u, last_ = 0;
};

} // namespace

Story story_of(const Trace& trace, const Finding& finding, std::span<const std::uint32_t> holds) {
  if (!finding.run.rule.empty()) return {}; // its own table shows both runs
  return Storyteller(trace, finding, holds).tell();
}

} // namespace sooth::report
