#include "predict/question/last_writes.h"

#include <algorithm>

#include "predict/question/closure.h"

namespace sooth::predict {

namespace {

constexpr std::uint32_t kLongestSection = 1024; // steps
constexpr std::size_t kMostWrites = 1024;       // of a thread that may or may not come as far
constexpr std::size_t kMostWriters = 64;        // threads that use a location

} // namespace

bool LastWrites::contradict(const Question& question) const {
  if (index_.reads_freely()) return false;
  const auto most = limits_of(index_, question);
  if (!most) return true;
  const Places least = least_of(index_.computation, question);
  for (const StepId before : question.before) {
    const std::uint32_t thread = index_.computation.steps[before].thread;
    for (const OpenSection& section : open_sections(before)) {
      const auto behind = anchors(section, thread, least);
      if (!behind) return true;
      for (const Seen& seen : section.first)
        if (seen.usable && cannot_see(section, seen, thread, *behind, *most)) return true;
    }
  }
  return false;
}

// Backwards from the place where the thread stands: a lock that was taken and not given up since.
std::vector<LastWrites::OpenSection> LastWrites::open_sections(StepId before) const {
  const Computation& c = index_.computation;
  const causality::Step& stands = c.steps[before];
  const std::vector<StepId>& own = c.threads[stands.thread].steps;
  std::vector<OpenSection> out;
  std::vector<std::uint32_t> given; // locks
  std::vector<Seen> first;
  const auto acquire = [&](const Operation& o, StepId step) {
    const auto it = std::ranges::find(given, o.object);
    if (it != given.end()) given.erase(it);
    else out.push_back({o.object, o.kind == OperationKind::Acquire, step, first});
  };
  const std::uint32_t last = stands.place > kLongestSection ? stands.place - kLongestSection : 0;
  for (std::uint32_t place = stands.place; place-- > last;) {
    const causality::Step& step = c.steps[own[place]];
    for (std::uint32_t n = step.first_operation + step.operations; n-- > step.first_operation;) {
      const Operation& o = c.operations[n];
      if (o.kind == OperationKind::Release || o.kind == OperationKind::ReleaseShared) given.push_back(o.object);
      if (o.kind == OperationKind::Acquire || o.kind == OperationKind::AcquireShared) acquire(o, own[place]);
      if (o.kind != OperationKind::Read && o.kind != OperationKind::Write) continue;
      const bool usable = o.kind == OperationKind::Read && (step.flags & causality::kExternalRead) == 0;
      const auto it = std::ranges::find(first, o.object, &Seen::location);
      if (it != first.end()) *it = {o.object, o.value, usable};
      else first.push_back({o.object, o.value, usable});
    }
  }
  return out;
}

// The section's beginning, and the ends of the others' sections that are over before it. Nothing:
// one of them never ends, so there is no such run.
std::optional<std::vector<StepId>> LastWrites::anchors(const OpenSection& section, std::uint32_t thread,
                                                       const Places& least) const {
  std::vector<StepId> out = {section.begin};
  const std::vector<Section>& all = index_.locks[section.lock];
  for (const ThreadSections& user : index_.lock_threads[section.lock]) {
    if (user.thread == thread) continue;
    const auto& sections = section.exclusive ? user.all : user.exclusive;
    const auto behind = std::ranges::lower_bound(sections, least[user.thread], {}, [&](std::uint32_t n) {
      return index_.computation.steps[all[n].begin].place;
    });
    if (behind == sections.begin()) continue;
    const StepId end = all[*std::prev(behind)].end;
    if (end == kNoStep) return {};
    out.push_back(end);
  }
  return out;
}

bool LastWrites::cannot_see(const OpenSection& section, const Seen& seen, std::uint32_t thread,
                            const std::vector<StepId>& anchors, const Places& most) const {
  const std::span<const ThreadAccesses> threads = index_.locations[seen.location].threads;
  if (threads.size() > kMostWriters) return false;
  // Of each thread: its writes that come before an anchor in every run. Only the last of them may
  // have been seen.
  std::vector<std::size_t> before;
  std::vector<StepId> certain;
  for (const ThreadAccesses& own : threads) {
    before.push_back(writes_before(own, anchors));
    if (before.back() != 0) certain.push_back(own.writes[before.back() - 1].step);
  }
  if (certain.empty()) return false; // it may be what was there at the beginning
  const auto is_overwritten = [&](StepId write) {
    return std::ranges::any_of(certain, [&](StepId other) { return other != write && must_.precedes(write, other); });
  };
  // A location that is written often may have got this value rarely.
  const std::span<const Access> of_value = index_.writes_of(seen.location, seen.value);
  for (std::size_t t = 0; t < threads.size(); ++t) {
    const bool by_value = of_value.size() < threads[t].writes.size() && of_value.size() <= kMostWrites;
    const std::span<const Access> writes = by_value ? of_value : threads[t].writes;
    const StepId end =
        threads[t].thread == thread ? section.begin : index_.step_at(threads[t].thread, most[threads[t].thread]);
    // Backwards: what comes before an overwritten one in its thread is overwritten, too.
    auto last = static_cast<std::size_t>(std::ranges::lower_bound(writes, end, {}, &Access::step) - writes.begin());
    const StepId first = before[t] == 0 ? 0 : threads[t].writes[before[t] - 1].step;
    for (std::size_t looked_at = 0; last > 0 && writes[last - 1].step >= first; --last) {
      const Access& write = writes[last - 1];
      if (index_.computation.steps[write.step].thread != threads[t].thread) continue;
      if (is_overwritten(write.step)) break;
      if (write.value == seen.value || ++looked_at == kMostWrites) return false;
    }
  }
  return true;
}

// So many of the thread's writes come before one of the anchors in every run.
std::size_t LastWrites::writes_before(const ThreadAccesses& own, const std::vector<StepId>& anchors) const {
  auto last = own.writes.begin();
  for (const StepId anchor : anchors)
    last = std::partition_point(last, own.writes.end(),
                                [&](const Access& write) { return must_.precedes(write.step, anchor); });
  return static_cast<std::size_t>(last - own.writes.begin());
}

} // namespace sooth::predict
