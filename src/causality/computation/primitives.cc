#include "causality/computation/primitives.h"

#include <absl/container/btree_set.h>
#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <deque>
#include <optional>

#include "trace/effects.h"

namespace sooth::causality {
namespace {

using trace::Event;
using trace::EventKind;
using trace::kFailed;

struct ThreadEvents {
  std::uint32_t first = kNoEvent;
  std::uint32_t start = kNoEvent;
  std::uint32_t last = kNoEvent;
  std::uint32_t end = kNoEvent;
};

struct Condition {
  std::uint32_t waits = 0;
  std::vector<std::uint32_t> broadcasts;  // since the first open wait
  absl::btree_set<std::uint32_t> signals; // not given to a wake yet
};

// Every use of an object comes after its initialisation. A second initialisation keeps everything
// before it.
struct Initialised {
  std::uint32_t event = kNoEvent;
  bool used = false;
  absl::flat_hash_set<std::uint32_t> threads; // that came after it
};

struct Barrier {
  std::uint64_t needed = 0; // 0: unknown
  std::uint64_t arrived = 0;
  std::uint32_t last_arrival = kNoEvent;
  std::vector<std::uint32_t> group; // arrivals of the group that is filling up
};

struct Semaphore {
  std::uint64_t free = 0; // what is left of the first count
  std::deque<std::uint32_t> posts;
};

struct Once {
  std::uint32_t last_end = kNoEvent;
};

struct Release {
  std::uint32_t thread;
  std::uint32_t event;
};

class Primitives {
public:
  Primitives(const trace::Trace& trace, Effects& effects)
      : trace_(trace), effects_(effects), threads_(trace.threads.size()), waits_(trace.threads.size()),
        at_barrier_(trace.threads.size()), cancelled_(trace.threads.size(), kNoEvent) {
    for (std::uint32_t i = 0; i < trace.events.size(); ++i) {
      const Event& e = trace.events[i];
      ThreadEvents& own = threads_[e.thread];
      if (own.first == kNoEvent) own.first = i;
      own.last = i;
      if (e.kind == EventKind::ThreadStart && own.start == kNoEvent) own.start = i;
      if (e.kind == EventKind::ThreadEnd) own.end = i;
    }
    count_unknown_semaphores();
  }

  void run() {
    for (std::uint32_t i = 0; i < trace_.events.size(); ++i) {
      const Event& e = trace_.events[i];
      if (cancelled_[e.thread] != kNoEvent) {
        effects_.order(cancelled_[e.thread], i, true);
        cancelled_[e.thread] = kNoEvent;
      }
      step(e, i);
    }
  }

private:
  void step(const Event& e, std::uint32_t i) {
    switch (e.kind) {
    case EventKind::Fork: return fork(e, i);
    case EventKind::Join: return join(e, i);
    case EventKind::Cancel:
      if (!e.has(kFailed) && e.value < threads_.size() && e.value != e.thread) cancelled_[e.value] = i;
      return;
    case EventKind::Wait:
      waits_[e.thread].push_back({e.address, i});
      ++conditions_[e.address].waits;
      return;
    case EventKind::Wake: return wake(e, i);
    case EventKind::Signal:
      if (const auto it = conditions_.find(e.address); it != conditions_.end()) it->second.signals.insert(i);
      return;
    case EventKind::Broadcast:
      if (const auto it = conditions_.find(e.address); it != conditions_.end()) it->second.broadcasts.push_back(i);
      return;
    case EventKind::BarrierInit:
      initialise(e, i);
      barriers_[e.address] = {e.value >> 32 != 0 ? 0 : e.value, 0, kNoEvent, {}};
      return;
    case EventKind::BarrierArrive: return arrive(e, i);
    case EventKind::BarrierLeave: return leave(e, i);
    case EventKind::SemInit:
      initialise(e, i);
      if (e.value >> 32 == 0) semaphores_[e.address] = {e.value, {}};
      return;
    case EventKind::SemPost:
      use(e, i);
      if (!e.has(kFailed)) semaphores_[e.address].posts.push_back(i);
      return;
    case EventKind::SemWait: return pass(e, i);
    case EventKind::OnceBegin:
      if (once_[e.address].last_end != kNoEvent) effects_.order(once_[e.address].last_end, i);
      return;
    case EventKind::OnceEnd: once_[e.address].last_end = i; return;
    case EventKind::OnceWait:
      if (once_[e.address].last_end != kNoEvent) effects_.order(once_[e.address].last_end, i);
      return;
    // What comes from outside may depend on everything before it, and what goes out on all that
    // came in.
    case EventKind::Receive:
      effects_.pinned.push_back(i);
      last_receive_ = i;
      return;
    case EventKind::Send:
      if (last_receive_ != kNoEvent) effects_.order(last_receive_, i, true);
      return;
    default: for_each_effect(e, Plain(*this, e, i));
    }
  }

