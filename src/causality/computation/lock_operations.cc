#include "causality/computation/lock_operations.h"

#include <absl/container/btree_map.h>
#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <algorithm>

#include "trace/effects.h"

namespace sooth::causality {
namespace {

using trace::Event;
using trace::EventKind;

constexpr std::uint32_t kNoOwner = 0xffffffff;

bool renews(EventKind kind) { return does_to(trace::ObjectKind::Lock, kind, trace::act::kBegins | trace::act::kEnds); }

struct Lock {
  std::uint32_t owner = kNoOwner;
  std::uint32_t depth = 0;
  absl::btree_map<std::uint32_t, std::uint32_t> readers; // thread -> how often
  std::uint32_t last_event = kNoEvent;
  bool irregular = false;

  bool free() const { return owner == kNoOwner && readers.empty(); }
};

class LockOperations {
public:
  LockOperations(const trace::Trace& trace, Effects& effects) : trace_(trace), effects_(effects) {
    for (const Event& e : trace.events)
      if (e.kind == EventKind::Acquire && (e.value & trace::kLockOwnerDied) != 0) inherited_.insert(e.address);
  }

  std::vector<std::uint64_t> run() {
    for (event_ = 0; event_ < trace_.events.size(); ++event_) {
      const Event& e = trace_.events[event_];
      if (e.kind == EventKind::ThreadEnd) give_up(e);
      else if (lock_of(e) != 0) step(e);
      else if (renews(e.kind) && (e.value & trace::kLockCondition) == 0 && !e.has(trace::kFailed)) renew(e);
    }
    take_out_irregular();
    return std::move(addresses_);
  }

private:
  std::uint32_t number(std::uint64_t address) {
    const auto [it, fresh] = numbers_.try_emplace(address, static_cast<std::uint32_t>(addresses_.size()));
    if (fresh) {
      addresses_.push_back(address);
      locks_.emplace_back();
      touches_.emplace_back();
    }
    return it->second;
  }

  void emit(OperationKind kind, std::uint32_t lock, std::uint32_t value = 0) {
    effects_.operations.push_back({event_, {kind, lock, value}});
  }

  void step(const Event& e) {
    const std::uint32_t n = number(lock_of(e));
    Lock& lock = locks_[n];
    touches_[n].push_back(event_);
    if (e.has(trace::kFailed) && e.kind != EventKind::Wake) {
      if (trace::takes_lock(e.kind)) failed(e, n, lock);
      return;
    }
    const bool shared = does_to(trace::ObjectKind::Lock, e.kind, trace::act::kShares);
    if (trace::takes_lock(e.kind)) return shared ? acquire_shared(e, n, lock) : acquire(e, n, lock);
    return shared ? release_shared(e, n, lock) : release(e, n, lock);
  }

  void acquire(const Event& e, std::uint32_t n, Lock& lock) {
    if (lock.owner == e.thread) {
      ++lock.depth;
      return;
    }
    if (!lock.free()) lock.irregular = true;
    lock.owner = e.thread;
    lock.depth = 1;
    lock.readers.clear();
    emit(OperationKind::Acquire, n);
  }
  void acquire_shared(const Event& e, std::uint32_t n, Lock& lock) {
    if (lock.owner != kNoOwner) {
      lock.irregular = true;
      lock.owner = kNoOwner;
    }
    if (++lock.readers[e.thread] == 1) emit(OperationKind::AcquireShared, n);
  }
  void release(const Event& e, std::uint32_t n, Lock& lock) {
    if (lock.owner != e.thread) {
      lock.irregular = true;
      return;
    }
    if (--lock.depth > 0) return;
    lock.owner = kNoOwner;
    emit(OperationKind::Release, n);
  }
  void release_shared(const Event& e, std::uint32_t n, Lock& lock) {
    const auto reader = lock.readers.find(e.thread);
    if (reader == lock.readers.end()) {
      lock.irregular = true;
      return;
    }
    if (--reader->second > 0) return;
    lock.readers.erase(reader);
    emit(OperationKind::ReleaseShared, n);
  }

  void failed(const Event& e, std::uint32_t n, const Lock& lock) {
    const bool exclusive = !does(e.kind, trace::act::kShares); // then readers are in its way as well as a writer
    if (lock.owner == e.thread || (exclusive && lock.readers.contains(e.thread))) return; // it is in its own way
    if (lock.owner != kNoOwner || (exclusive && !lock.readers.empty()))
      return emit(OperationKind::TryFailed, n, exclusive ? 0 : 1);
    effects_.pinned.push_back(event_); // a release is recorded a moment before the lock is free
  }

  // A robust mutex becomes free when its owner ends. Others stay taken for ever.
  void give_up(const Event& e) {
    for (const std::uint64_t address : inherited_) {
      const std::uint32_t n = number(address);
      Lock& lock = locks_[n];
      if (lock.owner != e.thread) continue;
      lock.owner = kNoOwner;
      lock.depth = 0;
      touches_[n].push_back(event_);
      emit(OperationKind::Release, n);
    }
  }

  // Initialised or destroyed: earlier operations on the lock stay before, later ones stay after.
  void renew(const Event& e) {
    const std::uint32_t n = number(e.address);
    if (!locks_[n].free()) locks_[n].irregular = true;
    locks_[n].owner = kNoOwner;
    locks_[n].readers.clear();
    // The event stands among the touches, so that the search for others ends at it.
    renewals_.push_back({n, static_cast<std::uint32_t>(touches_[n].size()), event_});
    touches_[n].push_back(event_);
  }

  void take_out_irregular() {
    for (const Renewal& renewal : renewals_) order_around(renewal);
    std::erase_if(effects_.operations, [&](const EventOperation& o) { return locks_[o.operation.object].irregular; });
    for (std::size_t n = 0; n < locks_.size(); ++n) {
      if (!locks_[n].irregular) continue;
      for (std::size_t i = 1; i < touches_[n].size(); ++i) effects_.order(touches_[n][i - 1], touches_[n][i], true);
    }
  }

  struct Renewal {
    std::uint32_t lock;
    std::uint32_t touches; // its index among them
    std::uint32_t event;
  };
  void order_around(const Renewal& renewal) {
    const std::vector<std::uint32_t>& touches = touches_[renewal.lock];
    const std::uint32_t self = trace_.events[renewal.event].thread;
    absl::flat_hash_set<std::uint32_t> seen{self};
    for (std::size_t i = renewal.touches; i-- > 0;) {
      if (seen.insert(trace_.events[touches[i]].thread).second) effects_.order(touches[i], renewal.event);
      if (renews(trace_.events[touches[i]].kind)) break; // all before that one are ordered by it
    }
    seen = {self};
    for (std::size_t i = renewal.touches + 1; i < touches.size(); ++i) {
      if (renews(trace_.events[touches[i]].kind)) break;
      if (seen.insert(trace_.events[touches[i]].thread).second) effects_.order(renewal.event, touches[i]);
    }
  }

  const trace::Trace& trace_;
  Effects& effects_;
  std::uint32_t event_ = 0;
  absl::flat_hash_map<std::uint64_t, std::uint32_t> numbers_;
  absl::flat_hash_set<std::uint64_t> inherited_; // robust mutexes that were taken over
  std::vector<std::uint64_t> addresses_;
  std::vector<Lock> locks_;
  std::vector<std::vector<std::uint32_t>> touches_; // by lock: its events
  std::vector<Renewal> renewals_;
};

} // namespace

std::vector<std::uint64_t> add_lock_operations(const trace::Trace& trace, Effects& effects) {
  return LockOperations(trace, effects).run();
}

} // namespace sooth::causality
