#include "predict/misuse/misuse.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "predict/memory/lasting_place.h"
#include "trace/effects.h"

namespace sooth::predict {
namespace {

using trace::Event;
using trace::EventKind;
using witness::Finding;
using witness::Place;
using witness::Role;

constexpr std::uint64_t kKinds = trace::kLockSpin | trace::kLockReadWrite; // neither: a mutex
constexpr std::uint64_t kForeign = trace::kLockAnnotated | trace::kLockProcessShared;

Finding misuse(std::uint32_t event, std::string note) {
  Finding finding;
  finding.kind = witness::FindingKind::Misuse;
  finding.status = witness::Status::Observed;
  finding.engine = "recorded-run";
  finding.places = {{event, Role::Use}};
  finding.witness.observed = std::size_t{event} + 1;
  finding.note = std::move(note);
  return finding;
}

class MisuseFinder {
public:
  explicit MisuseFinder(const trace::Trace& trace) : trace_(trace) {}

  std::vector<Finding> run() {
    for (event_ = 0; event_ < trace_.events.size(); ++event_) step(trace_.events[event_]);
    return std::move(findings_);
  }

private:
  struct Hold {
    std::uint32_t thread = 0;
    std::uint32_t event = 0;
    std::uint64_t type = 0;
    std::uint32_t depth = 1;
  };
  struct Waiter {
    std::uint64_t mutex = 0;
    std::uint32_t event = 0;
    bool signalled = false;
  };

  void step(const Event& e) {
    const bool failed = e.has(trace::kFailed);
    switch (e.kind) {
    case EventKind::Acquire:
    case EventKind::AcquireShared:
      if (failed) use_after_destroy(e);
      else take(e.address, e.thread, e.value);
      return;
    case EventKind::Release:
    case EventKind::ReleaseShared:
      if (!failed) give(e.address, e.thread, e.value);
      return;
    case EventKind::LockInit: return initialise(e);
    case EventKind::LockDestroy: return destroy(e, failed);
    case EventKind::Wait: return wait(e);
    case EventKind::Wake:
      waiters_[e.address].erase(e.thread);
      if (e.value != 0) take(e.value, e.thread, 0);
      return;
    case EventKind::Signal:
    case EventKind::Broadcast:
      for (auto& [thread, waiter] : waiters_[e.address]) waiter.signalled = true;
      return;
    case EventKind::Free: return free(e);
    default:
      if (trace::object_of(e.kind) == trace::ObjectKind::Region) forget(e);
    }
  }

  void take(std::uint64_t lock, std::uint32_t thread, std::uint64_t type) {
    std::vector<Hold>& holds = holds_[lock];
    const auto own = std::ranges::find(holds, thread, &Hold::thread);
    if (own != holds.end()) ++own->depth;
    else holds.push_back({thread, event_, type, 1});
  }
  void give(std::uint64_t lock, std::uint32_t thread, std::optional<std::uint64_t> type) {
    const auto it = holds_.find(lock);
    if (it == holds_.end()) return;
    const auto own = std::ranges::find(it->second, thread, &Hold::thread);
    if (own == it->second.end()) return;
    if (type && ((*type ^ own->type) & kKinds) != 0 && ((*type | own->type) & kForeign) == 0)
      tell(misuse(event_, "The lock is given up as " + kind_text(*type) + ", but it was taken as " +
                              kind_text(own->type) + "."),
           {own->event, Role::Hold});
    if (--own->depth == 0) it->second.erase(own);
    if (it->second.empty()) holds_.erase(it);
  }
  static std::string kind_text(std::uint64_t type) {
    return (type & trace::kLockSpin) != 0        ? "a spin lock"
           : (type & trace::kLockReadWrite) != 0 ? "a read-write lock"
                                                 : "a mutex";
  }

  void initialise(const Event& e) {
    destroyed_.erase(e.address);
    const auto held = holds_.extract(e.address);
    if (held.empty() || held.mapped().empty() || ((e.value | held.mapped().front().type) & kForeign) != 0) return;
    if (is_lasting_place(trace_, e.address, event_))
      tell(misuse(event_, "The lock is initialised while a thread has it."), {held.mapped().front().event, Role::Hold});
  }

  void destroy(const Event& e, bool failed) {
    if ((e.value & trace::kLockCondition) != 0) {
      for (const auto& [thread, waiter] : waiters_[e.address])
        if (!waiter.signalled)
          tell(misuse(event_,
                      "The condition variable is destroyed while another thread waits on it, which nobody has woken."),
               {waiter.event, Role::Wait});
      return;
    }
    const auto it = holds_.find(e.address);
    const bool held = it != holds_.end() && !it->second.empty();
    if ((failed || held) && (e.value & kForeign) == 0) {
      Finding finding =
          misuse(event_, failed ? "The mutex is destroyed while a thread has it or waits for it; libc refuses."
                                : "The lock is destroyed while a thread has it.");
      tell(std::move(finding), held ? Place{it->second.front().event, Role::Hold} : Place{event_, Role::Use});
    }
    if (failed) return;
    destroyed_[e.address] = event_;
    holds_.erase(e.address);
  }
  // Locking fails for mutexes that were destroyed: libc has marked them.
  void use_after_destroy(const Event& e) {
    const auto it = destroyed_.find(e.address);
    if (it == destroyed_.end() || (e.value & (trace::kLockTry | trace::kLockTimed | kKinds)) != 0) return;
    tell(misuse(event_, "The mutex was destroyed before; libc refuses to lock it."), {it->second, Role::Free});
  }

