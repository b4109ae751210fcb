#include "witness/locks.h"

namespace sooth::witness::checking {

using trace::Event;
using trace::EventKind;

LockUse lock_use(const Event& e) {
  const bool failed = e.has(trace::kFailed);
  switch (e.kind) {
  case EventKind::Acquire: return {failed ? LockAction::Refused : LockAction::Take, e.address};
  case EventKind::AcquireShared: return {failed ? LockAction::RefusedShared : LockAction::TakeShared, e.address};
  case EventKind::Release: return {failed ? LockAction::None : LockAction::Give, e.address};
  case EventKind::ReleaseShared: return {failed ? LockAction::None : LockAction::GiveShared, e.address};
  case EventKind::Wait: return {e.value != 0 ? LockAction::Give : LockAction::None, e.value};
  case EventKind::Wake: return {e.value != 0 ? LockAction::Take : LockAction::None, e.value};
  default: return {};
  }
}

bool LockState::others_exclude(std::uint32_t thread, bool shared) const {
  if (owner != kNobody && owner != thread) return true;
  if (shared) return false;
  return readers.size() > (readers.contains(thread) ? 1u : 0u);
}

bool LockState::inner(const Event& event, LockAction action) const {
  const auto reader = readers.find(event.thread);
  switch (action) {
  case LockAction::Take: return owner == event.thread;
  case LockAction::Give: return owner == event.thread && depth > 1;
  case LockAction::TakeShared: return reader != readers.end();
  case LockAction::GiveShared: return reader != readers.end() && reader->second > 1;
  default: return false;
  }
}

void Locks::apply(const Event& event, EventNumber number) {
  const bool renewed = (event.kind == EventKind::LockInit || event.kind == EventKind::LockDestroy) &&
                       !event.has(trace::kFailed) && (event.value & trace::kLockCondition) == 0;
  if (renewed) {
    if (const auto found = locks_.find(event.address); found != locks_.end()) {
      LockState fresh;
      fresh.uses = found->second.uses;
      fresh.exclusive_uses = found->second.exclusive_uses;
      found->second = fresh;
    }
    return;
  }
  const auto [action, address] = lock_use(event);
  if (action == LockAction::None) return;
  LockState& lock = locks_[address];
  if (!lock.inner(event, action)) {
    ++lock.uses;
    if (action != LockAction::TakeShared && action != LockAction::GiveShared) ++lock.exclusive_uses;
  }
  switch (action) {
  case LockAction::Take:
    if (lock.owner == event.thread) {
      ++lock.depth;
    } else {
      lock.owner = event.thread;
      lock.depth = 1;
      lock.taken = number;
    }
    break;
  case LockAction::Give:
    if (lock.owner == event.thread && --lock.depth == 0) lock.owner = LockState::kNobody;
    break;
  case LockAction::TakeShared: ++lock.readers[event.thread]; break;
  case LockAction::GiveShared:
    if (const auto reader = lock.readers.find(event.thread); reader != lock.readers.end() && --reader->second == 0)
      lock.readers.erase(reader);
    break;
  default: break;
  }
}

const LockState& Locks::at(std::uint64_t lock) const {
  static const LockState unused;
  const auto found = locks_.find(lock);
  return found == locks_.end() ? unused : found->second;
}

bool Locks::all_free() const {
  for (const auto& [address, lock] : locks_)
    if (!lock.free()) return false;
  return true;
}

} // namespace sooth::witness::checking
