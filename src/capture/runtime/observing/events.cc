// Each event of the program, as Algorithm A sees it: its reads and writes, and whether it is
// relevant.
#include "capture/runtime/modules.h"
#include "capture/runtime/monitoring/monitoring.h"
#include "capture/runtime/observing/names.h"
#include "capture/runtime/observing/operation.h"
#include "capture/runtime/observing/own_pages.h"
#include "capture/runtime/observing/plain.h"
#include "capture/runtime/observing/slots.h"
#include "capture/runtime/observing/values.h"
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
  bool asks = false; // the observer is asked afterwards

  // Bytes that are known not to touch any.
  static Touched nothing(std::uint64_t address, std::uint64_t size) { return Touched(address, size, nullptr); }

  Touched(std::uint64_t address, std::uint64_t size) : low(address), high(address + size) {
    if (!may_hold_variables(address, size)) return;
    for (std::uint32_t i = 0; i < variable_count(); ++i) {
      const Variable& v = variable(i);
      if (v.address == 0 || v.address >= address + size || address >= v.address + v.size) continue;
      if (v.address < low) low = v.address;
      if (v.address + v.size > high) high = v.address + v.size;
      asks = asks || v.asks;
      if (count == kMostWritten) more = true;
      else variables[count++] = i;
    }
  }

private:
  Touched(std::uint64_t address, std::uint64_t size, std::nullptr_t) : low(address), high(address + size) {}
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
void adopt(Hook& hook) {
  ThreadState& self = *hook.self();
  if (self.alive) return;
  hook.alone();
  self.alive = self.in_epoch = true;
  if (self.ended) { // it went on after its end
    self.stops = self.ended = false;
    if (self.slot == kNoSlot && !take_slot(self)) return end_messages();
    return send_checkpoint(self, wire::kReorder, 0); // its counts restart
  }
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
void stop_waiting(Hook& hook, std::uint32_t site) {
  ThreadState& self = *hook.self();
  if (!self.waits) return;
  hook.alone();
  self.waits = false;
  send_checkpoint(self, wire::kReorder, site);
}

void tell_new_frames(Thread* t) {
  if (wants_calls() && frames_changed()) write_frames(t); // comes back to frames
}

// Before every event.
void begin(Hook& hook, Thread* t) {
  adopt(hook);
  tell_new_frames(t);
}

// Before an event takes its position. If the observer is asked about it, nothing else happens
// meanwhile.
void before_relevant(Hook& hook, std::uint32_t site, bool asks) {
  stop_waiting(hook, site);
  if (asks) hook.alone();
}

void tell(Hook& hook, EventKind kind, std::uint32_t site, std::uint64_t happened) {
  if (happened == 0) return;
  before_relevant(hook, site, asks_for(happened));
  ThreadState& self = *hook.self();
  begin_relevant(self);
  send_event(self, kind, site, happened, nullptr, 0);
}

// A write, or an event that counts as one, of the bytes that `touched` covers.
template <typename Bytes>
void write(ThreadState& self, EventKind kind, const Touched& touched, const Lines& lines, std::uint64_t address,
           std::uint64_t size, std::uint32_t site, Bytes bytes) {
  const bool relevant = touched.count != 0;
  if (relevant) begin_relevant(self);
  shadow_write(self, lines);
  if (!relevant) return;
  change_variables(touched, address, size, bytes);
  send_event(self, kind, site, 0, touched.variables, touched.count);
  if (touched.more) add_to(g_counts.unsupported);
}

enum class Try : std::uint8_t {
  Done,
  Alone, // the thread has to be alone
  Aside, // another thread should run first
};

// How often a plain write waits for a store that another thread is about to do. That takes a few
// instructions, unless that thread lost its core.
constexpr unsigned kPatience = 1000;

// Does `attempt(tries)` until it is done.
template <typename Attempt>
void persist(Hook& hook, Attempt attempt) {
  for (unsigned tries = 0;;) {
    switch (attempt(tries)) {
    case Try::Done: return;
    case Try::Alone: hook.alone(); break;
    case Try::Aside:
      ++tries;
      hook.step_aside();
      break;
    }
  }
}

// The bytes that a read saw are there, and nobody wrote them by a hook.
void external_write(ThreadState& self, const Touched& touched, const Lines& lines, std::uint64_t address,
                    const std::uint8_t* bytes, std::uint64_t size, std::uint32_t site) {
  add_to(g_counts.external_writes);
  if (touched.count != 0 || is_shared(self, lines)) see_everything(self); // its writer may know everything
  write(self, EventKind::ExternalWrite, touched, lines, address, size, site, [&](std::uint64_t i) { return bytes[i]; });
  shadow_values(lines, address, bytes, size);
}

Try try_read(ThreadState& self, const Touched& touched, std::uint64_t address, const std::uint8_t* bytes,
             std::uint64_t size, std::uint32_t site) {
  Lines lines;
  if (!lines.hold(self, touched.low, touched.high)) return Try::Alone;
  const Seen seen = judge_read(self, lines, address, bytes, size);
  if (seen > Seen::External && !self.alone) return Try::Alone;
  switch (seen) {
  case Seen::Fits: break;
  case Seen::External: external_write(self, touched, lines, address, bytes, size, site); break;
  case Seen::Overtaken: // the other thread's write stays the newest value
    send_checkpoint(self, wire::kReorder, site);
    break;
  case Seen::Unordered: send_checkpoint(self, wire::kGiveUp, site); return Try::Done;
  }
  shadow_read(self, lines);
  return Try::Done;
}

// A plain write of `store`, or of a part of it. `values(lines)` sets the bytes' values.
template <typename Bytes, typename Values>
Try try_write(ThreadState& self, EventKind kind, const Touched& touched, const Store& store, std::uint64_t address,
              std::uint64_t size, std::uint32_t site, unsigned tries, Bytes bytes, Values values) {
  Lines lines;
  if (!lines.hold(self, touched.low, touched.high)) return Try::Alone;
  if (has_rival(self, lines)) {
    if (tries < kPatience) return Try::Aside;
    contest(self, lines);
  }
  write(self, kind, touched, lines, address, size, site, bytes);
  values(lines);
  begin_store(self, lines, store);
  return Try::Done;
}

// Calls body(touched, address, size) for the parts of an access that are done one after the other:
// all of it at once if it touches variables of the property, else line by line.
template <typename Body>
void in_parts(const Touched& whole, std::uint64_t address, std::uint64_t size, Body body) {
  if (whole.count != 0) return body(whole, address, size);
  for (std::uint64_t done = 0; done < size;) {
    const std::uint64_t at = address + done;
    const std::uint64_t left = kLineBytes - at % kLineBytes;
    const std::uint64_t part = left < size - done ? left : size - done;
    body(Touched::nothing(at, part), at, part);
    done += part;
  }
}

} // namespace

