// Fast path: detects events that cannot change any knowledge, without the rest of the layer. The
// thread is calm (knowledge/monitoring.h), and the carrier holds exactly the knowledge of the
// thread.
//
// Other threads cannot change a lock that this thread holds; they can only try it. But they may
// change the value that an atomic load sees. So the load checks the carrier before and after: does
// a thread hold the carrier's lock, or has one left new knowledge? Writes take that lock.
#pragma once

#include "capture/runtime/monitoring/state.h"
#include "trace/kind_columns.h"

namespace sooth::runtime::monitoring {

// The carrier of a variable that formulas name.
struct alignas(64) Variable {
  CarrierLock lock;
  knowledge::Carrier carrier;
};
extern Variable* g_variables;

// A carrier of a primitive, or of some of the eight bytes of a granule.
struct CarrierCell {
  CarrierCell* next;
  std::uint64_t address; // of a primitive; of memory: the granule's
  std::uint8_t bytes;    // of memory: bit i is byte i of the granule; 0: a primitive
  Primitive kind;
  knowledge::Carrier carrier;
};
// A stripe mostly has a single cell. It lies beside the lock, so that both come to a core together.
struct alignas(64) Stripe {
  CarrierLock lock;
  bool own_taken; // with the lock
  CarrierCell* first;
  CarrierCell own;
};
static_assert(sizeof(Stripe) == 64);
inline constexpr std::size_t kStripes = 4096;
extern Stripe g_stripes[kStripes];

inline std::uint64_t granule_of(std::uint64_t address) { return address & ~std::uint64_t{7}; }
inline Stripe& stripe_of(std::uint64_t address) { return g_stripes[(address >> 3) * 0x9e3779b97f4a7c15u >> 52]; }
// The bytes of a granule that lie in a range.
inline std::uint8_t bytes_in(std::uint64_t granule, std::uint64_t address, std::uint64_t end) {
  const std::uint64_t from = address > granule ? address - granule : 0;
  const std::uint64_t to = end < granule + 8 ? end - granule : 8;
  return static_cast<std::uint8_t>((0xffu << from) & (0xffu >> (8 - to)));
}
// The cell that the thread last found for an address like this one. A cell that was reused has
// another address; its memory stays.
inline CarrierCell*& remembered_cell(ThreadState& self, std::uint64_t address) {
  return self.cells[(address >> 3) % kCachedCells];
}

// The thread needs the first steps of its hooks (monitoring/events.cc) only if there is something
// new about it.
inline bool is_calm(Thread* t) {
  const ThreadState* self = t->monitored;
  return self != nullptr && knowledge::is_calm(g_setup, *self->core) &&
         __atomic_load_n(&self->named_by, __ATOMIC_RELAXED) == 0 &&
         (self->has_function || __sooth_thread.abi.stack_top == t->stack);
}

inline bool is_left_at_lock(ThreadState& self, knowledge::Access access, std::uint64_t address) {
  const CarrierCell* cell = remembered_cell(self, address);
  return cell != nullptr && __atomic_load_n(&cell->address, __ATOMIC_RELAXED) == address &&
         cell->kind == Primitive::Lock && knowledge::is_left(*self.core, cell->carrier, access);
}

// An event of a lock that the thread holds. False: it needs the slow path.
inline bool passes_held_lock(Thread* t, EventKind kind, std::uint64_t address) {
  if (!does_to(trace::ObjectKind::Lock, kind, trace::act::kTakes | trace::act::kGives)) return false;
  const bool shared = does(kind, trace::act::kShares);
  if (!is_calm(t) ||
      !is_left_at_lock(*t->monitored, shared ? knowledge::Access::Read : knowledge::Access::Write, address))
    return false;
  knowledge::pass(*t->monitored->core);
  return true;
}

// A plain access within one variable that only carries knowledge. While this lives, the variable is
// held. If held(), make the access; it needs nothing else.
class CarriedAccess {
public:
  CarriedAccess(Thread* t, std::uint64_t address, std::size_t size, knowledge::Access access) {
    if (!is_calm(t)) return;
    const std::uint32_t found = only_variable(address, size);
    if (found == knowledge::kNoVariable || found < g_setup.layout.variables || g_setup.sees_accesses_of(found)) return;
    ++__sooth_thread.quiet; // a signal handler must not wait for this lock
    variable_ = &g_variables[found];
    variable_->lock.lock();
    if (found != only_variable(address, size) || // it was placed elsewhere in between
        !knowledge::access_calmly(g_setup, *t->monitored->core, access, variable_->carrier))
      let_go();
  }
  ~CarriedAccess() {
    if (held()) let_go();
  }
  CarriedAccess(const CarriedAccess&) = delete;
  CarriedAccess& operator=(const CarriedAccess&) = delete;

