#include "trace/restore/standing.h"

#include <algorithm>
#include <utility>

#include "base/address_ranges.h"
#include "trace/effects.h"
#include "trace/kind_groups.h"
#include "trace/restore/hand_over.h"
#include "trace/restore/holds.h"

namespace sooth::trace {

namespace {

// Ends holds, but later writes may still be merged with those before.
bool keeps_writes(const Event& e) {
  if (e.has(kFailed)) return true;
  if (is_access(e.kind)) return !writes_memory(e.kind);
  const ObjectKind object = object_of(e.kind);
  if (is_primitive(object)) return does(e.kind, act::kBegins | act::kEnds);
  return object == ObjectKind::Handler || object == ObjectKind::Name; // marks of atomic blocks
}

// The memory that some events touch.
class Touched {
public:
  explicit Touched(const std::vector<Event>& events) {
    for (const Event& e : events) {
      const std::uint64_t size = is_access(e.kind) ? e.size : ends_object(e.kind) ? e.value : 1;
      if (e.address == 0 || size == 0 || size > ~e.address) continue;
      const std::uint64_t begin = e.address, end = e.address + size;
      if (!ranges_.empty() && ranges_.back().first <= begin && end <= ranges_.back().second) continue;
      ranges_.emplace_back(begin, end);
    }
    std::ranges::sort(ranges_);
    std::size_t last = 0;
    for (std::size_t i = 1; i < ranges_.size(); ++i) {
      if (ranges_[i].first > ranges_[last].second) ranges_[++last] = ranges_[i];
      else ranges_[last].second = std::max(ranges_[last].second, ranges_[i].second);
    }
    if (!ranges_.empty()) ranges_.resize(last + 1);
  }