namespace {

// `done`: so many bytes of it are done already (plain.h).
void slow_access(Thread* t, EventKind kind, std::uint64_t address, const std::uint8_t* from, std::uint64_t size,
                 std::uint32_t site, std::uint64_t done) {
  Hook hook(t, done != 0);
  ThreadState* self = hook.self();
  if (self == nullptr || size == 0) return;
  begin(hook, t);
  const Touched whole(address, size);
  if (whole.count != 0) before_relevant(hook, site, whole.asks && kind != EventKind::Read);
  in_parts(whole, address + done, size - done, [&](const Touched& touched, std::uint64_t at, std::uint64_t n) {
    if (touched.count == 0 && leaves_out(*self, at, kind != EventKind::Read)) return;
    const std::uint8_t* here = from + (at - address);
    persist(hook, [&](unsigned tries) {
      if (kind == EventKind::Read) return try_read(*self, touched, at, here, n, site);
      const auto byte = [&](std::uint64_t i) { return here[i]; };
      const auto values = [&](const Lines& lines) { shadow_values(lines, at, here, n); };
      return try_write(*self, kind, touched, {address, size}, at, n, site, tries, byte, values);
    });
  });
}

void slow_fill(Thread* t, std::uint64_t address, std::uint8_t byte, std::uint64_t size, std::uint32_t site) {
  Hook hook(t);
  ThreadState* self = hook.self();
  if (self == nullptr || size == 0) return;
  begin(hook, t);
  const Touched whole(address, size);
  if (whole.count != 0) before_relevant(hook, site, whole.asks);
  in_parts(whole, address, size, [&](const Touched& touched, std::uint64_t at, std::uint64_t n) {
    if (touched.count == 0 && leaves_out(*self, at, true)) return;
    const auto bytes = [&](std::uint64_t) { return byte; };
    const auto values = [&](const Lines& lines) { shadow_fill(lines, at, byte, n); };
    persist(hook, [&](unsigned tries) {
      return try_write(*self, EventKind::Write, touched, {address, size}, at, n, site, tries, bytes, values);
    });
  });
}

// Does `attempt` until no other thread went first after a part was left out: that thread may have
// taken the page (own_pages.h). What touches a variable of the property is never left out, so
// nothing is sent twice.
template <typename Attempt>
void unbroken(Attempt attempt) {
  for (;;) {
    const ThreadState* before = g_own;
    const std::uint64_t breaks = before != nullptr ? before->breaks : 0;
    const std::uint64_t left_out = before != nullptr ? before->left_out : 0;
    attempt();
    const ThreadState* self = g_own;
    if (self == nullptr || self->breaks == breaks || self->left_out == left_out) return;
  }
}

} // namespace

