#include "predict/atomicity/split_invariants.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include <absl/container/flat_hash_map.h>
#include <absl/container/inlined_vector.h>

#include "predict/atomicity/critical_sections.h"
#include "predict/question/must_order.h"
#include "trace/stack.h"

namespace sooth::predict {

namespace {

using causality::Computation;
using causality::kNoStep;
using causality::Operation;
using causality::OperationKind;
using causality::StepId;

constexpr std::ptrdiff_t kMostSplitUses = 32, kMostSplitWrites = 8; // locations of one section
constexpr std::size_t kSplitsOfSites = 8;                           // stretches of the same writes
constexpr std::size_t kMaxSplits = 256;

// What a section does with one location.
struct LockedUse {
  std::uint32_t location = 0;
  StepId first = kNoStep;
  StepId write = kNoStep; // the last one
  bool reads = false;     // before it writes, or it does not write
  trace::ActivationStack::Nearest calls = {};
};

struct LockedSection {
  std::uint32_t thread = 0;
  CriticalSections::Held lock;
  absl::InlinedVector<LockedUse, 4> uses = {};
  bool waits = false; // a wait begins or ends it

  const LockedUse* of(std::uint32_t location) const {
    const auto use = std::ranges::find(uses, location, &LockedUse::location);
    return use == uses.end() ? nullptr : &*use;
  }
  bool is_small() const {
    return std::ssize(uses) <= kMostSplitUses &&
           std::ranges::count_if(uses, [](const LockedUse& use) { return use.write != kNoStep; }) <= kMostSplitWrites;
  }
};

// Calls `visit(section, the thread's section of that lock before it)` for all sections, at their
// ends. The one before may be empty.
template <typename Visit>
void each_locked_section(const trace::Trace& trace, const Computation& c, const CriticalSections& held, Visit visit) {
  struct Open {
    LockedSection before, now;
  };
  const auto begins_with_wake = [&](const CriticalSections::Held& lock) {
    return trace.events[c.steps[lock.since].event].kind == trace::EventKind::Wake;
  };
  std::vector<std::map<std::uint32_t, Open>> open(trace.threads.size()); // by lock
  std::vector<trace::ActivationStack> calls(trace.threads.size());
  for (auto i = static_cast<std::uint32_t>(trace.standing); i < trace.events.size(); ++i) {
    const trace::Event& e = trace.events[i];
    calls[e.thread].see(e);
    const StepId step = c.step_of_event[i];
    if (step == kNoStep || c.steps[step].event != i) continue;
    const bool accesses = (c.steps[step].flags & (causality::kAtomicStep | causality::kMergedStep)) == 0;
    for (const CriticalSections::Held& lock : held.at(step)) {
      auto& [before, now] = open[e.thread][lock.lock];
      if (now.lock != lock) {
        now.waits |= begins_with_wake(lock);
        visit(now, before);
        if (!now.uses.empty()) before = std::move(now);
        now = LockedSection{e.thread, lock, {}, begins_with_wake(lock)};
      }
      if (!accesses) continue;
      for (const Operation& o : c.operations_of(step)) {
        if (o.kind != OperationKind::Read && o.kind != OperationKind::Write) continue;
        auto use = std::ranges::find(now.uses, o.object, &LockedUse::location);
        if (use == now.uses.end()) {
          if (std::ssize(now.uses) > kMostSplitUses) continue;
          use = now.uses.insert(use, {o.object, step, kNoStep, o.kind == OperationKind::Read});
        }
        if (o.kind == OperationKind::Write) use->write = step;
        use->calls = calls[e.thread].nearest();
      }
    }
  }
  for (auto& locks : open)
    for (auto& [lock, last] : locks) visit(last.now, last.before);
}

struct SplitStretch {
  Block block;
  std::uint32_t lock = 0;
  StepId first = kNoStep, last = kNoStep;  // the two writes
  std::uint32_t one = 0, two = 0;          // their locations
  bool blind = false;                      // what they overwrite was not looked at
  std::optional<std::uint32_t> other = {}; // an event of another thread that belongs between them
  bool is_overwritten = false;
};

class SplitInvariants {
public:
  SplitInvariants(const trace::Trace& trace, const Computation& computation, const Feasibility& feasibility)
      : trace_(trace), c_(computation), feasibility_(feasibility), held_(computation) {}

