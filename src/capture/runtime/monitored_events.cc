// From the runtime's hooks to the events of knowledge/monitoring.h: which carrier, read or written, with what value.
//
// Hooks of plain accesses in an ordinary build run beside the access (before a store, after a load), so the order of two
// accesses that race is that of their hooks. Code that was built with --monitor makes the access here, under the
// variable's lock, and atomic operations are made here always: their order is the real one.
#include "capture/runtime/modules.h"
#include "capture/runtime/monitored_state.h"
#include "capture/runtime/online.h"
#include "capture/runtime/os.h"

namespace sooth::runtime {

bool g_monitored;

namespace {

using knowledge::kNoVariable;

std::uint32_t site_of_call() { return __sooth_thread.abi.call_site; }

// Begins a hook. Null: nothing is to be done.
MonitoredThread* begin(Thread* t, std::uint32_t site) {
  MonitoredThread* self = monitored_self(t);
  if (self == nullptr) return nullptr;
  if (__builtin_expect(__atomic_load_n(&self->named_by, __ATOMIC_RELAXED) != 0, 0)) take_given_name(*self, site);
  // Which function the thread started in: the first activation of its shadow call stack.
  if (__builtin_expect(!self->has_function && __sooth_thread.abi.stack_top != t->stack, 0))
    take_start_function(t, *self);
  return self;
}

enum class Access : std::uint8_t { Read, Write, Update };

knowledge::Outcome apply(MonitoredThread& self, Access access, knowledge::Carrier& carrier, std::uint32_t variable,
                         std::uint64_t value, bool atomic) {
  switch (access) {
  case Access::Read: return knowledge::read(g_setup, *self.core, carrier, variable, value, atomic);
  case Access::Write: return knowledge::write(g_setup, *self.core, carrier, variable, value, atomic);
  default: return knowledge::update(g_setup, *self.core, carrier, variable, value, atomic);
  }
}

void at_carrier(MonitoredThread& self, Access access, std::uint64_t key, std::uint32_t site) {
  CarrierLock* lock = nullptr;
  knowledge::Carrier* carrier = hold_carrier(key, lock);
  if (carrier == nullptr) return;
  const knowledge::Outcome outcome = apply(self, access, *carrier, kNoVariable, 0, true);
  lock->unlock();
  judged(self, outcome, site);
}

void at_primitive(MonitoredThread& self, Access access, std::uint64_t address, std::uint32_t site) {
  at_carrier(self, access, primitive_key(address), site);
}

// The bytes of a variable of which an access saw or wrote a part: the rest is as it is in memory.
std::uint64_t value_with(const MonitoredVariable& v, std::uint64_t place, std::uint64_t address,
                         const std::uint8_t* bytes, std::uint64_t size) {
  std::uint64_t value = 0;
  if (place == address && v.size == size) { // all of it, as most accesses have it
    switch (size) {
    case 1: return *bytes;
    case 2: __builtin_memcpy(&value, bytes, 2); return value;
    case 4: __builtin_memcpy(&value, bytes, 4); return value;
    case 8: __builtin_memcpy(&value, bytes, 8); return value;
    default: break;
    }
  }
  auto* out = reinterpret_cast<std::uint8_t*>(&value);
  for (std::uint32_t i = 0; i < v.size; ++i) {
    const std::uint64_t at = place + i;
    out[i] = at - address < size ? bytes[at - address] : *reinterpret_cast<const volatile std::uint8_t*>(at);
  }
  return value;
}

// Calls `touch(variable, its place)` for each variable in the range; whether there was one.
template <typename Touch>
bool each_variable(std::uint64_t address, std::uint64_t size, Touch touch) {
  bool any = false;
  const std::uint32_t count = g_setup.compiled.variable_count();
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t place = __atomic_load_n(&g_monitored_variables[i].address, __ATOMIC_RELAXED);
    if (place >= address + size || address >= place + g_monitored_variables[i].size || place == 0) continue;
    any = true;
    touch(i, place);
  }
  return any;
}

bool follows_all_memory() { return (g_setup.compiled.header->flags & knowledge::kAllMemory) != 0; }

void variable_access(MonitoredThread& self, Access access, std::uint32_t variable, std::uint64_t place,
                     std::uint64_t address, const std::uint8_t* bytes, std::uint64_t size, bool atomic,
                     std::uint32_t site) {
  MonitoredVariable& v = g_monitored_variables[variable];
  v.lock.lock();
  const std::uint64_t value = value_with(v, place, address, bytes, size);
  const knowledge::Outcome outcome = apply(self, access, *v.carrier, variable, value, atomic);
  v.lock.unlock();
  judged(self, outcome, site);
}

void access_of(MonitoredThread& self, Access access, std::uint64_t address, const std::uint8_t* bytes,
               std::uint64_t size, std::uint32_t site) {
  const bool named = each_variable(address, size, [&](std::uint32_t i, std::uint64_t place) {
    variable_access(self, access, i, place, address, bytes, size, false, site);
  });
  if (named || !follows_all_memory()) return;
  for (std::uint64_t at = granule_key(address); at < address + size; at += 8) at_carrier(self, access, at, site);
}

void watch(MonitoredThread& self, std::uint64_t address, std::uint64_t value, std::uint32_t site) {
  const char* name = name_of(static_cast<std::uint32_t>(value >> 32));
  const std::uint64_t bytes = value & 0xffffffff;
  const knowledge::Compiled& compiled = g_setup.compiled;
  for (std::uint32_t i = 0; i < compiled.variable_count(); ++i) {
    const knowledge::VariableRow& row = compiled.variables[i];
    if ((row.flags & knowledge::kWatched) == 0 || row.address + row.size > bytes) continue;
    const char* wanted = compiled.string(row.watch_name);
    std::size_t k = 0;
    while (wanted[k] != 0 && wanted[k] == name[k]) ++k;
    if (wanted[k] != name[k]) continue;
    MonitoredVariable& v = g_monitored_variables[i];
    v.lock.lock();
    place_variable(i, address + row.address);
    const std::uint64_t now = value_with(v, address + row.address, 0, nullptr, 0);
    const knowledge::Outcome outcome = apply(self, Access::Write, *v.carrier, i, now, true);
    v.lock.unlock();
    judged(self, outcome, site);
  }
}

} // namespace

