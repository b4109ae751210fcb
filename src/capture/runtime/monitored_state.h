// What the files of the monitored layer share: the monitors, the threads' states, the carriers of knowledge.
#pragma once

#include "capture/runtime/monitored.h"
#include "knowledge/monitoring.h"

namespace sooth::runtime {

extern knowledge::Setup g_setup; // does not change once the program runs

// One thread's side of it. Touched by its own thread only, except where it says so.
struct MonitoredThread {
  knowledge::Thread* core;
  std::uint32_t number;
  std::uint32_t name;           // interned; 0: none
  std::uint32_t named_by;       // 1 + a name that another thread gave it, taken over at its next event; atomic
  std::uint64_t recovery_frame; // a recovery function runs, called from this frame: nothing is acted upon; 0: none
  bool has_function;            // its start function is known
  bool ended;                   // the rest: with the table's lock
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

// A lock of the layer's own: held for the length of one event of one variable or primitive.
class CarrierLock {
public:
  void lock();
  void unlock() { __atomic_store_n(&held_, 0, __ATOMIC_RELEASE); }
  void reset() { held_ = 0; }

private:
  std::uint32_t held_ = 0;
};

struct MonitoredVariable {
  CarrierLock lock;
  std::uint64_t address; // 0: a watched one that has no place yet; atomic
  std::uint32_t size;
  knowledge::Carrier* carrier;
};
extern MonitoredVariable* g_monitored_variables;

bool make_carriers();
// Some variable may lie in the range.
bool may_hold_monitored(std::uint64_t address, std::uint64_t size);
// The variable has this place from now on.
void place_variable(std::uint32_t variable, std::uint64_t address);

// The carrier of a primitive, or of memory that no formula names. Holds its lock; null if there is no memory for it.
knowledge::Carrier* hold_carrier(std::uint64_t key, CarrierLock*& lock);
// The objects in the range have ended: what was known there goes.
void drop_carriers(std::uint64_t address, std::uint64_t size);
void reset_carrier_locks();
// Primitives are apart from the bytes at their address.
inline std::uint64_t primitive_key(std::uint64_t address) { return (address & ~std::uint64_t{7}) | 1; }
inline std::uint64_t granule_key(std::uint64_t address) { return address & ~std::uint64_t{7}; }

// --- violations (monitored_report.cc) -----------------------------------------------------------------------------------

// Tells what has become false and acts on it. No lock is held.
void act_on(MonitoredThread& self, knowledge::Word fresh, std::uint32_t site);
inline void judged(MonitoredThread& self, const knowledge::Outcome& outcome, std::uint32_t site) {
  if (__builtin_expect(outcome.fresh != 0, 0)) act_on(self, outcome.fresh, site);
}
void tell_totals();
// Threads that formulas did not range over, because there were too many; told at the end, if there were any.
void tell_places();
void complain_about_places(std::uint64_t given_early, std::uint64_t refused);

} // namespace sooth::runtime