  std::vector<SplitInvariant> run() {
    each_locked_section(trace_, c_, held_,
                        [&](const LockedSection& now, const LockedSection& before) { collect(before, now); });
    if (stretches_.empty()) return {};
    each_locked_section(trace_, c_, held_, [&](const LockedSection& now, const LockedSection&) { look_from(now); });
    overwrite_each_other();
    std::vector<SplitInvariant> out;
    for (SplitStretch& stretch : stretches_)
      if (stretch.other) out.push_back({std::move(stretch.block), *stretch.other, stretch.is_overwritten});
    return out;
  }

private:
  void collect(const LockedSection& before, const LockedSection& now) {
    if (before.uses.empty() || !before.lock.exclusive || !now.lock.exclusive) return;
    if (!before.is_small() || !now.is_small()) return;
    for (const LockedUse& one : before.uses)
      for (const LockedUse& two : now.uses)
        if (one.write != kNoStep && two.write != kNoStep && before.of(two.location) == nullptr &&
            now.of(one.location) == nullptr)
          add(before, one, two);
  }
  void add(const LockedSection& section, const LockedUse& one, const LockedUse& two) {
    const auto around = trace::ActivationStack::common(one.calls, two.calls);
    if (!around || stretches_.size() == kMaxSplits) return;
    const causality::Step &first = c_.steps[one.write], &last = c_.steps[two.write];
    const std::uint32_t from = trace_.events[first.event].site, to = trace_.events[last.event].site;
    if (++of_sites_[{section.thread, from, to}] > kSplitsOfSites) return;
    // A function that was inlined has no activation, but its name is at the sites.
    const bool in_one = trace_.sites[from].function == trace_.sites[to].function;
    of_location_[one.location].push_back(stretches_.size());
    stretches_.push_back({{section.thread, first.event, last.event, first.place, last.place + 1, true,
                           trace_.sites[in_one ? to : around->site].function},
                          section.lock.lock,
                          one.write,
                          two.write,
                          one.location,
                          two.location,
                          !one.reads && !two.reads});
  }

  // A section that has both variables: it may come between the two writes, unless it is always
  // before or behind them.
  void look_from(const LockedSection& section) {
    if (!section.is_small() || section.waits) return;
    for (const LockedUse& use : section.uses) {
      const auto known = of_location_.find(use.location);
      if (known == of_location_.end()) continue;
      for (const std::size_t number : known->second) {
        SplitStretch& stretch = stretches_[number];
        const LockedUse* two = section.of(stretch.two);
        if (stretch.other || two == nullptr || section.lock.lock != stretch.lock) continue;
        if (section.thread == stretch.block.thread) continue;
        if (is_apart(std::min(use.first, two->first), std::max(use.first, two->first), stretch)) continue;
        stretch.other = c_.steps[two->first].event;
      }
    }
  }
  void overwrite_each_other() {
    for (SplitStretch& stretch : stretches_)
      for (const SplitStretch& other : stretches_) {
        if (stretch.other || !stretch.blind || !other.blind || other.lock != stretch.lock) continue;
        if (other.block.thread == stretch.block.thread) continue;
        if (std::minmax(stretch.one, stretch.two) != std::minmax(other.one, other.two)) continue;
        if (is_apart(other.first, other.last, stretch)) continue;
        stretch.other = other.block.begin;
        stretch.is_overwritten = true;
      }
  }
  bool is_apart(StepId first, StepId last, const SplitStretch& stretch) const {
    const MustOrder& must = feasibility_.must(trace_);
    return must.precedes(last, stretch.first) || must.precedes(stretch.last, first);
  }

  const trace::Trace& trace_;
  const Computation& c_;
  const Feasibility& feasibility_;
  const CriticalSections held_;
  std::vector<SplitStretch> stretches_;
  absl::flat_hash_map<std::uint32_t, std::vector<std::size_t>> of_location_;                // of the first write
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::size_t> of_sites_; // thread, writes
};

} // namespace

std::vector<SplitInvariant> find_split_invariants(const trace::Trace& trace, const Computation& computation,
                                                  const Feasibility& feasibility) {
  return SplitInvariants(trace, computation, feasibility).run();
}

} // namespace sooth::predict
