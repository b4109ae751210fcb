// Waiting on a condition variable, for POSIX and C11.
#pragma once

#include <pthread.h>

#include "capture/runtime/interceptors/mutex.h"

namespace sooth::runtime {

// One wait. `call` makes the real wait with this as its argument, and leaves the returned value in
// `result`.
struct Waiting {
  void (*call)(Waiting*);
  Thread* thread;
  void* condition;
  void* mutex;
  const timespec* until;
  clockid_t clock;
  int result;
  bool timed_out; // set by `call`: the mutex is held again, but no thread signalled
  bool process_shared = false;
  int (*returned)(int) = nullptr; // from a result of POSIX to that of the call; null: the same
};

// Records wait, calls, records wake. Also if the thread is cancelled inside: the mutex is held
// again then, before cleanup handlers run.
int wait_for(Waiting waiting);

} // namespace sooth::runtime
