#include "predict/deadlocks/agreement.h"

#include <algorithm>
#include <iterator>

#include <absl/container/flat_hash_set.h>

namespace sooth::predict {

namespace {

constexpr std::size_t kMostLocations = 8;
constexpr std::size_t kLookedAt = 2;      // waits of each side, to choose the locations
constexpr std::uint32_t kMostSteps = 256; // of a section before a wait

const ThreadAccesses* accesses_of(const LocationIndex& location, std::uint32_t thread) {
  const auto it = std::ranges::find(location.threads, thread, &ThreadAccesses::thread);
  return it == location.threads.end() ? nullptr : &*it;
}

// Whether a step lies in one of the thread's exclusive sections of the lock; which one. Null: none.
const Section* section_around(const Index& index, std::uint32_t lock, std::uint32_t thread, StepId step) {
  const auto own = std::ranges::find(index.lock_threads[lock], thread, &ThreadSections::thread);
  if (own == index.lock_threads[lock].end()) return nullptr;
  const std::vector<Section>& all = index.locks[lock];
  const auto after = std::ranges::upper_bound(own->exclusive, step, {}, [&](std::uint32_t n) { return all[n].begin; });
  if (after == own->exclusive.begin()) return nullptr;
  const Section& section = all[*std::prev(after)];
  return section.end == kNoStep || step <= section.end ? &section : nullptr;
}

} // namespace

bool GuardedWrites::all_under(std::uint32_t lock, std::uint32_t location, const ThreadAccesses& own) {
  const auto [it, fresh] = known_.try_emplace({lock, location, own.thread}, true);
  if (fresh)
    it->second = std::ranges::all_of(own.writes, [&](const Access& write) {
      return section_around(index_, lock, own.thread, write.step) != nullptr;
    });
  return it->second;
}

Agreement::Agreement(const Index& index, const MustOrder& must, const Requests& requests, std::span<const StepId> first,
                     std::span<const StepId> second)
    : index_(index), must_(must), guarded_(index) {
  if (index.reads_freely() || first.empty() || second.empty()) return;
  if (!gather(first, sides_[0]) || !gather(second, sides_[1]) || sides_[0].thread == sides_[1].thread) return;
  if (index.lock_never_released || somebody_stands_with_the_mutex(requests)) return;
  choose_locations();
  if (locations_.empty()) return;
  look(sides_[0], sides_[1]);
  look(sides_[1], sides_[0]);
}

// False: the rule does not apply.
bool Agreement::gather(std::span<const StepId> wakes, Side& side) {
  const Computation& c = index_.computation;
  side.thread = c.steps[wakes.front()].thread;
  for (const StepId wake : wakes) {
    const causality::Step& step = c.steps[wake];
    if (step.thread != side.thread) return false;
    Wait wait{wake, kNoStep, nullptr, {}};
    for (std::uint32_t n = step.first_operation; n < step.first_operation + step.operations; ++n)
      if (c.operations[n].kind == OperationKind::WakeUp) {
        if (!side.waits.empty() && side.condition != c.operations[n].object) return false;
        side.condition = c.operations[n].object;
        wait.begin = index_.section(n);
      }
    if (wait.begin == kNoStep) return false;
    for (const Operation& o : c.operations_of(wait.begin)) {
      if (o.kind != OperationKind::Release) continue;
      if (has_mutex_ && o.object != mutex_) return false;
      mutex_ = o.object;
      has_mutex_ = true;
      wait.section = section_around(index_, mutex_, side.thread, wait.begin);
    }
    if (wait.section == nullptr || wait.section->end != wait.begin) return false;
    side.waits.push_back(wait);
  }
  std::ranges::sort(side.waits, {}, &Wait::wake);
  return true;
}

bool Agreement::somebody_stands_with_the_mutex(const Requests& requests) const {
  return std::ranges::any_of(requests.all, [&](const Request& r) { return r.holding(mutex_) != nullptr; });
}

std::vector<std::uint32_t> Agreement::used_in(const Wait& wait) const {
  const Computation& c = index_.computation;
  std::vector<std::uint32_t> out;
  const std::vector<StepId>& own = c.threads[c.steps[wait.begin].thread].steps;
  const std::uint32_t from = c.steps[wait.section->begin].place, to = c.steps[wait.begin].place;
  for (std::uint32_t place = from; place < to && place - from < kMostSteps; ++place)
    for (const Operation& o : c.operations_of(own[place]))
      if (o.kind == OperationKind::Read || o.kind == OperationKind::Write) out.push_back(o.object);
  std::ranges::sort(out);
  out.erase(std::ranges::unique(out).begin(), out.end());
  return out;
}

void Agreement::choose_locations() {
  bool begun = false;
  for (const Side& side : sides_)
    for (std::size_t i = 0; i < side.waits.size() && i < kLookedAt; ++i) {
      const std::vector<std::uint32_t> used = used_in(side.waits[i]);
      std::vector<std::uint32_t> common;
      std::ranges::set_intersection(begun ? locations_ : used, used, std::back_inserter(common));
      locations_ = std::move(common);
      begun = true;
    }
  std::erase_if(locations_, [&](std::uint32_t location) { return !is_theirs(location); });
  if (locations_.size() > kMostLocations) locations_.resize(kMostLocations);
}

// Only the two threads write it, under the mutex; others only before both of them.
bool Agreement::is_theirs(std::uint32_t location) {
  const LocationIndex& all = index_.locations[location];
  const ThreadAccesses* own[2] = {accesses_of(all, sides_[0].thread), accesses_of(all, sides_[1].thread)};
  for (const ThreadAccesses* one : own)
    if (one == nullptr || !guarded_.all_under(mutex_, location, *one)) return false;
  return std::ranges::all_of(all.threads, [&](const ThreadAccesses& other) {
    if (&other == own[0] || &other == own[1] || other.writes.empty()) return true;
    return std::ranges::all_of(
        own, [&](const ThreadAccesses* one) { return must_.precedes(other.writes.back().step, one->first()); });
  });
}

void Agreement::look(Side& side, const Side& other) {
  for (Wait& wait : side.waits) wait.seen = values_at(wait, side, other);
}

// The values of the locations at the end of the section, if it shows all of them, and if others
// could know of every write that the thread has made.
std::optional<Agreement::Values> Agreement::values_at(const Wait& wait, const Side& side, const Side& other) const {
  const Computation& c = index_.computation;
  const auto& users = index_.conditions[other.condition].threads;
  const auto uses = std::ranges::find(users, side.thread, &ThreadUses::thread);
  StepId signal = kNoStep; // the last one for the other thread
  if (uses != users.end()) {
    const auto behind = std::ranges::lower_bound(uses->gives, wait.begin);
    if (behind != uses->gives.begin()) signal = *std::prev(behind);
  }
  Values out;
  for (const std::uint32_t location : locations_) {
    const ThreadAccesses& own = *accesses_of(index_.locations[location], side.thread);
    const auto write = std::ranges::lower_bound(own.writes, wait.begin, {}, &Access::step);
    const auto read = std::ranges::lower_bound(own.reads, wait.begin, {}, &Access::step);
    const Access* last = nullptr;
    if (write != own.writes.begin()) {
      last = &*std::prev(write);
      if (signal == kNoStep) return {};
      const Section* section = section_around(index_, mutex_, side.thread, last->step);
      if (last->step > signal && (section == nullptr || signal < section->begin)) return {};
    }
    if (read != own.reads.begin() && (last == nullptr || std::prev(read)->operation > last->operation))
      last = &*std::prev(read);
    if (last == nullptr || last->step < wait.section->begin) return {};
    if ((c.steps[last->step].flags & causality::kExternalRead) != 0) return {};
    out.push_back(last->value);
  }
  return out;
}

std::vector<StepId> Agreement::alone() const {
  std::vector<StepId> out;
  if (locations_.empty()) return out;
  for (const bool second : {false, true}) {
    const Side &side = sides_[second ? 1 : 0], &other = sides_[second ? 0 : 1];
    absl::flat_hash_set<Values> partners;
    bool any = false; // one of them may meet anybody
    for (const Wait& wait : other.waits) {
      if (wait.seen) partners.insert(*wait.seen);
      else any = true;
    }
    for (const Wait& wait : side.waits)
      if (!any && wait.seen && !partners.contains(*wait.seen)) out.push_back(wait.wake);
  }
  std::ranges::sort(out);
  return out;
}

const Agreement::Wait* Agreement::find(const Side& side, StepId wake) {
  const auto it = std::ranges::lower_bound(side.waits, wake, {}, &Wait::wake);
  return it == side.waits.end() || it->wake != wake ? nullptr : &*it;
}

bool Agreement::may_meet(StepId first, StepId second) const {
  const Wait *a = find(sides_[0], first), *b = find(sides_[1], second);
  return a == nullptr || b == nullptr || !a->seen || !b->seen || *a->seen == *b->seen;
}

} // namespace sooth::predict
