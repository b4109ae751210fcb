// A call that notices when unwinding leaves it: an exception, pthread_exit, cancellation.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

// Calls function(argument). If control leaves it other than by return, calls unwound(argument) on
// the way out; then the unwinding goes on.
__attribute__((visibility("hidden"))) void sooth_guarded_call(void (*function)(void*), void (*unwound)(void*),
                                                              void* argument);

#ifdef __cplusplus
}
#endif
