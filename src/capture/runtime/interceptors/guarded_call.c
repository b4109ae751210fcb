/* In C, not C++: C++ cleanups need a personality routine of libstdc++, which C programs do not have; those of C need one
 * of libgcc, which is always there. Compiled with -fexceptions. */
#include "capture/runtime/interceptors/guarded_call.h"

struct guard {
  void (*unwound)(void*);
  void* argument;
  int returned;
};

static void leave(struct guard* guard) {
  if (!guard->returned) guard->unwound(guard->argument);
}

void sooth_guarded_call(void (*function)(void*), void (*unwound)(void*), void* argument) {
  __attribute__((cleanup(leave))) struct guard guard = {unwound, argument, 0};
  function(argument);
  guard.returned = 1;
}
