// The addresses of the real functions, and the memory needed until they are known.
#include "capture/runtime/interceptors/real.h"

#include <dlfcn.h>
#include <sys/syscall.h>

#include "capture/runtime/os.h"

// The bounds of the section, which the linker defines. Hidden: a copy of the section in another
// object is not ours.
extern "C" __attribute__((visibility("hidden"))) const sooth::runtime::RealRow __start_sooth_real[];
extern "C" __attribute__((visibility("hidden"))) const sooth::runtime::RealRow __stop_sooth_real[];

namespace sooth::runtime {
namespace {

// When dlsym fails, it allocates the error message: a few hundred bytes for each missing function.
alignas(16) char g_early[256 * 1024];
std::size_t g_early_used;

// While this thread resolves, its allocations come from g_early. Initial-exec: lazily allocated
// thread storage would call malloc.
__attribute__((tls_model("initial-exec"))) thread_local bool t_resolving;
__attribute__((tls_model("initial-exec"))) thread_local int t_thread_id;

} // namespace

void resolve_all() {
  if (t_resolving) return;
  t_resolving = true;
  bool missing = false;
  for (const RealRow* row = __start_sooth_real; row != __stop_sooth_real; ++row) {
    if (__atomic_load_n(row->slot, __ATOMIC_ACQUIRE) != nullptr) continue;
    void* address = row->version != nullptr ? dlvsym(RTLD_NEXT, row->name, row->version) : nullptr;
    if (address == nullptr) address = dlsym(RTLD_NEXT, row->name);
    missing |= address == nullptr;
    // Two threads may get here at once; both write the same.
    __atomic_store_n(row->slot, address, __ATOMIC_RELEASE);
  }
  if (missing) dlerror(); // a C program has no __cxa_guard_acquire; our failure must not show in its dlerror()
  t_resolving = false;
}

void* early_allocate(std::size_t bytes) {
  // Room for the size in front, which realloc needs.
  const std::size_t needed = (bytes + 16 + 15) / 16 * 16;
  if (bytes > sizeof g_early) return nullptr;
  const std::size_t at =
      __atomic_fetch_add(&g_early_used, needed, __ATOMIC_RELAXED); // relaxed: only distinctness matters
  if (at + needed > sizeof g_early) return nullptr;
  char* p = g_early + at + 16;
  *reinterpret_cast<std::size_t*>(p - 16) = bytes;
  return p;
}

bool is_early(const void* p) {
  const auto address = reinterpret_cast<std::uintptr_t>(p);
  const auto begin = reinterpret_cast<std::uintptr_t>(g_early);
  return address - begin < sizeof g_early;
}

int thread_id() {
  if (t_thread_id == 0) t_thread_id = static_cast<int>(os::call(SYS_gettid));
  return t_thread_id;
}
void forget_thread_id() { t_thread_id = 0; }

} // namespace sooth::runtime
