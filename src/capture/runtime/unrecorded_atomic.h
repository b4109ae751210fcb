// Atomic operations of programs that write no trace (mode.h). In an observed program, an operation
// runs while no other thread's hook runs, so that the order is exact. In a monitored program, it
// runs with the lock of the memory that it touches.
#pragma once

#include "capture/runtime/monitoring/monitoring.h"
#include "capture/runtime/observing/hook.h"

namespace sooth::runtime {

// The operation happens while this lives.
class UnrecordedAtomic {
public:
  UnrecordedAtomic(Thread* t, const void* address, std::size_t size, std::uint32_t site)
      : observed_(is_observing() ? t : nullptr, address, size),
        monitored_(is_monitoring() ? t : nullptr, address, size, true), site_(site) {}
  // The value it saw (null: none) and the value it wrote (null: none).
  void done(EventKind kind, const void* seen, const void* written) {
    if (is_monitoring()) return monitored_.done(seen, written, site_);
    observed_.done(kind, seen, written, site_);
  }

private:
  observing::Operation observed_;
  monitoring::Operation monitored_;
  std::uint32_t site_;
};

} // namespace sooth::runtime
