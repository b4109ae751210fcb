// Atomic operations of an observed program, done while nobody else's hook runs, so that their order is exact; or of a
// monitored one (monitored.h).
#pragma once

#include "capture/runtime/monitored.h"
#include "capture/runtime/online_hook.h"

namespace sooth::runtime {

// The operation happens while this lives.
class OnlineAtomic {
public:
  OnlineAtomic(Thread* t, const void* address, std::size_t size, std::uint32_t site)
      : t_(is_online() && !is_monitored() ? t : nullptr), hook_(t_),
        monitored_(is_monitored() ? t : nullptr, address, size, true),
        address_(reinterpret_cast<std::uint64_t>(address)), size_(size), site_(site) {}
  // What it saw (null: nothing) and what it wrote (null: nothing).
  void done(EventKind kind, const void* seen, const void* written);

private:
  Thread* t_; // null: not online
  Hook hook_;
  MonitoredOperation monitored_;
  std::uint64_t address_;
  std::size_t size_;
  std::uint32_t site_;
};

} // namespace sooth::runtime
