#include "predict/question/last_writes.h"

#include <algorithm>

#include "predict/question/closure.h"

namespace sooth::predict {

namespace {

constexpr std::uint32_t kLongestSection = 1024; // of a section
constexpr std::ptrdiff_t kMostWrites = 1024;    // of a thread that need not come as far

// The steps of each thread that every answer to the question has.
std::vector<std::uint32_t> least_of(const Computation& c, const Question& question) {
  std::vector<std::uint32_t> out(c.threads.size(), 0);
  const auto need = [&](StepId id, bool itself) {
    const causality::Step& step = c.steps[id];
    out[step.thread] = std::max(out[step.thread], step.place + (itself ? 1 : 0));
  };
  for (const StepId step : question.before) need(step, false);
  for (const StepId step : question.done) need(step, true);
  for (const causality::Order& order : question.sequence) {
    need(order.first, true);
    need(order.second, true);
  }
  return out;
}

} // namespace

const Section* section_around(const Index& index, std::uint32_t lock, std::uint32_t thread, StepId step) {
  const auto own = std::ranges::find(index.lock_threads[lock], thread, &ThreadSections::thread);
  if (own == index.lock_threads[lock].end()) return nullptr;
  const std::vector<Section>& all = index.locks[lock];
  const auto after = std::ranges::upper_bound(own->exclusive, step, {}, [&](std::uint32_t n) { return all[n].begin; });
  if (after == own->exclusive.begin()) return nullptr;
  const Section& section = all[*std::prev(after)];
  return section.end == kNoStep || step <= section.end ? &section : nullptr;
}

bool GuardedWrites::all_under(std::uint32_t lock, std::uint32_t location, const ThreadAccesses& own) {
  const auto [it, fresh] = known_.try_emplace({lock, location, own.thread}, true);
  if (fresh)
    it->second = std::ranges::all_of(own.writes, [&](const Access& write) {
      return section_around(index_, lock, own.thread, write.step) != nullptr;
    });
  return it->second;
}

bool LastWrites::contradict(const Question& question) {
  if (index_.reads_freely()) return false;
  const auto most = limits_of(index_, question);
  if (!most) return true;
  const std::vector<std::uint32_t> least = least_of(index_.computation, question);
  for (const StepId before : question.before) {
    const std::uint32_t thread = index_.computation.steps[before].thread;
    for (const OpenSection& section : open_sections(before))
      for (const Seen& seen : section.first)
        if (seen.usable && cannot_see(section, seen, thread, least, *most)) return true;
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
  const std::uint32_t last = stands.place > kLongestSection ? stands.place - kLongestSection : 0;
  for (std::uint32_t place = stands.place; place-- > last;) {
    const causality::Step& step = c.steps[own[place]];
    for (std::uint32_t n = step.first_operation + step.operations; n-- > step.first_operation;) {
      const Operation& o = c.operations[n];
      if (o.kind == OperationKind::Release) given.push_back(o.object);
      if (o.kind == OperationKind::Acquire) {
        const auto it = std::ranges::find(given, o.object);
        if (it != given.end()) given.erase(it);
        else out.push_back({o.object, own[place], first});
      }
      if (o.kind != OperationKind::Read && o.kind != OperationKind::Write) continue;
      const bool usable = o.kind == OperationKind::Read && (step.flags & causality::kExternalRead) == 0;
      const auto it = std::ranges::find(first, o.object, &Seen::location);
      if (it != first.end()) *it = {o.object, o.value, usable};
      else first.push_back({o.object, o.value, usable});
    }
  }
  return out;
}

bool LastWrites::cannot_see(const OpenSection& section, const Seen& seen, std::uint32_t thread,
                            const std::vector<std::uint32_t>& least, const std::vector<std::uint32_t>& most) {
  std::vector<StepId> certain;    // others' last writes that are in every answer, and before the section
  std::vector<StepId> candidates; // writes of what was seen that may be the last ones
  std::vector<StepId> elsewhere;  // last writes of threads that do not always take the lock
  for (const ThreadAccesses& own : index_.locations[seen.location].threads) {
    if (own.writes.empty()) continue;
    if (own.thread == thread) {
      const auto behind = std::ranges::lower_bound(own.writes, section.begin, {}, &Access::step);
      if (behind != own.writes.begin() && std::prev(behind)->value == seen.value)
        candidates.push_back(std::prev(behind)->step);
      continue;
    }
    if (!guarded_.all_under(section.lock, seen.location, own)) {
      elsewhere.push_back(own.writes.back().step);
      continue;
    }
    const auto from =
        std::ranges::lower_bound(own.writes, index_.step_at(own.thread, least[own.thread]), {}, &Access::step);
    const auto to =
        std::ranges::lower_bound(own.writes, index_.step_at(own.thread, most[own.thread]), {}, &Access::step);
    if (to - from > kMostWrites) return false;
    for (auto write = from; write < to; ++write) // the thread may come as far as this
      if (write->value == seen.value) candidates.push_back(write->step);
    if (from == own.writes.begin()) continue;
    const Access& last = *std::prev(from);
    certain.push_back(last.step);
    if (last.value == seen.value) candidates.push_back(last.step);
  }
  if (certain.empty()) return false;
  const auto is_overwritten = [&](StepId write) {
    return std::ranges::any_of(certain, [&](StepId other) { return other != write && must_.precedes(write, other); });
  };
  return std::ranges::all_of(candidates, is_overwritten) && std::ranges::all_of(elsewhere, is_overwritten);
}

} // namespace sooth::predict
