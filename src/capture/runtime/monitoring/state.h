// State that the files of the monitoring layer share: the monitors, the threads' states, the
// carriers of knowledge.
#pragma once

#include "capture/runtime/monitoring/monitoring.h"
#include "knowledge/monitoring.h"

namespace sooth::runtime::monitoring {

struct CarrierCell;

extern knowledge::Setup g_setup; // does not change once the program runs

inline constexpr std::size_t kMostStripes = 10;
inline constexpr std::size_t kCachedCells = 32;
// The most bytes of memory whose pieces one access touches at the same time. Longer accesses go
// step by step.
inline constexpr std::uint64_t kMostMemory = 64;
inline constexpr std::size_t kMostPieces = kMostMemory + 16;

// One thread's state. Only its own thread touches it, except where noted.
struct ThreadState {
  knowledge::Thread* core;
  std::uint32_t number;
  std::uint32_t name;           // interned; 0: none
  std::uint32_t named_by;       // 1 + a name that another thread gave it, taken over at its next event; atomic
  std::uint64_t recovery_frame; // a recovery function runs, called from this frame: nothing is acted upon; 0: none
  bool has_function;            // its start function is known
  // The carriers that the current access touches (monitoring/carriers.cc), and the locks that are
  // held for them.
  knowledge::Touch* touches;
  std::uint32_t touch_count;
  std::uint32_t stripe_count;
  void* stripes[kMostStripes];
  CarrierCell* cells[kCachedCells]; // that it last found, by address (monitoring/quick.h)
  bool ended;                       // this and the rest need the table's lock
  bool detached;
  ThreadState* next; // in the table, or on the free list
};

// --- threads (monitoring/threads.cc) -------------------------------------------------------------

bool make_threads();
// The calling thread's state. Null where nothing is to be followed: its own hook is running already
// (in a signal handler).
ThreadState* state_of(Thread* t);
void thread_event(Thread* t, ThreadState& self, EventKind kind, std::uint64_t value, std::uint32_t site);
void name_thread(ThreadState& self, std::uint32_t name, std::uint64_t whose, std::uint32_t site);
void take_given_name(ThreadState& self, std::uint32_t site);
// The thread's first function: the first activation of its shadow call stack, or the function of a
// site. Functions of the standard library itself are skipped.
void take_start_function(Thread* t, ThreadState& self);
void starts_in(ThreadState& self, std::uint32_t function_site);
// Its name, or "".
const char* thread_name(std::uint32_t number);

// While a hook runs, the runtime records nothing of its own, and no signal handler runs a hook.
class InHook {
public:
  InHook() { ++__sooth_thread.quiet; }
  ~InHook() { --__sooth_thread.quiet; }
  InHook(const InHook&) = delete;
  InHook& operator=(const InHook&) = delete;
};

// --- carriers (monitoring/carriers.cc) -----------------------------------------------------------

// A lock of the layer itself, held for one event.
class CarrierLock {
public:
  void lock() {
    if (__builtin_expect(__atomic_exchange_n(&held_, 1, __ATOMIC_ACQUIRE) != 0, 0)) wait();
  }
  void unlock() { __atomic_store_n(&held_, 0, __ATOMIC_RELEASE); }
  bool is_free() const { return __atomic_load_n(&held_, __ATOMIC_ACQUIRE) == 0; }

private:
  void wait();
  std::uint32_t held_ = 0;
};

// Where the variables that formulas name lie. Kept apart from data that changes with every access.
struct VariablePlace {
  std::uint64_t address; // 0: a watched one that has no place yet; atomic
  std::uint64_t size;
};
extern VariablePlace* g_variable_places;

bool make_carriers();
// From now on, the variable has this place. The caller holds it.
void place_variable(std::uint32_t variable, std::uint64_t address);

// The carriers that an access touches: hold them in this order, judge, let go. Carriers that cannot
// be made for want of memory are counted.
void hold_variable(ThreadState& self, std::uint32_t variable);
void hold_variables(ThreadState& self, std::uint64_t address, std::uint64_t size);
// The bytes of a range (at most kMostMemory) that belong to no named variable. Each piece that
// accesses have in common has its own carrier: the carrier of one byte knows nothing of its
// neighbour.
void hold_memory(ThreadState& self, std::uint64_t address, std::uint64_t size);
enum class Primitive : std::uint8_t { None, Lock, Object }; // two at one address are separate, also from its bytes
void hold_primitive(ThreadState& self, Primitive kind, std::uint64_t address);
void let_go(ThreadState& self);

// The objects in the range have ended: forgets the knowledge there.
void drop_carriers(std::uint64_t address, std::uint64_t size);
void drop_primitive(Primitive kind, std::uint64_t address);
std::uint64_t lost_carriers();

// Around a fork, no other thread may be in the middle of an event: the child must find all state
// consistent.
void hold_all_carriers();
void let_go_all_carriers();
void hold_all_threads();
void let_go_all_threads();
// In the child: only the caller lives on.
void forget_other_threads(ThreadState& self);

// --- violations (monitoring/report.cc) -----------------------------------------------------------

// Reports the formulas that have become false, and acts on them. No lock is held.
void act_on(ThreadState& self, knowledge::Word fresh, std::uint32_t site);
inline void judged(ThreadState& self, const knowledge::Outcome& outcome, std::uint32_t site) {
  if (__builtin_expect(outcome.fresh != 0, 0)) act_on(self, outcome.fresh, site);
}
void tell_totals();
// In the child of a fork: it counts its own violations, and names its process.
void forget_totals();
// Threads that formulas did not range over, because there were too many. Reported at the end, if
// there were any.
void tell_places();
// Divisions by zero and the like in formulas. Reported at the end, if there were any.
void tell_faults();
void complain_about_faults(const knowledge::Faults& faults);
// Notes the roles that the thread has taken. Roles of formulas that no thread ever took are
// reported at the end.
void note_roles(const ThreadState& self);
void complain_about_places(std::uint64_t given_early, std::uint64_t refused);

} // namespace sooth::runtime::monitoring
