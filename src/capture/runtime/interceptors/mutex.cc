// pthread mutexes of all kinds. The C11 mutexes are the same objects under other entry points
// (c11_threads.cc).
//
// pthread_mutex_consistent needs no event: the acquire shows that a robust mutex was taken over
// (kLockOwnerDied).
#include "capture/runtime/interceptors/mutex.h"

#include <cerrno>

#include "capture/runtime/monitoring/monitoring.h"

USE_REAL(int, pthread_mutex_trylock, (pthread_mutex_t*));
USE_REAL(int, pthread_mutex_lock, (pthread_mutex_t*));

namespace sooth::runtime {

namespace {

constexpr int kThreadOfLock = 0x3fffffff; // FUTEX_TID_MASK

// Spins for a moment, before the caller sleeps. Critical sections take longer with Sooth than
// without it, so threads find locks taken more often. But these are soon free again, and falling
// asleep would cost more than waiting. The words are glibc's: 0 is free. True: the calling thread
// has the lock now. Plain mutexes only: for the others, a try differs from a lock.
bool takes_in_a_moment(Thread* t, pthread_mutex_t* mutex) {
  constexpr int kLooks = 200; // some microseconds
  if (mutex->__data.__kind != PTHREAD_MUTEX_TIMED_NP) return false;
  for (int i = 0; i < kLooks; ++i, __builtin_ia32_pause()) {
    if (__atomic_load_n(&mutex->__data.__lock, __ATOMIC_RELAXED) != 0) continue;
    if (is_monitoring()) monitoring::expects_lock(t, mutex);
    if (REAL(pthread_mutex_trylock)(mutex) == 0) return true;
  }
  return false;
}

// libc marks destroyed mutexes, and refuses to lock them.
bool is_destroyed(const pthread_mutex_t* mutex) { return mutex->__data.__kind == -1; }

// For the remaining kinds, a successful try equals a successful lock. But glibc's try leaves a
// robust mutex locked if it is not recoverable, and the program would wait for it for ever.
int lock_or_wait(Thread* t, pthread_mutex_t* mutex) {
  if (mutex->__data.__kind != PTHREAD_MUTEX_TIMED_NP && !(mutex_type(mutex) & trace::kLockRobust) &&
      tries_before_waiting(t))
    if (REAL(pthread_mutex_trylock)(mutex) == 0) return 0;
  const Request request(t, EventKind::Acquire, mutex, mutex_type(mutex), is_shared(mutex));
  return REAL(pthread_mutex_lock)(mutex);
}

} // namespace

std::uint32_t mutex_type(const pthread_mutex_t* mutex) {
  // Bits of glibc's __kind: 0-1 the type, 4 robust, 7 process-shared.
  const auto kind = static_cast<unsigned>(mutex->__data.__kind);
  std::uint32_t type = kind & trace::kLockClassMask;
  if (kind & 0x10) type |= trace::kLockRobust;
  if (kind & 0x80) type |= trace::kLockProcessShared;
  return type;
}

bool unlock_will_fail(const pthread_mutex_t* mutex) {
  const std::uint32_t type = mutex_type(mutex);
  // Of a robust mutex that was taken over and not made consistent, the owner's field says only
  // that.
  if (type & trace::kLockRobust) return (mutex->__data.__lock & kThreadOfLock) != thread_id();
  const std::uint32_t type_class = type & trace::kLockClassMask;
  const bool checks = type_class == trace::kLockErrorCheck || type_class == trace::kLockRecursive;
  return checks && mutex->__data.__owner != thread_id();
}

int lock_returned(Thread* t, const pthread_mutex_t* mutex, int result, std::uint32_t request) {
  if (t == nullptr) return result;
  if (result == 0) sync(t, EventKind::Acquire, mutex, mutex_type(mutex) | request);
  else if (result == EOWNERDEAD)
    sync(t, EventKind::Acquire, mutex, mutex_type(mutex) | request | trace::kLockOwnerDied);
  else if (is_destroyed(mutex)) failed(t, EventKind::Acquire, mutex, request);
  else if (result != EINVAL) failed(t, EventKind::Acquire, mutex, mutex_type(mutex) | request);
  return result;
}

void before_unlock(Thread* t, const pthread_mutex_t* mutex) {
  if (t != nullptr && !unlock_will_fail(mutex)) sync(t, EventKind::Release, mutex, mutex_type(mutex));
}

void before_mutex_destroy(Thread* t, const pthread_mutex_t* mutex) {
  if (t == nullptr) return;
  const bool in_use = !(mutex_type(mutex) & trace::kLockRobust) && mutex->__data.__nusers != 0; // libc returns EBUSY
  if (in_use) failed(t, EventKind::LockDestroy, mutex, mutex_type(mutex));
  else sync(t, EventKind::LockDestroy, mutex, mutex_type(mutex));
}

} // namespace sooth::runtime

using namespace sooth::runtime;
using namespace sooth::trace;

INTERCEPT(int, pthread_mutex_init, (pthread_mutex_t * mutex, const pthread_mutexattr_t* attributes)) {
  const int result = REAL(pthread_mutex_init)(mutex, attributes);
  if (Thread* t = enter(); t != nullptr && result == 0) sync(t, EventKind::LockInit, mutex, mutex_type(mutex));
  return result;
}

INTERCEPT(int, pthread_mutex_destroy, (pthread_mutex_t * mutex)) {
  before_mutex_destroy(enter(), mutex);
  return REAL(pthread_mutex_destroy)(mutex);
}

INTERCEPT(int, pthread_mutex_lock, (pthread_mutex_t * mutex)) {
  Thread* t = enter();
  if (t != nullptr) {
    before_lock(t);
    if (!is_replaying() && takes_in_a_moment(t, mutex)) return lock_returned(t, mutex, 0, 0);
  }
  return lock_returned(t, mutex, t != nullptr ? lock_or_wait(t, mutex) : REAL(pthread_mutex_lock)(mutex), 0);
}

INTERCEPT(int, pthread_mutex_trylock, (pthread_mutex_t * mutex)) {
  Thread* t = enter();
  before_try(t, EventKind::Acquire, mutex);
  return lock_returned(t, mutex, REAL(pthread_mutex_trylock)(mutex), kLockTry);
}

INTERCEPT(int, pthread_mutex_timedlock, (pthread_mutex_t * mutex, const timespec* until)) {
  Thread* t = enter();
  if (t != nullptr) before_lock(t);
  const Request request(t, EventKind::Acquire, mutex, mutex_type(mutex) | kLockTimed, true);
  return lock_returned(t, mutex, REAL(pthread_mutex_timedlock)(mutex, until), kLockTimed);
}

INTERCEPT(int, pthread_mutex_clocklock, (pthread_mutex_t * mutex, clockid_t clock, const timespec* until)) {
  Thread* t = enter();
  if (t != nullptr) before_lock(t);
  const Request request(t, EventKind::Acquire, mutex, mutex_type(mutex) | kLockTimed, true);
  return lock_returned(t, mutex, REAL(pthread_mutex_clocklock)(mutex, clock, until), kLockTimed);
}

INTERCEPT(int, pthread_mutex_unlock, (pthread_mutex_t * mutex)) {
  Thread* t = enter();
  before_unlock(t, mutex);
  const int result = REAL(pthread_mutex_unlock)(mutex);
  if (t != nullptr && is_monitoring()) monitoring::gave_lock(t);
  gave(t);
  return result;
}
