#include "replay/critical.h"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_set.h>

#include "replay/continued_run.h"
#include "trace/effects.h"
#include "trace/kind_groups.h"

namespace sooth::replay {

using trace::Event;
using trace::EventKind;
using trace::ObjectKind;
using trace::Trace;
using witness::Finding;
using witness::FindingKind;

namespace {

bool overlap(std::uint64_t a, std::uint64_t a_bytes, std::uint64_t b, std::uint64_t b_bytes) {
  return a < b + std::max<std::uint64_t>(b_bytes, 1) && b < a + std::max<std::uint64_t>(a_bytes, 1);
}

struct Bytes {
  std::uint64_t address = 0, size = 0;
  bool writes = false;
};
std::optional<Bytes> bytes_of(const Event& e) {
  if (trace::is_access(e.kind)) return Bytes{e.address, e.size, trace::writes_memory(e.kind)};
  if (trace::begins_or_ends_object(e.kind)) return Bytes{e.address, e.value, true};
  return std::nullopt;
}

// Whether their order can be noticed.
bool depend(const Event& a, const Event& b) {
  const auto here = bytes_of(a), there = bytes_of(b);
  if (here && there)
    return (here->writes || there->writes) && overlap(here->address, here->size, there->address, there->size);
  if (here || there) return false;
  if (const std::uint64_t lock = trace::lock_of(a); lock != 0 && lock == trace::lock_of(b)) return true;
  const ObjectKind object = trace::object_of(a.kind);
  return object == trace::object_of(b.kind) && trace::is_place(object) && a.address == b.address;
}

// Forward from one event: which threads and objects know of it?
class Knowledge : public trace::EffectVisitor {
public:
  explicit Knowledge(std::size_t threads) : threads_(threads) {}
  void begin(std::uint32_t thread) { threads_[thread] = true; }
  bool knows(std::uint32_t thread) const { return threads_[thread]; }
  void follow(const Event& e) {
    event_ = &e;
    if (trace::does(e.kind, trace::act::kAtomic)) {
      const trace::Affected cell{ObjectKind::Memory, e.address, false, false};
      if (trace::reads_memory(e.kind)) takes(cell);
      if (trace::writes_memory(e.kind)) gives(cell);
    }
    trace::for_each_effect(e, *this);
  }
  void takes(const trace::Affected& object) {
    if (objects_.contains({object.kind, object.address})) threads_[event_->thread] = true;
  }
  void gives(const trace::Affected& object) {
    if (threads_[event_->thread]) objects_.insert({object.kind, object.address});
  }
  void creates(std::uint64_t thread) {
    if (thread < threads_.size() && threads_[event_->thread]) threads_[thread] = true;
  }
  void joins(std::uint64_t thread) {
    if (thread < threads_.size() && threads_[thread]) threads_[event_->thread] = true;
  }

private:
  std::vector<bool> threads_;
  absl::flat_hash_set<std::pair<ObjectKind, std::uint64_t>> objects_;
  const Event* event_ = nullptr;
};

// Whether the run has the error.
class Judge {
public:
  Judge(const Trace& trace, const Finding& finding, std::span<const std::uint32_t> witness)
      : trace_(trace), finding_(finding) {
    absl::flat_hash_set<std::uint32_t> named;
    for (const witness::Place& place : finding.places) named.insert(place.event);
    for (const witness::RunStep& step : finding.run.steps) named.insert(step.event);
    for (const std::uint32_t event : witness)
      if (named.contains(event)) order_.push_back(event);
    for (const std::uint32_t event : finding.witness.next)
      if (named.contains(event)) order_.push_back(event);
  }

  const std::vector<std::uint32_t>& named() const { return order_; }

  bool bad(const std::vector<std::uint32_t>& run) const {
    switch (finding_.kind) {
    case FindingKind::Race: return unordered(run);
    case FindingKind::Deadlock:
    case FindingKind::LostWakeup: return stands(run);
    default: return same_order(run);
    }
  }

private:
  // Nothing that both threads see lies between the two accesses.
  bool unordered(const std::vector<std::uint32_t>& run) const {
    const std::vector<std::uint32_t>& next = finding_.witness.next;
    if (next.size() < 2) return false;
    const auto first = std::ranges::find_if(run, [&](std::uint32_t e) { return e == next[0] || e == next[1]; });
    if (first == run.end()) return false;
    const std::uint32_t second = *first == next[0] ? next[1] : next[0];
    Knowledge knowledge(trace_.threads.size());
    knowledge.begin(trace_.events[*first].thread);
    for (auto it = first + 1; it != run.end() && *it != second; ++it) knowledge.follow(trace_.events[*it]);
    return !knowledge.knows(trace_.events[second].thread);
  }
  // Threads of the finding are left with events that they cannot make.
  bool stands(const std::vector<std::uint32_t>& run) const {
    std::vector<std::uint32_t> left(trace_.threads.size());
    for (const Event& e : trace_.events) ++left[e.thread];
    for (const std::uint32_t event : run) --left[trace_.events[event].thread];
    const auto waits = [&](const witness::Place& place) {
      return (place.role == witness::Role::Request || place.role == witness::Role::Wait) &&
             left[trace_.events[place.event].thread] == 0;
    };
    return run.size() < trace_.events.size() && std::ranges::none_of(finding_.places, waits);
  }
  // The events that the finding is about come in the order of the witness.
  bool same_order(const std::vector<std::uint32_t>& run) const {
    std::size_t at = 0;
    for (const std::uint32_t event : run) {
      if (at < order_.size() && event == order_[at]) ++at;
      else if (std::find(order_.begin() + static_cast<std::ptrdiff_t>(at), order_.end(), event) != order_.end())
        return false;
    }
    return true;
  }

  const Trace& trace_;
  const Finding& finding_;
  std::vector<std::uint32_t> order_; // events that the finding names, as the witness has them
};

} // namespace

std::optional<CriticalPair> critical_pair(const Trace& trace, const Finding& finding,
                                          std::span<const std::uint32_t> run, std::uint64_t& work) {
  // Two runs at the ends, and one for each halving.
  const std::uint64_t cost = trace.events.size() * trace.threads.size() * (2 + std::bit_width(run.size()));
  if (run.empty() || cost > work) return std::nullopt;
  work -= cost;
  const ContinuedRuns runs(trace);
  const Judge judge(trace, finding, run);
  const auto bad = [&](std::size_t steps) { return judge.bad(runs.run(run.first(steps))); };
  std::size_t good = 0, end = run.size();
  if (bad(good) || !bad(end)) return std::nullopt;
  while (end - good > 1) {
    const std::size_t middle = good + (end - good) / 2;
    (bad(middle) ? end : good) = middle;
  }
  const std::uint32_t early = run[good];
  std::vector<bool> made(trace.events.size());
  for (const std::uint32_t event : run.first(good)) made[event] = true;
  const auto is_overtaken = [&](std::uint32_t event) {
    return event < early && !made[event] && trace.events[event].thread != trace.events[early].thread;
  };
  for (std::uint32_t event = 0; event < early; ++event)
    if (is_overtaken(event) && depend(trace.events[event], trace.events[early])) return CriticalPair{early, event};
  // Events of a property need not touch the same memory.
  for (const std::uint32_t event : judge.named())
    if (is_overtaken(event)) return CriticalPair{early, event};
  return std::nullopt;
}

} // namespace sooth::replay