void monitored_access(Thread* t, EventKind kind, std::uint64_t address, const void* bytes, std::uint64_t size,
                      std::uint32_t site) {
  if (!may_hold_monitored(address, size)) return;
  InHook hook;
  if (MonitoredThread* self = begin(t, site))
    access_of(*self, kind == EventKind::Read ? Access::Read : Access::Write, address,
              static_cast<const std::uint8_t*>(bytes), size, site);
}

void monitored_fill(Thread* t, std::uint64_t address, std::uint8_t byte, std::uint64_t size, std::uint32_t site) {
  if (!may_hold_monitored(address, size)) return;
  InHook hook;
  MonitoredThread* self = begin(t, site);
  if (self == nullptr) return;
  const std::uint64_t pattern = byte * std::uint64_t{0x0101010101010101};
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(&pattern);
  for (std::uint64_t at = address; at < address + size;) {
    const std::uint64_t next = granule_key(at) + 8 < address + size ? granule_key(at) + 8 : address + size;
    access_of(*self, Access::Write, at, bytes, next - at, site);
    at = next;
  }
}

void monitored_sync(Thread* t, EventKind kind, std::uint64_t address, std::uint64_t value) {
  switch (kind) { // the frequent ones that are no events
  case EventKind::Alloc:
  case EventKind::Map:
  case EventKind::StackBegin:
  case EventKind::Receive:
  case EventKind::Send: return;
  case EventKind::Free:
  case EventKind::Unmap:
  case EventKind::StackEnd: {
    InHook hook;
    return drop_carriers(address, value);
  }
  default: break;
  }
  InHook hook;
  const std::uint32_t site = site_of_call();
  MonitoredThread* self = begin(t, site);
  if (self == nullptr) return;
  switch (kind) {
  case EventKind::Acquire:
  case EventKind::Release:
  case EventKind::Signal:
  case EventKind::Broadcast:
  case EventKind::BarrierArrive:
  case EventKind::SemPost:
  case EventKind::SemWait:
  case EventKind::OnceEnd:
  case EventKind::HbRelease: return at_primitive(*self, Access::Write, address, site);
  case EventKind::AcquireShared:
  case EventKind::ReleaseShared:
  case EventKind::BarrierLeave:
  case EventKind::OnceWait:
  case EventKind::HbAcquire: return at_primitive(*self, Access::Read, address, site);
  case EventKind::Wait: return at_primitive(*self, Access::Write, value, site);
  case EventKind::Wake:
    at_primitive(*self, Access::Read, address, site);
    return at_primitive(*self, Access::Write, value, site);
  case EventKind::Fork:
  case EventKind::Join:
  case EventKind::Detach:
  case EventKind::ThreadStart:
  case EventKind::ThreadEnd: return monitored_thread_event(t, *self, kind, value, site);
  case EventKind::ThreadName: return name_monitored_thread(*self, static_cast<std::uint32_t>(address), value, site);
  case EventKind::Watch: return watch(*self, address, value, site);
  default: return; // nothing that formulas can see
  }
}

