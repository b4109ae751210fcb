#include "capture/runtime/recording/clock.h"

namespace sooth::runtime {

bool g_exact;
Clock g_time;
Clock g_object_clocks[kObjectClocks];

std::uint64_t touch_range(Thread* t, std::uint64_t address, std::uint64_t size) {
  // Regions of 64 KiB. Allocators keep shared and unshared memory of threads apart, so regions are
  // rarely contended.
  const std::uint64_t first = address >> 16;
  std::uint64_t regions = ((address + (size != 0 ? size - 1 : 0)) >> 16) - first + 1;
  const bool all = regions > kObjectClocks;
  if (all) regions = kObjectClocks;
  const auto clock = [&](std::uint64_t i) -> Clock& { return all ? g_object_clocks[i] : clock_of((first + i) << 4); };
  for (std::uint64_t i = 0; i < regions; ++i)
    if (const std::uint64_t seen = look(clock(i)); seen > t->clock) t->clock = seen;
  const std::uint64_t now = tick(t);
  for (std::uint64_t i = 0; i < regions; ++i) raise(clock(i), now);
  return now;
}

} // namespace sooth::runtime
