// operator new and delete. Those of libstdc++ call malloc and free, and so are recorded there.
// Allocators that replace malloc (jemalloc, tcmalloc, mimalloc) bring their own, which do not call
// malloc. Those are recorded here.
//
// The names are mangled: m is std::size_t; St11align_val_t and RKSt9nothrow_t are the parameters
// for std::align_val_t and std::nothrow.
#include <dlfcn.h>
#include <malloc.h>

#include "capture/runtime/interceptors/operator_new.h"
#include "capture/runtime/interceptors/real.h"
#include "capture/runtime/os.h"

using namespace sooth::runtime;
using namespace sooth::trace;

namespace sooth::runtime {
__attribute__((tls_model("initial-exec"))) thread_local unsigned t_allocations;
__attribute__((tls_model("initial-exec"))) thread_local const void* t_ended;
} // namespace sooth::runtime

USE_REAL(void*, malloc, (std::size_t));
extern "C" void* (*sooth_real__Znwm)(std::size_t);

namespace {

enum class Whose { Unknown, Allocators, Others };

// If one library has both malloc and operator new, malloc_usable_size of the one accepts pointers
// of the other.
Whose find_out() {
  Dl_info allocator, other;
  if (dladdr(reinterpret_cast<void*>(REAL(malloc)), &allocator) == 0) return Whose::Others;
  if (dladdr(reinterpret_cast<void*>(REAL(_Znwm)), &other) == 0) return Whose::Others;
  return allocator.dli_fbase == other.dli_fbase ? Whose::Allocators : Whose::Others;
}

bool is_allocators() {
  static int whose = static_cast<int>(Whose::Unknown);
  int known = __atomic_load_n(&whose, __ATOMIC_RELAXED); // relaxed: all threads find the same answer
  if (known == static_cast<int>(Whose::Unknown)) {
    known = static_cast<int>(find_out());
    __atomic_store_n(&whose, known, __ATOMIC_RELAXED);
  }
  return known == static_cast<int>(Whose::Allocators);
}

void* created(void* p, unsigned before) {
  // No allocation was recorded during the call.
  if (p != nullptr && t_allocations == before && !is_early(p) && is_allocators())
    if (Thread* t = enter()) alloc_event(t, EventKind::Alloc, p, malloc_usable_size(p), false);
  return p;
}

// A program in C may load a library in C++; then none of the functions can be looked up.
void* without_library(std::size_t bytes) {
  void* p = __builtin_malloc(bytes == 0 ? 1 : bytes);
  if (p == nullptr) __builtin_trap(); // no library could throw
  return p;
}

template <typename Real, typename... More>
void* create(Real* real, std::size_t bytes, More... more) {
  if (real == nullptr) return without_library(bytes);
  const unsigned before = t_allocations;
  return created(real(bytes, more...), before);
}

template <typename Real, typename... More>
void destroy(Real* real, void* p, More... more) {
  if (p != nullptr && is_early(p)) return;
  if (real == nullptr) return __builtin_free(p);
  if (p == nullptr || p == t_ended || !is_allocators()) return real(p, more...);
  if (Thread* t = enter()) free_event(t, EventKind::Free, p, malloc_usable_size(p));
  t_ended = p;
  real(p, more...);
  t_ended = nullptr;
}

using Alignment = std::size_t;
using NoThrow = const void*;

} // namespace

#define CREATE(name, parameters, ...)                                                                                  \
  INTERCEPT(void*, name, parameters) { return create(REAL(name), __VA_ARGS__); }
#define DESTROY(name, parameters, ...)                                                                                 \
  INTERCEPT(void, name, parameters) { destroy(REAL(name), __VA_ARGS__); }

CREATE(_Znwm, (std::size_t n), n)
CREATE(_Znam, (std::size_t n), n)
CREATE(_ZnwmRKSt9nothrow_t, (std::size_t n, NoThrow t), n, t)
CREATE(_ZnamRKSt9nothrow_t, (std::size_t n, NoThrow t), n, t)
CREATE(_ZnwmSt11align_val_t, (std::size_t n, Alignment a), n, a)
CREATE(_ZnamSt11align_val_t, (std::size_t n, Alignment a), n, a)
CREATE(_ZnwmSt11align_val_tRKSt9nothrow_t, (std::size_t n, Alignment a, NoThrow t), n, a, t)
CREATE(_ZnamSt11align_val_tRKSt9nothrow_t, (std::size_t n, Alignment a, NoThrow t), n, a, t)

DESTROY(_ZdlPv, (void* p), p)
DESTROY(_ZdaPv, (void* p), p)
DESTROY(_ZdlPvm, (void* p, std::size_t n), p, n)
DESTROY(_ZdaPvm, (void* p, std::size_t n), p, n)
DESTROY(_ZdlPvRKSt9nothrow_t, (void* p, NoThrow t), p, t)
DESTROY(_ZdaPvRKSt9nothrow_t, (void* p, NoThrow t), p, t)
DESTROY(_ZdlPvSt11align_val_t, (void* p, Alignment a), p, a)
DESTROY(_ZdaPvSt11align_val_t, (void* p, Alignment a), p, a)
DESTROY(_ZdlPvmSt11align_val_t, (void* p, std::size_t n, Alignment a), p, n, a)
DESTROY(_ZdaPvmSt11align_val_t, (void* p, std::size_t n, Alignment a), p, n, a)
DESTROY(_ZdlPvSt11align_val_tRKSt9nothrow_t, (void* p, Alignment a, NoThrow t), p, a, t)
DESTROY(_ZdaPvSt11align_val_tRKSt9nothrow_t, (void* p, Alignment a, NoThrow t), p, a, t)
