// The slow halves of the inlined hooks, and the hooks of larger accesses.
#include "capture/abi.h"
#include "capture/runtime/cells.h"
#include "capture/runtime/ranges.h"

using namespace sooth::runtime;

#define SOOTH_ACCESS(size)                                                                                             \
  extern "C" void sooth_read##size(std::uint64_t address, std::uint64_t value, std::uint32_t site) {                   \
    if (Thread* t = enter_quickly()) read_access(t, address, value, size, site);                                       \
  }                                                                                                                    \
  extern "C" void sooth_write##size(std::uint64_t address, std::uint64_t value, std::uint32_t site) {                  \
    if (Thread* t = enter_quickly()) write_access(t, address, value, size, site);                                      \
  }
SOOTH_ACCESS(1)
SOOTH_ACCESS(2)
SOOTH_ACCESS(4)
SOOTH_ACCESS(8)

extern "C" void sooth_branch(std::uint32_t site, std::uint64_t way) {
  Thread* t = enter_quickly();
  if (t == nullptr) return;
  SoothThreadAbi& abi = __sooth_thread.abi;
  abi.detail -= abi.detail != 0 && abi.detail != ~std::uint64_t{0};
  append(t, EventKind::Branch, 0, way, site, 0, 0);
}

#define SOOTH_PUBLIC extern "C" __attribute__((visibility("default")))

SOOTH_PUBLIC void __sooth_read_range(const void* address, const void* bytes, std::uint64_t size, std::uint32_t site) {
  if (Thread* t = enter_quickly()) range_access(t, EventKind::Read, address, bytes, size, site);
}
SOOTH_PUBLIC void __sooth_write_range(const void* address, const void* bytes, std::uint64_t size, std::uint32_t site) {
  if (Thread* t = enter_quickly()) range_access(t, EventKind::Write, address, bytes, size, site);
}
SOOTH_PUBLIC void __sooth_copy(const void* to, const void* from, std::uint64_t size, std::uint32_t site) {
  if (Thread* t = enter_quickly()) {
    range_access(t, EventKind::Read, from, from, size, site);
    range_access(t, EventKind::Write, to, from, size, site);
  }
}
SOOTH_PUBLIC void __sooth_fill(const void* to, std::uint32_t byte, std::uint64_t size, std::uint32_t site) {
  if (Thread* t = enter_quickly()) range_fill(t, to, static_cast<std::uint8_t>(byte), size, site);
}
SOOTH_PUBLIC void __sooth_loop(const void* address, std::uint64_t size, std::uint32_t element, std::uint32_t site,
                               std::uint32_t what) {
  if (Thread* t = enter_quickly()) loop_access(t, address, size, element, site, what);
}