void monitored_failed(Thread* t, EventKind kind, std::uint64_t address, std::uint64_t value) {
  InHook hook;
  const std::uint32_t site = site_of_call();
  MonitoredThread* self = begin(t, site);
  if (self == nullptr) return;
  // It looked at the lock: others that take it or give it up come before or after.
  if (kind == EventKind::AcquireShared) at_primitive(*self, Access::Read, address, site);
  else if (kind == EventKind::Acquire || kind == EventKind::SemWait) at_primitive(*self, Access::Write, address, site);
  else if (kind == EventKind::Wake) at_primitive(*self, Access::Write, value, site); // the mutex again, but no signal
}

void monitored_internal(const char* name, std::int64_t value) {
  Thread* t = enter();
  if (t == nullptr) return;
  InHook hook;
  const std::uint32_t site = site_of_call();
  MonitoredThread* self = begin(t, site);
  if (self == nullptr) return;
  const std::uint32_t local = knowledge::find_local(g_setup.compiled, name);
  if (local != kNoVariable) judged(*self, knowledge::internal(g_setup, *self->core, local, value), site);
}

void monitored_block(const char* name, bool begins) {
  Thread* t = enter();
  if (t == nullptr) return;
  InHook hook;
  const std::uint32_t site = site_of_call();
  MonitoredThread* self = begin(t, site);
  if (self == nullptr) return;
  const std::uint32_t block = knowledge::find_block(g_setup.compiled, name);
  if (block == kNoVariable) return;
  judged(*self,
         begins ? knowledge::block_begin(g_setup, *self->core, block)
                : knowledge::block_end(g_setup, *self->core, block),
         site);
}

// --- operations that are made here -------------------------------------------------------------------------------------

MonitoredOperation::MonitoredOperation(Thread* t, const void* address, std::size_t size, bool atomic)
    : t_(t), address_(reinterpret_cast<std::uint64_t>(address)), size_(size), atomic_(atomic), variable_(kNoVariable) {
  if (t_ == nullptr) return;
  ++__sooth_thread.quiet;
  begin(t_, 0);
  if (may_hold_monitored(address_, size_))
    each_variable(address_, size_, [&](std::uint32_t i, std::uint64_t) {
      if (variable_ == kNoVariable) variable_ = i;
    });
  if (variable_ != kNoVariable) {
    g_monitored_variables[variable_].lock.lock();
    held_ = g_monitored_variables[variable_].carrier;
  } else if (atomic || follows_all_memory()) {
    CarrierLock* lock = nullptr;
    held_ = hold_carrier(granule_key(address_), lock);
    lock_ = lock;
  }
}

void MonitoredOperation::done(const void* seen, const void* written, std::uint32_t site) {
  if (t_ == nullptr) return;
  MonitoredThread* self = monitored_self(t_);
  const Access access = written == nullptr ? Access::Read : seen == nullptr ? Access::Write : Access::Update;
  const auto* bytes = static_cast<const std::uint8_t*>(written != nullptr ? written : seen);
  knowledge::Outcome outcome;
  auto* carrier = static_cast<knowledge::Carrier*>(held_);
  if (variable_ != kNoVariable) {
    MonitoredVariable& v = g_monitored_variables[variable_];
    const std::uint64_t value = value_with(v, v.address, address_, bytes, size_);
    if (self != nullptr) outcome = apply(*self, access, *carrier, variable_, value, atomic_);
    v.lock.unlock();
  } else if (carrier != nullptr) {
    if (self != nullptr) outcome = apply(*self, access, *carrier, kNoVariable, 0, atomic_);
    static_cast<CarrierLock*>(lock_)->unlock();
  }
  if (self != nullptr) {
    judged(*self, outcome, site);
    if (variable_ != kNoVariable && size_ > g_monitored_variables[variable_].size) // there may be more in it
      each_variable(address_, size_, [&](std::uint32_t i, std::uint64_t place) {
        if (i != variable_) variable_access(*self, access, i, place, address_, bytes, size_, atomic_, site);
      });
  }
  --__sooth_thread.quiet;
}

} // namespace sooth::runtime
