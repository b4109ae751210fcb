// A Trace: one legal, sequentially consistent sequence of events, frozen. Plain data that every
// analysis reads.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/format.h"
#include "trace/kind_columns.h" // reads_memory, writes_memory
#include "trace/program/static_facts.h"
#include "trace/program/types.h"

namespace sooth::trace {

// What else is known of accesses that were left out (docs/sliced.md, "Classes of sites").
enum EventMarks : std::uint8_t {
  kOtherSites = 1,    // a read: adjacent repeats of it at other sites were left out
  kBehindOmitted = 2, // a sieve left out held or merged accesses of its thread between the event before and this one
};

struct Event {
  std::uint64_t address = 0; // or the target that the kind names (event_kinds.def)
  std::uint64_t value = 0;   // up to 8 bytes, zero-extended; of a range, its first 8 bytes (0 if opaque)
  std::uint64_t extra = 0;   // atomic-rmw: the value seen; ranges with contents: offset into Trace::bytes
  std::uint32_t size = 0;    // bytes touched; 0 for events that touch no memory
  std::uint32_t site = 0;    // index into Trace::sites; 0: unknown
  std::uint32_t thread = 0;  // index into Trace::threads
  EventKind kind = EventKind::None;
  MemoryOrder order = MemoryOrder::Plain;
  std::uint8_t flags = 0; // EventFlags
  std::uint8_t marks = 0; // EventMarks

  bool has(EventFlags f) const { return (flags & f) != 0; }
  friend bool operator==(const Event&, const Event&) = default;
};
static_assert(sizeof(Event) == 40);

// Events of up to 8 bytes carry their bytes in `value`. Others, with kPayload, have their `size`
// bytes in Trace::bytes at `extra`; an atomic-rmw of 16 bytes has first the 16 seen, then the 16
// written.
// kFill: every byte is `value & 0xff`. kOpaque: the contents are unknown until the first read
// defines them.

struct Site {
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::string function;
  std::string variable;
  std::uint32_t flags = 0;      // SiteFlags
  std::uint32_t inlined_at = 0; // index into Trace::inlined_calls: the call that the function's body replaced; 0: none
  std::string object = {};      // of a call: the object that it is about, or the type that it makes (kFactObjects)
  std::uint32_t check = 0;      // index into Trace::checks: the check that begins with this load; 0: none
};

// A call that the compiler replaced by the body of the called function.
struct InlinedCall {
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::string function;         // that makes the call
  std::uint32_t flags = 0;      // SiteFlags: only kSiteSystem
  std::uint32_t inlined_at = 0; // the call that this function's body replaced; has a smaller index; 0: none
  friend bool operator==(const InlinedCall&, const InlinedCall&) = default;
};

// A condition that decides whether the program fails (program/checks.h).
struct Check {
  std::string fails;                    // the function that ends the program
  std::vector<std::uint32_t> loads;     // sites, in the order in which they happen
  std::vector<std::uint32_t> condition; // words (kFactChecks); 1: it fails
};

struct Global {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::string name;
  std::string type;
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t type_id = 0; // index into Trace::types; 0: not known
};

struct Thread {
  std::string name;         // as named by the program, or empty
  std::uint32_t parent = 0; // index; its own for the main thread
  bool ended = false;
  bool leaves_its_stack = false; // before this piece of the trace, it used variables of its own frames on another stack
};

struct DefectRow {
  Defect defect;
  std::string_view name;
  std::string_view severity;
  std::string_view sentence;
};
// All rows of defects.def.
std::span<const DefectRow> defect_rows();

struct ProcessInfo {
  std::string program;
  std::vector<std::string> arguments;
  std::string directory;
  std::vector<std::string> plain_libraries; // loaded objects without instrumented code
  std::uint32_t pid = 0;
  std::uint32_t parent_pid = 0;
  EndKind end = EndKind::Running;
  std::int32_t end_value = 0;
  std::uint64_t start_time_ns = 0;
  std::uint64_t end_time_ns = 0;
  std::vector<std::pair<std::string, std::uint64_t>> unsupported; // primitive, calls
};

// The contents of a global when its module was registered, before the program touched it.
struct InitialContents {
  std::uint64_t address = 0;
  std::vector<std::uint8_t> bytes;
  friend bool operator==(const InitialContents&, const InitialContents&) = default;
};

struct Trace {
  std::vector<Event> events; // in the legal order
  // A piece of a longer trace (pieces.h) begins with `standing` events that describe the state
  // there. Every run of the piece begins with them. `numbers` has their numbers in the whole trace;
  // the events behind them are numbered from `first_number` on.
  bool is_piece = false;
  std::uint32_t standing = 0;
  std::vector<std::uint64_t> numbers;
  std::uint64_t first_number = 0;
  std::vector<std::uint8_t> bytes;
  std::vector<Site> sites;                // [0] is the unknown site
  std::vector<InlinedCall> inlined_calls; // [0] is none
  std::vector<Check> checks;              // [0] is none
  std::vector<Global> globals;            // ascending addresses
  std::vector<InitialContents> initial;   // ascending addresses; globals without a row were zero ...
  bool initial_known = false;             // ... if this is true
  std::vector<Thread> threads;
  std::vector<std::string> strings;             // names of user events, blocks, watched variables
  StaticFacts static_facts;                     // what events depend on
  std::vector<std::vector<std::uint8_t>> facts; // facts of other kinds, one per module
  std::vector<Type> types;                      // [0] is the unknown type
  std::vector<NamedThing> names;                // constant names of user events and watched variables
  bool all_names_known = false;                 // every module with user events or watches listed their names
  ProcessInfo process;
  std::uint64_t defects[kDefectSlots] = {};
  std::uint32_t flags = 0; // FileFlags
  std::uint64_t file_bytes = 0;
  std::uint64_t events_recorded = 0; // with a sieve: all events that were read, kept or not
  std::uint64_t events_sieved = 0;   // accesses that a sieve left out: they cannot matter in any run (sieve.h)
  std::vector<bool> sieved_stores;   // by site: a sieve left out a write of it; shorter: of no later site
  // Events that were surveyed and never read, because no finding is possible (ReadOptions::enough).
  std::uint64_t events_settled = 0;
  std::vector<std::string> notes; // the reader's notes: damage with offsets, ...

