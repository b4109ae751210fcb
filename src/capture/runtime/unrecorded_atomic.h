// Atomic operations of programs that write no trace (mode.h). In an observed and in a monitored
// program, an operation runs with the lock of the memory that it touches, so that the order is
// exact. In a replayed program, it runs when it is due.
#pragma once

#include "capture/runtime/monitoring/monitoring.h"
#include "capture/runtime/observing/operation.h"
#include "capture/runtime/replaying/replaying.h"

namespace sooth::runtime {

// The operation happens while this lives.
class UnrecordedAtomic {
public:
  UnrecordedAtomic(Thread* t, const void* address, std::size_t size, std::uint32_t site)
      : observed_(is_observing() ? t : nullptr, address, size),
        monitored_(is_monitoring() ? t : nullptr, address, size, true), site_(site) {
    if (!is_replaying()) return;
    replayed_ = t;
    address_ = address;
    size_ = size;
    replayed_atomic_begins(t, address, size, site);
  }
  // The value it saw (null: none) and the value it wrote (null: none).
  // Not inlined: recording keeps its small frames.
  __attribute__((noinline)) void done(EventKind kind, const void* seen, const void* written) {
    if (is_monitoring()) return monitored_.done(seen, written, site_);
    if (replayed_ != nullptr) return replayed_atomic(replayed_, kind, address_, seen, written, size_, site_);
    observed_.done(kind, seen, written, site_);
  }

private:
  observing::Operation observed_;
  monitoring::Operation monitored_;
  Thread* replayed_ = nullptr; // null: not replayed
  const void* address_ = nullptr;
  std::size_t size_ = 0;
  std::uint32_t site_;
};

} // namespace sooth::runtime
