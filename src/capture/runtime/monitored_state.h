// What the files of the monitored layer share: the monitors, the threads' states, the carriers of knowledge.
#pragma once

#include "capture/runtime/monitored.h"
#include "knowledge/monitoring.h"

namespace sooth::runtime {

struct Cell;

extern knowledge::Setup g_setup; // does not change once the program runs

inline constexpr std::size_t kMostStripes = 10;
inline constexpr std::size_t kCachedCells = 32;
// Bytes of memory whose pieces one access touches at the same time; longer ones go on step by step.
inline constexpr std::uint64_t kMostMemory = 64;
inline constexpr std::size_t kMostPieces = kMostMemory + 16;

// One thread's side of it. Touched by its own thread only, except where it says so.
struct MonitoredThread {
  knowledge::Thread* core;
  std::uint32_t number;
  std::uint32_t name;           // interned; 0: none
  std::uint32_t named_by;       // 1 + a name that another thread gave it, taken over at its next event; atomic
  std::uint64_t recovery_frame; // a recovery function runs, called from this frame: nothing is acted upon; 0: none
  bool has_function;            // its start function is known
  // What the present access touches (monitored_carriers.cc): carriers, and the locks that are held for them.
  knowledge::Touch* touches;
  std::uint32_t touch_count;
  std::uint32_t stripe_count;
  void* stripes[kMostStripes];
  Cell* cells[kCachedCells]; // that it last found, by address (monitored_quick.h)
  bool ended;                // the rest: with the table's lock
  bool detached;
  MonitoredThread* next; // in the table, or on the free list
};

// --- threads (monitored_threads.cc) -----------------------------------------------------------------------------------

bool make_monitored_threads();
// The calling thread's state; null where nothing is to be followed: its own hook is running already (a signal handler).
MonitoredThread* monitored_self(Thread* t);
void monitored_thread_event(Thread* t, MonitoredThread& self, EventKind kind, std::uint64_t value, std::uint32_t site);
void name_monitored_thread(MonitoredThread& self, std::uint32_t name, std::uint64_t whose, std::uint32_t site);
void take_given_name(MonitoredThread& self, std::uint32_t site);
// The thread's first function: the first activation of its shadow call stack, or the function of a site. One of the
// standard library's own is passed over.
void take_start_function(Thread* t, MonitoredThread& self);
void starts_in(MonitoredThread& self, std::uint32_t function_site);
// Its name, or "".
const char* monitored_name(std::uint32_t number);

// Nothing of the runtime's own is recorded, and no hook of a signal handler runs, while a hook does.
class InHook {
public:
  InHook() { ++__sooth_thread.quiet; }
  ~InHook() { --__sooth_thread.quiet; }
  InHook(const InHook&) = delete;
  InHook& operator=(const InHook&) = delete;
};

// --- carriers (monitored_carriers.cc) ---------------------------------------------------------------------------------

// A lock of the layer's own: held for the length of one event.
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

// Where variables that formulas name lie. Apart from what changes with every access of one.
struct VariablePlace {
  std::uint64_t address; // 0: a watched one that has no place yet; atomic
  std::uint64_t size;
};
extern VariablePlace* g_variable_places;

bool make_carriers();
// The variable has this place from now on. The caller holds it.
void place_variable(std::uint32_t variable, std::uint64_t address);

// What an access touches: take hold of it in this order, judge, let go. What cannot be had for want of memory is counted.
void hold_variable(MonitoredThread& self, std::uint32_t variable);
void hold_variables(MonitoredThread& self, std::uint64_t address, std::uint64_t size);
// The bytes that are no named variable's, of a range of at most kMostMemory. Each piece that accesses have in common has a
// carrier of its own: those of one byte know nothing of its neighbour.
void hold_memory(MonitoredThread& self, std::uint64_t address, std::uint64_t size);
enum class Primitive : std::uint8_t { None, Lock, Object }; // two at one address are apart, and apart from its bytes
void hold_primitive(MonitoredThread& self, Primitive kind, std::uint64_t address);
void let_go(MonitoredThread& self);

// The objects in the range have ended: what was known there goes.
void drop_carriers(std::uint64_t address, std::uint64_t size);
void drop_primitive(Primitive kind, std::uint64_t address);
std::uint64_t lost_carriers();

// Around a fork nobody else may be in the middle of something: the child is to find all of it whole.
void hold_all_carriers();
void let_go_all_carriers();
void hold_all_threads();
void let_go_all_threads();
// In the child: only the caller lives on.
void forget_monitored_threads(MonitoredThread& self);

// --- violations (monitored_report.cc) -----------------------------------------------------------------------------------

// Tells what has become false and acts on it. No lock is held.
void act_on(MonitoredThread& self, knowledge::Word fresh, std::uint32_t site);
inline void judged(MonitoredThread& self, const knowledge::Outcome& outcome, std::uint32_t site) {
  if (__builtin_expect(outcome.fresh != 0, 0)) act_on(self, outcome.fresh, site);
}
void tell_totals();
// In the child of a fork: it counts its own violations, and says which process it is.
void forget_totals();
// Threads that formulas did not range over, because there were too many; told at the end, if there were any.
void tell_places();
// Divisions by zero and the like in formulas; told at the end, if there were any.
void tell_faults();
void complain_about_faults(const knowledge::Faults& faults);
// Threads that formulas name, and nobody was.
void note_roles(const MonitoredThread& self);
void complain_about_places(std::uint64_t given_early, std::uint64_t refused);

} // namespace sooth::runtime
