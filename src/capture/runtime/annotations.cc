// Declarations of programs about themselves: <sooth/sooth.h>, and ThreadSanitizer's annotations
// with the meaning that they have there.
#include "capture/runtime/interceptors/real.h"
#include "capture/runtime/monitoring/monitoring.h"
#include "capture/runtime/recording/library_memory.h"
#include "trace/may_race.h"

using namespace sooth::runtime;
using namespace sooth::trace;

namespace {

const void* plain(const volatile void* p) { return const_cast<const void*>(p); }

// An event about an object that an annotation names.
void note(EventKind kind, const volatile void* address, std::uint64_t value = 0, std::uint8_t flags = 0) {
  if (Thread* t = enter()) sync(t, kind, plain(address), value, flags);
}
void note_name(EventKind kind, const char* name, std::uint64_t value = 0, std::uint8_t flags = 0) {
  if (Thread* t = enter()) sync(t, kind, pointer(intern(name)), value, flags);
}

// Starts a new segment: an access outside must not be left out as a repetition of one inside.
void may_race_here(const char* name) {
  Thread* t = enter();
  if (t == nullptr || !is_recording()) return; // the other modes look for no races
  sync(t, EventKind::Watch, nullptr, std::uint64_t{intern(name)} << 32, kFill);
}

// Flags of <sanitizer/tsan_interface.h>.
enum TsanMutex : unsigned {
  kWriteReentrant = 1u << 1,
  kReadLock = 1u << 3,
  kTryLock = 1u << 4,
  kTryLockFailed = 1u << 5,
};

std::uint32_t annotated_type(unsigned flags) {
  return kLockAnnotated | (flags & kWriteReentrant ? kLockRecursive : kLockNormal) |
         (flags & kReadLock ? kLockReadWrite : kLockNormal) | (flags & kTryLock ? kLockTry : kLockNormal);
}

} // namespace

