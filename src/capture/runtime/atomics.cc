// Atomic operations. The runtime performs them itself, so that their tickets give the order in
// which they took effect.
//
// A write holds its address's stripe while it takes its number from the stripe's clock and does its
// work. A load must come before the next write in that order. The next write gets a number above
// the stripe's bound. So there are two cases for a load:
//
// - The thread's clock is not above the bound either. The load only checks the stripe's version
//   before and after (a seqlock), and changes nothing that other threads see.
// - Otherwise the load has to raise the bound, which takes the stripe. If no write came since the
//   last raise, it raises the bound by more than it needs now.
//
// Most atomics are written by one thread for a long time. After kBiasAfter writes in a row, a
// stripe is its writer's own: the writer says in its own record that it is inside an operation,
// looks whether the stripe is still its own, and then holds it by plain stores. Another thread that
// wants the stripe first ends that: it marks the bias as ending, passes a barrier of all threads,
// and waits until the owner is inside no operation.
//
//     owner    inside = 1 ; bias == me?  yes: hold, number, work, release ; inside = 0
//     other    bias = ending ; barrier of all threads ; wait for inside == 0 ; bias = nobody
//
// The barrier is what both orders need: an owner that looked before it has its `inside` seen, one
// that looks after it sees that the bias is ending (Dice, Moir and Scherer, "Quickly Reacquirable
// Locks", 2003). So an operation by the owner and one by another thread never overlap, and numbers
// are as exact as by the locked instruction. Loads look at the version as before.
//
// The thread that wrote last has a bound of its own, kOwnAhead above its write: its next write gets
// a larger number anyway, and another thread's goes above that bound. So a thread that loads and
// stores what is its own (the bottom of its deque, say) takes the stripe for the stores only.
//
// A signal handler may interrupt its own thread inside a stripe. Then it works without the stripe,
// and is counted (inexact-atomics).
#include <type_traits>

#include "capture/abi.h"
#include "capture/runtime/monitoring/quick.h"
#include "capture/runtime/os.h"
#include "capture/runtime/recording/cells.h"
#include "capture/runtime/recording/hand_over.h"
#include "capture/runtime/recording/ownership.h"
#include "capture/runtime/unrecorded_atomic.h"

__extension__ typedef unsigned __int128 Uint128;
__extension__ typedef __int128 Int128;

