// The hooks of larger accesses and of branches. cells.cc has those of single accesses.
#include "capture/abi.h"
#include "capture/runtime/recording/cells.h"
#include "capture/runtime/recording/ownership.h"
#include "capture/runtime/recording/ranges.h"

using namespace sooth::runtime;

extern "C" void sooth_branch(std::uint32_t site, std::uint64_t way) {
  Thread* t = enter_quickly();
  if (t == nullptr) return;
  if (g_for_facts && !frames_changed() && t->cursor > t->begin) { // a loop that waits or counts: the same branch again
    const sooth::trace::RawEvent& newest = t->cursor[-1];
    if (newest.kind == static_cast<std::uint8_t>(EventKind::Branch) && newest.site == site && newest.value == way)
      return;
  }
  if (is_recording() && in_detail(t)) append(t, EventKind::Branch, 0, way, site, 0, 0);
}

#define SOOTH_PUBLIC extern "C" __attribute__((visibility("default")))

SOOTH_PUBLIC void __sooth_read_range(const void* address, const void* bytes, std::uint64_t size, std::uint32_t site) {
  if (Thread* t = enter_quickly()) range_access(t, EventKind::Read, address, bytes, size, site);
}
SOOTH_PUBLIC void __sooth_write_range(const void* address, const void* bytes, std::uint64_t size, std::uint32_t site) {
  begin_storing();
  if (Thread* t = enter_quickly()) range_access(t, EventKind::Write, address, bytes, size, site);
}
SOOTH_PUBLIC void __sooth_copy(const void* to, const void* from, std::uint64_t size, std::uint32_t site) {
  begin_storing();
  if (Thread* t = enter_quickly()) copy_access(t, to, from, size, site);
}
SOOTH_PUBLIC void __sooth_fill(const void* to, std::uint32_t byte, std::uint64_t size, std::uint32_t site) {
  begin_storing();
  if (Thread* t = enter_quickly()) range_fill(t, to, static_cast<std::uint8_t>(byte), size, site);
}
SOOTH_PUBLIC void __sooth_called() {
  Thread* t = enter_quickly();
  if (t == nullptr || !frames_changed()) return;
  Appending appending(t);
  write_frames(t, true);
}
SOOTH_PUBLIC void __sooth_loop(const void* address, std::uint64_t size, std::uint32_t element, std::uint32_t site,
                               std::uint32_t what) {
  // The whole block of ranges: from the first one on, until the loop is over and its writes are
  // recorded.
  if (!(what & kLoopWrite) || (what & kLoopGlued)) begin_storing();
  if (Thread* t = enter_quickly()) loop_access(t, address, size, element, site, what);
  if ((what & kLoopWrite) && !(what & kLoopGlued)) end_storing();
}
