// Locks exclude: mutexes, spin locks, read-write locks and annotated locks, and the mutex of a wait
// and wake.
//
//     T1 acquire m
//     T2 acquire m       breaks lock-exclusion: T1 still holds m
//     T1 release m
//     T1 release m       breaks release-not-held
//
// A lock that was not seen before is free, except in the trace of a forked child, which may hold
// locks of its parent. A lock is new when its memory is new, when it is initialised, or when the
// program wrote over it.
#include <cstdint>
#include <string>

#include <absl/container/btree_map.h>
#include <fmt/format.h>

#include "trace/legality/judge.h"

namespace sooth::trace::legality {

namespace {

constexpr std::uint32_t kNobody = ~std::uint32_t{0};

struct Lock {
  std::uint32_t owner = kNobody;                         // holds it exclusively
  std::uint32_t depth = 0;                               // how often; 0 iff owner is kNobody
  absl::btree_map<std::uint32_t, std::uint32_t> readers; // thread -> how often; no zeros
  std::uint64_t type = 0;                                // LockType of the last acquire
  std::size_t last = 0;                                  // the last event that changed it
};

class Locks final : public Family {
public:
  using Family::Family;

  std::unique_ptr<Family> copy() const override { return std::make_unique<Locks>(*this); }
  bool wants(EventKind kind) const override {
    switch (kind) {
    case EventKind::Acquire:
    case EventKind::Release:
    case EventKind::AcquireShared:
    case EventKind::ReleaseShared:
    case EventKind::LockInit:
    case EventKind::LockDestroy:
    case EventKind::Wait:
    case EventKind::Wake: return true;
    default: return renews_memory(kind);
    }
  }

  void step(const Event& e) override {
    if (renews_memory(e.kind)) return forget_range(locks_, e);
    // A failed request changes nothing; only a wake has the mutex again although the time was up.
    if (e.has(kFailed) && e.kind != EventKind::Wake) return;
    switch (e.kind) {
    case EventKind::Acquire: return acquire(e, e.address, e.value);
    case EventKind::AcquireShared: return acquire_shared(e);
    case EventKind::Release: return release(e, e.address, e.value, Rule::ReleaseNotHeld);
    case EventKind::ReleaseShared: return release_shared(e);
    case EventKind::Wait:
      if (e.value != 0) release(e, e.value, 0, Rule::WaitWithoutMutex);
      return;
    case EventKind::Wake:
      if (e.value != 0) acquire(e, e.value, type_of(e.value));
      return;
    default:
      if ((e.value & kLockCondition) == 0) locks_.erase(e.address); // initialised or destroyed
    }
  }

private:
  std::uint64_t type_of(std::uint64_t address) const {
    const auto it = locks_.find(address);
    return it == locks_.end() ? 0 : it->second.type;
  }

  void acquire(const Event& e, std::uint64_t address, std::uint64_t type) {
    Lock& lock = locks_[address];
    const bool reentrant = (type & kLockClassMask) == kLockRecursive || (type & kLockAnnotated) != 0;
    if (lock.owner == e.thread && reentrant) {
      ++lock.depth;
      lock.last = judge_.index;
      return;
    }
    // A robust mutex goes over to the next thread when its owner has ended.
    const bool inherited = (type & kLockOwnerDied) != 0 && lock.owner != kNobody && judge_.ended[lock.owner] != 0;
    if ((lock.owner != kNobody || !lock.readers.empty()) && !inherited && !judge_.written_over(address, lock.last))
      judge_.object(Rule::LockExclusion, [&] { return exclusion(e, address, lock); });
    lock = {e.thread, 1, {}, type, judge_.index};
  }

  void acquire_shared(const Event& e) {
    Lock& lock = locks_[e.address];
    if (lock.owner != kNobody) {
      if (!judge_.written_over(e.address, lock.last))
        judge_.object(Rule::LockExclusion, [&] { return exclusion(e, e.address, lock); });
      lock = {};
    }
    ++lock.readers[e.thread];
    lock.type = e.value;
    lock.last = judge_.index;
  }

  // May a release of a lock that the thread does not hold stand? `known`: the lock was used in this
  // trace before.
  bool excused(bool known, std::uint64_t type) const {
    return (type & (kLockAnnotated | kLockProcessShared)) != 0 || (judge_.inherited && !known);
  }

  void release(const Event& e, std::uint64_t address, std::uint64_t type, Rule rule) {
    const auto [it, unknown] = locks_.try_emplace(address);
    Lock& lock = it->second;
    if (lock.owner == e.thread) {
      if (--lock.depth == 0) lock.owner = kNobody;
    } else if (!excused(!unknown, type | lock.type)) {
      judge_.object(rule, [&] {
        return fmt::format("{} {} {}, which {}.", judge_.thread_name(e.thread),
                           e.kind == EventKind::Wait ? "waits with the mutex" : "releases the lock",
                           judge_.name_of(address), holders(lock));
      });
      // The lock stays as it is: one lost acquire should not make every later event of another
      // owner wrong, too.
    }
    lock.last = judge_.index;
  }

  void release_shared(const Event& e) {
    const auto [it, unknown] = locks_.try_emplace(e.address);
    Lock& lock = it->second;
    if (const auto reader = lock.readers.find(e.thread); reader != lock.readers.end()) {
      if (--reader->second == 0) lock.readers.erase(reader);
    } else if (!excused(!unknown, e.value | lock.type)) {
      judge_.object(Rule::ReleaseNotHeld, [&] {
        return fmt::format("{} gives up a shared hold of the lock {}, which {}.", judge_.thread_name(e.thread),
                           judge_.name_of(e.address), holders(lock));
      });
    }
    lock.last = judge_.index;
  }

  std::string holders(const Lock& lock) const {
    if (lock.owner != kNobody) return judge_.thread_name(lock.owner) + " holds";
    if (lock.readers.empty()) return "nobody holds";
    std::string out = judge_.thread_name(lock.readers.begin()->first);
    if (lock.readers.size() > 1) out += fmt::format(" and {} more", lock.readers.size() - 1);
    return out + (lock.readers.size() > 1 ? " hold shared" : " holds shared");
  }

  std::string exclusion(const Event& e, std::uint64_t address, const Lock& lock) const {
    return fmt::format("{} has the lock {}{}, but {} since event {}.", judge_.thread_name(e.thread),
                       judge_.name_of(address), e.kind == EventKind::Wake ? " again after its wait" : "",
                       (lock.owner == e.thread ? "it already holds it" : holders(lock) + " it"), lock.last);
  }

  absl::btree_map<std::uint64_t, Lock> locks_; // by address
};

} // namespace

std::unique_ptr<Family> make_locks(Judge& judge) { return std::make_unique<Locks>(judge); }

} // namespace sooth::trace::legality
