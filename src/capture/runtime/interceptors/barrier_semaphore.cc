// Barriers and semaphores of POSIX.
//
// Other processes may use those that are shared between processes. Their events are in other
// traces, so the counts cannot be followed here. Such objects are recorded as hb-release and
// hb-acquire, which keeps the observed order and promises no more. They are counted as unsupported.
#include <cerrno>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>

#include "capture/runtime/interceptors/real.h"

USE_REAL(int, sem_trywait, (sem_t*));

using namespace sooth::runtime;
using namespace sooth::trace;

namespace {

// glibc keeps the flag behind the 8 bytes of the count. Named semaphores always have it.
bool shared(const sem_t* semaphore) { return reinterpret_cast<const int*>(semaphore)[2] != 0; }
// struct pthread_barrier: in, round, count, shared, out.
bool shared(const pthread_barrier_t* barrier) { return reinterpret_cast<const int*>(barrier)[3] != 0; }

// sem_wait and its relatives return -1 and set errno. `type`: kLockTry or kLockTimed if it does not
// wait for ever.
int waited(Thread* t, const sem_t* semaphore, int result, std::uint64_t type = 0) {
  if (t == nullptr) return result;
  if (result != 0) {
    if (!shared(semaphore)) failed(t, EventKind::SemWait, semaphore);
  } else {
    if (shared(semaphore)) sync(t, EventKind::HbAcquire, semaphore);
    else sync(t, EventKind::SemWait, semaphore, type);
  }
  return result;
}

} // namespace

INTERCEPT(int, pthread_barrier_init,
          (pthread_barrier_t * barrier, const pthread_barrierattr_t* attributes, unsigned count)) {
  const int result = REAL(pthread_barrier_init)(barrier, attributes, count);
  Thread* t = enter();
  if (t == nullptr || result != 0) return result;
  if (shared(barrier)) unsupported("barrier shared between processes");
  else sync(t, EventKind::BarrierInit, barrier, count);
  return result;
}

// libc waits until all threads have left. They no longer use it: the last one has come.
INTERCEPT(int, pthread_barrier_destroy, (pthread_barrier_t * barrier)) {
  if (Thread* t = enter(); t != nullptr && !shared(barrier)) sync(t, EventKind::BarrierDestroy, barrier);
  return REAL(pthread_barrier_destroy)(barrier);
}

INTERCEPT(int, pthread_barrier_wait, (pthread_barrier_t * barrier)) {
  Thread* t = enter();
  if (t == nullptr) return REAL(pthread_barrier_wait)(barrier);
  // Checked before the wait: the last thread to leave may let another thread destroy the barrier.
  const bool by_order_only = shared(barrier);
  sync(t, by_order_only ? EventKind::HbRelease : EventKind::BarrierArrive, barrier);
  Request request(t, EventKind::BarrierLeave, barrier, 0, by_order_only);
  const int result = REAL(pthread_barrier_wait)(barrier);
  request.over();
  sync(t, by_order_only ? EventKind::HbAcquire : EventKind::BarrierLeave, barrier);
  return result;
}

INTERCEPT(int, sem_init, (sem_t * semaphore, int process_shared, unsigned count)) {
  const int result = REAL(sem_init)(semaphore, process_shared, count);
  Thread* t = enter();
  if (t == nullptr || result != 0) return result;
  if (shared(semaphore)) unsupported("semaphore shared between processes");
  else sync(t, EventKind::SemInit, semaphore, count);
  return result;
}

INTERCEPT(int, sem_destroy, (sem_t * semaphore)) {
  if (Thread* t = enter(); t != nullptr && !shared(semaphore)) sync(t, EventKind::SemDestroy, semaphore);
  return REAL(sem_destroy)(semaphore);
}

// The last two parameters are variadic in the header. Unused ones hold the registers' contents, and
// are ignored.
INTERCEPT(sem_t*, sem_open, (const char* name, int flags, mode_t mode, unsigned count)) {
  sem_t* semaphore = REAL(sem_open)(name, flags, mode, count);
  if (enter() != nullptr && semaphore != SEM_FAILED) unsupported("sem_open");
  return semaphore;
}

INTERCEPT(int, sem_post, (sem_t * semaphore)) {
  Thread* t = enter();
  if (t != nullptr) sync(t, shared(semaphore) ? EventKind::HbRelease : EventKind::SemPost, semaphore);
  const int result = REAL(sem_post)(semaphore);
  gave(t);
  return result;
}

INTERCEPT(int, sem_wait, (sem_t * semaphore)) {
  Thread* t = enter();
  before_try(t, EventKind::SemWait, semaphore);
  if (!tries_before_waiting(t)) return waited(t, semaphore, REAL(sem_wait)(semaphore));
  pthread_testcancel(); // as the real one does before anything else
  const int error = errno;
  if (REAL(sem_trywait)(semaphore) == 0) return waited(t, semaphore, 0);
  errno = error;
  const Request request(t, EventKind::SemWait, semaphore, 0, shared(semaphore));
  return waited(t, semaphore, REAL(sem_wait)(semaphore));
}

INTERCEPT(int, sem_trywait, (sem_t * semaphore)) {
  Thread* t = enter();
  before_try(t, EventKind::SemWait, semaphore);
  return waited(t, semaphore, REAL(sem_trywait)(semaphore), kLockTry);
}

INTERCEPT(int, sem_timedwait, (sem_t * semaphore, const timespec* until)) {
  Thread* t = enter();
  const Request request(t, EventKind::SemWait, semaphore, kLockTimed, true);
  return waited(t, semaphore, REAL(sem_timedwait)(semaphore, until), kLockTimed);
}

INTERCEPT(int, sem_clockwait, (sem_t * semaphore, clockid_t clock, const timespec* until)) {
  Thread* t = enter();
  const Request request(t, EventKind::SemWait, semaphore, kLockTimed, true);
  return waited(t, semaphore, REAL(sem_clockwait)(semaphore, clock, until), kLockTimed);
}