  void wait(const Event& e) {
    if (e.value == 0) return;
    give(e.value, e.thread, {});
    std::map<std::uint32_t, Waiter>& waiters = waiters_[e.address];
    for (const auto& [thread, waiter] : waiters)
      if (thread != e.thread && !waiter.signalled && waiter.mutex != e.value) {
        tell(misuse(event_, "Another thread waits on the same condition variable with another mutex."),
             {waiter.event, Role::Wait});
        break;
      }
    waiters[e.thread] = {e.value, event_, false};
  }

  void free(const Event& e) {
    for (auto it = holds_.lower_bound(e.address); it != holds_.end() && it->first - e.address < e.value; ++it)
      for (const Hold& hold : it->second)
        if ((hold.type & kForeign) == 0) {
          tell(misuse(event_, "The memory of a lock is freed while a thread has the lock."), {hold.event, Role::Hold});
          break;
        }
    for (auto it = waiters_.lower_bound(e.address); it != waiters_.end() && it->first - e.address < e.value; ++it)
      for (const auto& [thread, waiter] : it->second)
        if (!waiter.signalled) {
          tell(misuse(event_, "The memory of a condition variable is freed while another thread waits on it, which "
                              "nobody has woken."),
               {waiter.event, Role::Wait});
          break;
        }
    forget(e);
  }
  void forget(const Event& e) {
    const auto inside = [&](std::uint64_t address) { return address - e.address < e.value; };
    holds_.erase(holds_.lower_bound(e.address), holds_.lower_bound(e.address + e.value));
    std::erase_if(destroyed_, [&](const auto& lock) { return inside(lock.first); });
    std::erase_if(waiters_, [&](const auto& condition) { return inside(condition.first); });
  }

  // One finding for each place.
  void tell(Finding finding, Place other) {
    if (event_ < trace_.standing) return; // of a piece before this one
    const std::uint32_t site = trace_.events[event_].site;
    const auto [it, fresh] = known_.try_emplace({site, site == 0 ? event_ : 0}, findings_.size());
    if (!fresh) {
      ++findings_[it->second].count;
      return;
    }
    if (other.event != event_ && other.event >= trace_.standing) finding.places.push_back(other);
    findings_.push_back(std::move(finding));
  }

  const trace::Trace& trace_;
  std::uint32_t event_ = 0;
  std::map<std::uint64_t, std::vector<Hold>> holds_;                     // by lock
  std::map<std::uint64_t, std::uint32_t> destroyed_;                     // mutex -> its destroy
  std::map<std::uint64_t, std::map<std::uint32_t, Waiter>> waiters_;     // by condition and thread
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> known_; // by site, or by event where there is none
  std::vector<Finding> findings_;
};

} // namespace

std::vector<Finding> find_misuse(const trace::Trace& trace) { return MisuseFinder(trace).run(); }

std::optional<MisusedLock> misuse_of(const trace::Trace& trace, const trace::Problem& problem) {
  if (problem.rule != trace::Rule::ReleaseNotHeld && problem.rule != trace::Rule::WaitWithoutMutex) return {};
  const Event& e = trace.events[problem.event];
  return MisusedLock{lock_of(e), misuse(static_cast<std::uint32_t>(problem.event), problem.sentence)};
}

void set_aside(trace::Trace& trace, std::uint64_t lock) {
  absl::flat_hash_set<std::uint64_t> locks{lock},
      conditions; // conditions that are waited on with one of them, and so on
  for (std::size_t known = 0; known != locks.size() + conditions.size();) {
    known = locks.size() + conditions.size();
    for (const Event& e : trace.events) {
      if (!trace::moves_mutex(e.kind) || e.value == 0) continue;
      if (locks.contains(e.value)) conditions.insert(e.address);
      else if (conditions.contains(e.address)) locks.insert(e.value);
    }
  }
  const auto follow = [&](Event& e, EventKind kind) {
    e.kind = kind;
    e.address = lock;
    e.value = 0;
    e.flags &= ~static_cast<decltype(e.flags)>(trace::kFailed | trace::kFill);
  };
  for (Event& e : trace.events) {
    const trace::ObjectKind object = object_of(e.kind);
    const bool aside = (object == trace::ObjectKind::Lock && locks.contains(e.address)) ||
                       (object == trace::ObjectKind::Condition && conditions.contains(e.address));
    if (!aside) continue;
    if (does(e.kind, trace::act::kTakes)) follow(e, EventKind::HbAcquire);
    else if (does(e.kind, trace::act::kGives | trace::act::kGivesMutex)) follow(e, EventKind::HbRelease);
  }
}

} // namespace sooth::predict
