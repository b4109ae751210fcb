// Accesses that a program of `sooth c++ --monitor` leaves to the runtime. They are made under the
// lock of the variable they touch, so that knowledge travels in their real order. hook_entry.S has
// the entries.
#include "capture/runtime/monitoring/quick.h"

namespace sooth::runtime::monitoring {
namespace {

template <typename T>
T load(std::uint64_t address) {
  T value;
  __builtin_memcpy(&value, reinterpret_cast<const void*>(address), sizeof value);
  return value;
}
template <typename T>
void store(std::uint64_t address, T value) {
  __builtin_memcpy(reinterpret_cast<void*>(address), &value, sizeof value);
}

// False if no formula names the bytes, or the thread is not followed: then only the access is made.
bool is_followed(std::uint64_t address, std::size_t size, Thread*& t) {
  if (!is_monitoring() || !may_hold_variables(address, size)) return false;
  t = enter_quickly();
  return t != nullptr;
}

template <typename T>
std::uint64_t load_held(std::uint64_t address, std::uint32_t site) {
  Thread* t = nullptr;
  if (!is_followed(address, sizeof(T), t)) return load<T>(address);
  if (CarriedAccess quick(t, address, sizeof(T), knowledge::Access::Read); quick.held()) return load<T>(address);
  Operation access(t, reinterpret_cast<const void*>(address), sizeof(T), false);
  const T value = load<T>(address);
  access.done(&value, nullptr, site);
  return value;
}

template <typename T>
void store_held(std::uint64_t address, std::uint64_t bits, std::uint32_t site) {
  const auto value = static_cast<T>(bits);
  Thread* t = nullptr;
  if (!is_followed(address, sizeof(T), t)) return store(address, value);
  if (CarriedAccess quick(t, address, sizeof(T), knowledge::Access::Write); quick.held()) return store(address, value);
  Operation access(t, reinterpret_cast<const void*>(address), sizeof(T), false);
  store(address, value);
  access.done(nullptr, &value, site);
}

} // namespace
} // namespace sooth::runtime::monitoring

using namespace sooth::runtime;
using namespace sooth::runtime::monitoring;

#define SOOTH_PUBLIC extern "C" __attribute__((visibility("default")))

#define SOOTH_MONITORED(N, T)                                                                                          \
  extern "C" std::uint64_t sooth_monitored_read##N(std::uint64_t address, std::uint32_t site) {                        \
    return load_held<T>(address, site);                                                                                \
  }                                                                                                                    \
  extern "C" void sooth_monitored_write##N(std::uint64_t address, std::uint64_t value, std::uint32_t site) {           \
    store_held<T>(address, value, site);                                                                               \
  }
SOOTH_MONITORED(1, std::uint8_t)
SOOTH_MONITORED(2, std::uint16_t)
SOOTH_MONITORED(4, std::uint32_t)
SOOTH_MONITORED(8, std::uint64_t)

SOOTH_PUBLIC void __sooth_entered(std::uint32_t site) {
  Thread* t = enter_quickly();
  if (t == nullptr || !is_monitoring()) return;
  InHook hook;
  if (ThreadState* self = state_of(t); self != nullptr && !self->has_function) starts_in(*self, site);
}
