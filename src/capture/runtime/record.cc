// Events that are not single accesses: synchronisation, ranges, objects.
#include "capture/runtime/record.h"

#include "capture/runtime/monitoring/quick.h"
#include "capture/runtime/recording/cells.h"
#include "capture/runtime/recording/epochs.h"
#include "capture/runtime/recording/file.h"
#include "capture/runtime/recording/ownership.h"
#include "capture/runtime/recording/ranges.h"
#include "capture/runtime/replaying/replaying.h"
#include "trace/effects.h"

extern "C" void __sooth_atomic_store1(void* p, std::uint8_t value, std::uint32_t order,
                                      std::uint32_t site); // atomics.cc

namespace sooth::runtime {

namespace {

// Takes the number of an event, and touches the clocks of the objects that the event orders.
std::uint64_t ticket_of(Thread* t, EventKind kind, std::uint64_t address, std::uint64_t value) {
  namespace act = trace::act;
  const trace::ObjectKind object = trace::object_of(kind);
  const unsigned acts = trace::acts_of(kind);
  if (object == trace::ObjectKind::Lock && (acts & act::kTakes) != 0) {
    // The next acquire that this one excludes follows the release. A robust lock may have no
    // release.
    if (value & trace::kLockRobust) return touch(t, address);
    return follow(t, clock_of(address));
  }
  if ((acts & act::kPins) != 0) { // a signal or a message comes after everything that any thread did before
    catch_up(t);
    return tick(t);
  }
  if (object == trace::ObjectKind::Thread && (acts & (act::kTakes | act::kGives | act::kCancels)) != 0)
    return touch(t, thread_object(static_cast<std::uint32_t>(value)));
  if (object == trace::ObjectKind::Thread && (acts & (act::kBegins | act::kEnds)) != 0)
    return touch(t, thread_object(t->number));
  if (trace::moves_mutex(kind)) return touch_both(t, clock_of(value), clock_of(address));
  if (object == trace::ObjectKind::Region) return touch_range(t, address, value);
  if ((acts & (act::kTakes | act::kGives | act::kBegins | act::kEnds)) != 0) return touch(t, address);
  return tick(t); // no other thread's order
}

} // namespace

void sync(Thread* t, EventKind kind, const void* address, std::uint64_t value, std::uint8_t flags) {
  if (is_monitoring() && monitoring::passes_held_lock(t, kind, reinterpret_cast<std::uint64_t>(address))) return;
  end_storing(); // whatever it was, it is made
  end_segment(t);
  if (trace::takes_lock(kind)) ++t->locks;
  else if (trace::gives_lock(kind) && t->locks != 0) --t->locks;
  mark(t, kind, address, value, flags);
}

void mark(Thread* t, EventKind kind, const void* address, std::uint64_t value, std::uint8_t flags) {
  const auto target = reinterpret_cast<std::uint64_t>(address);
  if (!is_recording()) return g_sink->sync(t, kind, target, value);
  if (!has_room(t)) return;
  if (kind == EventKind::Watch && (flags & trace::kFill) == 0) {
    keep_writes(target, static_cast<std::uint32_t>(value));
    if (g_exact) order_exactly(target, static_cast<std::uint32_t>(value));
    void_range(t, target,
               static_cast<std::uint32_t>(value)); // writes out the merged writes; from now on all are kept
  }
  if (kind == EventKind::AtomicBegin) stop_owning(t); // nothing can be said about blocks in traces with hand-overs
  if (kind == EventKind::Fork) epoch_fork(t, value);
  append_ticket(t, kind, target, value, __sooth_thread.abi.call_site, 0, flags,
                [&] { return ticket_of(t, kind, target, value); });
  if (kind == EventKind::Join) epoch_join(t, value);
}

void before_lock(Thread* t) {
  const auto room = static_cast<std::size_t>(t->end - t->cursor);
  if (__builtin_expect(t->busy == 0 && room * 4 < static_cast<std::size_t>(t->end - t->begin), 0)) flush(t);
}

bool tries_before_waiting(const Thread* t) { return t != nullptr && is_recording(); }

Request::Request(Thread* t, EventKind awaited, const void* object, std::uint64_t value, bool by_others) {
  if (is_replaying()) replayed_request(t, awaited, object);
  if (!tries_before_waiting(t)) return;
  end_storing();
  end_segment(t); // the next event ends it anyway; if none comes, the last writes are recorded
  append(t, EventKind::Request, reinterpret_cast<std::uint64_t>(object),
         static_cast<std::uint64_t>(awaited) << trace::kAwaitedShift | value, __sooth_thread.abi.call_site, 0,
         by_others ? trace::kFill : 0);
  if (by_others) return;
  counted_ = true;
  __atomic_fetch_add(&g_header->waits, 1, __ATOMIC_RELAXED); // counts: `sooth run` only takes them as a hint
  __atomic_fetch_add(&g_header->waiting, 1, __ATOMIC_RELAXED);
}

void before_try(Thread* t, EventKind kind, const void* object) {
  if (is_replaying()) replayed_request(t, kind, object);
}

void gave(Thread* t) {
  if (is_replaying()) replayed_gave(t);
}

void Request::over() {
  if (counted_) __atomic_fetch_sub(&g_header->waiting, 1, __ATOMIC_RELAXED);
  counted_ = false;
}

void failed(Thread* t, EventKind kind, const void* address, std::uint64_t value) {
  const auto target = reinterpret_cast<std::uint64_t>(address);
  if (!is_recording()) return g_sink->failed(t, kind, target, value);
  const std::uint32_t site = __sooth_thread.abi.call_site;
  const bool repeats =
      repeats_last(t, kind, target, value, 0, site) && (t->last->flags & trace::kFailed) != 0 && t->last->site == site;
  if (repeats && !g_exact) return;
  append(t, kind, target, value, site, 0, trace::kFailed);
}

void read_range(Thread* t, const void* p, std::size_t size) {
  range_access(t, EventKind::Read, p, p, size, __sooth_thread.abi.call_site);
}

void write_range(Thread* t, const void* p, std::size_t size) {
  range_access(t, EventKind::Write, p, p, size, __sooth_thread.abi.call_site);
}

void copy_range(Thread* t, const void* to, const void* from, std::size_t size) {
  copy_access(t, to, from, size, __sooth_thread.abi.call_site);
}

void fill_range(Thread* t, const void* to, std::uint8_t byte, std::size_t size) {
  range_fill(t, to, byte, size, __sooth_thread.abi.call_site);
}

void atomic_store_byte(Thread*, void* p, std::uint8_t value) {
  __sooth_atomic_store1(p, value, static_cast<std::uint32_t>(trace::MemoryOrder::Release),
                        __sooth_thread.abi.call_site);
}

void alloc_event(Thread* t, EventKind kind, const void* p, std::size_t size, bool zeroed) {
  use_region(t, kind, reinterpret_cast<std::uint64_t>(p), size);
  void_range(t, reinterpret_cast<std::uint64_t>(p), size);
  mark(t, kind, p, size, static_cast<std::uint8_t>(zeroed ? trace::kFill : 0));
}

void free_event(Thread* t, EventKind kind, const void* p, std::size_t size) {
  use_region(t, kind, reinterpret_cast<std::uint64_t>(p), size);
  void_range(t, reinterpret_cast<std::uint64_t>(p), size);
  mark(t, kind, p, size);
}

void count(Defect defect, std::uint64_t n) {
  __atomic_fetch_add(&g_header->defects[static_cast<unsigned>(defect)], n, __ATOMIC_RELAXED); // a count
}

} // namespace sooth::runtime