  // The event's number in the whole trace.
  std::uint64_t number_of(std::uint32_t event) const {
    return event < standing ? numbers[event] : first_number + (event - standing);
  }
  // Whether it is known what every event depends on (static_facts.h, docs/trace_format.md).
  bool is_fit_for_dependence() const { return (flags & kForFacts) != 0 && static_facts.complete(); }
  // Whether it is known of reads that they only flow into stores (value_flows.h).
  // Modules with facts have no classes.
  bool is_fit_for_flows() const {
    return (flags & kForFacts) == 0 && static_facts.modules == 0 && static_facts.flows.modules != 0;
  }
  std::uint64_t defect(Defect d) const { return defects[static_cast<unsigned>(d)]; }
};

// --- the table of kinds --------------------------------------------------------------------------
std::string_view kind_name(EventKind kind);      // "" for numbers without a row
EventKind kind_from_name(std::string_view name); // None if there is none
bool kind_is_ticketed(EventKind kind);
std::span<const EventKind> all_kinds();
std::string_view order_name(MemoryOrder order); // "plain", "relaxed", ..., "seq_cst"

// The event that would have ended the wait of a `request`.
constexpr Event awaited(const Event& request) {
  Event out = request;
  out.kind = static_cast<EventKind>(request.value >> kAwaitedShift);
  out.value = request.value & ((std::uint64_t{1} << kAwaitedShift) - 1);
  return out;
}

} // namespace sooth::trace
