// Waiting on a condition variable, for POSIX and C11.
#pragma once

#include <pthread.h>

#include "capture/runtime/interceptors/mutex.h"

namespace sooth::runtime {

// One wait. `call` does the real one with this as its argument, and leaves what it returned in `result`.
struct Waiting {
  void (*call)(Waiting*);
  Thread* thread;
  void* condition;
  void* mutex;
  const timespec* until;
  clockid_t clock;
  int result;
  bool timed_out; // set by `call`: the mutex is held again, but nobody signalled
  bool process_shared = false;
};

// Records wait, calls, records wake; also when the thread is cancelled inside (the mutex is held again then, before
// cleanup handlers run).
int wait_for(Waiting waiting);

} // namespace sooth::runtime
