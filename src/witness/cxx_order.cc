#include "witness/cxx_order.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

namespace sooth::witness::checking {

namespace {

using trace::Event;
using trace::EventKind;
using trace::kFailed;
using trace::MemoryOrder;

bool acquires(MemoryOrder order) {
  return order == MemoryOrder::Acquire || order == MemoryOrder::Consume || order == MemoryOrder::AcqRel ||
         order == MemoryOrder::SeqCst;
}
bool releases(MemoryOrder order) {
  return order == MemoryOrder::Release || order == MemoryOrder::AcqRel || order == MemoryOrder::SeqCst;
}

// The threads and objects that know of the first event.
class Knowledge {
public:
  explicit Knowledge(const trace::Trace& trace)
      : knows_(trace.threads.size()), fence_(trace.threads.size()), heard_(trace.threads.size()),
        from_parent_(trace.threads.size()), from_outside_(trace.threads.size()) {}

  static constexpr std::uint64_t kOutside = 0; // the world outside; no object has this address

  void begin(std::uint32_t thread) { knows_[thread] = true; }
  bool knows(std::uint32_t thread) const { return knows_[thread]; }

  // The knowledge that the thread gets by this event.
  void hear(const Event& e) {
    bool news = from_parent_[e.thread];
    const bool from_outside = from_outside_[e.thread];
    from_outside_[e.thread] = e.kind == EventKind::ExternalWrite;
    switch (e.kind) {
    case EventKind::Acquire:
      news = news || (!e.has(kFailed) && (told(e.address) || shared_.contains(e.address)));
      break;
    case EventKind::AcquireShared: news = news || (!e.has(kFailed) && told(e.address)); break;
    case EventKind::Wake: news = news || told(e.address) || told(e.value) || shared_.contains(e.value); break;
    case EventKind::BarrierLeave: news = news || leave(e); break;
    case EventKind::OnceWait:
    case EventKind::OnceBegin:
    case EventKind::HbAcquire:
    case EventKind::FutexWait:
    case EventKind::LockInit:
    case EventKind::LockDestroy: news = news || told(e.address); break;
    case EventKind::SemWait: news = news || (!e.has(kFailed) && told(e.address)); break;
    case EventKind::Join: news = news || (!e.has(kFailed) && e.value < knows_.size() && knows_[e.value]); break;
    case EventKind::Receive: news = news || told(kOutside); break;
    case EventKind::SignalEnter: news = true; break; // its cause was not recorded
    case EventKind::AtomicRead:
    case EventKind::AtomicRmw:
      if (from_outside) { // its writer was not recorded
        store(e, true);
        news = true;
      }
      if (!atomic_told(e)) break;
      if (acquires(e.order)) news = true;
      else heard_[e.thread] = true; // an acquire fence may follow
      break;
    case EventKind::Fence: news = news || (acquires(e.order) && heard_[e.thread]); break;
    default: break;
    }
    if (news) knows_[e.thread] = true;
  }

  // The knowledge that others can get from it.
  void tell(const Event& e) {
    const bool mine = knows_[e.thread];
    switch (e.kind) {
    case EventKind::BarrierArrive: arrive(e); return;
    case EventKind::AtomicWrite: store(e, releases(e.order) ? mine : fence_[e.thread]); return;
    case EventKind::AtomicRmw: store(e, (releases(e.order) ? mine : fence_[e.thread]) || atomic_told(e)); return;
    case EventKind::Fence:
      if (releases(e.order)) fence_[e.thread] = mine;
      return;
    default: break;
    }
    if (!mine) return;
    switch (e.kind) {
    case EventKind::Release:
    case EventKind::Signal:
    case EventKind::Broadcast:
    case EventKind::SemPost:
      if (!e.has(kFailed)) objects_.insert(e.address); // a call that failed has released nothing
      break;
    case EventKind::OnceEnd:
    case EventKind::HbRelease:
    case EventKind::FutexWake:
    case EventKind::LockInit:
    case EventKind::LockDestroy: objects_.insert(e.address); break;
    case EventKind::ReleaseShared:
      if (!e.has(kFailed)) shared_.insert(e.address);
      break;
    case EventKind::Wait: objects_.insert(e.value); break;
    case EventKind::Send: objects_.insert(kOutside); break;
    case EventKind::Fork:
      if (!e.has(kFailed) && e.value < from_parent_.size()) from_parent_[e.value] = true;
      break;
    default: break;
    }
  }

private:
  // A group is complete when its first thread leaves. A thread that arrives after that belongs to
  // the next group, even if others have not left yet.
  struct Barrier {
    std::vector<std::uint32_t> waiting;                // of the group that is filling up
    bool told = false;                                 // a thread of it knows
    absl::flat_hash_map<std::uint32_t, bool> complete; // threads of complete groups that have not left
  };
  void arrive(const Event& e) {
    Barrier& barrier = barriers_[e.address];
    barrier.waiting.push_back(e.thread);
    barrier.told = barrier.told || knows_[e.thread];
  }
  bool leave(const Event& e) {
    Barrier& barrier = barriers_[e.address];
    if (!barrier.complete.contains(e.thread)) {
      for (const std::uint32_t thread : barrier.waiting) barrier.complete[thread] = barrier.told;
      barrier.waiting.clear();
      barrier.told = false;
    }
    const auto mine = barrier.complete.extract(e.thread);
    return mine && mine.mapped();
  }

  bool told(std::uint64_t object) const { return objects_.contains(object); }
  bool atomic_told(const Event& e) const {
    for (std::uint64_t byte = e.address; byte < e.address + e.size; ++byte)
      if (const auto found = atomics_.find(byte); found != atomics_.end() && found->second) return true;
    return false;
  }
  void store(const Event& e, bool tells) {
    for (std::uint64_t byte = e.address; byte < e.address + e.size; ++byte) atomics_[byte] = tells;
  }

  std::vector<bool> knows_; // by thread
  std::vector<bool> fence_; // by thread: it knew at its last release fence
  std::vector<bool> heard_; // by thread: relaxed reads saw what an acquire fence would make known
  std::vector<bool> from_parent_;
  std::vector<bool> from_outside_;                      // by thread: its last event is an external write
  absl::flat_hash_set<std::uint64_t> objects_, shared_; // synchronisation that passes it on; by shared holders
  absl::flat_hash_map<std::uint64_t, Barrier> barriers_;
  absl::flat_hash_map<std::uint64_t, bool> atomics_; // by byte: what its last release sequence passes on
};

} // namespace

bool happens_before(const trace::Trace& trace, EventNumber first, EventNumber second, bool itself) {
  const std::uint32_t thread = trace.events[second].thread;
  Knowledge knowledge(trace);
  for (EventNumber number = 0; number < first; ++number) { // who waits at which barrier
    const Event& e = trace.events[number];
    if (e.kind == EventKind::BarrierLeave) knowledge.hear(e);
    if (e.kind == EventKind::BarrierArrive) knowledge.tell(e);
  }
  knowledge.begin(trace.events[first].thread);
  knowledge.tell(trace.events[first]);
  for (EventNumber number = first + 1; number < second + (itself ? 1 : 0); ++number) {
    knowledge.hear(trace.events[number]);
    if (knowledge.knows(thread)) return true;
    knowledge.tell(trace.events[number]);
  }
  return false;
}

} // namespace sooth::witness::checking
