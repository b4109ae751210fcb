// A call that notices when it is left by unwinding: an exception, pthread_exit, cancellation.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

// Calls function(argument). If control leaves it otherwise than by return, calls unwound(argument) on the way out, and
// the unwinding goes on.
__attribute__((visibility("hidden"))) void sooth_guarded_call(void (*function)(void*), void (*unwound)(void*),
                                                              void* argument);

#ifdef __cplusplus
}
#endif
