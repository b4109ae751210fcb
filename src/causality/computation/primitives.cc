#include "causality/computation/primitives.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "causality/computation/barrier_orders.h"
#include "causality/computation/condition_operations.h"
#include "causality/computation/semaphore_operations.h"
#include "trace/effects.h"
#include "trace/together.h"

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

// Every use of an object comes after its initialisation. A second initialisation keeps everything
// before it.
struct Initialised {
  std::uint32_t event = kNoEvent;
  bool used = false;
  absl::flat_hash_set<std::uint32_t> threads; // that came after it
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
      : trace_(trace), effects_(effects), threads_(trace.threads.size()), cancelled_(trace.threads.size(), kNoEvent) {
    for (std::uint32_t i = 0; i < trace.events.size(); ++i) {
      const Event& e = trace.events[i];
      ThreadEvents& own = threads_[e.thread];
      if (own.first == kNoEvent) own.first = i;
      own.last = i;
      if (e.kind == EventKind::ThreadStart && own.start == kNoEvent) own.start = i;
      if (e.kind == EventKind::ThreadEnd) own.end = i;
    }
  }

  void run() {
    for (std::uint32_t i = 0; i < trace_.events.size(); ++i) {
      const Event& e = trace_.events[i];
      // Calls, returns and branches belong to the event before them.
      if (cancelled_[e.thread] != kNoEvent && !trace::clings(e)) {
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
      if (!e.has(kFailed) && e.value < threads_.size() && e.value != e.thread && cancelled_[e.value] == kNoEvent)
        cancelled_[e.value] = i;
      return;
    case EventKind::BarrierInit:
    case EventKind::SemInit: return initialise(e, i);
    case EventKind::BarrierArrive:
    case EventKind::SemPost: return use(e, i);
    case EventKind::SemWait:
      use(e, i);
      if (e.has(kFailed)) effects_.pinned.push_back(i); // it saw the count at 0, which nothing else here says
      return;
    case EventKind::BarrierLeave:
    case EventKind::Wait:
    case EventKind::Wake:
    case EventKind::Signal:
    case EventKind::Broadcast: return;
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

  // Kinds without a rule of their own: a taker comes after all that was given before.
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

  void release(const Event& e, std::uint32_t i) {
    for (Release& r : releases_[e.address])
      if (r.thread == e.thread) {
        r.event = i;
        return;
      }
    releases_[e.address].push_back({e.thread, i});
  }

  const trace::Trace& trace_;
  Effects& effects_;
  std::vector<ThreadEvents> threads_;
  std::uint32_t last_receive_ = kNoEvent;
  std::vector<std::uint32_t> cancelled_;                        // by thread: the request that its next event follows
  absl::flat_hash_map<std::uint64_t, Initialised> initialised_; // barriers and semaphores
  absl::flat_hash_map<std::uint64_t, Once> once_;
  absl::flat_hash_map<std::uint64_t, std::vector<Release>> releases_; // by tag: each thread's last one
};

} // namespace

void add_primitives(const trace::Trace& trace, Effects& effects) {
  add_semaphore_operations(trace, effects);
  add_condition_operations(trace, effects);
  add_barrier_orders(trace, effects);
  Primitives(trace, effects).run();
}

} // namespace sooth::causality
