// From the runtime's hooks to the events of knowledge/monitoring.h: which carrier, read or written,
// with which value.
//
// In an ordinary build, hooks of plain accesses run beside the access (before a store, after a
// load). So the order of two racing accesses is that of their hooks. Code that was built with
// --monitor makes the access here, under the variable's lock. Atomic operations are always made
// here. Their order is the real one.
#include "capture/runtime/modules.h"
#include "capture/runtime/monitoring/quick.h"
#include "capture/runtime/monitoring/state.h"
#include "capture/runtime/os.h"
#include "trace/effects.h"

namespace sooth::runtime::monitoring {

namespace {

using knowledge::kNoVariable;

std::uint32_t site_of_call() { return __sooth_thread.abi.call_site; }

// Begins a hook. Null: there is nothing to do.
ThreadState* begin(Thread* t, std::uint32_t site) {
  ThreadState* self = state_of(t);
  if (self == nullptr) return nullptr;
  if (__builtin_expect(__atomic_load_n(&self->named_by, __ATOMIC_RELAXED) != 0, 0)) take_given_name(*self, site);
  // The function in which the thread started: the first activation of its shadow call stack.
  if (__builtin_expect(!self->has_function && __sooth_thread.abi.stack_top != t->stack, 0))
    take_start_function(t, *self);
  return self;
}

using knowledge::Access;

// Everything that is held has been accessed.
void judge(ThreadState& self, Access access, bool atomic, std::uint32_t site) {
  knowledge::Outcome outcome;
  if (self.touch_count != 0)
    outcome = knowledge::access(g_setup, *self.core, access, self.touches, self.touch_count, atomic);
  let_go(self);
  judged(self, outcome, site);
}

void at_primitive(ThreadState& self, Access access, Primitive kind, std::uint64_t address, std::uint32_t site) {
  hold_primitive(self, kind, address);
  judge(self, access, true, site);
}

// A lock that the thread holds: other threads can only try it.
void at_held_lock(ThreadState& self, Access access, std::uint64_t address, std::uint32_t site) {
  if (knowledge::is_calm(g_setup, *self.core) && is_left_at_lock(self, access, address)) knowledge::pass(*self.core);
  else at_primitive(self, access, Primitive::Lock, address, site);
}

// The bytes that an access saw or wrote. `mask` selects the bits of a byte's index that count; 0 if
// all bytes are the same.
struct Bytes {
  const std::uint8_t* at;
  std::uint64_t mask = ~std::uint64_t{0};
};

// The value of a variable of which an access saw or wrote a part. The rest comes from memory.
std::uint64_t value_of(std::uint32_t variable, std::uint64_t address, Bytes bytes, std::uint64_t size) {
  const VariablePlace& v = g_variable_places[variable];
  const std::uint64_t place = __atomic_load_n(&v.address, __ATOMIC_RELAXED); // held, so it stays
  std::uint64_t value = 0;
  if (place == address && v.size == size && bytes.mask != 0) { // all of it, like most accesses
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

void take_values(ThreadState& self, std::uint64_t address, Bytes bytes, std::uint64_t size) {
  for (std::uint32_t i = 0; i < self.touch_count; ++i)
    if (const std::uint32_t v = self.touches[i].variable; v < g_setup.layout.variables)
      self.touches[i].value = value_of(v, address, bytes, size);
}

bool follows_all_memory() { return (g_setup.compiled.header->flags & knowledge::kAllMemory) != 0; }

// The access touches one variable and nothing else.
bool is_one_variable(const ThreadState& self, std::uint64_t address, std::uint64_t size) {
  if (self.touch_count != 1) return false;
  const VariablePlace& v = g_variable_places[self.touches[0].variable];
  const std::uint64_t place = __atomic_load_n(&v.address, __ATOMIC_RELAXED);
  return place <= address && address + size <= place + v.size;
}

// One access. Unnamed memory of a long access is touched step by step.
void access_of(ThreadState& self, Access access, std::uint64_t address, Bytes bytes, std::uint64_t size,
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

void watch(ThreadState& self, std::uint64_t address, std::uint64_t value, std::uint32_t site) {
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

void access(Thread* t, EventKind kind, std::uint64_t address, const void* bytes, std::uint64_t size,
            std::uint32_t site) {
  if (!may_hold_variables(address, size)) return;
  InHook hook;
  if (ThreadState* self = begin(t, site))
    access_of(*self, kind == EventKind::Read ? Access::Read : Access::Write, address,
              {static_cast<const std::uint8_t*>(bytes)}, size, site);
}

void fill(Thread* t, std::uint64_t address, std::uint8_t byte, std::uint64_t size, std::uint32_t site) {
  if (!may_hold_variables(address, size)) return;
  InHook hook;
  ThreadState* self = begin(t, site);
  if (self == nullptr) return;
  access_of(*self, Access::Write, address, {&byte, 0}, size, site);
}

namespace {

// A primitive is like a variable: events that share it read it, others write it.
struct Primitives : trace::EffectVisitor {
  ThreadState& self;
  const SyncEvent& e;
  const std::uint32_t site;
  Primitives(ThreadState& s, const SyncEvent& event, std::uint32_t where) : self(s), e(event), site(where) {}

  void touch(const trace::Affected& object) {
    const Access access = object.shared ? Access::Read : Access::Write;
    // The thread need not own a lock that it only looked at, or that it got back after a timeout.
    if (object.kind == trace::ObjectKind::Lock && !e.failed) return at_held_lock(self, access, object.address, site);
    const Primitive primitive = object.kind == trace::ObjectKind::Lock ? Primitive::Lock : Primitive::Object;
    // A thread that begins an initialiser learns nothing from earlier attempts.
    const bool seen =
        is_primitive(object.kind) ? e.kind != EventKind::OnceBegin : object.kind == trace::ObjectKind::Tag;
    if (seen) at_primitive(self, access, primitive, object.address, site);
  }
  void takes(const trace::Affected& object) { touch(object); }
  void gives(const trace::Affected& object) { touch(object); }
  // It looked at the lock or the count: other threads' changes come before or after. A wait that
  // timed out saw no signal.
  void fails(const trace::Affected& object) {
    if (object.kind != trace::ObjectKind::Condition) touch(object);
  }
};

} // namespace

void sync(Thread* t, EventKind kind, std::uint64_t address, std::uint64_t value) {
  const trace::ObjectKind object = trace::object_of(kind);
  // The frequent kinds that are not events.
  if (object == trace::ObjectKind::Outside) return;
  if (object == trace::ObjectKind::Region) {
    if (!trace::does(kind, trace::act::kEnds)) return;
    InHook hook;
    return drop_carriers(address, value);
  }
  if (object == trace::ObjectKind::Lock && trace::does(kind, trace::act::kBegins | trace::act::kEnds)) {
    InHook hook;
    return drop_primitive(Primitive::Lock, address);
  }
  InHook hook;
  const std::uint32_t site = site_of_call();
  ThreadState* self = begin(t, site);
  if (self == nullptr) return;
  if (object == trace::ObjectKind::Thread) return thread_event(t, *self, kind, value, site);
  if (kind == EventKind::ThreadName) return name_thread(*self, static_cast<std::uint32_t>(address), value, site);
  if (kind == EventKind::Watch) return watch(*self, address, value, site);
  const SyncEvent event{kind, address, value, false};
  for_each_effect(event, Primitives(*self, event, site)); // formulas do not see the others
}

void failed(Thread* t, EventKind kind, std::uint64_t address, std::uint64_t value) {
  InHook hook;
  const std::uint32_t site = site_of_call();
  ThreadState* self = begin(t, site);
  if (self == nullptr) return;
  const SyncEvent event{kind, address, value, true};
  for_each_effect(event, Primitives(*self, event, site));
}

// An event that the program itself reports by a name of the formulas. `find` gives the name's
// number, `step` the outcome.
template <typename Find, typename Step>
static void reported(const char* name, Find find, Step step) {
  Thread* t = enter();
  if (t == nullptr) return;
  InHook hook;
  const std::uint32_t site = site_of_call();
  ThreadState* self = begin(t, site);
  if (self == nullptr) return;
  const std::uint32_t index = find(g_setup.compiled, name);
  if (index != kNoVariable) judged(*self, step(*self->core, index), site);
}

void internal_event(const char* name, std::int64_t value) {
  reported(name, knowledge::find_local, [value](knowledge::Thread& core, std::uint32_t local) {
    return knowledge::internal(g_setup, core, local, value);
  });
}

void block_event(const char* name, bool begins) {
  reported(name, knowledge::find_block, [begins](knowledge::Thread& core, std::uint32_t block) {
    return begins ? knowledge::block_begin(g_setup, core, block) : knowledge::block_end(g_setup, core, block);
  });
}

// --- operations that are made here ---------------------------------------------------------------

Operation::Operation(Thread* t, const void* address, std::size_t size, bool atomic)
    : self_(nullptr), address_(reinterpret_cast<std::uint64_t>(address)), size_(size), atomic_(atomic), hooked_(false) {
  if (t == nullptr) return;
  hooked_ = true;
  ++__sooth_thread.quiet;
  self_ = begin(t, 0);
  if (self_ == nullptr) return;
  if (may_hold_variables(address_, size_)) hold_variables(*self_, address_, size_);
  if ((follows_all_memory() || atomic) && !is_one_variable(*self_, address_, size_))
    hold_memory(*self_, address_, size_);
}

void Operation::done(const void* seen, const void* written, std::uint32_t site) {
  if (!hooked_) return;
  if (self_ != nullptr) {
    const Access access = written == nullptr ? Access::Read : seen == nullptr ? Access::Write : Access::Update;
    take_values(*self_, address_, {static_cast<const std::uint8_t*>(written != nullptr ? written : seen)}, size_);
    judge(*self_, access, atomic_, site);
  }
  --__sooth_thread.quiet;
}

} // namespace sooth::runtime::monitoring
