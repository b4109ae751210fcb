// How to intercept a libc function, and how to reach the real one.
//
//   INTERCEPT(int, pthread_spin_lock, (pthread_spinlock_t * lock)) {
//     ... REAL(pthread_spin_lock)(lock) ...
//   }
//
// This defines `pthread_spin_lock` for the whole process, because this library stands before libc
// in lookup order. It also adds a row to the table of real functions, which resolve_all() fills.
// The C++ name is another one (sooth_...); an assembler label ties it to the symbol. So neither the
// overloads nor the attributes of libc's headers apply to our definitions. The attributes matter:
// `nonnull` would let the compiler drop checks that we need.
#pragma once

#include <cstddef>
#include <cstdint>

#include "capture/runtime/record.h"

namespace sooth::runtime {

// A row of the table: the linker collects all rows of the section `sooth_real`.
struct RealRow {
  const char* name;
  const char* version; // the symbol's version, or null for the default
  void** slot;         // where the address goes; stays null if no library has the function
};

// Fills every slot. Idempotent. Called at start, and by the first interceptor that runs before
// that.
void resolve_all();

// Memory for allocations that come while the real malloc is being looked up. Never freed.
void* early_allocate(std::size_t bytes);
bool is_early(const void* p);

// The calling thread's id in the kernel, as libc stores it in mutexes. Cached; the child of a fork
// forgets it.
int thread_id();
void forget_thread_id();

template <typename Function>
inline Function* resolved(Function* const& slot) {
  if (__builtin_expect(slot == nullptr, 0)) resolve_all();
  return slot;
}

inline void* pointer(unsigned long v) { return reinterpret_cast<void*>(v); } // NOLINT: numbers in an event's address

} // namespace sooth::runtime

#define SOOTH_EXPORT __attribute__((visibility("default")))
#define SOOTH_LIKELY(x) __builtin_expect(!!(x), 1)

#define REAL(name) (::sooth::runtime::resolved(::sooth_real_##name))

#define INTERCEPT_VERSION(result, name, version, parameters)                                                           \
  extern "C" {                                                                                                         \
  extern result(*sooth_real_##name) parameters;                                                                        \
  result(*sooth_real_##name) parameters = nullptr;                                                                     \
  extern const ::sooth::runtime::RealRow sooth_row_##name;                                                             \
  __attribute__((section("sooth_real"), used))                                                                         \
  const ::sooth::runtime::RealRow sooth_row_##name = {#name, version, reinterpret_cast<void**>(&sooth_real_##name)};   \
  SOOTH_EXPORT result sooth_##name parameters __asm__(#name);                                                          \
  }                                                                                                                    \
  result sooth_##name parameters

#define INTERCEPT(result, name, parameters) INTERCEPT_VERSION(result, name, nullptr, parameters)

// A real function that another file intercepts.
#define USE_REAL(result, name, parameters) extern "C" result(*sooth_real_##name) parameters
