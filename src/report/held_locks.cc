#include "report/held_locks.h"

#include <algorithm>

#include "trace/effects.h"

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
  if (e.kind == EventKind::LockDestroy && !e.has(trace::kFailed)) return give_up(e.thread, e.address, true);
  for_lock_move(
      e, [&](const trace::Affected& lock) { take(e.thread, lock.address, index, lock.shared); },
      [&](const trace::Affected& lock) { give_up(e.thread, lock.address, lock.whole); });
}

std::span<const Held> HeldLocks::of(std::uint32_t thread) const {
  return thread < held_.size() ? std::span<const Held>(held_[thread]) : std::span<const Held>();
}

} // namespace sooth::report
