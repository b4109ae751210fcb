// malloc and its relatives, and mappings.
//
// operator new and delete of libstdc++ call these, so each object is recorded once; for other
// allocators see operator_new.cc. An alloc and a free have the size that malloc really reserved,
// not the requested one. All of it may be reused after the free. Until then all of it belongs to
// the object: programs that ask malloc_usable_size write there, and realloc copies it. The bytes
// behind the requested ones may have been part of a larger object that was freed before.
#include <cerrno>
#include <cstdarg>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture/runtime/interceptors/operator_new.h"
#include "capture/runtime/interceptors/real.h"
#include "capture/runtime/os.h"

using namespace sooth::runtime;
using namespace sooth::trace;

namespace {

std::size_t smaller(std::size_t a, std::size_t b) { return a < b ? a : b; }

void* allocated(void* p) {
  if (p != nullptr) {
    ++t_allocations;
    if (Thread* t = enter()) alloc_event(t, EventKind::Alloc, p, malloc_usable_size(p), false);
  }
  return p;
}

// The event says that all bytes are zero. calloc promises it for the requested ones only; nobody
// has seen the others yet.
void* allocated_zeroed(void* p, std::size_t requested) {
  if (p != nullptr) {
    ++t_allocations;
    if (Thread* t = enter()) {
      const std::size_t bytes = malloc_usable_size(p);
      for (std::size_t i = requested; i < bytes; ++i) static_cast<volatile char*>(p)[i] = 0;
      alloc_event(t, EventKind::Alloc, p, bytes, true);
    }
  }
  return p;
}

std::size_t page_size() { return 4096; } // of x86-64

} // namespace

INTERCEPT(void*, malloc, (std::size_t bytes)) {
  auto* real = REAL(malloc);
  return SOOTH_LIKELY(real != nullptr) ? allocated(real(bytes)) : early_allocate(bytes);
}

INTERCEPT(void*, calloc, (std::size_t count, std::size_t bytes)) {
  auto* real = REAL(calloc);
  if (SOOTH_LIKELY(real != nullptr)) return allocated_zeroed(real(count, bytes), count * bytes);
  std::size_t total = 0;
  return __builtin_mul_overflow(count, bytes, &total) ? nullptr : early_allocate(total); // static memory is zero
}

INTERCEPT(void, free, (void* p)) {
  if (p == nullptr || is_early(p)) return;
  if (Thread* t = p != t_ended ? enter() : nullptr) free_event(t, EventKind::Free, p, malloc_usable_size(p));
  REAL(free)(p);
}

INTERCEPT(void*, realloc, (void* p, std::size_t bytes)) {
  auto* real = REAL(realloc);
  if (p != nullptr && is_early(p)) { // the lookup's own memory cannot be resized: move it
    const std::size_t had = *reinterpret_cast<std::size_t*>(static_cast<char*>(p) - 16);
    void* moved = sooth_malloc(bytes);
    for (std::size_t i = 0; moved != nullptr && i < smaller(had, bytes); ++i)
      static_cast<volatile char*>(moved)[i] = static_cast<char*>(p)[i];
    return moved;
  }
  if (real == nullptr) return early_allocate(bytes);
  if (p == nullptr) return allocated(real(p, bytes));
  Thread* t = enter();
  if (t == nullptr) return real(p, bytes);

  // The old object ends before the call, because another thread may get its memory during it.
  const std::size_t had = malloc_usable_size(p);
  read_range(t, p, smaller(had, bytes));
  free_event(t, EventKind::Free, p, had);
  void* result = real(p, bytes);
  if (result != nullptr) {
    alloc_event(t, EventKind::Alloc, result, malloc_usable_size(result), false);
    write_range(t, result, smaller(had, bytes));
  } else if (bytes != 0) { // no memory: the old object is still there
    alloc_event(t, EventKind::Alloc, p, had, false);
    write_range(t, p, had);
  }
  return result;
}

INTERCEPT(void*, reallocarray, (void* p, std::size_t count, std::size_t bytes)) {
  std::size_t total = 0;
  if (__builtin_mul_overflow(count, bytes, &total)) {
    errno = ENOMEM;
    return nullptr;
  }
  return sooth_realloc(p, total); // libc's own calls realloc past us
}

INTERCEPT(int, posix_memalign, (void** p, std::size_t alignment, std::size_t bytes)) {
  const int result = REAL(posix_memalign)(p, alignment, bytes);
  Thread* t = enter();
  if (t == nullptr || result != 0) return result;
  ++t_allocations;
  if (*p != nullptr) alloc_event(t, EventKind::Alloc, *p, malloc_usable_size(*p), false);
  write_range(t, p, sizeof *p);
  return result;
}

INTERCEPT(void*, aligned_alloc, (std::size_t alignment, std::size_t bytes)) {
  return allocated(REAL(aligned_alloc)(alignment, bytes));
}
INTERCEPT(void*, memalign, (std::size_t alignment, std::size_t bytes)) {
  return allocated(REAL(memalign)(alignment, bytes));
}
INTERCEPT(void*, valloc, (std::size_t bytes)) { return allocated(REAL(valloc)(bytes)); }
INTERCEPT(void*, pvalloc, (std::size_t bytes)) { return allocated(REAL(pvalloc)(bytes)); }

// --- mappings ------------------------------------------------------------------------------------

static void* mapped(void* p, std::size_t bytes, int flags) {
  if (p == MAP_FAILED) return p;
  if (Thread* t = enter()) alloc_event(t, EventKind::Map, p, bytes, (flags & MAP_ANONYMOUS) != 0);
  return p;
}

INTERCEPT(void*, mmap, (void* where, std::size_t bytes, int protection, int flags, int file, off_t offset)) {
  return mapped(REAL(mmap)(where, bytes, protection, flags, file, offset), bytes, flags);
}
INTERCEPT(void*, mmap64, (void* where, std::size_t bytes, int protection, int flags, int file, off64_t offset)) {
  return mapped(REAL(mmap64)(where, bytes, protection, flags, file, offset), bytes, flags);
}

INTERCEPT(int, munmap, (void* p, std::size_t bytes)) {
  // The kernel refuses only empty and unaligned ranges. A refused call does not end an object.
  const bool valid = bytes != 0 && reinterpret_cast<std::uintptr_t>(p) % page_size() == 0;
  if (Thread* t = enter(); t != nullptr && valid) free_event(t, EventKind::Unmap, p, bytes);
  return REAL(munmap)(p, bytes);
}

INTERCEPT(void*, mremap, (void* p, std::size_t old_bytes, std::size_t bytes, int flags, ...)) {
  void* where = nullptr; // passed with MREMAP_FIXED only
  if (flags & MREMAP_FIXED) {
    va_list list;
    va_start(list, flags);
    where = va_arg(list, void*);
    va_end(list);
  }
  Thread* t = enter();
  if (t == nullptr) return REAL(mremap)(p, old_bytes, bytes, flags, where);
  free_event(t, EventKind::Unmap, p, old_bytes);
  void* result = REAL(mremap)(p, old_bytes, bytes, flags, where);
  // The contents are not recorded: they need not be readable. The first read of a byte shows its
  // value.
  if (result == MAP_FAILED) alloc_event(t, EventKind::Map, p, old_bytes, false); // still where it was
  else alloc_event(t, EventKind::Map, result, bytes, false);
  return result;
}
