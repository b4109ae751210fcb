#include "predict/races/synchronises_with.h"

#include <algorithm>

#include "trace/effects.h"
#include "trace/kind_groups.h"

namespace sooth::predict {

using trace::Event;
using trace::EventKind;
using trace::MemoryOrder;
using trace::ObjectKind;

namespace {

bool acquires(MemoryOrder order) {
  return order == MemoryOrder::Consume || order == MemoryOrder::Acquire || order == MemoryOrder::AcqRel ||
         order == MemoryOrder::SeqCst;
}
bool releases(MemoryOrder order) {
  return order == MemoryOrder::Release || order == MemoryOrder::AcqRel || order == MemoryOrder::SeqCst;
}

// Initialising and destroying a lock come after its uses so far, and before those that follow.
bool renews_lock(EventKind kind) { return kind == EventKind::LockInit || kind == EventKind::LockDestroy; }

// There is one world outside.
std::uint64_t tag_of(const trace::Affected& object) { return object.kind == ObjectKind::Outside ? 0 : object.address; }

bool overlap(std::uint64_t a, std::uint64_t a_size, std::uint64_t b, std::uint64_t b_size) {
  return a < b + b_size && b < a + a_size;
}

} // namespace

SynchronisesWith::SynchronisesWith(const trace::Trace& trace)
    : clocks_(trace.threads.size()), fence_release_(trace.threads.size()), fence_acquire_(trace.threads.size()),
      forked_(trace.threads.size()), ended_(trace.threads.size()), cancelled_(trace.threads.size()),
      began_(trace.threads.size()), from_outside_(trace.threads.size()), round_of_(trace.threads.size()) {
  for (std::uint32_t t = 0; t < clocks_.size(); ++t) clocks_[t].raise(t, 1);
}

void SynchronisesWith::come_after(std::uint32_t thread, const SharedCounts& clock) { clocks_[thread].join(clock); }

SharedCounts SynchronisesWith::snapshot(std::uint32_t thread) {
  SharedCounts taken = clocks_[thread];
  clocks_[thread].raise(thread, taken[thread] + 1);
  return taken;
}

void SynchronisesWith::come_after_everything(std::uint32_t thread) {
  for (std::uint32_t other = 0; other < clocks_.size(); ++other)
    if (other != thread) come_after(thread, snapshot(other));
}

void SynchronisesWith::acquire_lock(std::uint32_t thread, std::uint64_t address, bool shared) {
  const auto it = locks_.find(address);
  if (it == locks_.end()) return;
  come_after(thread, it->second.released);
  if (!shared) come_after(thread, it->second.shared);
}

void SynchronisesWith::release_lock(std::uint32_t thread, std::uint64_t address, bool shared) {
  Lock& lock = locks_[address];
  if (shared) lock.shared.join(snapshot(thread));
  else lock.released.join(snapshot(thread));
}

void SynchronisesWith::publish(std::uint32_t thread, std::uint64_t tag) { tags_[tag].join(snapshot(thread)); }

void SynchronisesWith::acquire_tag(std::uint32_t thread, std::uint64_t tag) {
  if (const auto it = tags_.find(tag); it != tags_.end()) come_after(thread, it->second);
}

// Every cell whose bytes the event touches. Accesses of other sizes to the same bytes have cells of
// their own.
template <typename Visit>
void SynchronisesWith::each_cell(const Event& e, Visit&& visit) {
  if (e.size == 0) return;
  for (std::uint64_t granule = e.address >> 3; granule <= (e.address + e.size - 1) >> 3; ++granule) {
    const auto it = atomics_.find(granule);
    if (it == atomics_.end()) continue;
    for (AtomicCell& cell : it->second)
      if (overlap(cell.address, cell.size, e.address, e.size)) visit(cell);
  }
}

void SynchronisesWith::read_atomic(const Event& e) {
  each_cell(e, [&](const AtomicCell& cell) {
    if (acquires(e.order)) clocks_[e.thread].join(cell.released);
    else fence_acquire_[e.thread].join(cell.released);
  });
}

void SynchronisesWith::make_cells(const Event& e) {
  for (std::uint64_t granule = e.address >> 3; granule <= (e.address + e.size - 1) >> 3; ++granule) {
    auto& cells = atomics_[granule];
    const bool known = std::any_of(cells.begin(), cells.end(), [&](const AtomicCell& cell) {
      return cell.address == e.address && cell.size == e.size;
    });
    if (!known) cells.push_back({e.address, e.size, {}});
  }
}

// The writer may have released everything that was done before; others may read it from here, too.
void SynchronisesWith::found_from_outside(const Event& e) {
  if (e.size == 0) return;
  come_after_everything(e.thread);
  make_cells(e);
  const SharedCounts now = snapshot(e.thread);
  each_cell(e, [&](AtomicCell& cell) { cell.released.join(now); });
}

void SynchronisesWith::write_atomic(const Event& e) {
  // A relaxed store carries what the last release fence before it has.
  const SharedCounts now = releases(e.order) ? snapshot(e.thread) : fence_release_[e.thread];
  make_cells(e);
  each_cell(e, [&](AtomicCell& cell) {
    const bool same = cell.address == e.address && cell.size == e.size;
    // A read-modify-write continues the release sequence. A store of other bytes ends it only in
    // part: then order too much rather than too little.
    const bool begins_anew = same && e.kind == EventKind::AtomicWrite;
    if (begins_anew) cell.released = now;
    else cell.released.join(now);
  });
}

struct SynchronisesWith::Arriving : trace::EffectVisitor {
  SynchronisesWith& all;
  const Event& e;
  Arriving(SynchronisesWith& a, const Event& event) : all(a), e(event) {}

