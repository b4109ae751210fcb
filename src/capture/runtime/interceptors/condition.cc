// Condition variables of pthreads.
#include "capture/runtime/interceptors/condition.h"

#include <cerrno>

#include "capture/runtime/interceptors/guarded_call.h"
#include "capture/runtime/os.h"
#include "capture/runtime/replaying/replaying.h"

USE_REAL(int, pthread_mutex_lock, (pthread_mutex_t*));
USE_REAL(int, pthread_mutex_unlock, (pthread_mutex_t*));
USE_REAL(int, pthread_cond_timedwait, (pthread_cond_t*, pthread_mutex_t*, const timespec*));

namespace sooth::runtime {

namespace {

struct Replayed {
  Waiting* waiting;
  Waiter waiter;
  int result;
};

// Signals that came until now count; from now on the thread waits for real, in short pieces,
// because one may come in between.
int wait_on(Waiting& waiting, const Waiter& waiter) {
  auto* condition = static_cast<pthread_cond_t*>(waiting.condition);
  auto* mutex = static_cast<pthread_mutex_t*>(waiting.mutex);
  constexpr long kPiece = 10'000'000;                       // nanoseconds
  if (waiting.until != nullptr && !was_signalled(waiter)) { // ends in any case
    waiting.call(&waiting);
    return waiting.timed_out ? ETIMEDOUT : 0;
  }
  while (!was_signalled(waiter)) {
    timespec until = {};
    os::call(SYS_clock_gettime, CLOCK_REALTIME, reinterpret_cast<long>(&until));
    until.tv_nsec += kPiece;
    if (until.tv_nsec >= 1'000'000'000) until.tv_nsec -= 1'000'000'000, ++until.tv_sec;
    if (const int result = REAL(pthread_cond_timedwait)(condition, mutex, &until); result != ETIMEDOUT) return result;
  }
  return 0;
}

// A wait in a replayed program: the schedule says who has the mutex next, not the kernel.
int replayed_wait(Waiting& waiting) {
  auto* mutex = static_cast<pthread_mutex_t*>(waiting.mutex);
  const auto value = reinterpret_cast<std::uint64_t>(waiting.mutex);
  sync(waiting.thread, EventKind::Wait, waiting.condition, value);
  Replayed replayed = {&waiting, {}, 0};
  begin_wait(replayed.waiter, waiting.condition, waiting.mutex);
  REAL(pthread_mutex_unlock)(mutex);
  gave(waiting.thread);
  const Woken woken = wait_for_turn(waiting.thread, replayed.waiter, waiting.until != nullptr);
  int result = REAL(pthread_mutex_lock)(mutex);
  if (woken == Woken::ByTime) result = ETIMEDOUT;
  if (woken == Woken::LetGo) { // it may be cancelled there
    sooth_guarded_call(
        [](void* p) {
          auto* r = static_cast<Replayed*>(p);
          r->result = wait_on(*r->waiting, r->waiter);
        },
        [](void* p) {
          auto* r = static_cast<Replayed*>(p);
          end_wait(r->waiter);
          failed(r->waiting->thread, EventKind::Wake, r->waiting->condition,
                 reinterpret_cast<std::uint64_t>(r->waiting->mutex));
        },
        &replayed);
    result = replayed.result;
  }
  end_wait(replayed.waiter);
  if (result == ETIMEDOUT) failed(waiting.thread, EventKind::Wake, waiting.condition, value);
  else sync(waiting.thread, EventKind::Wake, waiting.condition, value);
  return result;
}

} // namespace

int wait_for(Waiting waiting) {
  // A wait without the mutex fails at once for the kinds that check. It releases nothing, so
  // nothing is recorded.
  if (waiting.thread == nullptr || unlock_will_fail(static_cast<pthread_mutex_t*>(waiting.mutex))) {
    waiting.call(&waiting);
    return waiting.result;
  }
  if (is_replaying()) {
    const int result = replayed_wait(waiting);
    return waiting.returned != nullptr ? waiting.returned(result) : result;
  }
  const auto value = reinterpret_cast<std::uint64_t>(waiting.mutex);
  // `fill`: the wait has a timeout, so a signal that never comes does not block it for ever.
  sync(waiting.thread, EventKind::Wait, waiting.condition, value, waiting.until != nullptr ? trace::kFill : 0);
  Request request(waiting.thread, EventKind::Wake, waiting.condition, 0,
                  waiting.until != nullptr || waiting.process_shared);
  sooth_guarded_call(
      [](void* p) {
        auto* w = static_cast<Waiting*>(p);
        w->call(w);
      },
      [](void* p) {
        auto* w = static_cast<Waiting*>(p);
        sync(w->thread, EventKind::Wake, w->condition, reinterpret_cast<std::uint64_t>(w->mutex), trace::kFailed);
      },
      &waiting);
  request.over();
  sync(waiting.thread, EventKind::Wake, waiting.condition, value, waiting.timed_out ? trace::kFailed : 0);
  return waiting.result;
}

} // namespace sooth::runtime

using namespace sooth::runtime;
using namespace sooth::trace;

namespace {

pthread_cond_t* condition_of(Waiting* w) { return static_cast<pthread_cond_t*>(w->condition); }
pthread_mutex_t* mutex_of(Waiting* w) { return static_cast<pthread_mutex_t*>(w->mutex); }
// EOWNERDEAD comes from taking the mutex again, after an ordinary wake-up.
bool not_signalled(int result) { return result != 0 && result != EOWNERDEAD; }

// Bit 0 of glibc's __wrefs: process-shared.
bool is_shared(const pthread_cond_t* condition) { return (condition->__data.__wrefs & 1) != 0; }

std::uint32_t type_of(const pthread_cond_t* condition) {
  return kLockCondition | (is_shared(condition) ? kLockProcessShared : kLockNormal);
}

} // namespace

// The default of dlsym may be the version for LinuxThreads' smaller objects.
#define CONDITION_VERSION "GLIBC_2.3.2"

INTERCEPT_VERSION(int, pthread_cond_init, CONDITION_VERSION,
                  (pthread_cond_t * condition, const pthread_condattr_t* attributes)) {
  const int result = REAL(pthread_cond_init)(condition, attributes);
  if (Thread* t = enter(); t != nullptr && result == 0) sync(t, EventKind::LockInit, condition, type_of(condition));
  return result;
}

INTERCEPT_VERSION(int, pthread_cond_destroy, CONDITION_VERSION, (pthread_cond_t * condition)) {
  if (Thread* t = enter()) sync(t, EventKind::LockDestroy, condition, type_of(condition));
  return REAL(pthread_cond_destroy)(condition);
}

INTERCEPT_VERSION(int, pthread_cond_wait, CONDITION_VERSION, (pthread_cond_t * condition, pthread_mutex_t* mutex)) {
  const auto call = [](Waiting* w) {
    w->result = REAL(pthread_cond_wait)(condition_of(w), mutex_of(w));
    w->timed_out = not_signalled(w->result);
  };
  return wait_for({call, enter(), condition, mutex, nullptr, 0, 0, false, is_shared(condition)});
}

INTERCEPT_VERSION(int, pthread_cond_timedwait, CONDITION_VERSION,
                  (pthread_cond_t * condition, pthread_mutex_t* mutex, const timespec* until)) {
  const auto call = [](Waiting* w) {
    w->result = REAL(pthread_cond_timedwait)(condition_of(w), mutex_of(w), w->until);
    w->timed_out = not_signalled(w->result);
  };
  return wait_for({call, enter(), condition, mutex, until, 0, 0, false, is_shared(condition)});
}

INTERCEPT(int, pthread_cond_clockwait,
          (pthread_cond_t * condition, pthread_mutex_t* mutex, clockid_t clock, const timespec* until)) {
  const auto call = [](Waiting* w) {
    w->result = REAL(pthread_cond_clockwait)(condition_of(w), mutex_of(w), w->clock, w->until);
    w->timed_out = not_signalled(w->result);
  };
  return wait_for({call, enter(), condition, mutex, until, clock, 0, false, is_shared(condition)});
}

INTERCEPT_VERSION(int, pthread_cond_signal, CONDITION_VERSION, (pthread_cond_t * condition)) {
  Thread* t = enter();
  if (t != nullptr) sync(t, EventKind::Signal, condition);
  const int result = REAL(pthread_cond_signal)(condition);
  gave(t);
  return result;
}

INTERCEPT_VERSION(int, pthread_cond_broadcast, CONDITION_VERSION, (pthread_cond_t * condition)) {
  Thread* t = enter();
  if (t != nullptr) sync(t, EventKind::Broadcast, condition);
  const int result = REAL(pthread_cond_broadcast)(condition);
  gave(t);
  return result;
}
