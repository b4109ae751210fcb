#include "survey/requests.h"

#include <algorithm>
#include <utility>

#include "trace/effects.h"
#include "trace/kind_groups.h"

namespace sooth::survey {

using trace::Event;
using trace::EventKind;

namespace {

constexpr std::size_t kMaxArrows = 1u << 20; // beyond these, there may be a circle
constexpr std::uint64_t kKinds = trace::kLockSpin | trace::kLockReadWrite;

bool blocks(const Event& e) { return (e.value & (trace::kLockTry | trace::kLockTimed)) == 0; }
std::uint64_t of_lock(std::uint64_t address) { return address << 1; }
std::uint64_t of_thread(std::uint64_t thread) { return thread << 1 | 1; }

} // namespace

void Requests::begin_thread(std::uint32_t thread) {
  finish();
  thread_ = thread;
}

void Requests::finish() {
  // Others may wait for a lock whose owner has ended, destroy it, or free its memory.
  if (!held_.empty()) may_deadlock_ = may_misuse_ = true;
  held_.clear();
  initialising_.clear();
  used_.clear();
  destroyed_.clear();
  number_ = LockSets::kNone;
  changes_ = 0;
}

std::uint64_t Requests::see(const Event& e, LockSets& sets) {
  const bool failed = e.has(trace::kFailed);
  switch (e.kind) {
  case EventKind::Acquire:
  case EventKind::AcquireShared:
    if (!failed) return take(e, e.address, e.kind == EventKind::Acquire, sets);
    if (blocks(e)) may_misuse_ = true;
    return 0;
  case EventKind::Release:
  case EventKind::ReleaseShared:
    if (!failed) return give(e.address, e.kind == EventKind::Release, &e, sets);
    may_misuse_ = true;
    return 0;
  case EventKind::LockInit:
    destroyed_.erase(e.address);
    if (holding(e.address) != nullptr) misused(e.address);
    return 0;
  case EventKind::LockDestroy: destroy(e); return 0;
  case EventKind::Wait:
    waits_ = may_misuse_ = may_deadlock_ = true;
    return e.value == 0 ? 0 : give(e.value, true, nullptr, sets);
  case EventKind::Signal:
  case EventKind::Broadcast: signals_ = true; return 0; // there may be a wait in another run
  case EventKind::Wake: waits_ = may_deadlock_ = true; return e.value == 0 ? 0 : take(e, e.value, true, sets);
  case EventKind::OnceBegin:
    request(of_lock(e.address));
    initialising_.push_back(e.address);
    return 0;
  case EventKind::OnceEnd: std::erase(initialising_, e.address); return 0;
  case EventKind::OnceWait: request(of_lock(e.address)); return 0;
  case EventKind::Join:
    if (!failed) request(of_thread(e.value));
    return 0;
  case EventKind::SignalEnter:
  case EventKind::ProcessFork:
  case EventKind::Crash: may_misuse_ = may_deadlock_ = true; return 0;
  case EventKind::Request:
  case EventKind::Cancel: may_deadlock_ = true; return 0;
  default:
    if (object_of(e.kind) == trace::ObjectKind::Region) region(e);
    else if (does(e.kind, trace::act::kBlocks)) may_deadlock_ = true;
    return 0;
  }
}

Requests::Held* Requests::holding(std::uint64_t lock) {
  const auto it = std::ranges::find(held_, lock, &Held::lock);
  return it == held_.end() ? nullptr : &*it;
}

bool Requests::still_has_one(const LockSets::Set& locks, std::uint32_t since) const {
  return std::ranges::any_of(held_, [&](const Held& held) {
    return held.since <= since && std::ranges::find(locks, held.lock, &LockSets::Held::lock) != locks.end();
  });
}

bool Requests::has_one_again(const LockSets::Set& locks, std::uint32_t since) const {
  return std::ranges::any_of(held_, [&](const Held& held) {
    return held.exclusive && held.since > since &&
           std::ranges::find(locks, held.lock, &LockSets::Held::lock) != locks.end();
  });
}

void Requests::misused(std::uint64_t lock) {
  may_misuse_ = true;
  distrusted_.insert(lock);
}

std::uint64_t Requests::take(const Event& e, std::uint64_t lock, bool exclusive, LockSets& sets) {
  const bool wake = e.kind == EventKind::Wake; // its value is the mutex, not the type
  const std::uint64_t type = wake ? 0 : e.value;
  if (destroyed_.contains(lock)) misused(lock);
  if (Held* own = holding(lock)) {
    ++own->depth;
    if (own->exclusive != exclusive) misused(lock);
    if (exclusive && (type & trace::kLockClassMask) != trace::kLockRecursive) misused(lock);
    if (!exclusive && blocks(e) && (type & trace::kLockPreferWriter) != 0) may_deadlock_ = true;
    return lock;
  }
  if (wake || blocks(e)) request(of_lock(lock));
  if ((type & trace::kLockOwnerDied) != 0) may_deadlock_ = true;
  held_.push_back({lock, type, exclusive, wake, 1, changes_ + 1});
  used_.insert(lock);
  update(sets);
  return lock;
}

// `release`: null for a wait, which gives the mutex up however often it was taken.
std::uint64_t Requests::give(std::uint64_t lock, bool exclusive, const Event* release, LockSets& sets) {
  Held* own = holding(lock);
  if (own == nullptr) {
    misused(lock);
    return lock;
  }
  const bool other_kind = release != nullptr && !own->type_unknown && ((own->type ^ release->value) & kKinds) != 0;
  if (own->exclusive != exclusive || other_kind) misused(lock);
  if (release != nullptr && --own->depth != 0) return lock;
  held_.erase(held_.begin() + (own - held_.data()));
  update(sets);
  return lock;
}

void Requests::destroy(const Event& e) {
  if ((e.value & trace::kLockCondition) != 0) return; // a thread that waits on it is misuse enough (see)
  if (e.has(trace::kFailed) || holding(e.address) != nullptr) return misused(e.address);
  destroyed_.insert(e.address);
}

// Memory begins or ends.
void Requests::region(const Event& e) {
  if (e.value == 0 || e.value > ~e.address) return;
  const auto inside = [&](std::uint64_t lock) { return lock - e.address < e.value; };
  if (begins_object(e.kind)) {
    for (auto it = used_.lower_bound(e.address); it != used_.end() && inside(*it); ++it) distrusted_.insert(*it);
  } else {
    for (const Held& held : held_)
      if (inside(held.lock)) misused(held.lock);
  }
}

void Requests::request(Node wanted) {
  const auto add = [&](Node from) {
    if (arrow_count_ == kMaxArrows) may_deadlock_ = true;
    else if (arrows_[from].insert(wanted).second) ++arrow_count_;
  };
  add(of_thread(thread_));
  for (const Held& held : held_) add(of_lock(held.lock));
  for (const std::uint64_t control : initialising_) add(of_lock(control));
}

void Requests::update(LockSets& sets) {
  ++changes_;
  oldest_ = held_.empty() ? 0 : held_.front().since; // in the order of taking
  LockSets::Set set;
  for (const Held& held : held_) set.push_back({held.lock, held.exclusive});
  std::ranges::sort(set);
  number_ = sets.number(std::move(set));
}

// Takes away, again and again, the nodes to which no arrow leads; the rest is in circles or behind
// them.
bool Requests::has_circle() const {
  absl::flat_hash_map<Node, std::size_t> into;
  for (const auto& [from, to] : arrows_) {
    into.try_emplace(from, 0);
    for (const Node node : to) ++into[node];
  }
  std::vector<Node> free;
  for (const auto& [node, count] : into)
    if (count == 0) free.push_back(node);
  std::size_t left = into.size();
  while (!free.empty()) {
    const Node node = free.back();
    free.pop_back();
    --left;
    const auto it = arrows_.find(node);
    if (it == arrows_.end()) continue;
    for (const Node next : it->second)
      if (--into[next] == 0) free.push_back(next);
  }
  return left != 0;
}

} // namespace sooth::survey