  // What needs no rule of its own: whoever takes comes after all that was given before.
  struct Plain : trace::EffectVisitor {
    Primitives& all;
    const Event& e;
    const std::uint32_t event;
    Plain(Primitives& a, const Event& which, std::uint32_t i) : all(a), e(which), event(i) {}

    // Locks are operations (lock_operations.h), and a futex is known by its atomic accesses.
    static bool is_plain(trace::ObjectKind object) {
      return object == trace::ObjectKind::Tag || (is_primitive(object) && object != trace::ObjectKind::Lock);
    }
    void gives(const trace::Affected& object) {
      if (is_plain(object.kind)) all.release(e, event);
    }
    void takes(const trace::Affected& object) {
      if (!is_plain(object.kind)) return;
      for (const Release& r : all.releases_[e.address])
        if (r.thread != e.thread) all.effects_.order(r.event, event);
    }
    // Nobody recorded what made a handler run.
    void pins(const trace::Affected&) { all.effects_.pinned.push_back(event); }
  };

  void initialise(const Event& e, std::uint32_t i) {
    Initialised& object = initialised_[e.address];
    if (object.used) effects_.pinned.push_back(i);
    object = {i, true, {e.thread}};
  }
  void use(const Event& e, std::uint32_t i) {
    Initialised& object = initialised_[e.address];
    object.used = true;
    if (object.event == kNoEvent || !object.threads.insert(e.thread).second) return;
    effects_.order(object.event, i);
  }

  void fork(const Event& e, std::uint32_t i) {
    if (e.has(kFailed) || e.value >= threads_.size() || e.value == e.thread) return;
    const ThreadEvents& child = threads_[e.value];
    const std::uint32_t start = child.start != kNoEvent ? child.start : child.first;
    if (start != kNoEvent && start > i) effects_.order(i, start);
  }

  void join(const Event& e, std::uint32_t i) {
    if (e.value >= threads_.size() || e.value == e.thread) return;
    const ThreadEvents& child = threads_[e.value];
    const std::uint32_t end = child.end != kNoEvent ? child.end : child.last;
    if (end == kNoEvent) return;
    // A join that failed found the child running.
    if (end < i && !e.has(kFailed)) effects_.order(end, i);
    else if (e.has(kFailed) && i < end) effects_.order(i, end, true);
  }

  void wake(const Event& e, std::uint32_t i) {
    auto& mine = waits_[e.thread];
    std::size_t n = mine.size();
    while (n > 0 && mine[n - 1].condition != e.address) --n;
    if (n == 0) return;
    const std::uint32_t since = mine[n - 1].since;
    mine.erase(mine.begin() + static_cast<std::ptrdiff_t>(n - 1));
    Condition& condition = conditions_[e.address];
    if (!e.has(kFailed)) {
      // The first signal that may have done it leaves most runs. A wake that comes later and began
      // to wait before the signal can use the broadcast behind it as well, so no wake remains
      // without one.
      const auto signal = condition.signals.upper_bound(since);
      const auto broadcast = std::ranges::upper_bound(condition.broadcasts, since);
      if (signal != condition.signals.end() && (broadcast == condition.broadcasts.end() || *signal < *broadcast)) {
        woken(since, *signal, i);
        condition.signals.erase(signal);
      } else if (broadcast != condition.broadcasts.end()) {
        woken(since, *broadcast, i);
      }
    }
    if (--condition.waits == 0) conditions_.erase(e.address);
  }
  void woken(std::uint32_t wait, std::uint32_t signal, std::uint32_t wake) {
    effects_.order(wait, signal, true); // another signal might do
    effects_.order(signal, wake);
  }

