// One thread's recording state. Only the thread itself may touch it, with two exceptions. A reader
// of the running program's file may look at the page of `live`. The free list has its own lock.
#pragma once

#include <cstddef>
#include <cstdint>

#include "capture/abi.h"
#include "capture/runtime/hook_entry.h"
#include "capture/runtime/record.h"
#include "trace/format.h"

namespace sooth::runtime {

namespace monitoring {
struct ThreadState;
}
struct ReplayedThread;
struct FedThread;

// An instruction's walk over neighbouring bytes, with no other event kept in between (runs.h).
struct Run {
  trace::RawEvent* event;  // the range that grows, or null while there is none
  trace::RawEvent* cursor; // the thread's cursor after the run's newest access; unchanged while nothing else is kept
  std::uint64_t next;      // where the walk goes on
  std::uint32_t site;
  std::uint8_t kind;
  std::uint8_t size;
  std::uint8_t flags;
  std::uint8_t length; // accesses so far, up to kRunStart
};

struct Thread {
  std::uint32_t number;
  std::uint32_t parent;
  bool used; // has recorded an event since it was taken from the free list

  // The buffer: slots in a page range of the trace file itself, so that they outlive the process.
  trace::ChunkHeader* live;
  std::uint64_t live_offset;
  std::size_t live_bytes; // kSmallLive until it was full for the first time
  trace::RawEvent* begin;
  trace::RawEvent* end;
  trace::RawEvent* cursor; // next free slot; moved by one instruction, so a signal handler can append in between
  trace::RawEvent* limit;  // hook_entry.S itself appends below this: the detail lasts, and no time has to pass
  trace::RawEvent* last;   // the newest event that is not a branch or a call; never null
  std::uint64_t first_slot;
  std::uint32_t busy; // depth of appends under way: more than one only inside a signal handler
  std::uint8_t glue;  // kGlued while a loop's ranges are kept
  bool opaque;        // ranges are kept without contents: the present bytes need not be the bytes that are read

  // The hybrid clock (clock.h).
  std::uint64_t clock;
  std::uint64_t raised; // the global clock, when this thread last raised it
  std::uint64_t exact_tickets;

  Run run;

  // The cost of LZ4 for this thread (buffer.cc), in ticks of the processor.
  std::uint64_t flushed_at;
  std::uint64_t lz4_ticks;
  std::uint64_t plain_flushes;

  // Cells (abi.h): the accesses that this segment has kept, once its detail is spent.
  std::uint64_t segment_slot; // number of the segment's first slot
  std::uint8_t* table;
  std::size_t cells;
  std::size_t cells_bytes;
  std::uint64_t epoch;  // of a state on the free list
  std::uint64_t claims; // cells in use
  std::uint64_t evictions;
  // Cells whose last written value is not in the trace yet: their number, and the blocks of the
  // table that have some.
  std::size_t dirty_count;
  std::uint32_t* dirty_blocks;
  std::size_t dirty_block_count;
  std::uint8_t* block_is_dirty; // behind the table

  // The shadow call stack.
  std::uint64_t* stack;
  std::uint64_t* stack_end;

  // Ownership (ownership.h).
  std::uint64_t mine;           // the word of blocks that it owns; kNobody if it may own none
  std::uint32_t strong_epoch;   // moves at each thread that it creates or joins
  std::uint32_t interrupted;    // signal handlers that interrupted a store
  std::uint64_t busy_blocks;    // how often it waited for one
  std::uint32_t locks;          // that it holds, as far as its events say
  const std::uint64_t* storing; // its abi.storing; null before and after its life
  std::uint32_t operations;     // atomic operations on stripes of its own that are under way (atomics.cc)

  std::uint64_t signal_mask;       // between before_fork and after_fork
  std::uint64_t stack_low_address; // the thread's own stack, for stack-end
  std::uint64_t stack_bytes;
  Thread* next_free;
  Thread* next_all;
  monitoring::ThreadState* monitored; // monitoring/state.h
  ReplayedThread* replayed;           // replaying/state.h
  std::uint64_t inputs;               // rows that it has recorded (inputs/)
  FedThread* fed;                     // inputs/fed.cc
  bool in_input; // a call is under way whose result is one, and not those of the calls that it makes
};

struct ThreadLocal {
  SoothThreadAbi abi; // the part that inlined hooks see; `__sooth_thread` is the address of this
  Thread* thread;
  std::uint32_t quiet;        // recording is off while this is not 0
  std::uint32_t ended;        // 0, kOver or kNoRoom
  std::uint64_t* written_top; // frames of the shadow call stack below this are in the trace
};

// hook_entry.S relies on these offsets.
static_assert(offsetof(ThreadLocal, abi.stack_top) == SOOTH_LOCAL_STACK_TOP);
static_assert(offsetof(ThreadLocal, abi.stack_low) == SOOTH_LOCAL_STACK_LOW);
static_assert(offsetof(ThreadLocal, abi.owners) == SOOTH_LOCAL_OWNERS);
static_assert(offsetof(ThreadLocal, abi.owner_mask) == SOOTH_LOCAL_OWNER_MASK);
static_assert(offsetof(ThreadLocal, abi.mine) == SOOTH_LOCAL_MINE);
static_assert(offsetof(ThreadLocal, thread) == SOOTH_LOCAL_THREAD);
static_assert(offsetof(ThreadLocal, quiet) == SOOTH_LOCAL_QUIET);
static_assert(offsetof(ThreadLocal, written_top) == SOOTH_LOCAL_WRITTEN_TOP);
static_assert(offsetof(Thread, end) == SOOTH_THREAD_END);
static_assert(offsetof(Thread, cursor) == SOOTH_THREAD_CURSOR);
static_assert(offsetof(Thread, limit) == SOOTH_THREAD_LIMIT);
static_assert(offsetof(Thread, last) == SOOTH_THREAD_LAST);
static_assert(offsetof(Thread, busy) == SOOTH_THREAD_BUSY);
static_assert(offsetof(Thread, clock) == SOOTH_THREAD_CLOCK);
static_assert(offsetof(trace::RawEvent, address) == SOOTH_SLOT_ADDRESS);
static_assert(offsetof(trace::RawEvent, value) == SOOTH_SLOT_VALUE);
static_assert(offsetof(trace::RawEvent, counter) == SOOTH_SLOT_COUNTER);
static_assert(offsetof(trace::RawEvent, site) == SOOTH_SLOT_SITE);
static_assert(offsetof(trace::RawEvent, size) == SOOTH_SLOT_SHAPE && sizeof(trace::RawEvent) == SOOTH_SLOT_BYTES);
static_assert(static_cast<int>(EventKind::Read) == 1 && static_cast<int>(EventKind::Write) == 2);

} // namespace sooth::runtime

