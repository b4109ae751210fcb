// Read-write locks and spin locks of pthreads.
#include <cerrno>
#include <pthread.h>

#include "capture/runtime/interceptors/real.h"

USE_REAL(int, pthread_rwlock_tryrdlock, (pthread_rwlock_t*));
USE_REAL(int, pthread_rwlock_trywrlock, (pthread_rwlock_t*));
USE_REAL(int, pthread_spin_trylock, (pthread_spinlock_t*));

using namespace sooth::runtime;
using namespace sooth::trace;

namespace {

bool is_shared(const pthread_rwlock_t* lock) { return lock->__data.__shared != 0; }

std::uint32_t type_of(const pthread_rwlock_t* lock) {
  std::uint32_t type = kLockReadWrite;
  if (lock->__data.__shared != 0) type |= kLockProcessShared;
  // glibc treats PREFER_WRITER_NP as a preference for readers. Only the non-recursive kind makes
  // readers wait.
  if (lock->__data.__flags == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP) type |= kLockPreferWriter;
  return type;
}

int returned(Thread* t, EventKind kind, const pthread_rwlock_t* lock, int result, std::uint32_t request) {
  if (t == nullptr) return result;
  if (result == 0) sync(t, kind, lock, type_of(lock) | request);
  else if (result != EINVAL) failed(t, kind, lock, type_of(lock) | request);
  return result;
}

} // namespace

INTERCEPT(int, pthread_rwlock_init, (pthread_rwlock_t * lock, const pthread_rwlockattr_t* attributes)) {
  const int result = REAL(pthread_rwlock_init)(lock, attributes);
  if (Thread* t = enter(); t != nullptr && result == 0) sync(t, EventKind::LockInit, lock, type_of(lock));
  return result;
}

INTERCEPT(int, pthread_rwlock_destroy, (pthread_rwlock_t * lock)) {
  if (Thread* t = enter()) sync(t, EventKind::LockDestroy, lock, type_of(lock));
  return REAL(pthread_rwlock_destroy)(lock);
}

INTERCEPT(int, pthread_rwlock_rdlock, (pthread_rwlock_t * lock)) {
  Thread* t = enter();
  if (t != nullptr) before_lock(t);
  if (tries_before_waiting(t) && REAL(pthread_rwlock_tryrdlock)(lock) == 0)
    return returned(t, EventKind::AcquireShared, lock, 0, 0);
  const Request request(t, EventKind::AcquireShared, lock, type_of(lock), is_shared(lock));
  return returned(t, EventKind::AcquireShared, lock, REAL(pthread_rwlock_rdlock)(lock), 0);
}

INTERCEPT(int, pthread_rwlock_tryrdlock, (pthread_rwlock_t * lock)) {
  Thread* t = enter();
  before_try(t, EventKind::AcquireShared, lock);
  return returned(t, EventKind::AcquireShared, lock, REAL(pthread_rwlock_tryrdlock)(lock), kLockTry);
}

INTERCEPT(int, pthread_rwlock_timedrdlock, (pthread_rwlock_t * lock, const timespec* until)) {
  Thread* t = enter();
  if (t != nullptr) before_lock(t);
  const Request request(t, EventKind::AcquireShared, lock, type_of(lock) | kLockTimed, true);
  return returned(t, EventKind::AcquireShared, lock, REAL(pthread_rwlock_timedrdlock)(lock, until), kLockTimed);
}

INTERCEPT(int, pthread_rwlock_clockrdlock, (pthread_rwlock_t * lock, clockid_t clock, const timespec* until)) {
  Thread* t = enter();
  if (t != nullptr) before_lock(t);
  const Request request(t, EventKind::AcquireShared, lock, type_of(lock) | kLockTimed, true);
  return returned(t, EventKind::AcquireShared, lock, REAL(pthread_rwlock_clockrdlock)(lock, clock, until), kLockTimed);
}

INTERCEPT(int, pthread_rwlock_wrlock, (pthread_rwlock_t * lock)) {
  Thread* t = enter();
  if (t != nullptr) before_lock(t);
  if (tries_before_waiting(t) && REAL(pthread_rwlock_trywrlock)(lock) == 0)
    return returned(t, EventKind::Acquire, lock, 0, 0);
  const Request request(t, EventKind::Acquire, lock, type_of(lock), is_shared(lock));
  return returned(t, EventKind::Acquire, lock, REAL(pthread_rwlock_wrlock)(lock), 0);
}

