// Monitors inside the threads that they watch: the contract of this folder.
//
//     reader: write y = 5          y's carrier has the reader's knowledge: y = 5
//     reader: release m            so has m's carrier
//     writer: acquire m            merges it: the writer now knows @reader(y) = 5
//     writer: write x = 3          after each event: evaluate `x > @reader(y)`: 3 > 5, violated
//
// Question: does each thread's formula hold in its predicted state, after each of its events?
// Source: DAME, section 2.3, algorithm KnowledgeVector.
// Where we differ: threads are created, end and are joined. Formulas may range over threads
//   (vector.h). The next read notices a write by code without hooks. Vectors that are left
//   somewhere are shared (snapshots.h). One access of several variables, or of pieces of memory
//   that others access one by one, is one event.
// Cost: for each event one merge, unless the carrier has nothing new; one evaluation of the
//   thread's formulas, if something is new to them; one copy, if the thread knows more than when it
//   last left something. No lock but the pool's, no system call, no history.
//
// How to use it.
//     Setup setup;                       one for the process
//     wrong = setup.open(block, bytes, places);
//                                        `block`: compiled monitors (compiled.h; logic/mttl.h makes
//                                        them). `places`: how many threads may live at the same
//                                        time (`exists u` and `any t` do not range over threads
//                                        beyond that)
//     setup.snapshots = &pool;           begun with setup.layout (snapshots.h; for tools
//                                        heap_snapshots.h)
//     setup.begin(memory, values);       `memory`: setup.setup_words() words, zero; values[i]: the
//                                        value of variable i at the start (zero-extended)
//     t = make_thread(setup, memory, number, place)
//                                        `memory`: setup.thread_words() words, of any contents;
//                                        numbers grow and are never used again; places come from
//                                        Places (places.h)
//     release_thread(setup, *t)          before its memory is used for something else
//     Carrier                            one for each shared variable, lock, condition, ... through
//                                        which knowledge travels; reset_carrier() at the end of its
//                                        object's life
//     Outcome o = access(setup, *t, ...) and so on: one call for each event, made by the thread
//                                        itself. o.fresh: the monitors that have just become false
//                                        (report these); o.violated: all that are false now. Until
//                                        the thread's next event, explain() gives the knowledge by
//                                        which the thread judged.
//
// Which thread may touch what. A Thread is touched only by its own thread, but for join(), when it
// has ended, and fork(), before it starts. One thread at a time may touch a Carrier: hold its lock
// from before the access of the program's memory until the call here has returned, so that
// knowledge travels in the order in which the accesses happened. The locks of all carriers of one
// access are held together. Setup does not change after begin().
//
// Which events. Accesses of variables that the set names (all memory, if kAllMemory is set), every
// synchronisation, and internals. Nothing else: the verdicts are about the computation that these
// events make, and the offline twin (properties/monitors.h) must see the same ones.
// - mutex, spin lock: acquire and release are write_carrier of the lock; so is a failed try (it saw
//   the owner)
// - read-write lock: exclusive as above; shared acquire (also a failed one) and release are
//   read_carrier
// - condition: signal, broadcast: write_carrier of the condition. wait: write_carrier of the mutex;
//   when it returns: read_carrier of the condition (not if the time was up), then write_carrier of
//   the mutex
// - barrier: arrive is write_carrier of the barrier, leave is read_carrier
// - semaphore: post and successful wait are write_carrier; a failed try too
// - once: the end of the initialiser is write_carrier of the control, finding it done is
//   read_carrier
// - atomics: with `atomic`, of the variable if it is named, otherwise of a carrier for its bytes; a
//   read-modify-write that changes is an update; fences and futexes are not events
// - happens-before annotations: release is write_carrier, acquire is read_carrier of the tag
#pragma once

#include <cstddef>
#include <cstdint>

#include "knowledge/compiled.h"
#include "knowledge/snapshots.h"
#include "knowledge/vector.h"

namespace sooth::knowledge {

inline constexpr std::uint32_t kNoVariable = ~std::uint32_t{0};
inline constexpr std::uint32_t kNoPlace = ~std::uint32_t{0};

struct Setup {
  Compiled compiled;
  Layout layout;
  Word* initial = nullptr; // the vector that every thread starts with: one row
  SnapshotPool* snapshots = nullptr;
  std::uint32_t memory_words = 0;      // that all sections remember, of one thread
  bool ranges = false;                 // some formula has thread variables: rows are needed
  std::uint32_t settle = 0;            // so many states without news, and what looks one state back sees the same, too
  Word lazy_sections = 0;              // bit s: section s is evaluated only when its register is needed
  std::uint32_t lazy_section[64] = {}; // by register
  Word row_only = 0; // bit s: section s is a loop that stores what depends only on the row that it is at
  // Of the first 64 sections: what must be new for it to be evaluated (NewsBits), and the monitors
  // that it judges.
  std::uint8_t needs[64] = {};
  Word judges[64] = {};
  Word accesses_seen[64] = {}; // bit v: some formula sees accesses of variable v
  bool sees_accesses_of(std::uint32_t variable) const {
    return variable / 64 >= 64 ? variable != kNoVariable : (accesses_seen[variable / 64] >> variable % 64 & 1) != 0;
  }

