// The common part of POSIX and C11 mutexes, which condition variables need, too.
#pragma once

#include <pthread.h>

#include "capture/runtime/interceptors/real.h"

namespace sooth::runtime {

// LockType bits.
std::uint32_t mutex_type(const pthread_mutex_t* mutex);
// Whether it is shared with other processes.
inline bool is_shared(const pthread_mutex_t* mutex) { return (mutex_type(mutex) & trace::kLockProcessShared) != 0; }
// Known beforehand for the kinds that check their owner. A release that fails must not be recorded.
bool unlock_will_fail(const pthread_mutex_t* mutex);

// Call it after a request returned `result` (an errno number). `request` is kLockTry, kLockTimed or
// 0. Returns `result`.
int lock_returned(Thread* t, const pthread_mutex_t* mutex, int result, std::uint32_t request);
void before_unlock(Thread* t, const pthread_mutex_t* mutex);
void before_mutex_destroy(Thread* t, const pthread_mutex_t* mutex);

} // namespace sooth::runtime
