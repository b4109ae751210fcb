// Functions for the end of the process: atexit, and the destructors of static objects.
//
// libc keeps the list under a lock. The thread that runs such a function comes after the thread
// that registered it, and so after the constructor of the object that it destroys. A thread that
// was alone when it registered a function needs no event for that: all others came after it.
#include "capture/runtime/interceptors/real.h"

#include "capture/runtime/recording/cells.h"

USE_REAL(void*, malloc, (std::size_t));
USE_REAL(void, free, (void*));

using namespace sooth::runtime;

namespace {

struct ExitFunction {
  void (*function)(void*);
  void* argument;
};

void run(void* p) {
  const ExitFunction registered = *static_cast<ExitFunction*>(p);
  if (Thread* t = enter()) sync(t, EventKind::HbAcquire, p);
  REAL(free)(p);
  registered.function(registered.argument);
}

} // namespace

INTERCEPT(int, __cxa_atexit, (void (*function)(void*), void* argument, void* library)) {
  Thread* t = enter();
  const bool alone = __atomic_load_n(&g_alone, __ATOMIC_RELAXED);
  auto* registered = t != nullptr && !alone ? static_cast<ExitFunction*>(REAL(malloc)(sizeof(ExitFunction))) : nullptr;
  if (registered == nullptr) return REAL(__cxa_atexit)(function, argument, library);
  *registered = {function, argument};
  sync(t, EventKind::HbRelease, registered);
  const int result = REAL(__cxa_atexit)(run, registered, library);
  if (result != 0) REAL(free)(registered);
  return result;
}
