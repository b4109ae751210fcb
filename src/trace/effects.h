// The effects of an event that other threads can notice: a visitor over the columns of
// event_kinds.def.
//
// Example: for `wake`, for_each_effect() calls takes(the condition) and takes(the mutex). If the
//   time was up, it calls fails(the condition) and takes(the mutex).
// Question: which object does this event take from, give to, begin or end, and which thread does it
//   create or join?
// The verifier (trace/legality/) and the checker of witnesses (witness/) have rules of their own
// and use nothing of this header, so that a wrong column cannot hide itself. tools/check_doors.py
// enforces that. The runtime includes this header, too.
#pragma once

#include <cstdint>

#include "trace/kind_columns.h"

namespace sooth::trace {

constexpr bool is_primitive(ObjectKind object) { return object <= ObjectKind::LastPrimitive; }
constexpr bool moves_mutex(EventKind kind) { return does(kind, act::kTakesMutex | act::kGivesMutex); }
// A wait gives up its mutex; a wake has it again.
constexpr bool takes_lock(EventKind kind) {
  return does(kind, act::kTakesMutex) || does_to(ObjectKind::Lock, kind, act::kTakes);
}
constexpr bool gives_lock(EventKind kind) {
  return does(kind, act::kGivesMutex) || does_to(ObjectKind::Lock, kind, act::kGives);
}
// Takes from or gives to a primitive that lies in memory.
constexpr bool uses_primitive(EventKind kind) {
  return is_primitive(object_of(kind)) && does(kind, act::kTakes | act::kGives | act::kTakesMutex | act::kGivesMutex);
}
// Initialises a primitive by a call.
constexpr bool begins_primitive(EventKind kind) { return is_primitive(object_of(kind)) && does(kind, act::kBegins); }
// Ends a primitive: it must not be used any more, unless it is initialised again.
constexpr bool destroys_primitive(EventKind kind) { return is_primitive(object_of(kind)) && does(kind, act::kEnds); }
// Calls visit(address) for the primitives that the event uses, and that have to be there. POSIX
// lets a condition be destroyed as soon as its waiters are woken, and a barrier when its threads
// are let go: the threads that leave these do not count. Annotated locks are names, and those of
// other processes have a life that is not recorded.
template <typename Event, typename Visit>
constexpr void for_primitives_used(const Event& e, Visit&& visit) {
  if (!uses_primitive(e.kind)) return;
  const bool lock = object_of(e.kind) == ObjectKind::Lock;
  if (lock && (e.value & (kLockAnnotated | kLockProcessShared)) != 0) return;
  if (e.kind != EventKind::Wake && e.kind != EventKind::BarrierLeave) visit(e.address);
  if (moves_mutex(e.kind) && e.value != 0) visit(e.value);
}
// Whether `address` is an address in memory.
constexpr bool is_place(ObjectKind object) {
  return is_primitive(object) || object == ObjectKind::Tag || object == ObjectKind::Futex ||
         (object >= ObjectKind::Memory && object <= ObjectKind::Awaited);
}
// The lock that an event takes, tries or gives up; 0: none.
template <typename Event>
constexpr std::uint64_t lock_of(const Event& e) {
  if (moves_mutex(e.kind)) return e.value;
  return takes_lock(e.kind) || gives_lock(e.kind) ? e.address : 0;
}

struct Affected {
  ObjectKind kind = ObjectKind::Nothing;
  std::uint64_t address = 0; // of a thread: its number
  bool shared = false;       // act::kShares: e.g. by readers
  bool whole = false;        // given up completely, however often it was taken
};

// Visitors derive from this and define only the functions that they need.
struct EffectVisitor {
  void takes(const Affected&) {}
  void fails(const Affected&) {} // tried to take it, in vain
  void gives(const Affected&) {}
  void begins(const Affected&) {}
  void ends(const Affected&) {}
  void creates(std::uint64_t /*thread*/) {}
  void joins(std::uint64_t /*thread*/) {}
  void cancels(std::uint64_t /*thread*/) {}
  void starts() {} // the thread itself
  void stops() {}
  void pins(const Affected&) {}
};

namespace effects {

template <typename Event, typename Visitor>
constexpr void of_thread(const Event& e, unsigned acts, bool failed, Visitor& visitor) {
  if (failed) {
    if ((acts & act::kTakes) != 0) visitor.fails(Affected{ObjectKind::Thread, e.value, false, false});
    return;
  }
  if ((acts & act::kGives) != 0) visitor.creates(e.value);
  if ((acts & act::kTakes) != 0) visitor.joins(e.value);
  if ((acts & act::kCancels) != 0) visitor.cancels(e.value);
  if ((acts & act::kBegins) != 0) visitor.starts();
  if ((acts & act::kEnds) != 0) visitor.stops();
}

} // namespace effects

// `Event` is trace::Event, or anything with kind, address, value and has(EventFlags).
template <typename Event, typename Visitor>
constexpr void for_each_effect(const Event& e, Visitor&& visitor) {
  const KindColumns& row = kColumnsOfKind[static_cast<std::uint8_t>(e.kind)];
  constexpr unsigned kEffects = act::kTakes | act::kGives | act::kTakesMutex | act::kGivesMutex | act::kBegins |
                                act::kEnds | act::kCancels | act::kPins;
  if ((row.acts & kEffects) == 0) return;
  const bool failed = e.has(kFailed);
  if (row.object == ObjectKind::Thread) return effects::of_thread(e, row.acts, failed, visitor);
  const Affected object{row.object, e.address, (row.acts & act::kShares) != 0, false};
  if ((row.acts & act::kPins) != 0) visitor.pins(object);
  if ((row.acts & act::kTakes) != 0) {
    if (failed) visitor.fails(object);
    else visitor.takes(object);
  }
  // An initialiser that ends by an exception lets another thread begin all the same.
  if ((row.acts & act::kGives) != 0 && (!failed || row.object == ObjectKind::Once)) visitor.gives(object);
  // Destroying a lock that is in use fails.
  const bool stays = failed && row.object == ObjectKind::Lock;
  if ((row.acts & act::kBegins) != 0 && !stays) visitor.begins(object);
  if ((row.acts & act::kEnds) != 0 && !stays) visitor.ends(object);
  if (e.value == 0) return;
  if ((row.acts & act::kTakesMutex) != 0) visitor.takes(Affected{ObjectKind::Lock, e.value, false, false});
  if ((row.acts & act::kGivesMutex) != 0) visitor.gives(Affected{ObjectKind::Lock, e.value, false, true});
}

// Calls taken(const Affected&) for a lock that the event takes, given(const Affected&) for one that
// it gives up.
template <typename Event, typename Taken, typename Given>
constexpr void for_lock_move(const Event& e, Taken&& taken, Given&& given) {
  if (lock_of(e) == 0) return;
  struct Moves : EffectVisitor {
    Taken& taken;
    Given& given;
    Moves(Taken& t, Given& g) : taken(t), given(g) {}
    void takes(const Affected& object) {
      if (object.kind == ObjectKind::Lock) taken(object);
    }
    void gives(const Affected& object) {
      if (object.kind == ObjectKind::Lock) given(object);
    }
  };
  for_each_effect(e, Moves(taken, given));
}

} // namespace sooth::trace