void access(Thread* t, EventKind kind, std::uint64_t address, const void* bytes, std::uint64_t size,
            std::uint32_t site) {
  const auto* from = static_cast<const std::uint8_t*>(bytes);
  unbroken([&] {
    const std::uint64_t done = plain_access(t, kind != EventKind::Read, address, from, size);
    if (done != size) slow_access(t, kind, address, from, size, site, done);
  });
}

void copy(Thread* t, std::uint64_t to, std::uint64_t from, std::uint64_t size, std::uint32_t site) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(from);
  bool written = false; // completely
  unbroken([&] {
    access(t, EventKind::Read, from, bytes, size, site);
    if (written) return;
    const std::uint64_t left_out = g_own != nullptr ? g_own->left_out : 0;
    access(t, EventKind::Write, to, bytes, size, site);
    written = g_own == nullptr || g_own->left_out == left_out;
  });
}

void fill(Thread* t, std::uint64_t address, std::uint8_t byte, std::uint64_t size, std::uint32_t site) {
  unbroken([&] { slow_fill(t, address, byte, size, site); });
}

void frames(Thread* t, const std::uint64_t* low, const std::uint64_t* top) {
  if (!wants_calls()) return;
  Hook hook(t);
  ThreadState* self = hook.self();
  if (self == nullptr) return;
  adopt(hook);
  const auto remain = static_cast<std::size_t>(low - t->stack);
  std::uint64_t returned = 0; // a longjmp or an exception may end several activations at once
  std::uint32_t from = 0;
  while (self->frame_count > remain) {
    from = self->frames[--self->frame_count];
    returned |= match_call(false, from);
  }
  tell(hook, EventKind::Exit, from, returned);
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
    tell(hook, EventKind::Enter, site, match_call(true, site));
  }
}

namespace {

// Every object of synchronisation is a variable (JMPaX online, section 3.1): events that share it
// read it, all others write it.
void touch_object(Hook& hook, std::uint64_t object, bool shared) {
  ThreadState& self = *hook.self();
  persist(hook, [&](unsigned) {
    Lines lines;
    if (!lines.hold(self, object, object + 8)) return Try::Alone;
    if (shared) shadow_read(self, lines);
    else shadow_write(self, lines);
    return Try::Done;
  });
}

struct Effects : trace::EffectVisitor {
  Hook& hook;
  Thread* t;
  ThreadState& self;
  const SyncEvent& e;
  Effects(Hook& h, Thread* thread, const SyncEvent& event) : hook(h), t(thread), self(*h.self()), e(event) {}

  void touch(const trace::Affected& object) {
    if (object.kind == trace::ObjectKind::Fence) return; // nothing that another thread could see
    touch_object(hook, sync_object(object.address), object.shared);
  }
  void takes(const trace::Affected& object) { touch(object); }
  void gives(const trace::Affected& object) { touch(object); }
  void begins(const trace::Affected& object) { begins_or_ends(object, false); }
  void ends(const trace::Affected& object) { begins_or_ends(object, true); }
  void begins_or_ends(const trace::Affected& object, bool ends) {
    if (object.kind != trace::ObjectKind::Region) return touch(object);
    persist(hook,
            [&](unsigned) { return shadow_object(self, object.address, e.value, ends) ? Try::Done : Try::Alone; });
  }
  // The cause of a handler's run is unknown. Input may depend on everything before it.
  void pins(const trace::Affected&) { see_everything(self); }