INTERCEPT(int, pthread_rwlock_trywrlock, (pthread_rwlock_t * lock)) {
  Thread* t = enter();
  before_try(t, EventKind::Acquire, lock);
  return returned(t, EventKind::Acquire, lock, REAL(pthread_rwlock_trywrlock)(lock), kLockTry);
}

INTERCEPT(int, pthread_rwlock_timedwrlock, (pthread_rwlock_t * lock, const timespec* until)) {
  Thread* t = enter();
  if (t != nullptr) before_lock(t);
  const Request request(t, EventKind::Acquire, lock, type_of(lock) | kLockTimed, true);
  return returned(t, EventKind::Acquire, lock, REAL(pthread_rwlock_timedwrlock)(lock, until), kLockTimed);
}

INTERCEPT(int, pthread_rwlock_clockwrlock, (pthread_rwlock_t * lock, clockid_t clock, const timespec* until)) {
  Thread* t = enter();
  if (t != nullptr) before_lock(t);
  const Request request(t, EventKind::Acquire, lock, type_of(lock) | kLockTimed, true);
  return returned(t, EventKind::Acquire, lock, REAL(pthread_rwlock_clockwrlock)(lock, clock, until), kLockTimed);
}

INTERCEPT(int, pthread_rwlock_unlock, (pthread_rwlock_t * lock)) {
  Thread* t = enter();
  if (t != nullptr) {
    // One function for both modes: if the caller is the writer, it releases the write lock.
    const bool exclusive = lock->__data.__cur_writer == thread_id();
    sync(t, exclusive ? EventKind::Release : EventKind::ReleaseShared, lock, type_of(lock));
  }
  const int result = REAL(pthread_rwlock_unlock)(lock);
  gave(t);
  return result;
}

// The type pthread_spinlock_t is `volatile int`. Events need the address without the qualifier.
static const void* plain(pthread_spinlock_t* lock) { return const_cast<const int*>(lock); }

INTERCEPT(int, pthread_spin_init, (pthread_spinlock_t * lock, int shared)) {
  const int result = REAL(pthread_spin_init)(lock, shared);
  const std::uint32_t type = kLockSpin | (shared == PTHREAD_PROCESS_SHARED ? kLockProcessShared : kLockNormal);
  if (Thread* t = enter(); t != nullptr && result == 0) sync(t, EventKind::LockInit, plain(lock), type);
  return result;
}

INTERCEPT(int, pthread_spin_destroy, (pthread_spinlock_t * lock)) {
  if (Thread* t = enter()) sync(t, EventKind::LockDestroy, plain(lock), kLockSpin);
  return REAL(pthread_spin_destroy)(lock);
}

INTERCEPT(int, pthread_spin_lock, (pthread_spinlock_t * lock)) {
  Thread* t = enter();
  int result = tries_before_waiting(t) ? REAL(pthread_spin_trylock)(lock) : EBUSY;
  if (result != 0) {
    // Only its creator knows whether other processes use it.
    const Request request(t, EventKind::Acquire, plain(lock), kLockSpin);
    result = REAL(pthread_spin_lock)(lock);
  }
  if (t != nullptr && result == 0) sync(t, EventKind::Acquire, plain(lock), kLockSpin);
  return result;
}

INTERCEPT(int, pthread_spin_trylock, (pthread_spinlock_t * lock)) {
  Thread* t = enter();
  before_try(t, EventKind::Acquire, plain(lock));
  const int result = REAL(pthread_spin_trylock)(lock);
  if (t == nullptr) return result;
  if (result == 0) sync(t, EventKind::Acquire, plain(lock), kLockSpin | kLockTry);
  else failed(t, EventKind::Acquire, plain(lock), kLockSpin | kLockTry);
  return result;
}

INTERCEPT(int, pthread_spin_unlock, (pthread_spinlock_t * lock)) {
  Thread* t = enter();
  if (t != nullptr) sync(t, EventKind::Release, plain(lock), kLockSpin);
  const int result = REAL(pthread_spin_unlock)(lock);
  gave(t);
  return result;
}
