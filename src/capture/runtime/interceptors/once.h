// Running an initialiser once, for pthread_once and C11's call_once.
#pragma once

#include "capture/runtime/interceptors/real.h"

namespace sooth::runtime {

// One call of pthread_once. The routine that libc runs takes no argument, so a thread-local holds
// the innermost call.
struct OnceCall {
  void* control;
  void (*routine)();
  OnceCall* outer;
  Thread* thread;
  int result;
  bool ran;
  Request* request; // another thread may be in it
};

// Calls `call`, which passes `run_current_once` to the real function in place of the routine.
int once(void* control, void (*routine)(), void (*call)(OnceCall*));
void run_current_once();

} // namespace sooth::runtime