  void creates(std::uint64_t number) {
    send_fork(self, self, static_cast<std::uint32_t>(number));
    ThreadState* child = thread_state(static_cast<std::uint32_t>(number));
    if (child == nullptr) return end_messages();
    child->alive = child->in_epoch = true;
    child->last_position = self.last_position;
    child->clock = self.clock;
  }
  void joins(std::uint64_t number) {
    self.waits = false;
    if (const ThreadState* child = find_thread(static_cast<std::uint32_t>(number))) learn(self, child->clock);
  }
  void cancels(std::uint64_t number) {
    touch_object(hook, thread_sync_object(static_cast<std::uint32_t>(number)), false);
  }
  void starts() { thread_starts(self); }
  void stops() {
    tell_new_frames(t);
    touch_object(hook, thread_sync_object(self.number), false); // a cancellation came before it
    if (self.start_waits) thread_is_named(self, self, 0);
    tell(hook, e.kind, 0, match_thread(false, t->number, self.name != 0 ? runtime::name_of(self.name) : nullptr));
    send_end(self, self);
    self.alive = self.waits = false;
    self.stops = true;
  }
};

// An event of a lock that the property asks for. It takes its position while everything that it
// touches is held: a wait touches the condition and the mutex.
struct HeldObjects : trace::EffectVisitor {
  struct Object {
    std::uint64_t address;
    bool shared;
  };
  Object objects[2];
  unsigned count = 0;

  void touch(const trace::Affected& object) {
    if (object.kind == trace::ObjectKind::Fence || count == 2) return;
    objects[count++] = {sync_object(object.address), object.shared};
    // Lines are held in one order, so that no two threads wait for each other.
    if (count == 2 && objects[1].address < objects[0].address) {
      const Object first = objects[1];
      objects[1] = objects[0];
      objects[0] = first;
    }
  }
  void takes(const trace::Affected& object) { touch(object); }
  void gives(const trace::Affected& object) { touch(object); }

  Try attempt(ThreadState& self, EventKind kind, std::uint32_t site, std::uint64_t happened) const {
    Lines held[2];
    const bool same = count == 2 && (objects[0].address ^ objects[1].address) / kLineBytes == 0;
    if (same && !self.alone) return Try::Alone;
    for (unsigned i = 0; i < count; ++i)
      if (!held[i].hold(self, objects[i].address, objects[i].address + 8)) return Try::Alone;
    begin_relevant(self);
    for (const bool second_step : {false, true}) // learn from all, then teach all
      for (unsigned i = 0; i < count; ++i)
        if (second_step || count == 2) (objects[i].shared ? shadow_read : shadow_write)(self, held[i]);
    send_event(self, kind, site, happened, nullptr, 0);
    return Try::Done;
  }
};

void watch(Hook& hook, std::uint64_t address, std::uint64_t value, std::uint32_t site) {
  const std::uint64_t size = static_cast<std::uint32_t>(value);
  ThreadState& self = *hook.self();
  hook.alone(); // the table changes
  if (!place_watch(runtime::name_of(static_cast<std::uint32_t>(value >> 32)), address, size)) return;
  stop_waiting(hook, site);
  const Touched touched(address, size);
  if (touched.count == 0) return;
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(address);
  Lines lines;
  lines.hold(self, touched.low, touched.high);
  write(self, EventKind::Watch, touched, lines, address, size, site, [&](std::uint64_t i) { return bytes[i]; });
  for (std::size_t i = 0; i < touched.count; ++i) {
    const Variable& v = variable(touched.variables[i]);
    shadow_values(lines, v.address, reinterpret_cast<const std::uint8_t*>(&v.value), v.size);
  }
}

} // namespace

