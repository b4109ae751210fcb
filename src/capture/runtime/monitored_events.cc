// From the runtime's hooks to the events of knowledge/monitoring.h: which carrier, read or written, with what value.
//
// Hooks of plain accesses in an ordinary build run beside the access (before a store, after a load), so the order of two
// accesses that race is that of their hooks. Code that was built with --monitor makes the access here, under the
// variable's lock, and atomic operations are made here always: their order is the real one.
#include "capture/runtime/modules.h"
#include "capture/runtime/monitored_quick.h"
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

using knowledge::Access;

// Whatever is held has been accessed.
void judge(MonitoredThread& self, Access access, bool atomic, std::uint32_t site) {
  knowledge::Outcome outcome;
  if (self.touch_count != 0)
    outcome = knowledge::access(g_setup, *self.core, access, self.touches, self.touch_count, atomic);
  let_go(self);
  judged(self, outcome, site);
}

void at_primitive(MonitoredThread& self, Access access, Primitive kind, std::uint64_t address, std::uint32_t site) {
  hold_primitive(self, kind, address);
  judge(self, access, true, site);
}

// A lock that the thread holds: nobody else can do more than try it.
void at_held_lock(MonitoredThread& self, Access access, std::uint64_t address, std::uint32_t site) {
  if (knowledge::is_calm(g_setup, *self.core) && is_left_at_lock(self, access, address)) knowledge::pass(*self.core);
  else at_primitive(self, access, Primitive::Lock, address, site);
}

// What an access saw or wrote. `mask`: of a byte's index what counts; 0 if all are the same byte.
struct Bytes {
  const std::uint8_t* at;
  std::uint64_t mask = ~std::uint64_t{0};
};

// The bytes of a variable of which an access saw or wrote a part: the rest is as it is in memory.
std::uint64_t value_of(std::uint32_t variable, std::uint64_t address, Bytes bytes, std::uint64_t size) {
  const VariablePlace& v = g_variable_places[variable];
  const std::uint64_t place = __atomic_load_n(&v.address, __ATOMIC_RELAXED); // held, so it stays
  std::uint64_t value = 0;
  if (place == address && v.size == size && bytes.mask != 0) { // all of it, as most accesses have it
    switch (size) {
    case 1: return *bytes.at;
    case 2: __builtin_memcpy(&value, bytes.at, 2); return value;
    case 4: __builtin_memcpy(&value, bytes.at, 4); return value;
    case 8: __builtin_memcpy(&value, bytes.at, 8); return value;
    default: break;
    }
  }
  auto* out = reinterpret_cast<std::uint8_t*>(&value);
  for (std::uint64_t i = 0; i < v.size; ++i) {
    const std::uint64_t at = place + i;
    out[i] = at - address < size ? bytes.at[(at - address) & bytes.mask]
                                 : *reinterpret_cast<const volatile std::uint8_t*>(at);
  }
  return value;
}

void take_values(MonitoredThread& self, std::uint64_t address, Bytes bytes, std::uint64_t size) {
  for (std::uint32_t i = 0; i < self.touch_count; ++i)
    if (const std::uint32_t v = self.touches[i].variable; v < g_setup.layout.variables)
      self.touches[i].value = value_of(v, address, bytes, size);
}

bool follows_all_memory() { return (g_setup.compiled.header->flags & knowledge::kAllMemory) != 0; }

// One variable is all that the access touches.
bool is_one_variable(const MonitoredThread& self, std::uint64_t address, std::uint64_t size) {
  if (self.touch_count != 1) return false;
  const VariablePlace& v = g_variable_places[self.touches[0].variable];
  const std::uint64_t place = __atomic_load_n(&v.address, __ATOMIC_RELAXED);
  return place <= address && address + size <= place + v.size;
}

