// Each event of the program, as Algorithm A sees it: its reads and writes, and whether it is
// relevant.
#include "capture/runtime/modules.h"
#include "capture/runtime/monitoring/monitoring.h"
#include "capture/runtime/observing/hook.h"
#include "capture/runtime/observing/names.h"
#include "capture/runtime/observing/shadow.h"
#include "capture/runtime/os.h"
#include "capture/runtime/recording/buffer.h"
#include "trace/effects.h"

namespace sooth::runtime::observing {
namespace {

namespace wire = observe::wire;

constexpr std::size_t kMostWritten = 64; // variables that one event writes; more count as unsupported

// The variables that an access touches, and the bytes that count as accessed. A variable is read
// and written as a whole, so that all its writes are ordered.
struct Touched {
  std::uint32_t variables[kMostWritten];
  std::size_t count = 0;
  std::uint64_t low, high;
  bool more = false;

  Touched(std::uint64_t address, std::uint64_t size) : low(address), high(address + size) {
    if (!may_hold_variables(address, size)) return;
    for (std::uint32_t i = 0; i < variable_count(); ++i) {
      const Variable& v = variable(i);
      if (v.address == 0 || v.address >= address + size || address >= v.address + v.size) continue;
      if (v.address < low) low = v.address;
      if (v.address + v.size > high) high = v.address + v.size;
      if (count == kMostWritten) more = true;
      else variables[count++] = i;
    }
  }
};

// `bytes(i)`: the byte at address + i from now on.
template <typename Bytes>
void change_variables(const Touched& touched, std::uint64_t address, std::uint64_t size, Bytes bytes) {
  for (std::size_t k = 0; k < touched.count; ++k) {
    Variable& v = variable(touched.variables[k]);
    for (std::uint32_t i = 0; i < v.size; ++i) {
      const std::uint64_t at = v.address + i - address;
      if (v.address + i < address || at >= size) continue;
      v.value = (v.value & ~(std::uint64_t{0xff} << (8 * i))) | std::uint64_t{bytes(at)} << (8 * i);
    }
  }
}

// A thread that the observer does not know yet: an existing thread counts as its creator.
void adopt(ThreadState& self) {
  if (self.alive) return;
  self.alive = self.in_epoch = true;
  if (self.number == 0) return;
  for (std::uint32_t i = 0; i < g_thread_count; ++i) {
    ThreadState* other = find_thread(i);
    if (other != nullptr && other != &self && other->alive && !other->waits)
      return send_fork(self, *other, self.number);
  }
  send_checkpoint(self, wire::kReorder, 0); // which lists all that are there
}

// An event in a thread that reported that it only waits: a signal handler, or cleanup after a
// cancellation.
void stop_waiting(ThreadState& self, std::uint32_t site) {
  if (!self.waits) return;
  self.waits = false;
  send_checkpoint(self, wire::kReorder, site);
}

void tell(ThreadState& self, EventKind kind, std::uint32_t site, std::uint64_t happened) {
  if (happened == 0) return;
  stop_waiting(self, site);
  begin_relevant(self);
  send_event(self, kind, site, happened, nullptr, 0);
}

// A write, or an event that counts as one, of the bytes that `touched` covers.
template <typename Bytes>
void write(ThreadState& self, EventKind kind, const Touched& touched, std::uint64_t address, std::uint64_t size,
           std::uint32_t site, Bytes bytes) {
  const bool relevant = touched.count != 0;
  if (relevant) {
    stop_waiting(self, site);
    begin_relevant(self);
  }
  shadow_write(self, touched.low, touched.high - touched.low);
  if (!relevant) return;
  change_variables(touched, address, size, bytes);
  send_event(self, kind, site, 0, touched.variables, touched.count);
  if (touched.more) ++g_counts.unsupported;
}

void read(ThreadState& self, const Touched& touched, std::uint64_t address, const std::uint8_t* bytes,
          std::uint64_t size, std::uint32_t site) {
  switch (judge_read(self, address, bytes, size)) {
  case Seen::Fits: break;
  case Seen::External:
    ++g_counts.external_writes;
    if (touched.count != 0 || is_shared(address, size)) see_everything(self); // its writer may know everything
    write(self, EventKind::ExternalWrite, touched, address, size, site, [&](std::uint64_t i) { return bytes[i]; });
    shadow_values(address, bytes, size);
    break;
  case Seen::Overtaken: // the other thread's write stays the newest value
    send_checkpoint(self, wire::kReorder, site);
    break;
  case Seen::Unordered: send_checkpoint(self, wire::kGiveUp, site); return;
  }
  shadow_read(self, touched.low, touched.high - touched.low);
}

// A plain write waits for a store that another thread is about to do. That takes a few
// instructions, unless that thread lost its core.
void let_rivals_finish(Hook& hook, std::uint64_t address, std::uint64_t size) {
  constexpr unsigned kPatience = 1000;
  for (unsigned tries = 0; has_rival(*hook.self(), address, size, tries == kPatience); ++tries) {
    if (tries == kPatience) return;
    hook.step_aside();
  }
}

void tell_new_frames(Thread* t) {
  if (wants_calls() && frames_changed()) write_frames(t); // comes back to frames
}

} // namespace

void access(Thread* t, EventKind kind, std::uint64_t address, const void* bytes, std::uint64_t size,
            std::uint32_t site) {
  Hook hook(t);
  ThreadState* self = hook.self();
  if (self == nullptr) return;
  const auto* from = static_cast<const std::uint8_t*>(bytes);
  adopt(*self);
  tell_new_frames(t);
  if (kind == EventKind::Read) {
    read(*self, Touched(address, size), address, from, size, site);
  } else {
    let_rivals_finish(hook, address, size);
    write(*self, kind, Touched(address, size), address, size, site, [&](std::uint64_t i) { return from[i]; });
    shadow_values(address, from, size);
  }
}

void fill(Thread* t, std::uint64_t address, std::uint8_t byte, std::uint64_t size, std::uint32_t site) {
  Hook hook(t);
  ThreadState* self = hook.self();
  if (self == nullptr) return;
  adopt(*self);
  tell_new_frames(t);
  let_rivals_finish(hook, address, size);
  write(*self, EventKind::Write, Touched(address, size), address, size, site, [&](std::uint64_t) { return byte; });
  shadow_fill(address, byte, size);
}

void frames(Thread* t, const std::uint64_t* low, const std::uint64_t* top) {
  if (!wants_calls()) return;
  Hook hook(t);
  ThreadState* self = hook.self();
  if (self == nullptr) return;
  adopt(*self);
  const auto remain = static_cast<std::size_t>(low - t->stack);
  std::uint64_t returned = 0; // a longjmp or an exception may end several activations at once
  std::uint32_t from = 0;
  while (self->frame_count > remain) {
    from = self->frames[--self->frame_count];
    returned |= match_call(false, from);
  }
  tell(*self, EventKind::Exit, from, returned);
  for (const std::uint64_t* frame = low; frame < top; ++frame) {
    const auto site = static_cast<std::uint32_t>(*frame);
    if (self->frame_count == self->frame_room) {
      const std::size_t room = self->frame_room != 0 ? self->frame_room * 2 : 64;
      auto* larger = static_cast<std::uint32_t*>(take_memory(room * sizeof(std::uint32_t)));
      if (larger == nullptr) return end_messages();
      os::copy(larger, self->frames, self->frame_count * sizeof *larger);
      if (self->frames != nullptr) drop_memory(self->frames, self->frame_room * sizeof *larger);
      self->frames = larger;
      self->frame_room = room;
    }
    self->frames[self->frame_count++] = site;
    tell(*self, EventKind::Enter, site, match_call(true, site));
  }
}

namespace {

// Every object of synchronisation is a variable (JMPaX online, section 3.1): events that share it
// read it, all others write it.
struct Effects : trace::EffectVisitor {
  Thread* t;
  ThreadState& self;
  const SyncEvent& e;
  Effects(Thread* thread, ThreadState& state, const SyncEvent& event) : t(thread), self(state), e(event) {}

