// The functions behind <sooth/monitor.h>.
#include "capture/runtime/interceptors/real.h"
#include "capture/runtime/monitoring/recovery.h"
#include "capture/runtime/monitoring/state.h"
#include "capture/runtime/os.h"

namespace sooth::runtime::monitoring {
namespace {

struct Recovery {
  char name[64];
  sooth_recovery function;
  void* context;
};
constexpr std::uint32_t kMost = 64;
Recovery g_recoveries[kMost];
std::uint32_t g_count;
os::SpinLock g_lock;

bool same(const char* a, const char* b) {
  while (*a != 0 && *a == *b) ++a, ++b;
  return *a == *b;
}

// A copy: the function may be registered anew while it is being called.
Recovery find(const char* name) {
  os::Guard guard(g_lock);
  for (std::uint32_t i = 0; i < g_count; ++i)
    if (same(g_recoveries[i].name, name)) return g_recoveries[i];
  return {};
}

bool add(const char* name, sooth_recovery function, void* context) {
  if (os::length(name) >= sizeof Recovery{}.name) return false;
  os::Guard guard(g_lock);
  std::uint32_t i = 0;
  while (i < g_count && !same(g_recoveries[i].name, name)) ++i;
  if (i == kMost) return false;
  os::copy(g_recoveries[i].name, name, os::length(name) + 1);
  g_recoveries[i].function = function;
  g_recoveries[i].context = context;
  if (i == g_count) ++g_count;
  return true;
}

} // namespace

bool has_recovery(const char* name) { return find(name).function != nullptr; }

void call_recovery(const char* name, const sooth_violation& violation) {
  const Recovery recovery = find(name);
  if (recovery.function != nullptr) recovery.function(&violation, recovery.context);
}

} // namespace sooth::runtime::monitoring

using namespace sooth::runtime;

extern "C" {

SOOTH_EXPORT void __sooth_internal(const char* name, long long value) {
  if (is_monitoring()) return monitoring::internal_event(name, value);
  if (Thread* t = enter()) sync(t, EventKind::User, pointer(intern(name)), static_cast<std::uint64_t>(value));
}

SOOTH_EXPORT int __sooth_on_violation(const char* name, sooth_recovery function, void* context) {
  return monitoring::add(name, function, context) ? 1 : 0;
}

SOOTH_EXPORT int __sooth_known(const char* expression, unsigned thread, long long* value) {
  if (!is_monitoring()) return 0;
  Thread* t = enter();
  if (t == nullptr) return 0;
  monitoring::InHook hook;
  const monitoring::ThreadState* self = monitoring::state_of(t);
  sooth::knowledge::Known known;
  if (self == nullptr || !sooth::knowledge::query(monitoring::g_setup, *self->core, expression, thread, known))
    return 0;
  const bool remote = *monitoring::g_setup.compiled.string(known.part->about) != 0;
  if (remote && known.thread == sooth::knowledge::kNoVariable) return 0; // unknown so far
  *value = known.part->layout.kind == sooth::knowledge::ScalarKind::Float
               ? static_cast<long long>(sooth::knowledge::real_of(known.value))
               : static_cast<long long>(known.value);
  return 1;
}

SOOTH_EXPORT int __sooth_monitored_run(void) { return is_monitoring() ? 1 : 0; }

} // extern "C"