  bool held() const { return variable_ != nullptr; }

private:
  static std::uint32_t only_variable(std::uint64_t address, std::size_t size) {
    std::uint32_t found = knowledge::kNoVariable;
    const std::uint32_t count = g_setup.compiled.variable_count();
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint64_t place = __atomic_load_n(&g_variable_places[i].address, __ATOMIC_RELAXED);
      const std::uint64_t end = place + g_variable_places[i].size;
      if (place == 0 || place >= address + size || address >= end) continue;
      if (found != knowledge::kNoVariable || address < place || address + size > end) return knowledge::kNoVariable;
      found = i;
    }
    return found;
  }
  void let_go() {
    variable_->lock.unlock();
    variable_ = nullptr;
    --__sooth_thread.quiet;
  }

  Variable* variable_ = nullptr;
};

// An atomic operation within a granule. If quiet(), make it. If done() is then true, it needed
// nothing else. If done() is false, a load has to be made again on the slow path.
class QuietOperation {
public:
  QuietOperation(Thread* t, const void* address, std::size_t size, bool writes)
      : self_(t->monitored), address_(reinterpret_cast<std::uint64_t>(address)), granule_(granule_of(address_)),
        size_(size), writes_(writes) {
    if (!is_calm(t) || address_ + size > granule_ + 8 || may_hold_variables(address_, size)) return;
    cell_ = remembered_cell(*self_, granule_);
    if (cell_ == nullptr) return;
    if (!writes_) {
      quiet_ = stripe_of(granule_).lock.is_free() && is_left();
      return;
    }
    ++__sooth_thread.quiet; // a signal handler must not wait for this lock
    stripe_of(granule_).lock.lock();
    quiet_ = is_left();
    if (!quiet_) let_go();
  }
  QuietOperation(const QuietOperation&) = delete;
  QuietOperation& operator=(const QuietOperation&) = delete;

  bool quiet() const { return quiet_; }
  bool done() {
    __asm__ volatile("" : : : "memory"); // the load comes before this check
    if (!writes_ && !(stripe_of(granule_).lock.is_free() && is_left())) return false;
    knowledge::pass(*self_->core);
    if (writes_) let_go();
    return true;
  }

private:
  bool is_left() const {
    return __atomic_load_n(&cell_->address, __ATOMIC_ACQUIRE) == granule_ &&
           __atomic_load_n(&cell_->bytes, __ATOMIC_ACQUIRE) == bytes_in(granule_, address_, address_ + size_) &&
           knowledge::is_left(*self_->core, cell_->carrier,
                              writes_ ? knowledge::Access::Write : knowledge::Access::Read);
  }
  void let_go() {
    stripe_of(granule_).lock.unlock();
    --__sooth_thread.quiet;
  }

  ThreadState* self_;
  const CarrierCell* cell_ = nullptr;
  std::uint64_t address_, granule_;
  std::size_t size_;
  bool writes_;
  bool quiet_ = false;
};

} // namespace sooth::runtime::monitoring
