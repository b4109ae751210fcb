// Atomic operations of programs that write no trace (mode.h). In an observed program, an operation
// runs while no other thread's hook runs, so that the order is exact. In a monitored program, it
// runs with the lock of the memory that it touches. In a replayed program, it runs when it is due.
#pragma once

#include "capture/runtime/monitoring/monitoring.h"
#include "capture/runtime/observing/hook.h"
#include "capture/runtime/replaying/replaying.h"

namespace sooth::runtime {

// The operation happens while this lives.
class UnrecordedAtomic {
public:
  UnrecordedAtomic(Thread* t, const void* address, std::size_t size, std::uint32_t site)
      : t_(is_observing() ? t : nullptr), hook_(t_), monitored_(is_monitoring() ? t : nullptr, address, size, true),
        address_(reinterpret_cast<std::uint64_t>(address)), size_(size), site_(site) {
    if (!is_replaying()) return;
    replayed_ = t;
    replayed_atomic_begins(t, address, size, site);
  }
  // The value it saw (null: none) and the value it wrote (null: none).
  void done(EventKind kind, const void* seen, const void* written);

private:
  Thread* t_; // null: not observed
  Thread* replayed_ = nullptr;
  Hook hook_;
  MonitoredOperation monitored_;
  std::uint64_t address_;
  std::size_t size_;
  std::uint32_t site_;
};

} // namespace sooth::runtime
