// pthread_once, and the guards of local statics (__cxa_guard_*).
#include "capture/runtime/interceptors/once.h"

#include <pthread.h>

#include "capture/runtime/interceptors/guarded_call.h"

namespace sooth::runtime {
namespace {

__attribute__((tls_model("initial-exec"))) thread_local OnceCall* t_current;

} // namespace

void run_current_once() {
  OnceCall* call = t_current;
  call->ran = true;
  call->request->over();
  sync(call->thread, EventKind::OnceBegin, call->control);
  sooth_guarded_call([](void* p) { static_cast<OnceCall*>(p)->routine(); },
                     [](void* p) {
                       auto* left = static_cast<OnceCall*>(p);
                       sync(left->thread, EventKind::OnceEnd, left->control, 0, trace::kFailed);
                       t_current = left->outer;
                     },
                     call);
  t_current = call; // nested calls restore it, but not one that longjmp left
  sync(call->thread, EventKind::OnceEnd, call->control);
}

int once(void* control, void (*routine)(), void (*call)(OnceCall*)) {
  OnceCall current = {control, routine, t_current, enter(), 0, false, nullptr};
  if (current.thread == nullptr) {
    call(&current);
    return current.result;
  }
  // glibc's word: bit 1 is set once the routine is done.
  const bool done = (__atomic_load_n(static_cast<int*>(control), __ATOMIC_ACQUIRE) & 2) != 0;
  Request request(done ? nullptr : current.thread, EventKind::OnceWait, control);
  current.request = &request;
  t_current = &current;
  call(&current);
  t_current = current.outer;
  if (!current.ran && current.result == 0) sync(current.thread, EventKind::OnceWait, control);
  return current.result;
}

} // namespace sooth::runtime

using namespace sooth::runtime;
using namespace sooth::trace;

INTERCEPT(int, pthread_once, (pthread_once_t * control, void (*routine)())) {
  return once(control, routine, [](OnceCall* call) {
    call->result = REAL(pthread_once)(static_cast<pthread_once_t*>(call->control),
                                      call->thread != nullptr ? run_current_once : call->routine);
  });
}

// Guards: 1 means that this thread has to run the initialiser. atomic_store_byte stores the
// done-byte, because compiled code checks it before it calls. The real release stores it again and
// wakes the waiting threads.
INTERCEPT(int, __cxa_guard_acquire, (std::uint64_t* guard)) {
  Thread* t = enter();
  const Request request(t, EventKind::OnceWait, guard);
  const int result = REAL(__cxa_guard_acquire)(guard);
  if (t != nullptr) sync(t, result != 0 ? EventKind::OnceBegin : EventKind::OnceWait, guard);
  return result;
}

INTERCEPT(void, __cxa_guard_release, (std::uint64_t* guard)) {
  if (Thread* t = enter()) {
    sync(t, EventKind::OnceEnd, guard);
    atomic_store_byte(t, guard, 1);
  }
  REAL(__cxa_guard_release)(guard);
}

INTERCEPT(void, __cxa_guard_abort, (std::uint64_t* guard)) {
  if (Thread* t = enter()) sync(t, EventKind::OnceEnd, guard, 0, kFailed);
  REAL(__cxa_guard_abort)(guard);
}