namespace sooth::runtime {
namespace {

struct alignas(64) Stripe {
  // Version, and above it the holder's number plus one, or 0. One word, so that a handler on the
  // holder's own thread never sees a half of it.
  std::uint64_t state;
  std::uint64_t clock;  // the number of the last write; changes only while held
  std::uint64_t bound;  // at least `clock`; no load since has a larger number than this, but its writer's own;
                        // changes only while held
  std::uint64_t writer; // the thread of that write; changes only while held
  std::uint64_t bias;   // the thread that has the stripe to itself, plus one; kNoBias; kEndsBias
  std::uint32_t streak; // writes in a row by one thread; changes only while held
  std::uint32_t ended;  // how often a bias was ended
};
static_assert(sizeof(Stripe) == 64);
constexpr std::uint64_t kNoBias = 0;
constexpr std::uint64_t kEndsBias = ~std::uint64_t{0};
constexpr std::uint32_t kBiasAfter = 64; // ending a bias costs as much as hundreds of locked instructions
constexpr std::uint32_t kMostBiases = 8;
constexpr std::uint64_t kAhead = 64;    // a bound that is raised again goes ahead by this much
constexpr std::uint64_t kOwnAhead = 16; // the writer's own loads; little, because other writers skip these numbers
constexpr std::size_t kStripes = 1024;
Stripe g_stripes[kStripes];

Stripe& stripe_of(const void* p) {
  const std::uint64_t line = reinterpret_cast<std::uint64_t>(p) >> 4; // atomics of 16 bytes share one with their halves
  return g_stripes[(line ^ line >> 10) % kStripes];
}

void pause(unsigned spins) {
  if (spins % 64 == 63) os::yield();
  else __builtin_ia32_pause();
}

constexpr unsigned kOwnerShift = 32;
std::uint64_t owner_bits(const Thread* t) { return (std::uint64_t{t->number} + 1) << kOwnerShift; }
bool is_held(std::uint64_t state) { return state >> kOwnerShift != 0; }
std::uint64_t next_version(std::uint64_t state) { return static_cast<std::uint32_t>(state + 1); }

// Takes the stripe from the thread that has it to itself, if one does. Only one thread does this at
// a time; the others wait.
__attribute__((noinline)) void end_bias(Stripe& stripe, std::uint64_t owner) {
  if (owner == kEndsBias ||
      !__atomic_compare_exchange_n(&stripe.bias, &owner, kEndsBias, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
    for (unsigned spins = 0; __atomic_load_n(&stripe.bias, __ATOMIC_ACQUIRE) == kEndsBias; ++spins) pause(spins);
    return;
  }
  pass_barrier();
  // A handler that jumped out of an operation left it under way for ever.
  constexpr unsigned kMost = 1 << 24; // more than a second
  for (unsigned spins = 0; operation_is_under_way(static_cast<std::uint32_t>(owner - 1)); ++spins) {
    if (spins == kMost) {
      count(Defect::InexactAtomics);
      break;
    }
    pause(spins);
  }
  stripe.streak = 0;
  ++stripe.ended;
  __atomic_store_n(&stripe.bias, kNoBias, __ATOMIC_RELEASE);
}

class Holding {
public:
  __attribute__((always_inline)) Holding(const void* p, Thread* t) : stripe_(stripe_of(p)), t_(t) {
    if (__atomic_load_n(&stripe_.bias, __ATOMIC_RELAXED) != t->number + std::uint64_t{1} || !hold_as_owner()) hold();
  }
  __attribute__((always_inline)) ~Holding() {
    if (mine_) __atomic_store_n(&stripe_.state, next_version(held_), __ATOMIC_RELEASE);
    if (as_owner_) end_operation(t_);
  }
  Holding(const Holding&) = delete;
  Holding& operator=(const Holding&) = delete;

  // The number of an operation that writes.
  __attribute__((always_inline)) std::uint64_t ticket(Thread* t) {
    const bool again = stripe_.writer == t->number;
    const std::uint64_t own_bound = again ? 0 : stripe_.clock + kOwnAhead;
    const std::uint64_t bound = stripe_.bound > own_bound ? stripe_.bound : own_bound;
    if (bound > t->clock) t->clock = bound;
    const std::uint64_t now = tick(t);
    __atomic_store_n(&stripe_.writer, std::uint64_t{t->number}, __ATOMIC_RELAXED);
    __atomic_store_n(&stripe_.clock, now, __ATOMIC_RELAXED); // the release of the stripe publishes all
    __atomic_store_n(&stripe_.bound, now, __ATOMIC_RELAXED);
    if (!as_owner_ && mine_) count_streak(again);
    return now;
  }
  // The number of a load: not before the last write, and before the next one.
  std::uint64_t load_number(Thread* t) {
    if (stripe_.clock > t->clock) t->clock = stripe_.clock;
    if (stripe_.bound < t->clock)
      __atomic_store_n(&stripe_.bound, t->clock + (stripe_.bound != stripe_.clock ? kAhead : 0), __ATOMIC_RELAXED);
    return t->clock;
  }

private:
  // A signal handler on the holder's own thread. The number is there only if we wrote it, so a
  // relaxed load cannot be wrong about us.
  bool is_inside(std::uint64_t state) const {
    if (state >> kOwnerShift != owner_bits(t_) >> kOwnerShift) return false;
    count(Defect::InexactAtomics);
    return true;
  }
  __attribute__((noinline)) void hold() {
    const std::uint64_t own = owner_bits(t_);
    for (unsigned spins = 0;; ++spins) {
      // Before the bias: if the state is the same at the exchange, no thread held the stripe in
      // between, so none got it to itself.
      std::uint64_t state = __atomic_load_n(&stripe_.state, __ATOMIC_ACQUIRE);
      if (const std::uint64_t bias = __atomic_load_n(&stripe_.bias, __ATOMIC_RELAXED); bias != kNoBias) {
        if (is_inside(state)) return;
        end_bias(stripe_, bias);
      } else if (is_held(state)) {
        if (is_inside(state)) return;
        pause(spins);
      } else if (held_ = own | next_version(state); __atomic_compare_exchange_n(&stripe_.state, &state, held_, false,
                                                                                __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
        mine_ = true;
        return;
      }
    }
  }
  // Without a locked instruction. False: the stripe is being taken away.
  __attribute__((always_inline)) bool hold_as_owner() {
    begin_operation(t_);
    if (__atomic_load_n(&stripe_.bias, __ATOMIC_RELAXED) == t_->number + std::uint64_t{1}) {
      as_owner_ = true;
      if (is_inside(__atomic_load_n(&stripe_.state, __ATOMIC_RELAXED))) return true;
      // One instruction: a handler that comes before it moves the version on.
      const std::uint64_t step = owner_bits(t_) + 1;
      __asm__ volatile("addq %1, %0" : "+m"(stripe_.state) : "r"(step) : "memory", "cc");
      held_ = __atomic_load_n(&stripe_.state, __ATOMIC_RELAXED);
      return mine_ = true;
    }
    end_operation(t_);
    return false;
  }
  __attribute__((noinline)) void count_streak(bool again) {
    stripe_.streak = again ? stripe_.streak + 1 : 0;
    if (stripe_.streak < kBiasAfter || stripe_.ended >= kMostBiases || !can_pass_barrier()) return;
    __atomic_store_n(&stripe_.bias, t_->number + std::uint64_t{1}, __ATOMIC_RELAXED); // published by the release
  }

  Stripe& stripe_;
  Thread* t_;
  std::uint64_t held_ = 0; // the stripe's state meanwhile
  bool mine_ = false;
  bool as_owner_ = false;
};

// Compare-and-swap, the only operation that 16 bytes have.
template <typename T>
T real_cas(T* p, T expected, T desired) {
  return __sync_val_compare_and_swap(p, expected, desired);
}
template <typename T>
T real_load(const T* p) {
  if constexpr (sizeof(T) == 16) return real_cas(const_cast<T*>(p), T{0}, T{0});
  else return __atomic_load_n(p, __ATOMIC_SEQ_CST);
}
// Uses the program's own memory order: a release store costs nothing here, a sequentially
// consistent one costs a barrier.
template <typename T>
void real_store(T* p, T value, std::uint32_t order) {
  if constexpr (sizeof(T) == 16) {
    T seen = real_load(p);
    for (T now; (now = real_cas(p, seen, value)) != seen;) seen = now;
  } else {
    if (order == static_cast<std::uint32_t>(trace::MemoryOrder::SeqCst)) __atomic_store_n(p, value, __ATOMIC_SEQ_CST);
    else __atomic_store_n(p, value, __ATOMIC_RELEASE);
  }
}

template <typename T>
T apply(std::uint32_t operation, T old, T operand) {
  using Signed = std::make_signed_t<std::conditional_t<sizeof(T) == 16, std::uint64_t, T>>;
  const auto below = [](T a, T b) {
    if constexpr (sizeof(T) == 16) return static_cast<Int128>(a) < static_cast<Int128>(b);
    else return static_cast<Signed>(a) < static_cast<Signed>(b);
  };
  switch (operation) {
  case kRmwAdd: return static_cast<T>(old + operand);
  case kRmwSub: return static_cast<T>(old - operand);
  case kRmwAnd: return old & operand;
  case kRmwNand: return static_cast<T>(~(old & operand));
  case kRmwOr: return old | operand;
  case kRmwXor: return old ^ operand;
  case kRmwMax: return below(old, operand) ? operand : old;
  case kRmwMin: return below(operand, old) ? operand : old;
  case kRmwUMax: return old < operand ? operand : old;
  case kRmwUMin: return operand < old ? operand : old;
  default: return operand; // kRmwXchg
  }
}

template <typename T>
T real_rmw(T* p, std::uint32_t operation, T operand) {
  if constexpr (sizeof(T) < 16) {
    if (operation == kRmwAdd) return __atomic_fetch_add(p, operand, __ATOMIC_SEQ_CST);
    if (operation == kRmwSub) return __atomic_fetch_sub(p, operand, __ATOMIC_SEQ_CST);
    if (operation == kRmwXchg) return __atomic_exchange_n(p, operand, __ATOMIC_SEQ_CST);
  }
  T old = real_load(p);
  for (T now; (now = real_cas(p, old, apply(operation, old, operand))) != old;) old = now;
  return old;
}

std::uint64_t as_address(const void* p) { return reinterpret_cast<std::uint64_t>(p); }

// Reserves the event's room and writes the frames before the stripe is taken: nothing slow happens
// while it is held.
trace::RawEvent* prepare(Thread* t, std::size_t slots) {
  if (!has_room(t)) return nullptr;
  if (frames_changed()) write_frames(t);
  return reserve(t, slots);
}

template <typename T>
void put_access(Thread* t, trace::RawEvent* slot, EventKind kind, const void* p, T value, std::uint64_t counter,
                std::uint32_t order, std::uint32_t site, std::uint8_t flags) {
  if (slot == nullptr) return;
  if constexpr (sizeof(T) == 16) {
    os::copy(slot + 1, &value, sizeof value);
    put(t, slot, kind, as_address(p), sizeof value, counter, site, 0, static_cast<std::uint8_t>(order),
        static_cast<std::uint8_t>(flags | trace::kPayload));
  } else {
    put(t, slot, kind, as_address(p), static_cast<std::uint64_t>(value), counter, site, sizeof(T),
        static_cast<std::uint8_t>(order), flags);
  }
}

template <typename T>
constexpr std::size_t kAccessSlots = sizeof(T) == 16 ? 2 : 1;

// A load that is never left out, with a number like a write's.
template <typename T>
T exact_load(Thread* t, const T* p, std::uint32_t order, std::uint32_t site) {
  end_segment(t);
  Appending appending(t);
  trace::RawEvent* slot = prepare(t, kAccessSlots<T>);
  std::uint64_t ticket;
  T value;
  {
    Holding holding(p, t);
    ticket = holding.ticket(t);
    value = real_load(p);
  }
  put_access(t, slot, EventKind::AtomicRead, p, value, ticket, order, site, trace::kTicket);
  return value;
}

// The other modes, and code that is not followed. Apart, so that recording keeps its small frames.
template <typename T>
__attribute__((noinline)) T unrecorded_load(Thread* t, const T* p, std::uint32_t site) {
  if (t == nullptr) return real_load(p);
  if (is_monitoring()) {
    monitoring::QuietOperation load(t, p, sizeof(T), false);
    if (load.quiet()) {
      const T value = real_load(p);
      if (load.done()) return value;
    }
  }
  UnrecordedAtomic unrecorded(t, p, sizeof(T), site);
  const T value = real_load(p);
  unrecorded.done(EventKind::AtomicRead, &value, nullptr);
  return value;
}

// Takes the stripe, because the load's number has to be bound.
template <typename T>
__attribute__((noinline)) std::uint64_t load_holding(Thread* t, const T* p, T& value) {
  Holding holding(p, t);
  value = real_load(p);
  return holding.load_number(t);
}

template <typename T>
T atomic_load(const T* p, std::uint32_t order, std::uint32_t site) {
  Thread* t = enter_quickly();
  if (t == nullptr || !is_recording()) return unrecorded_load(t, p, site);
  if (is_exact(as_address(p), sizeof(T))) return exact_load(t, p, order, site);
  share_atomic(t, p, sizeof(T));
  const Stripe& stripe = stripe_of(p);
  T value;
  std::uint64_t counter = t->clock;
  const std::uint64_t before = __atomic_load_n(&stripe.state, __ATOMIC_ACQUIRE);
  value = real_load(p);
  const std::uint64_t written = __atomic_load_n(&stripe.clock, __ATOMIC_RELAXED);
  std::uint64_t bound = __atomic_load_n(&stripe.bound, __ATOMIC_RELAXED);
  if (counter > bound && __atomic_load_n(&stripe.writer, __ATOMIC_RELAXED) == t->number) bound = written + kOwnAhead;
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  // The second look at the version shows whether value, clock and bound belong together.
  if (counter <= bound && !is_held(before) && __atomic_load_n(&stripe.state, __ATOMIC_RELAXED) == before) {
    if (written > counter) t->clock = counter = written;
  } else {
    counter = load_holding(t, p, value);
  }
  // An acquire load after a relaxed one of the same value is not a repeat: it orders what follows.
  if (sizeof(T) < 16 && (t->last->order & ~trace::kRepeatedElsewhere) == order &&
      repeats_last(t, EventKind::AtomicRead, as_address(p), static_cast<std::uint64_t>(value), sizeof(T), site)) {
    if (t->last->site != site) t->last->order |= trace::kRepeatedElsewhere;
    return value;
  }
  end_segment(t);
  Appending appending(t);
  trace::RawEvent* slot = prepare(t, kAccessSlots<T>);
  put_access(t, slot, EventKind::AtomicRead, p, value, counter, order, site, 0);
  return value;
}

// Makes an operation that writes, if it changes no knowledge of a monitored program's threads.
template <typename T, typename Operation>
bool made_quietly(Thread* t, T* p, Operation operation) {
  if (!is_monitoring()) return false;
  monitoring::QuietOperation quiet(t, p, sizeof(T), true);
  if (!quiet.quiet()) return false;
  operation();
  quiet.done();
  return true;
}

template <typename T>
__attribute__((noinline)) void unrecorded_store(Thread* t, T* p, T value, std::uint32_t order, std::uint32_t site) {
  if (t == nullptr) return real_store(p, value, order);
  if (made_quietly(t, p, [&] { real_store(p, value, order); })) return;
  UnrecordedAtomic unrecorded(t, p, sizeof(T), site);
  real_store(p, value, order);
  unrecorded.done(EventKind::AtomicWrite, nullptr, &value);
}

template <typename T>
void atomic_store(T* p, T value, std::uint32_t order, std::uint32_t site) {
  Thread* t = enter_quickly();
  if (t == nullptr || !is_recording()) return unrecorded_store(t, p, value, order, site);
  share_atomic(t, p, sizeof(T));
  end_segment(t);
  Appending appending(t);
  trace::RawEvent* slot = prepare(t, kAccessSlots<T>);
  std::uint64_t ticket;
  {
    Holding holding(p, t);
    ticket = holding.ticket(t);
    real_store(p, value, order);
  }
  put_access(t, slot, EventKind::AtomicWrite, p, value, ticket, order, site, trace::kTicket);
}

template <typename T>
void put_rmw(Thread* t, trace::RawEvent* slot, const void* p, T old, T now, std::uint64_t ticket, std::uint32_t order,
             std::uint32_t site) {
  if (slot == nullptr) return;
  auto* bytes = reinterpret_cast<std::uint8_t*>(slot + 1);
  __builtin_memcpy(bytes, &old, sizeof old);
  __builtin_memcpy(bytes + sizeof old, &now, sizeof now);
  put(t, slot, EventKind::AtomicRmw, as_address(p), sizeof(T), ticket, site, 0, static_cast<std::uint8_t>(order),
      trace::kTicket | trace::kPayload);
}

template <typename T>
__attribute__((noinline)) T unrecorded_rmw(Thread* t, T* p, T operand, std::uint32_t operation, std::uint32_t site) {
  if (t == nullptr) return real_rmw(p, operation, operand);
  T old;
  if (made_quietly(t, p, [&] { old = real_rmw(p, operation, operand); })) return old;
  UnrecordedAtomic unrecorded(t, p, sizeof(T), site);
  old = real_rmw(p, operation, operand);
  const T now = apply(operation, old, operand);
  unrecorded.done(EventKind::AtomicRmw, &old, &now);
  return old;
}

template <typename T>
T atomic_rmw(T* p, T operand, std::uint32_t operation, std::uint32_t order, std::uint32_t site) {
  Thread* t = enter_quickly();
  if (t == nullptr || !is_recording()) return unrecorded_rmw(t, p, operand, operation, site);
  share_atomic(t, p, sizeof(T));
  end_segment(t);
  Appending appending(t);
  trace::RawEvent* slot = prepare(t, 2);
  std::uint64_t ticket;
  T old;
  {
    Holding holding(p, t);
    ticket = holding.ticket(t);
    old = real_rmw(p, operation, operand);
  }
  put_rmw(t, slot, p, old, apply(operation, old, operand), ticket, order, site);
  return old;
}

template <typename T>
__attribute__((noinline)) T unrecorded_cas(Thread* t, T* p, T expected, T desired, std::uint32_t site) {
  if (t == nullptr) return real_cas(p, expected, desired);
  T old;
  // Even if it only reads: the carrier keeps the same knowledge.
  if (made_quietly(t, p, [&] { old = real_cas(p, expected, desired); })) return old;
  UnrecordedAtomic unrecorded(t, p, sizeof(T), site);
  old = real_cas(p, expected, desired);
  unrecorded.done(old == expected ? EventKind::AtomicRmw : EventKind::AtomicRead, &old,
                  old == expected ? &desired : nullptr);
  return old;
}

template <typename T>
T atomic_cas(T* p, T expected, T desired, std::uint32_t order, std::uint32_t failure_order, std::uint32_t site) {
  Thread* t = enter_quickly();
  if (t == nullptr || !is_recording()) return unrecorded_cas(t, p, expected, desired, site);
  share_atomic(t, p, sizeof(T));
  end_segment(t);
  Appending appending(t);
  trace::RawEvent* slot = prepare(t, 2);
  std::uint64_t ticket;
  T old;
  {
    Holding holding(p, t);
    ticket = holding.ticket(t);
    old = real_cas(p, expected, desired);
  }
  if (old == expected) {
    put_rmw(t, slot, p, old, desired, ticket, order, site);
    return old;
  }
  // The exchange failed: it only read. Its exact ticket orders it like a write's. The second slot
  // is not needed.
  put_access(t, slot, EventKind::AtomicRead, p, old, ticket, failure_order, site, trace::kTicket);
  if (sizeof(T) < 16 && slot != nullptr && t->cursor == slot + 2) t->cursor = slot + 1;
  return old;
}

} // namespace

// Gives up the holder's operation, as ~Holding() would have. Owners of stripes may not be there.
void reset_stripes() {
  for (Stripe& stripe : g_stripes) {
    if (is_held(stripe.state)) stripe.state = next_version(stripe.state);
    stripe.bias = kNoBias;
    stripe.streak = 0;
  }
}

} // namespace sooth::runtime

#define SOOTH_ATOMICS(N, T)                                                                                            \
  extern "C" __attribute__((visibility("default"))) T __sooth_atomic_load##N(const void* p, std::uint32_t order,       \
                                                                             std::uint32_t site) {                     \
    return sooth::runtime::atomic_load(static_cast<const T*>(p), order, site);                                         \
  }                                                                                                                    \
  extern "C" __attribute__((visibility("default"))) void __sooth_atomic_store##N(                                      \
      void* p, T value, std::uint32_t order, std::uint32_t site) {                                                     \
    sooth::runtime::atomic_store(static_cast<T*>(p), value, order, site);                                              \
  }                                                                                                                    \
  extern "C" __attribute__((visibility("default"))) T __sooth_atomic_rmw##N(                                           \
      void* p, T operand, std::uint32_t operation, std::uint32_t order, std::uint32_t site) {                          \
    return sooth::runtime::atomic_rmw(static_cast<T*>(p), operand, operation, order, site);                            \
  }                                                                                                                    \
  extern "C" __attribute__((visibility("default"))) T __sooth_atomic_cas##N(                                           \
      void* p, T expected, T desired, std::uint32_t order, std::uint32_t failure_order, std::uint32_t site) {          \
    return sooth::runtime::atomic_cas(static_cast<T*>(p), expected, desired, order, failure_order, site);              \
  }

SOOTH_ATOMICS(1, std::uint8_t)
SOOTH_ATOMICS(2, std::uint16_t)
SOOTH_ATOMICS(4, std::uint32_t)
SOOTH_ATOMICS(8, std::uint64_t)
SOOTH_ATOMICS(16, Uint128)

extern "C" __attribute__((visibility("default"))) void __sooth_fence(std::uint32_t order, std::uint32_t site) {
  using namespace sooth::runtime;
  if (Thread* t = is_recording() ? enter_quickly() : nullptr) { // nothing that an observer or a formula could see
    end_segment(t);
    append_ticket(t, EventKind::Fence, 0, 0, site, static_cast<std::uint8_t>(order), 0, [&] { return tick(t); });
  }
}
