// Threads, mutexes, condition variables and call_once of C11. In glibc they are the objects of
// pthreads under other names. But they reach those inside libc, past our definitions of the pthread
// functions.
#include <cerrno>
#include <threads.h>

#include "capture/runtime/interceptors/calls.h"
#include "capture/runtime/interceptors/condition.h"
#include "capture/runtime/interceptors/mutex.h"
#include "capture/runtime/interceptors/once.h"
#include "capture/runtime/interceptors/threads.h"
#include "capture/runtime/mode.h"

using namespace sooth::runtime;
using namespace sooth::trace;

namespace {

pthread_mutex_t* posix(void* mutex) { return static_cast<pthread_mutex_t*>(mutex); }

// As an errno number, which lock_returned understands.
int error_of(int result) {
  switch (result) {
  case thrd_success: return 0;
  case thrd_busy: return EBUSY;
  case thrd_timedout: return ETIMEDOUT;
  default: return EINVAL;
  }
}

int c11_result(int result) { return result == 0 ? thrd_success : result == ETIMEDOUT ? thrd_timedout : thrd_error; }

int run_thread(void* p) {
  const StartBlock block = begin_thread(p);
  return block.c11_routine(block.argument);
}

} // namespace

INTERCEPT(int, thrd_create, (thrd_t * thread, thrd_start_t routine, void* argument)) {
  Thread* t = enter();
  const IdStore store(t, thread);
  StartBlock* block = t != nullptr ? before_create(t, false) : nullptr;
  if (block == nullptr) return REAL(thrd_create)(thread, routine, argument);
  block->c11_routine = routine;
  block->argument = argument;
  const std::uint32_t number = block->number;
  const std::uint64_t mask = block->signal_mask;
  const int result = REAL(thrd_create)(thread, run_thread, block);
  const bool created = result == thrd_success;
  after_create(block, number, mask, created ? *thread : 0, created);
  if (created) store.made();
  return result;
}

INTERCEPT(int, thrd_join, (thrd_t thread, int* value)) {
  Thread* t = enter();
  const std::uint32_t number = t != nullptr ? thread_of(thread) : ~0u;
  if (!is_recording() && number != ~0u) g_sink->waits(t, number);
  const Request request(number != ~0u ? t : nullptr, EventKind::Join, nullptr, number);
  const int result = REAL(thrd_join)(thread, value);
  join_returned(t, thread, number, error_of(result));
  if (t != nullptr && result == thrd_success && value != nullptr) write_range(t, value, sizeof *value);
  return result;
}

INTERCEPT(int, thrd_detach, (thrd_t thread)) {
  if (Thread* t = enter()) {
    if (const std::uint32_t number = thread_of(thread); number != ~0u)
      sync(t, EventKind::Detach, pointer(thread), number);
  }
  return REAL(thrd_detach)(thread);
}

INTERCEPT(int, tss_create, (tss_t * key, tss_dtor_t destroy)) {
  const int result = REAL(tss_create)(key, destroy);
  if (result == thrd_success) writes(key, sizeof *key);
  return result;
}

USE_REAL(int, mtx_trylock, (mtx_t*));

INTERCEPT(int, mtx_init, (mtx_t * mutex, int type)) {
  const int result = REAL(mtx_init)(mutex, type);
  Thread* t = enter();
  if (t != nullptr && result == thrd_success) sync(t, EventKind::LockInit, mutex, mutex_type(posix(mutex)));
  return result;
}

INTERCEPT(void, mtx_destroy, (mtx_t * mutex)) {
  before_mutex_destroy(enter(), posix(mutex));
  REAL(mtx_destroy)(mutex);
}

INTERCEPT(int, mtx_lock, (mtx_t * mutex)) {
  Thread* t = enter();
  int result = tries_before_waiting(t) ? REAL(mtx_trylock)(mutex) : thrd_busy;
  if (result != thrd_success) {
    const Request request(t, EventKind::Acquire, mutex, mutex_type(posix(mutex)));
    result = REAL(mtx_lock)(mutex);
  }
  lock_returned(t, posix(mutex), error_of(result), 0);
  return result;
}

INTERCEPT(int, mtx_trylock, (mtx_t * mutex)) {
  Thread* t = enter();
  before_try(t, EventKind::Acquire, mutex);
  const int result = REAL(mtx_trylock)(mutex);
  lock_returned(t, posix(mutex), error_of(result), kLockTry);
  return result;
}

INTERCEPT(int, mtx_timedlock, (mtx_t * mutex, const timespec* until)) {
  Thread* t = enter();
  const Request request(t, EventKind::Acquire, mutex, mutex_type(posix(mutex)) | kLockTimed, true);
  const int result = REAL(mtx_timedlock)(mutex, until);
  lock_returned(t, posix(mutex), error_of(result), kLockTimed);
  return result;
}

INTERCEPT(int, mtx_unlock, (mtx_t * mutex)) {
  Thread* t = enter();
  before_unlock(t, posix(mutex));
  const int result = REAL(mtx_unlock)(mutex);
  gave(t);
  return result;
}

INTERCEPT(int, cnd_init, (cnd_t * condition)) {
  const int result = REAL(cnd_init)(condition);
  if (Thread* t = enter(); t != nullptr && result == thrd_success)
    sync(t, EventKind::LockInit, condition, kLockCondition);
  return result;
}

INTERCEPT(void, cnd_destroy, (cnd_t * condition)) {
  if (Thread* t = enter()) sync(t, EventKind::LockDestroy, condition, kLockCondition);
  REAL(cnd_destroy)(condition);
}

INTERCEPT(int, cnd_wait, (cnd_t * condition, mtx_t* mutex)) {
  const auto call = [](Waiting* w) {
    w->result = REAL(cnd_wait)(static_cast<cnd_t*>(w->condition), static_cast<mtx_t*>(w->mutex));
    w->timed_out = w->result != thrd_success;
  };
  return wait_for({call, enter(), condition, mutex, nullptr, 0, 0, false, false, c11_result});
}

INTERCEPT(int, cnd_timedwait, (cnd_t * condition, mtx_t* mutex, const timespec* until)) {
  const auto call = [](Waiting* w) {
    w->result = REAL(cnd_timedwait)(static_cast<cnd_t*>(w->condition), static_cast<mtx_t*>(w->mutex), w->until);
    w->timed_out = w->result != thrd_success;
  };
  return wait_for({call, enter(), condition, mutex, until, 0, 0, false, false, c11_result});
}

INTERCEPT(int, cnd_signal, (cnd_t * condition)) {
  Thread* t = enter();
  if (t != nullptr) sync(t, EventKind::Signal, condition);
  const int result = REAL(cnd_signal)(condition);
  gave(t);
  return result;
}

INTERCEPT(int, cnd_broadcast, (cnd_t * condition)) {
  Thread* t = enter();
  if (t != nullptr) sync(t, EventKind::Broadcast, condition);
  const int result = REAL(cnd_broadcast)(condition);
  gave(t);
  return result;
}

INTERCEPT(void, call_once, (once_flag * flag, void (*routine)())) {
  once(flag, routine, [](OnceCall* call) {
    REAL(call_once)(static_cast<once_flag*>(call->control), call->thread != nullptr ? run_current_once : call->routine);
  });
}