extern "C" {

// --- <sooth/sooth.h> -----------------------------------------------------------------------------

SOOTH_EXPORT void __sooth_user_event(const char* name, long long value) {
  if (is_monitoring()) return monitoring::internal_event(name, value);
  note_name(EventKind::User, name, static_cast<std::uint64_t>(value));
}
SOOTH_EXPORT void __sooth_user_event_double(const char* name, double value) {
  note_name(EventKind::User, name, __builtin_bit_cast(std::uint64_t, value), kFill);
}
SOOTH_EXPORT void __sooth_thread_name(const char* name) {
  if (Thread* t = enter()) mark(t, EventKind::ThreadName, pointer(intern(name)));
}
SOOTH_EXPORT void __sooth_watch(const char* name, const volatile void* address, std::size_t bytes, int) {
  // 32 bits for each half. A larger object is watched up to 2^32 - 1 bytes.
  const std::uint64_t size = bytes > 0xffffffff ? 0xffffffff : bytes;
  if (Thread* t = enter()) sync(t, EventKind::Watch, plain(address), size | std::uint64_t{intern(name)} << 32);
}
SOOTH_EXPORT void __sooth_atomic_begin(const char* name) {
  if (is_monitoring()) return monitoring::block_event(name, true);
  note_name(EventKind::AtomicBegin, name);
}
SOOTH_EXPORT void __sooth_atomic_end(const char* name) {
  if (is_monitoring()) return monitoring::block_event(name, false);
  note_name(EventKind::AtomicEnd, name);
}

// --- ThreadSanitizer: order ----------------------------------------------------------------------

SOOTH_EXPORT void __tsan_acquire(void* tag) { note(EventKind::HbAcquire, tag); }
SOOTH_EXPORT void __tsan_release(void* tag) { note(EventKind::HbRelease, tag); }
SOOTH_EXPORT void AnnotateHappensBefore(const char*, int, const volatile void* tag) { note(EventKind::HbRelease, tag); }
SOOTH_EXPORT void AnnotateHappensAfter(const char*, int, const volatile void* tag) { note(EventKind::HbAcquire, tag); }
SOOTH_EXPORT void WTFAnnotateHappensBefore(const char*, int, const volatile void* tag) {
  note(EventKind::HbRelease, tag);
}
SOOTH_EXPORT void WTFAnnotateHappensAfter(const char*, int, const volatile void* tag) {
  note(EventKind::HbAcquire, tag);
}
SOOTH_EXPORT void AnnotateCondVarSignal(const char*, int, const volatile void* tag) { note(EventKind::HbRelease, tag); }
SOOTH_EXPORT void AnnotateCondVarSignalAll(const char*, int, const volatile void* tag) {
  note(EventKind::HbRelease, tag);
}
SOOTH_EXPORT void AnnotateCondVarWait(const char*, int, const volatile void* tag, const volatile void*) {
  note(EventKind::HbAcquire, tag);
}

// --- ThreadSanitizer: locks ----------------------------------------------------------------------

SOOTH_EXPORT void __tsan_mutex_create(void* lock, unsigned flags) {
  note(EventKind::LockInit, lock, annotated_type(flags));
}
SOOTH_EXPORT void __tsan_mutex_destroy(void* lock, unsigned flags) {
  note(EventKind::LockDestroy, lock, annotated_type(flags));
}
SOOTH_EXPORT void __tsan_mutex_pre_lock(void*, unsigned) {}
SOOTH_EXPORT void __tsan_mutex_post_lock(void* lock, unsigned flags, int) {
  Thread* t = enter();
  if (t == nullptr) return;
  const EventKind kind = flags & kReadLock ? EventKind::AcquireShared : EventKind::Acquire;
  if (flags & kTryLockFailed) failed(t, kind, lock, annotated_type(flags));
  else sync(t, kind, lock, annotated_type(flags));
}
SOOTH_EXPORT int __tsan_mutex_pre_unlock(void* lock, unsigned flags) {
  note(flags & kReadLock ? EventKind::ReleaseShared : EventKind::Release, lock, annotated_type(flags));
  return 1; // released levels of recursion; each level is a separate event here
}
SOOTH_EXPORT void __tsan_mutex_post_unlock(void*, unsigned) {}
// Around a signal to waiters of an annotated condition variable, and around code that leaves the
// lock's implementation.
SOOTH_EXPORT void __tsan_mutex_pre_signal(void*, unsigned) {}
SOOTH_EXPORT void __tsan_mutex_post_signal(void*, unsigned) {}
SOOTH_EXPORT void __tsan_mutex_pre_divert(void*, unsigned) {}
SOOTH_EXPORT void __tsan_mutex_post_divert(void*, unsigned) {}

SOOTH_EXPORT void AnnotateRWLockCreate(const char*, int, const volatile void* lock) {
  note(EventKind::LockInit, lock, kLockAnnotated | kLockReadWrite);
}
SOOTH_EXPORT void AnnotateRWLockCreateStatic(const char*, int, const volatile void* lock) {
  note(EventKind::LockInit, lock, kLockAnnotated | kLockReadWrite);
}
SOOTH_EXPORT void AnnotateRWLockDestroy(const char*, int, const volatile void* lock) {
  note(EventKind::LockDestroy, lock, kLockAnnotated | kLockReadWrite);
}
SOOTH_EXPORT void AnnotateRWLockAcquired(const char*, int, const volatile void* lock, long exclusive) {
  note(exclusive ? EventKind::Acquire : EventKind::AcquireShared, lock, kLockAnnotated | kLockReadWrite);
}
SOOTH_EXPORT void AnnotateRWLockReleased(const char*, int, const volatile void* lock, long exclusive) {
  note(exclusive ? EventKind::Release : EventKind::ReleaseShared, lock, kLockAnnotated | kLockReadWrite);
}

// --- names and memory ----------------------------------------------------------------------------

SOOTH_EXPORT void AnnotateThreadName(const char*, int, const char* name) { __sooth_thread_name(name); }
// The program's own allocator hands out memory again: the earlier object has ended.
SOOTH_EXPORT void AnnotateNewMemory(const char*, int, const volatile void* p, std::size_t bytes) {
  if (Thread* t = enter()) {
    free_event(t, EventKind::Free, plain(p), bytes);
    alloc_event(t, EventKind::Alloc, plain(p), bytes, false);
  }
}

// Races on these bytes are intended. The accesses are recorded as usual; searches for races leave
// them out. The unsized form names the first byte of a variable.
SOOTH_EXPORT void AnnotateBenignRaceSized(const char*, int, const volatile void* p, std::size_t bytes, const char*) {
  if (Thread* t = enter()) may_race(t, plain(p), bytes, "benign race");
}
SOOTH_EXPORT void AnnotateBenignRace(const char* file, int line, const volatile void* p, const char* why) {
  AnnotateBenignRaceSized(file, line, p, 1, why);
}
SOOTH_EXPORT void WTFAnnotateBenignRaceSized(const char* file, int line, const volatile void* p, std::size_t bytes,
                                             const char* why) {
  AnnotateBenignRaceSized(file, line, p, bytes, why);
}

// Until the end, the thread's own plain reads or writes may race. They are recorded, and no race on
// them is reported.
SOOTH_EXPORT void AnnotateIgnoreReadsBegin(const char*, int) { may_race_here(kReadsMayRace); }
SOOTH_EXPORT void AnnotateIgnoreReadsEnd(const char*, int) { may_race_here(kReadsMayRaceEnd); }
SOOTH_EXPORT void AnnotateIgnoreWritesBegin(const char*, int) { may_race_here(kWritesMayRace); }
SOOTH_EXPORT void AnnotateIgnoreWritesEnd(const char*, int) { may_race_here(kWritesMayRaceEnd); }

// --- accepted without effect ---------------------------------------------------------------------
// These ask a detector for more than a trace has: orders to be forgotten, and expected findings.

SOOTH_EXPORT void __tsan_init() {}
SOOTH_EXPORT void __tsan_check_no_mutexes_held() {}
SOOTH_EXPORT void* __tsan_external_register_tag(const char*) { return nullptr; }
SOOTH_EXPORT void __tsan_external_register_header(void*, const char*) {}
SOOTH_EXPORT void __tsan_external_assign_tag(void*, void*) {}
SOOTH_EXPORT void __tsan_external_read(void*, void*, void*) {}
SOOTH_EXPORT void __tsan_external_write(void*, void*, void*) {}
SOOTH_EXPORT void __tsan_flush_memory() {}
SOOTH_EXPORT void AnnotateIgnoreSyncBegin(const char*, int) {}
SOOTH_EXPORT void AnnotateIgnoreSyncEnd(const char*, int) {}
SOOTH_EXPORT void AnnotateExpectRace(const char*, int, const volatile void*, const char*) {}
SOOTH_EXPORT void AnnotateFlushExpectedRaces(const char*, int) {}
SOOTH_EXPORT void AnnotatePublishMemoryRange(const char*, int, const volatile void*, std::size_t) {}
SOOTH_EXPORT void AnnotateUnpublishMemoryRange(const char*, int, const volatile void*, std::size_t) {}
SOOTH_EXPORT void AnnotateMutexIsUsedAsCondVar(const char*, int, const volatile void*) {}
SOOTH_EXPORT void AnnotateMutexIsNotPHB(const char*, int, const volatile void*) {}
SOOTH_EXPORT void AnnotatePCQCreate(const char*, int, const volatile void*) {}
SOOTH_EXPORT void AnnotatePCQDestroy(const char*, int, const volatile void*) {}
SOOTH_EXPORT void AnnotatePCQPut(const char*, int, const volatile void*) {}
SOOTH_EXPORT void AnnotatePCQGet(const char*, int, const volatile void*) {}
SOOTH_EXPORT void AnnotateTraceMemory(const char*, int, const volatile void*) {}
SOOTH_EXPORT void AnnotateNoOp(const char*, int, const volatile void*) {}
SOOTH_EXPORT void AnnotateEnableRaceDetection(const char*, int, int) {}

// --- fibers: stacks that change hands are not followed -------------------------------------------

SOOTH_EXPORT void* __tsan_get_current_fiber() { return nullptr; }
SOOTH_EXPORT void* __tsan_create_fiber(unsigned) {
  unsupported("fibers");
  return nullptr;
}
SOOTH_EXPORT void __tsan_destroy_fiber(void*) {}
SOOTH_EXPORT void __tsan_switch_to_fiber(void*, unsigned) { unsupported("fibers"); }
SOOTH_EXPORT void __tsan_set_fiber_name(void*, const char*) {}

// --- inline assembly: it could be a lock ---------------------------------------------------------

SOOTH_EXPORT void __sooth_assembly() {
  static std::uint32_t told;
  // Relaxed: reporting it twice does no harm.
  if (__atomic_load_n(&told, __ATOMIC_RELAXED) != 0 || enter() == nullptr) return;
  __atomic_store_n(&told, 1, __ATOMIC_RELAXED);
  unsupported("inline assembly that accesses memory");
}

} // extern "C"