  void touch(const trace::Affected& object) {
    if (object.kind == trace::ObjectKind::Fence) return; // nothing that another thread could see
    if (object.shared) shadow_read(self, sync_object(object.address), 8);
    else shadow_write(self, sync_object(object.address), 8);
  }
  void takes(const trace::Affected& object) { touch(object); }
  void gives(const trace::Affected& object) { touch(object); }
  void begins(const trace::Affected& object) { begins_or_ends(object, false); }
  void ends(const trace::Affected& object) { begins_or_ends(object, true); }
  void begins_or_ends(const trace::Affected& object, bool ends) {
    if (object.kind == trace::ObjectKind::Region) shadow_object(self, object.address, e.value, ends);
    else touch(object);
  }
  // The cause of a handler's run is unknown. Input may depend on everything before it.
  void pins(const trace::Affected&) { see_everything(self); }

  void creates(std::uint64_t number) {
    send_fork(self, self, static_cast<std::uint32_t>(number));
    ThreadState* child = thread_state(static_cast<std::uint32_t>(number));
    if (child == nullptr) return end_messages();
    child->alive = child->in_epoch = true;
    child->last_position = self.last_position;
    assign_clock(child->clock, self.clock);
  }
  void joins(std::uint64_t number) {
    self.waits = false;
    if (const ThreadState* child = find_thread(static_cast<std::uint32_t>(number)))
      join_clock(self.clock, child->clock);
  }
  void cancels(std::uint64_t number) { shadow_write(self, thread_sync_object(static_cast<std::uint32_t>(number)), 8); }
  void starts() { thread_starts(self); }
  void stops() {
    tell_new_frames(t);
    shadow_write(self, thread_sync_object(self.number), 8); // a cancellation came before it
    if (self.start_waits) thread_is_named(self, self, 0);
    tell(self, e.kind, 0, match_thread(false, t->number, self.name != 0 ? name_of(self.name) : nullptr));
    send_end(self, self);
    self.alive = self.waits = false;
  }
};

void watch(ThreadState& self, std::uint64_t address, std::uint64_t value, std::uint32_t site) {
  const std::uint64_t size = static_cast<std::uint32_t>(value);
  if (!place_watch(name_of(static_cast<std::uint32_t>(value >> 32)), address, size)) return;
  const Touched touched(address, size);
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(address);
  write(self, EventKind::Watch, touched, address, size, site, [&](std::uint64_t i) { return bytes[i]; });
  for (std::size_t i = 0; i < touched.count; ++i) {
    const Variable& v = variable(touched.variables[i]);
    shadow_values(v.address, reinterpret_cast<const std::uint8_t*>(&v.value), v.size);
  }
}

} // namespace

void sync(Thread* t, EventKind kind, std::uint64_t address, std::uint64_t value) {
  Hook hook(t);
  ThreadState* self = hook.self();
  if (self == nullptr) return;
  adopt(*self);
  tell_new_frames(t);
  const std::uint32_t site = __sooth_thread.abi.call_site;
  const SyncEvent event{kind, address, value, false};
  const std::uint64_t lock = trace::lock_of(event);
  const std::uint64_t happened = lock != 0 ? match_sync(kind, lock) : 0;
  if (happened != 0) {
    stop_waiting(*self, site);
    begin_relevant(*self);
  }
  trace::for_each_effect(event, Effects(t, *self, event));
  if (happened != 0) send_event(*self, kind, site, happened, nullptr, 0);
  switch (kind) { // what the program says about itself
  case EventKind::ThreadName:
    if (ThreadState* named = value == 0 ? self : find_thread(static_cast<std::uint32_t>(value - 1)))
      thread_is_named(*self, *named, static_cast<std::uint32_t>(address));
    break;
  case EventKind::User: tell(*self, kind, site, match_user(name_of(static_cast<std::uint32_t>(address)))); break;
  case EventKind::Watch: watch(*self, address, value, site); break;
  case EventKind::ProcessFork: ++g_counts.forks; break;
  default: break;
  }
}

void failed(Thread* t, EventKind kind, std::uint64_t address, std::uint64_t value) {
  Hook hook(t);
  ThreadState* self = hook.self();
  if (self == nullptr) return;
  adopt(*self);
  if (trace::object_of(kind) == trace::ObjectKind::Thread) self->waits = false;
  // It looked at the lock. Other threads' acquires and releases come before or after: that is an
  // order.
  else shadow_write(*self, sync_object(address), 8);
  if (trace::moves_mutex(kind)) shadow_write(*self, sync_object(value), 8);
}

void waits(Thread* t, std::uint32_t other) {
  Hook hook(t);
  ThreadState* self = hook.self();
  if (self == nullptr || self->waits || !self->alive) return;
  tell_new_frames(t);
  const ThreadState* child = find_thread(other);
  if (child == nullptr || !child->in_epoch || child == self) return;
  self->waits = true;
  self->other = other;
  send_waits(*self, other);
}

void no_child(Thread* t, std::uint32_t number) {
  Hook hook(t);
  ThreadState* self = hook.self();
  ThreadState* child = find_thread(number);
  if (self == nullptr || child == nullptr || !child->alive) return;
  send_end(*self, *child);
  child->alive = false;
}

void Operation::done(EventKind kind, const void* seen, const void* written, std::uint32_t site) {
  if (t_ == nullptr) return;
  ThreadState* self = hook_.self();
  if (self == nullptr) return;
  adopt(*self);
  tell_new_frames(t_);
  const Touched touched(address_, size_);
  if (seen != nullptr) read(*self, touched, address_, static_cast<const std::uint8_t*>(seen), size_, site);
  if (written != nullptr) {
    const auto* bytes = static_cast<const std::uint8_t*>(written);
    write(*self, kind, touched, address_, size_, site, [&](std::uint64_t i) { return bytes[i]; });
    shadow_values(address_, bytes, size_);
  }
}

} // namespace sooth::runtime::observing