void sync(Thread* t, EventKind kind, std::uint64_t address, std::uint64_t value) {
  constexpr unsigned kMoves = trace::act::kTakes | trace::act::kGives;
  if (trace::does_to(trace::ObjectKind::Lock, kind, kMoves) && !trace::moves_mutex(kind) &&
      plain_lock(address, trace::does(kind, trace::act::kShares)))
    return;
  Hook hook(t);
  ThreadState* self = hook.self();
  if (self == nullptr) return;
  begin(hook, t);
  const std::uint32_t site = __sooth_thread.abi.call_site;
  const SyncEvent event{kind, address, value, false};
  const std::uint64_t lock = trace::lock_of(event);
  const std::uint64_t happened = lock != 0 ? match_sync(kind, lock) : 0;
  if (happened != 0) {
    before_relevant(hook, site, asks_for(happened));
    HeldObjects objects;
    trace::for_each_effect(event, objects);
    persist(hook, [&](unsigned) { return objects.attempt(*self, kind, site, happened); });
  } else {
    trace::for_each_effect(event, Effects(hook, t, event));
  }
  switch (kind) { // what the program says about itself
  case EventKind::ThreadName:
    if (ThreadState* named = value == 0 ? self : find_thread(static_cast<std::uint32_t>(value - 1)))
      thread_is_named(*self, *named, static_cast<std::uint32_t>(address));
    break;
  case EventKind::User:
    tell(hook, kind, site, match_user(runtime::name_of(static_cast<std::uint32_t>(address))));
    break;
  case EventKind::Watch: watch(hook, address, value, site); break;
  case EventKind::ProcessFork: add_to(g_counts.forks); break;
  default: break;
  }
}

void failed(Thread* t, EventKind kind, std::uint64_t address, std::uint64_t value) {
  Hook hook(t);
  ThreadState* self = hook.self();
  if (self == nullptr) return;
  adopt(hook);
  if (trace::object_of(kind) == trace::ObjectKind::Thread) self->waits = false;
  // It looked at the lock. Other threads' acquires and releases come before or after: that is an
  // order.
  else touch_object(hook, sync_object(address), false);
  if (trace::moves_mutex(kind)) touch_object(hook, sync_object(value), false);
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
  child->ended = true; // it never began
}

Operation::Operation(Thread* t, const void* address, std::size_t size)
    : address_(reinterpret_cast<std::uint64_t>(address)), size_(size), plain_(t, address_, size),
      t_(plain_.held() ? nullptr : t), hook_(t_) {
  if (t_ == nullptr || hook_.self() == nullptr) return;
  begin(hook_, t);
  ThreadState& self = *hook_.self();
  const Touched touched(address_, size_);
  if (touched.count != 0) before_relevant(hook_, 0, touched.asks);
  persist(hook_, [&](unsigned) {
    if (!lines_.hold(self, touched.low, touched.high)) return Try::Alone;
    // Only alone can it be found out which of the two comes first.
    if (self.alone || !has_rival(self, lines_)) return Try::Done;
    lines_.release();
    return Try::Alone;
  });
}

void Operation::done(EventKind kind, const void* seen, const void* written, std::uint32_t site) {
  if (plain_.held()) return plain_.done(seen, written);
  if (t_ == nullptr || hook_.self() == nullptr) return;
  ThreadState& self = *hook_.self();
  const Touched touched(address_, size_);
  if (seen != nullptr) {
    const auto* bytes = static_cast<const std::uint8_t*>(seen);
    switch (judge_read(self, lines_, address_, bytes, size_)) {
    case Seen::Fits: break;
    case Seen::Overtaken:
      if (self.alone) {
        send_checkpoint(self, wire::kReorder, site);
        break;
      }
      [[fallthrough]]; // no store was under way when it was made: code without hooks wrote
    case Seen::External: external_write(self, touched, lines_, address_, bytes, size_, site); break;
    case Seen::Unordered:
      if (self.alone) send_checkpoint(self, wire::kGiveUp, site);
      else end_messages();
      return;
    }
    shadow_read(self, lines_);
  }
  if (written != nullptr) {
    const auto* bytes = static_cast<const std::uint8_t*>(written);
    write(self, kind, touched, lines_, address_, size_, site, [&](std::uint64_t i) { return bytes[i]; });
    shadow_values(lines_, address_, bytes, size_);
  }
}

} // namespace sooth::runtime::observing
