#include "report/held_locks.h"

#include <algorithm>

namespace sooth::report {

using trace::Event;
using trace::EventKind;

void HeldLocks::take(std::uint32_t thread, std::uint64_t lock, std::uint32_t index, bool shared) {
  for (Held& held : held_[thread])
    if (held.lock == lock) {
      ++held.depth;
      return;
    }
  held_[thread].push_back({lock, index, 1, shared});
}

void HeldLocks::give_up(std::uint32_t thread, std::uint64_t lock, bool all) {
  std::vector<Held>& mine = held_[thread];
  const auto it = std::find_if(mine.begin(), mine.end(), [&](const Held& held) { return held.lock == lock; });
  if (it == mine.end()) return;
  if (all || --it->depth == 0) mine.erase(it);
}

void HeldLocks::follow(const Event& e, std::uint32_t index) {
  if (e.thread >= held_.size()) return;
  switch (e.kind) {
  case EventKind::Acquire:
  case EventKind::AcquireShared:
    if (!e.has(trace::kFailed)) take(e.thread, e.address, index, e.kind == EventKind::AcquireShared);
    return;
  case EventKind::Release:
  case EventKind::ReleaseShared: return give_up(e.thread, e.address, false);
  case EventKind::LockDestroy: return give_up(e.thread, e.address, true);
  case EventKind::Wait: return give_up(e.thread, e.value, true);
  case EventKind::Wake: return take(e.thread, e.value, index, false); // has it again, also if the time was up
  default: return;
  }
}

std::span<const Held> HeldLocks::of(std::uint32_t thread) const {
  return thread < held_.size() ? std::span<const Held>(held_[thread]) : std::span<const Held>();
}

} // namespace sooth::report