// Initial-exec: the inlined hooks reach it with one instruction, also from libraries that are
// loaded later. `constinit` stands here, too; otherwise every use would first check whether there
// is something to initialise.
extern "C" {
extern __attribute__((visibility("default"),
                      tls_model("initial-exec"))) constinit thread_local sooth::runtime::ThreadLocal __sooth_thread;
}

namespace sooth::runtime {

extern std::uint8_t g_no_cells[64]; // a cell that never matches
extern std::uint8_t g_no_owners[8];
extern trace::RawEvent kNoEvent; // `last` before there is one: equals no event

inline constexpr std::size_t kSmallLive = 16 * 1024; // most threads of most programs never fill it
inline constexpr std::size_t kLiveBytes = 128 * 1024;
inline constexpr std::size_t kSlots = (kLiveBytes - sizeof(trace::ChunkHeader)) / sizeof(trace::RawEvent);
inline constexpr std::size_t kMinCells = 4096;                 // the tag in a cell relies on at least this many
inline constexpr std::size_t kMaxCells = std::size_t{1} << 24; // address space; the touched part is twice the data
inline constexpr std::size_t kBlockCells = 32;
inline constexpr std::uint64_t kEpochStep = std::uint64_t{1} << 24;
inline constexpr std::uint64_t kLastEpoch = 255 * kEpochStep;
inline constexpr std::uint64_t kDetail = 256; // slots of a segment that are kept in full by default

inline constexpr std::uint32_t kNoThread = ~std::uint32_t{0};

// Gives the calling thread its own state: buffer, cells, stack. Null if there is no trace.
Thread* attach(std::uint32_t number, std::uint32_t parent);
extern bool g_no_room; // recording ends for lack of room (recording/buffer.h)
// From now on, events of the calling thread are counted, and not recorded.
inline constexpr std::uint32_t kOver = 1;   // ThreadLocal::ended: events are late
inline constexpr std::uint32_t kNoRoom = 2; // events are dropped
void retire(std::uint32_t why);
// Returns the calling thread's state to the free list.
void detach(Thread* t);
// Replaces a full small buffer by a large one. The buffer must be empty.
void enlarge_buffer(Thread* t);
// In the child of a fork: forgets all states but the caller's, and gives the caller a new buffer in
// the new file.
void forget_other_threads(Thread* t);
// Whether it is the first thread, and no other one was ever announced, or began unannounced.
bool is_only_thread(const Thread* t);
// For hand_over.h: whether the thread lives, and is between the check of a store and the store.
bool store_is_under_way(std::uint32_t thread);
void forget_store(std::uint32_t thread);
// For atomics.cc: around an atomic operation on a stripe that may be the thread's own.
inline void begin_operation(Thread* t) {
  __atomic_store_n(&t->operations, t->operations + 1, __ATOMIC_RELAXED); // a thread that ends the bias passes a barrier
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
inline void end_operation(Thread* t) { __atomic_store_n(&t->operations, t->operations - 1, __ATOMIC_RELEASE); }
bool operation_is_under_way(std::uint32_t thread);
// Gives the disk space of buffers on the free list back.
void punch_free_buffers();

// In the child of a fork: resets locks that other threads may have held, and forgets the names of
// threads that are not there.
void reset_stripes(); // atomics.cc
void reset_signal_lock();
void reset_thread_lock();
void reset_scratch_lock();
void reset_kept_lock();
void reset_exact_lock();
void forget_thread_names();

// enter() of record.h, for the hot paths.
Thread* enter_slowly();
inline Thread* enter_quickly() {
  const ThreadLocal& local = __sooth_thread;
  if (__builtin_expect(local.thread != nullptr && local.quiet == 0, 1)) return local.thread;
  return enter_slowly();
}

bool recording_is_ready(); // process.cc: from the constructor on, if there is a trace

} // namespace sooth::runtime