  bool any(std::uint64_t begin, std::uint64_t end) const {
    const auto it = std::ranges::upper_bound(ranges_, begin, {}, &std::pair<std::uint64_t, std::uint64_t>::second);
    return it != ranges_.end() && it->first < end;
  }

private:
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges_; // ascending, apart
};

} // namespace

Standing::ThreadState& Standing::thread(std::uint32_t number) {
  if (number >= threads_.size()) threads_.resize(number + 1);
  return threads_[number];
}

void Standing::see(const Event& e, std::uint64_t number) {
  if (is_access(e.kind) && e.site < trace_.sites.size() && (trace_.sites[e.site].flags & kSiteOwnFrame) != 0)
    own_frame(e);
  if (e.kind == EventKind::Read || e.kind == EventKind::Write) return see_access(e, number);
  // Traces that were made by hand have no tickets.
  if (ends_segment(e) || (kind_is_ticketed(e.kind) && !does(e.kind, act::kMarks) && !is_hand_over(e))) {
    auto& accesses = thread(e.thread).accesses;
    if (!keeps_writes(e)) accesses.clear();
    for (auto& [key, entry] : accesses) entry.event.flags &= static_cast<std::uint8_t>(~kHeld);
  }
  if (is_access(e.kind)) return;
  if (e.kind == EventKind::Watch) watches_.push_back({number, number, e});
  else if (!see_nesting(e, number) && !see_lock(e, number) && !see_condition(e, number) && !see_primitive(e, number) &&
           !see_object(e, number))
    see_thread(e, number);
}

// Keeps the accesses that later ones may have been omitted for, or merged with.
void Standing::see_access(const Event& e, std::uint64_t number) {
  const bool writes = e.kind == EventKind::Write;
  if (e.has(kMerged) || (!writes && !e.has(kHeld))) return;
  Event kept = e;
  kept.flags = static_cast<std::uint8_t>((e.flags & ~(kPayload | kFill | kGlued)) | kOpaque);
  kept.value = kept.extra = 0;
  thread(e.thread).accesses[{e.address, e.size, writes}] = {number, number, kept};
}

bool Standing::holds_a_lock(std::uint64_t thread) const {
  return std::ranges::any_of(locks_, [&](const auto& lock) {
    return std::ranges::any_of(lock.second, [&](const Entry& held) { return held.event.thread == thread; });
  });
}

// The main thread's stack is not recorded: an address outside all globals and objects is on it.
void Standing::own_frame(const Event& e) {
  ThreadState& mine = thread(e.thread);
  if (mine.leaves_its_stack) return;
  if (mine.stack_end != 0 || e.thread != 0) {
    mine.leaves_its_stack = e.address < mine.stack || e.address >= mine.stack_end;
    return;
  }
  const auto object = first_overlapping(objects_, e.address);
  const auto global = std::ranges::upper_bound(trace_.globals, e.address, {}, &Global::address);
  mine.leaves_its_stack =
      (object != objects_.end() && object->first <= e.address) ||
      (global != trace_.globals.begin() && e.address - std::prev(global)->address < std::prev(global)->bytes);
}

// Closes the innermost entry of this name, and all entries opened inside of it.
void Standing::close(Entries& open, const Event& end) {
  for (std::size_t i = open.size(); i-- > 0;)
    if (open[i].event.address == end.address && open[i].event.value == end.value) return open.resize(i);
}

bool Standing::see_nesting(const Event& e, std::uint64_t number) {
  ThreadState& mine = thread(e.thread);
  switch (e.kind) {
  case EventKind::Enter: mine.calls.push_back({number, number, e}); return true;
  case EventKind::Exit:
    if (e.value < mine.calls.size()) mine.calls.resize(e.value);
    return true;
  case EventKind::SignalEnter: mine.handlers.push_back({number, number, e}); return true;
  case EventKind::SignalExit: close(mine.handlers, e); return true;
  case EventKind::AtomicBegin: mine.blocks.push_back({number, number, e}); return true;
  case EventKind::AtomicEnd: close(mine.blocks, e); return true;
  default: return false;
  }
}

bool Standing::see_lock(const Event& e, std::uint64_t number) {
  switch (e.kind) {
  case EventKind::Acquire:
  case EventKind::AcquireShared:
    if (e.has(kFailed)) return true;
    // A thread that ended with a robust lock does not hold it any more.
    std::erase_if(locks_[e.address], [&](const Entry& held) {
      const auto life = lives_.find(held.event.thread);
      return held.event.thread != e.thread && life != lives_.end() && life->second.ended;
    });
    locks_[e.address].push_back({number, number, e});
    return true;
  case EventKind::Release:
  case EventKind::ReleaseShared: {
    const auto lock = locks_.find(e.address);
    if (lock == locks_.end() || e.has(kFailed)) return true;
    const auto mine = std::find_if(lock->second.rbegin(), lock->second.rend(),
                                   [&](const Entry& held) { return held.event.thread == e.thread; });
    if (mine != lock->second.rend()) lock->second.erase(std::prev(mine.base()));
    if (lock->second.empty()) locks_.erase(lock);
    return true;
  }
  case EventKind::LockInit:
  case EventKind::LockDestroy:
    if (!e.has(kFailed)) locks_.erase(e.address);
    return true;
  default: return false;
  }
}

bool Standing::see_condition(const Event& e, std::uint64_t number) {
  switch (e.kind) {
  case EventKind::Wait:
    thread(e.thread).waits.push_back({number, number, e});
    ++conditions_[e.address].waiting;
    return true;
  case EventKind::Wake: {
    Entries& waits = thread(e.thread).waits;
    const auto wait =
        std::find_if(waits.rbegin(), waits.rend(), [&](const Entry& open) { return open.event.address == e.address; });
    if (wait == waits.rend()) return true;
    waits.erase(std::prev(wait.base()));
    if (const auto condition = conditions_.find(e.address); --condition->second.waiting == 0)
      conditions_.erase(condition);
    if (const auto lock = locks_.find(e.value); lock != locks_.end()) // it is held again from here on
      for (Entry& held : lock->second)
        if (held.event.thread == e.thread) held.place = number;
    return true;
  }
  case EventKind::Signal:
  case EventKind::Broadcast:
    if (const auto condition = conditions_.find(e.address); condition != conditions_.end()) {
      Entries& signals = condition->second.signals;
      signals.push_back({number, number, e});
      if (signals.size() > 2 * kMaxSignals)
        signals.erase(signals.begin(), signals.end() - static_cast<std::ptrdiff_t>(kMaxSignals));
    }
    return true;
  default: return false;
  }
}

bool Standing::see_primitive(const Event& e, std::uint64_t number) {
  switch (e.kind) {
  case EventKind::BarrierInit: barriers_[e.address] = {{{number, number, e}}, {}, 0}; return true;
  case EventKind::BarrierArrive:
    barriers_[e.address].round.push_back({number, number, e});
    ++barriers_[e.address].inside;
    return true;
  case EventKind::BarrierLeave: {
    Barrier& barrier = barriers_[e.address];
    if (barrier.inside > 0 && --barrier.inside != 0) barrier.round.push_back({number, number, e});
    else barrier.round.clear();
    return true;
  }
  case EventKind::SemInit:
    semaphores_[e.address] = {{{number, number, e}}, static_cast<std::int64_t>(e.value)};
    return true;
  case EventKind::SemPost: ++semaphores_[e.address].count; return true;
  case EventKind::SemWait:
    if (!e.has(kFailed)) --semaphores_[e.address].count;
    return true;
  case EventKind::OnceBegin: once_[e.address] = {{number, number, e}}; return true;
  case EventKind::OnceEnd:
    if (e.has(kFailed)) once_.erase(e.address);
    else once_[e.address].push_back({number, number, e});
    return true;
  default: return false;
  }
}

bool Standing::see_object(const Event& e, std::uint64_t number) {
  if (!begins_or_ends_object(e.kind)) return false;
  if (e.kind == EventKind::StackBegin) {
    thread(e.thread).stack = e.address;
    thread(e.thread).stack_end = e.address + e.value;
  }
  if (e.value == 0 || e.value > ~e.address) return true;
  const std::uint64_t end = e.address + e.value;
  // The memory is gone or new, and with it every lock that lay there.
  for (auto lock = locks_.lower_bound(e.address); lock != locks_.end() && lock->first < end;) lock = locks_.erase(lock);
  const auto there = objects_.find(e.address);
  const bool whole = there != objects_.end() && there->second.end == end;
  if (e.kind == EventKind::Free && whole) {
    there->second.events.resize(1);
    there->second.events.push_back({number, number, e});
    return true;
  }
  erase_overlapping(objects_, e.address, end);
  if (e.kind != EventKind::Unmap && e.kind != EventKind::StackEnd) objects_[e.address] = {end, {{number, number, e}}};
  return true;
}

bool Standing::see_thread(const Event& e, std::uint64_t number) {
  switch (e.kind) {
  case EventKind::Fork:
    if (!e.has(kFailed)) lives_[e.value].events.push_back({number, number, e});
    return true;
  case EventKind::ThreadStart: lives_[e.thread].events.push_back({number, number, e}); return true;
  case EventKind::ThreadEnd: {
    Life& life = lives_[e.thread];
    life.events.push_back({number, number, e});
    life.ended = true;
    if (life.detached) lives_.erase(e.thread);
    return true;
  }
  case EventKind::Detach: {
    const auto life = lives_.find(e.value);
    if (life == lives_.end()) return true;
    life->second.detached = true;
    if (life->second.ended) lives_.erase(life);
    return true;
  }
  case EventKind::Join:
    if (!e.has(kFailed) && !holds_a_lock(e.value)) lives_.erase(e.value);
    return true;
  default: return false;
  }
}

// Whether another object has begun in the accessed memory since.
bool Standing::is_gone(const Entry& access) const {
  const std::uint64_t end = access.event.address + access.event.size;
  for (auto it = first_overlapping(objects_, access.event.address); it != objects_.end() && it->first < end; ++it)
    if (it->second.events.front().place > access.place) return true;
  return false;
}

std::vector<Standing::Entry> Standing::before(const std::vector<Event>& events) const {
  Entries out = watches_;
  const auto add = [&](const Entries& entries) { out.insert(out.end(), entries.begin(), entries.end()); };
  for (const ThreadState& thread : threads_) {
    add(thread.calls);
    add(thread.handlers);
    add(thread.blocks);
    add(thread.waits);
  }
  for (const auto& [thread, life] : lives_) add(life.events);
  for (const auto& [address, acquires] : locks_) add(acquires);
  for (const auto& [address, condition] : conditions_) add(condition.signals);
  for (const auto& [address, barrier] : barriers_) {
    add(barrier.init);
    add(barrier.round);
  }
  for (const auto& [address, semaphore] : semaphores_) {
    add(semaphore.init);
    if (!semaphore.init.empty())
      out.back().event.value = static_cast<std::uint64_t>(std::max<std::int64_t>(0, semaphore.count));
  }
  for (const auto& [address, run] : once_) add(run);

  const Touched touched(events);
  for (const auto& [address, object] : objects_) {
    if (!touched.any(address, object.end)) continue;
    add(object.events);
    // The program may have written to it since.
    for (std::size_t i = out.size() - object.events.size(); i < out.size(); ++i)
      out[i].event.flags &= static_cast<std::uint8_t>(~kFill);
  }
  for (const ThreadState& thread : threads_)
    for (const auto& [key, entry] : thread.accesses)
      if (touched.any(entry.event.address, entry.event.address + entry.event.size) && !is_gone(entry))
        out.push_back(entry);
  std::ranges::sort(
      out, [](const Entry& a, const Entry& b) { return std::pair(a.place, a.number) < std::pair(b.place, b.number); });
  return out;
}

} // namespace sooth::trace