// One access; the memory of a long one that no formula names is touched step by step.
void access_of(MonitoredThread& self, Access access, std::uint64_t address, Bytes bytes, std::uint64_t size,
               std::uint32_t site) {
  hold_variables(self, address, size);
  take_values(self, address, bytes, size);
  if (!follows_all_memory() || is_one_variable(self, address, size)) return judge(self, access, false, site);
  const std::uint64_t end = address + size;
  for (std::uint64_t at = address; at < end;) {
    const std::uint64_t step = end - at < kMostMemory ? end - at : kMostMemory;
    hold_memory(self, at, step);
    judge(self, access, false, site);
    at += step;
  }
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
    hold_variable(self, i);
    place_variable(i, address + row.address);
    self.touches[0].value = value_of(i, 0, {nullptr}, 0);
    judge(self, Access::Write, true, site);
  }
}

} // namespace

void monitored_access(Thread* t, EventKind kind, std::uint64_t address, const void* bytes, std::uint64_t size,
                      std::uint32_t site) {
  if (!may_hold_monitored(address, size)) return;
  InHook hook;
  if (MonitoredThread* self = begin(t, site))
    access_of(*self, kind == EventKind::Read ? Access::Read : Access::Write, address,
              {static_cast<const std::uint8_t*>(bytes)}, size, site);
}

void monitored_fill(Thread* t, std::uint64_t address, std::uint8_t byte, std::uint64_t size, std::uint32_t site) {
  if (!may_hold_monitored(address, size)) return;
  InHook hook;
  MonitoredThread* self = begin(t, site);
  if (self == nullptr) return;
  access_of(*self, Access::Write, address, {&byte, 0}, size, site);
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
  case EventKind::LockInit:
  case EventKind::LockDestroy: {
    InHook hook;
    return drop_primitive(Primitive::Lock, address);
  }
  default: break;
  }
  InHook hook;
  const std::uint32_t site = site_of_call();
  MonitoredThread* self = begin(t, site);
  if (self == nullptr) return;
  switch (kind) {
  case EventKind::Acquire:
  case EventKind::Release: return at_held_lock(*self, Access::Write, address, site);
  case EventKind::AcquireShared:
  case EventKind::ReleaseShared: return at_held_lock(*self, Access::Read, address, site);
  case EventKind::Signal:
  case EventKind::Broadcast:
  case EventKind::BarrierArrive:
  case EventKind::SemPost:
  case EventKind::SemWait:
  case EventKind::OnceEnd:
  case EventKind::HbRelease: return at_primitive(*self, Access::Write, Primitive::Object, address, site);
  case EventKind::BarrierLeave:
  case EventKind::OnceWait:
  case EventKind::HbAcquire: return at_primitive(*self, Access::Read, Primitive::Object, address, site);
  case EventKind::Wait: return at_held_lock(*self, Access::Write, value, site);
  case EventKind::Wake:
    at_primitive(*self, Access::Read, Primitive::Object, address, site);
    return at_held_lock(*self, Access::Write, value, site);
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
  if (kind == EventKind::AcquireShared) at_primitive(*self, Access::Read, Primitive::Lock, address, site);
  else if (kind == EventKind::Acquire) at_primitive(*self, Access::Write, Primitive::Lock, address, site);
  else if (kind == EventKind::SemWait) at_primitive(*self, Access::Write, Primitive::Object, address, site);
  else if (kind == EventKind::Wake) // the mutex again, but no signal
    at_primitive(*self, Access::Write, Primitive::Lock, value, site);
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
    : self_(nullptr), address_(reinterpret_cast<std::uint64_t>(address)), size_(size), atomic_(atomic), hooked_(false) {
  if (t == nullptr) return;
  hooked_ = true;
  ++__sooth_thread.quiet;
  self_ = begin(t, 0);
  if (self_ == nullptr) return;
  if (may_hold_monitored(address_, size_)) hold_variables(*self_, address_, size_);
  if ((follows_all_memory() || atomic) && !is_one_variable(*self_, address_, size_))
    hold_memory(*self_, address_, size_);
}

void MonitoredOperation::done(const void* seen, const void* written, std::uint32_t site) {
  if (!hooked_) return;
  if (self_ != nullptr) {
    const Access access = written == nullptr ? Access::Read : seen == nullptr ? Access::Write : Access::Update;
    take_values(*self_, address_, {static_cast<const std::uint8_t*>(written != nullptr ? written : seen)}, size_);
    judge(*self_, access, atomic_, site);
  }
  --__sooth_thread.quiet;
}

} // namespace sooth::runtime