  void takes(const trace::Affected& object) {
    if (object.kind == ObjectKind::Lock) return all.acquire_lock(e.thread, object.address, object.shared);
    if (object.kind == ObjectKind::Barrier) return all.leave_barrier(e);
    // Also what comes from the world outside, which may have got it from a send of this program.
    all.acquire_tag(e.thread, tag_of(object));
  }
  void fails(const trace::Affected& object) {
    if (object.kind == ObjectKind::Futex) all.acquire_tag(e.thread, object.address);
  }
  void starts() {
    const bool unknown = all.forked_[e.thread].empty() && e.thread != 0 && e.value >= all.clocks_.size();
    if (unknown) all.come_after_everything(e.thread); // made by nobody we know
  }
  void joins(std::uint64_t other) {
    if (other >= all.ended_.size()) return;
    const auto child = static_cast<std::uint32_t>(other);
    all.come_after(e.thread, !all.ended_[child].empty() ? all.ended_[child] : all.snapshot(child));
  }
  void pins(const trace::Affected& object) {
    if (object.kind != ObjectKind::Outside) all.come_after_everything(e.thread);
  }
};

struct SynchronisesWith::Departing : trace::EffectVisitor {
  SynchronisesWith& all;
  const Event& e;
  Departing(SynchronisesWith& a, const Event& event) : all(a), e(event) {}

  void gives(const trace::Affected& object) {
    if (object.kind == ObjectKind::Lock) return all.release_lock(e.thread, object.address, object.shared);
    if (object.kind == ObjectKind::Barrier) return all.come_to_barrier(e);
    all.publish(e.thread, tag_of(object));
  }
  void begins(const trace::Affected& object) {
    if (object.kind != ObjectKind::Barrier) return;
    // The upper half says that other processes arrive as well; then rounds cannot be counted.
    Barrier& barrier = all.barriers_[object.address];
    barrier = {e.value >> 32 != 0 ? 0 : e.value, 0, barrier.round + 1};
  }
  void creates(std::uint64_t child) {
    if (child < all.forked_.size()) all.forked_[child] = all.snapshot(e.thread);
  }
  void cancels(std::uint64_t other) {
    if (other < all.cancelled_.size()) all.cancelled_[other].join(all.snapshot(e.thread));
  }
  void stops() { all.ended_[e.thread] = all.snapshot(e.thread); }
};

void SynchronisesWith::arrive(const Event& e) {
  const std::uint32_t t = e.thread;
  if (!began_[t]) come_after(t, forked_[t]);
  began_[t] = true;
  if (!cancelled_[t].empty()) { // a cleanup handler may be what comes next
    come_after(t, cancelled_[t]);
    cancelled_[t] = {};
  }
  const bool after_external = from_outside_[t];
  from_outside_[t] = e.kind == EventKind::ExternalWrite;
  if (reads_memory(e.kind) && is_atomic(e.kind)) {
    if (after_external) found_from_outside(e);
    return read_atomic(e);
  }
  if (e.kind == EventKind::Fence) {
    if (acquires(e.order)) clocks_[t].join(fence_acquire_[t]);
    return;
  }
  if (renews_lock(e.kind)) acquire_lock(t, e.address, false);
  for_each_effect(e, Arriving(*this, e));
}

void SynchronisesWith::come_to_barrier(const Event& e) {
  Barrier& barrier = barriers_[e.address];
  round_of_[e.thread][e.address] = barrier.round;
  rounds_[{e.address, barrier.round}].join(snapshot(e.thread));
  if (++barrier.arrived == barrier.threads) barrier = {barrier.threads, 0, barrier.round + 1};
}

void SynchronisesWith::leave_barrier(const Event& e) {
  const auto round = round_of_[e.thread].find(e.address);
  if (round == round_of_[e.thread].end()) return;
  if (const auto it = rounds_.find({e.address, round->second}); it != rounds_.end()) come_after(e.thread, it->second);
}

void SynchronisesWith::depart(const Event& e) {
  const std::uint32_t t = e.thread;
  if (writes_memory(e.kind) && is_atomic(e.kind)) {
    if (e.size != 0) write_atomic(e);
    return;
  }
  if (e.kind == EventKind::Fence) {
    if (releases(e.order)) fence_release_[t] = snapshot(t);
    return;
  }
  if (renews_lock(e.kind)) release_lock(t, e.address, false);
  for_each_effect(e, Departing(*this, e));
}

} // namespace sooth::predict
