// Members of std::thread that live in libstdc++.so. That library is not instrumented, but these
// members write to objects of the program. Without these interceptors, every thread would show as a
// few external writes.
#include "capture/runtime/interceptors/real.h"

using namespace sooth::runtime;

// std::thread::_M_start_thread(std::unique_ptr<_State>, void (*)()): takes the state out of its
// second argument.
INTERCEPT(void, _ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE,
          (void* thread, void** state, void (*depend)())) {
  REAL(_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE)(thread, state, depend);
  if (Thread* t = enter()) write_range(t, state, sizeof *state);
}

// join and detach leave the object without a thread.
INTERCEPT(void, _ZNSt6thread4joinEv, (void** thread)) {
  REAL(_ZNSt6thread4joinEv)(thread);
  if (Thread* t = enter()) write_range(t, thread, sizeof *thread);
}
INTERCEPT(void, _ZNSt6thread6detachEv, (void** thread)) {
  REAL(_ZNSt6thread6detachEv)(thread);
  if (Thread* t = enter()) write_range(t, thread, sizeof *thread);
}

// std::__future_base::_State_baseV2::_Make_ready::_M_set(), behind set_value_at_thread_exit and the
// like. When the thread exits, the library makes the future ready and counts references with its
// own atomics. Sooth does not record these orders.
INTERCEPT(void, _ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv, (void* ready)) {
  if (enter() != nullptr) unsupported("std::promise at thread exit");
  REAL(_ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv)(ready);
}