  // Arrivals stay in their order, so that groups stay as they were. A thread cannot pass anyway
  // before the others of its group have arrived, so this costs runs only if more threads than one
  // group use the barrier.
  void arrive(const Event& e, std::uint32_t i) {
    use(e, i);
    Barrier& barrier = barriers_[e.address];
    if (barrier.last_arrival != kNoEvent)
      effects_.order(barrier.last_arrival, i, barrier.needed != 0 && barrier.group.empty());
    barrier.last_arrival = i;
    barrier.group.push_back(i);
    const std::uint64_t group = (barrier.needed == 0 ? 0 : barrier.arrived / barrier.needed);
    ++barrier.arrived;
    at_barrier_[e.thread].push_back({e.address, group});
    if (barrier.needed != 0 && barrier.arrived % barrier.needed == 0) {
      completed_[{e.address, group}] = i;
      barrier.group.clear();
    }
  }
  void leave(const Event& e, std::uint32_t i) {
    auto& mine = at_barrier_[e.thread];
    std::size_t n = mine.size();
    while (n > 0 && mine[n - 1].barrier != e.address) --n;
    if (n == 0) return;
    const std::uint64_t group = mine[n - 1].group;
    mine.erase(mine.begin() + static_cast<std::ptrdiff_t>(n - 1));
    const auto done = completed_.find({e.address, group});
    if (done != completed_.end()) return effects_.order(done->second, i);
    const auto barrier = barriers_.find(e.address);
    if (barrier != barriers_.end() && barrier->second.last_arrival != kNoEvent)
      effects_.order(barrier->second.last_arrival, i, true);
  }

  // If the first count of a semaphore is unknown, it was at least what its waits took before there
  // were posts.
  void count_unknown_semaphores() {
    struct Balance {
      std::int64_t now = 0, lowest = 0;
      bool known = false;
    };
    absl::flat_hash_map<std::uint64_t, Balance> balances;
    for (const Event& e : trace_.events) {
      if (e.kind == EventKind::SemInit) balances[e.address].known = e.value >> 32 == 0;
      if (e.has(kFailed) || (e.kind != EventKind::SemPost && e.kind != EventKind::SemWait)) continue;
      Balance& balance = balances[e.address];
      if (balance.known) continue;
      balance.now += e.kind == EventKind::SemPost ? 1 : -1;
      balance.lowest = std::min(balance.lowest, balance.now);
    }
    for (const auto& [address, balance] : balances)
      semaphores_[address].free = static_cast<std::uint64_t>(-balance.lowest);
  }
  void pass(const Event& e, std::uint32_t i) {
    use(e, i);
    if (e.has(kFailed)) { // it saw the count at 0, which nothing else here says
      effects_.pinned.push_back(i);
      return;
    }
    Semaphore& semaphore = semaphores_[e.address];
    if (semaphore.free > 0) {
      --semaphore.free;
    } else if (!semaphore.posts.empty()) {
      effects_.order(semaphore.posts.front(), i, true);
      semaphore.posts.pop_front();
    }
  }

  void release(const Event& e, std::uint32_t i) {
    for (Release& r : releases_[e.address])
      if (r.thread == e.thread) {
        r.event = i;
        return;
      }
    releases_[e.address].push_back({e.thread, i});
  }

  struct OpenWait {
    std::uint64_t condition;
    std::uint32_t since;
  };
  struct Arrival {
    std::uint64_t barrier;
    std::uint64_t group;
  };
  const trace::Trace& trace_;
  Effects& effects_;
  std::vector<ThreadEvents> threads_;
  std::vector<std::vector<OpenWait>> waits_;     // by thread
  std::vector<std::vector<Arrival>> at_barrier_; // by thread
  std::uint32_t last_receive_ = kNoEvent;
  std::vector<std::uint32_t> cancelled_; // by thread: the request that its next event follows
  absl::flat_hash_map<std::uint64_t, Condition> conditions_;
  absl::flat_hash_map<std::uint64_t, Barrier> barriers_;
  absl::flat_hash_map<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t>
      completed_; // (barrier, group): last arrival
  absl::flat_hash_map<std::uint64_t, Semaphore> semaphores_;
  absl::flat_hash_map<std::uint64_t, Initialised> initialised_; // barriers and semaphores
  absl::flat_hash_map<std::uint64_t, Once> once_;
  absl::flat_hash_map<std::uint64_t, std::vector<Release>> releases_; // by tag: each thread's last one
};

} // namespace

void add_primitive_orders(const trace::Trace& trace, Effects& effects) { Primitives(trace, effects).run(); }

} // namespace sooth::causality