  // What is wrong with the block, or null. `places` is not used if no formula has thread variables.
  const char* open(const void* block, std::size_t bytes, std::uint32_t places);
  std::size_t setup_words() const { return layout.words_for(1) + thread_words(); }
  std::size_t thread_words() const;
  void begin(Word* memory, const std::uint64_t* values);
};

// What formulas see of a thread's state: rows of other threads, and the rest. kAlways: operators
// that remember something.
enum NewsBits : std::uint8_t { kRowNews = 1, kOtherNews = 2, kAlways = 4, kAllNews = 7 };

inline constexpr std::size_t kBlockWords = 3; // of a thread, for each block: as Thread::blocks says

// The fields that others may read; the memory behind it belongs to monitoring.cc and evaluate.cc.
struct Thread {
  Word identity = 0;                 // 1 + the thread's number
  Word sequence = 0;                 // events so far
  Word classes = 0;                  // bit r: it has role r; bit kAllThreads: always
  Word violated = 0;                 // monitors that are false in the present state
  std::uint32_t place = kNoPlace;    // its row is place + 1
  std::uint32_t accessed_count = 0;  // of the present event ...
  std::uint32_t* accessed = nullptr; // ... the variables that some formula sees it access
  std::uint8_t access_bits = 0;
  // Evaluation is left out while nothing that formulas see has changed.
  std::uint8_t news = kAllNews; // since it was last evaluated
  bool changed = true;          // the vector is not that of `snapshot`
  std::uint32_t settled = 0;    // evaluations without news
  Word changed_rows = ~Word{0}; // since it was last evaluated, as News has them
  Word joined = 0;              // identity of the thread that the present event joined; 0: none
  Word begun = 0; // of its classes, those in which it has had a state: what temporal operators look back on
  Faults faults;
  Word* vector = nullptr;
  Word* locals = nullptr;    // signed numbers
  Word* blocks = nullptr;    // for each block: the entry it is in or 0, entries so far, depth
  Word* registers = nullptr; // of the evaluation
  Word* memory = nullptr;    // of temporal operators
  // Its knowledge, to be left behind, and what it has found out about other snapshots.
  static constexpr std::size_t kRemembered = 16;
  Snapshot* snapshot = nullptr;
  // References are taken and given back several at once. A thread has `stock` more references to
  // its own snapshot than it has left anywhere; others it still has to give back (settle_debts).
  struct Debt {
    Snapshot* to = nullptr;
    std::uint32_t references = 0;
  };
  static constexpr std::size_t kDebts = 4;
  std::uint32_t stock = 0;
  std::uint32_t debt_count = 0;
  Debt debts[kDebts];
  Word seen[kRemembered] = {}; // numbers of snapshots that it knows all of
  Word covering[kRemembered] = {},
       covering_what[kRemembered] = {}; // the first knows all of the second, which was its own
  Spares spares;
};

// The knowledge that travels with a shared variable (DAME: KV^w and KV^a). Zero memory is an
// untouched carrier.
struct Carrier {
  Snapshot* writes = nullptr;   // null: what every thread knows at the start
  Snapshot* accesses = nullptr; // null: as `writes`; else there was a read since the last write, and it covers that one
};

struct Outcome {
  Word violated = 0; // bit m: monitor m is false in the thread's present state
  Word fresh = 0;    // ... and was not in the state before
};

Thread* make_thread(const Setup& setup, Word* memory, std::uint32_t number, std::uint32_t place);
void release_thread(const Setup& setup, Thread& thread);
void reset_carrier(const Setup& setup, Carrier& carrier);
// `to`, which is untouched, learns what `from` knows: for memory that is from now on accessed in
// parts.
void copy_carrier(Carrier& to, const Carrier& from);

// --- events, each in the thread that does it -----------------------------------------------------

// What an access touches: a carrier, and the variable that it belongs to, or kNoVariable for memory
// that no formula names. `value`: the variable's bytes as they were seen, or as they are from now
// on.
struct Touch {
  Carrier* carrier = nullptr;
  std::uint64_t value = 0;
  std::uint32_t variable = kNoVariable;
};
enum class Access : std::uint8_t { Read, Write, Update }; // an update reads and writes in one step
// One access of all that it touches, each once.
Outcome access(const Setup& setup, Thread& thread, Access kind, const Touch* touches, std::size_t count, bool atomic);

// Synchronisation: what is read or written has no value.
inline Outcome read_carrier(const Setup& setup, Thread& thread, Carrier& carrier) {
  const Touch touch{&carrier, 0, kNoVariable};
  return access(setup, thread, Access::Read, &touch, 1, true);
}
inline Outcome write_carrier(const Setup& setup, Thread& thread, Carrier& carrier) {
  const Touch touch{&carrier, 0, kNoVariable};
  return access(setup, thread, Access::Write, &touch, 1, true);
}

// Fast path: detects events that cannot change any knowledge. The event leaves the thread's state
// as it is, and the carrier has exactly what the thread knows. `is_calm` may be asked before the
// carrier is looked at; the carrier without its lock.
inline bool is_calm(const Setup& setup, const Thread& thread) {
  return thread.news == 0 && !thread.changed && thread.snapshot != nullptr && thread.settled >= setup.settle &&
         thread.accessed_count == 0;
}
inline bool is_left(const Thread& calm, const Carrier& carrier, Access kind) {
  const Snapshot* writes = __atomic_load_n(&carrier.writes, __ATOMIC_RELAXED); // only whether they are the same
  const Snapshot* accesses = __atomic_load_n(&carrier.accesses, __ATOMIC_RELAXED);
  return accesses == nullptr ? writes == calm.snapshot : kind == Access::Read && accesses == calm.snapshot;
}
inline Outcome pass(Thread& calm) {
  ++calm.sequence;
  return {calm.violated, 0};
}

// An access by a calm thread that no formula sees: done if the carrier has nothing new for the
// thread, and the thread leaves its snapshot. False: it takes more than this, and nothing was done.
bool access_calmly(const Setup& setup, Thread& calm, Access kind, Carrier& carrier);

// Work that a thread can do while no other one waits for it: call it now and then.
void settle_debts(const Setup& setup, Thread& thread);

// sooth_internal (and sooth_event) of a name that is a local variable of some formula; kNoVariable:
// it is not an event.
Outcome internal(const Setup& setup, Thread& thread, std::uint32_t local, std::int64_t value);
// A local variable is an integer: the value of sooth_event_double is truncated, and kept within its
// range.
inline std::int64_t whole_number(double value) {
  if (!(value > -9.2e18)) return value < 0 ? INT64_MIN : 0; // also what is not a number
  return value < 9.2e18 ? static_cast<std::int64_t>(value) : INT64_MAX;
}
// SOOTH_ATOMIC of a name that is a block of some formula; kNoVariable: it is not an event. Inside
// itself, a block is the same entry of it.
Outcome block_begin(const Setup& setup, Thread& thread, std::uint32_t block);
Outcome block_end(const Setup& setup, Thread& thread, std::uint32_t block);

// The thread has this start function: before start(). (The number's roles come with make_thread.)
// Not an event.
void take_function(const Setup& setup, Thread& thread, const char* plain_name);
// The thread names itself. Another name takes the old one away. A thread that is named by another
// one has no such role.
Outcome take_name(const Setup& setup, Thread& thread, const char* name);

// Called by the creator, before the child can run: an event of the creator; the child then knows
// what the creator knows.
Outcome fork(const Setup& setup, Thread& creator, Thread& child);
// The first event of a thread, and its last one.
Outcome start(const Setup& setup, Thread& thread);
Outcome end(const Setup& setup, Thread& thread);
// After end() of `ended` has returned. The joiner now knows what `ended` knew.
Outcome join(const Setup& setup, Thread& joiner, const Thread& ended);
// In a new process in which only `thread` lives on: formulas no longer range over `other`. Not an
// event.
void forget_thread(const Setup& setup, Thread& thread, const Thread& other);

// --- finding names -------------------------------------------------------------------------------

std::uint32_t find_local(const Compiled& compiled, const char* name); // kNoVariable: no formula has it
std::uint32_t find_block(const Compiled& compiled, const char* name);

// --- asking --------------------------------------------------------------------------------------

// Something that a formula looks at, as a thread knows it now.
struct Known {
  const PartRow* part = nullptr;
  Register value = 0;                 // as part->layout has it: integers extended to 64 bits, doubles as bits
  std::uint32_t thread = kNoVariable; // remote: the number of the thread that it is about; kNoVariable: none is known
  Word sequence = 0;                  // remote: after so many events of that thread; variables: after so many writes
};

// Calls `tell(context, known)` for each part of the monitor; for parts about a thread variable once
// for each thread.
void explain(const Setup& setup, const Thread& thread, std::uint32_t monitor, void (*tell)(void*, const Known&),
             void* context);
// A part by its text, `@reader(y)` or `x`, as some formula has it. False: none has. A part about a
// thread variable is that of the thread with number `about`; false also if that thread is not
// known.
bool query(const Setup& setup, const Thread& thread, const char* text, std::uint32_t about, Known& out);

} // namespace sooth::knowledge
