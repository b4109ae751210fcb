// The trace file, as bytes. The runtime (inside the user's program) and the readers share only this
// header; it needs nothing but <cstdint>. docs/trace_format.md explains it for people.
//
//   file   = first page (FileHeader, 4096 bytes, mapped by the running program) , chunk*
//   chunk  = ChunkHeader (64 bytes) , body, padding to a multiple of 64
//
// Chunks stand in the order in which they were allotted. This says nothing about the order of
// execution. A chunk that was allotted but never written is a run of zero bytes; the reader looks
// for the next header.
#pragma once

#include <cstdint>

namespace sooth::trace {

enum class EventKind : std::uint8_t {
  None = 0,
#define SOOTH_EVENT_KIND(enumerator, name, number, ticketed, object, acts, meaning) enumerator = number,
#include "trace/event_kinds.def"
#undef SOOTH_EVENT_KIND
};

enum class Defect : std::uint8_t {
#define SOOTH_DEFECT(enumerator, name, number, severity, sentence) enumerator = number,
#include "trace/defects.def"
#undef SOOTH_DEFECT
};
inline constexpr unsigned kDefectSlots = 32;

enum class MemoryOrder : std::uint8_t { Plain = 0, Relaxed, Consume, Acquire, Release, AcqRel, SeqCst };

// Flags of an event.
enum EventFlags : std::uint8_t {
  kTicket = 1,    // `counter` is exact: it ascends among the events of one thread, and of one object
  kHeld = 2,      // later accesses of the same bytes by this thread may be omitted (docs/trace_format.md)
  kMerged = 4,    // the last of several writes; those between the first and this one were omitted
  kPayload = 8,   // slots with bytes follow; `value` is their number of bytes
  kFill = 16,     // a range that holds one byte `value >> 56` throughout; the length is the rest of `value`
  kOpaque = 32,   // a range whose contents were not kept; `value` is its length
  kVolatile = 64, // a volatile access
  kFailed = 128,  // synchronisation: the operation failed; the lock was not taken, or the time was up
  kGlued = 128,   // read, write: in no run does another thread come between this event and its thread's next one
};

// `order` of a plain or atomic read: at least one adjacent repeat at another site was left out.
inline constexpr std::uint8_t kRepeatedElsewhere = 0x80;

// Bits in `value` of the lock events.
enum LockType : std::uint32_t {
  kLockNormal = 0,
  kLockRecursive = 1,
  kLockErrorCheck = 2,
  kLockAdaptive = 3,
  kLockClassMask = 3,
  kLockRobust = 0x10,
  kLockProcessShared = 0x20,
  kLockSpin = 0x40,
  kLockReadWrite = 0x80,
  kLockCondition = 0x100,
  kLockAnnotated = 0x200,    // annotated with __tsan_mutex_* and the like
  kLockPreferWriter = 0x400, // read-write lock: a waiting writer blocks new readers
  kLockOwnerDied = 0x1000,   // this acquire took a robust mutex over from a thread that ended
  kLockTry = 0x2000,         // a request that does not block
  kLockTimed = 0x4000,       // a request that blocks only for a time
};

// `value` of a request: the awaited event's kind stands above these bits, its value in them.
inline constexpr unsigned kAwaitedShift = 56;
// In the awaited value of a futex that is not private: other processes may use it, too.
inline constexpr std::uint64_t kMayBeShared = std::uint64_t{1} << 32;

// One slot of a thread's buffer. An event is one slot; with kPayload, ceil(value / 32) payload
// slots follow. `kind` is written last: a slot whose kind is zero was not finished.
//
// A payload has at most kMaxPayload bytes; larger ranges are split or opaque.
// An atomic-rmw has kPayload, and `value` is the operand's size n. Its payload is the n bytes seen,
// then the n bytes written.
// Accesses of more than 8 bytes have exactly one of kPayload, kFill, kOpaque.
struct RawEvent {
  std::uint64_t address;
  std::uint64_t value;
  std::uint64_t counter; // of the hybrid clock: taken (kTicket) or only looked at
  std::uint32_t site;
  std::uint8_t size;  // 1 to 8; 0 where it does not apply or for ranges
  std::uint8_t order; // MemoryOrder
  std::uint8_t flags;
  std::uint8_t kind; // EventKind; never 0 in a finished slot
};
static_assert(sizeof(RawEvent) == 32);

inline constexpr std::uint64_t kFileMagic = 0x0a1a'6874'6f6f'53fe; // fe 'S' 'o' 'o' 't' 'h' 1a 0a
inline constexpr std::uint32_t kFormatVersion = 2;
inline constexpr std::uint32_t kChunkMagic = 0x4b6e4843; // "CHnK"
inline constexpr std::uint64_t kHeaderBytes = 4096;
inline constexpr std::uint64_t kChunkAlign = 64;

enum class EndKind : std::uint32_t { Running = 0, Exit, QuickExit, Exec, Signal };

enum FileFlags : std::uint32_t {
  kFrozen = 1,   // written by tools: counters are positions, the order is final and is not restored
  kNoValues = 2, // imported from a format without values: each write counts as a value of its own
  kForFacts = 4, // recorded for use with static facts: nothing is omitted, branches and decisions are kept
  kOneClock =
      8, // one clock gives all tickets, also to accesses of what a property names (capture/runtime/recording/exact.h)
  kMayBeInterrupted = 16, // signal handlers or timers were installed: they may end a wait
  kSeenAsleep = 32,       // written by `sooth run`, which saw every thread sleep in the kernel, in its request
};

// The first page. The program writes it through a shared mapping, so it survives any end.
struct FileHeader {
  std::uint64_t magic;
  std::uint32_t version;
  std::uint32_t flags;
  std::uint32_t pid;
  std::uint32_t parent_pid;
  std::uint64_t start_time_ns; // wall clock
  std::uint64_t end_time_ns;
  std::uint32_t end_kind; // EndKind; Running: still running, or killed
  std::int32_t end_value; // exit status or signal number
  std::uint64_t threads;  // threads started so far
  std::uint64_t slots;    // slots written out so far
  std::uint64_t file_end; // the file reached at least so far; 0: not known
  std::uint64_t defects[kDefectSlots];
  char unsupported[8][40]; // the first names of unsupported primitives met
  std::uint64_t unsupported_calls[8];
  std::uint32_t waiting; // threads that now wait for something that only another thread of the process can give
  std::uint32_t run;     // the `sooth` process that started this run (SOOTH_RUN); 0: none did
  std::uint64_t waits;   // how often a thread began such a wait
};
static_assert(sizeof(FileHeader) <= kHeaderBytes);

enum class ChunkType : std::uint32_t {
  None = 0,
  Events = 1,  // encoded events of one thread (event_codec.h), LZ4 block
  Live = 2,    // a thread's buffer as it stands in memory: RawEvent slots, ends at the first kind == 0
  Module = 3,  // sites, globals and strings of one instrumented module (ModuleHeader)
  Strings = 4, // interned names: (u32 number, u32 length, bytes)*
  Process = 5, // text, one `key=value` a line: program, argument, directory, library (not instrumented), ...
  Pad = 6,     // nothing
  Initial = 7, // what globals held when their module was registered: u64 rows, InitialRow and its bytes for each
  Moves = 8,   // ends of ownership, as they stand in memory: MoveRow; one with from == 0 is not finished
  Inputs = 9,  // what a call of the thread got from outside: one InputRow and its bytes (replay/inputs.h)
};

// One end of an ownership (docs/trace_format.md, "Owned blocks").
struct MoveRow {
  std::uint64_t block;  // address, a multiple of kOwnedBytes
  std::uint64_t number; // the owner's omitted accesses come before its first event with such a number ...
  std::uint32_t owner;
  std::uint32_t epoch; // ... or, if this is not 0, before this epoch of it ends: 1 until its first fork or join
  std::uint64_t from;  // other threads' uses of the block with such a number come after that; written last
};
static_assert(sizeof(MoveRow) == 32);
inline constexpr std::uint64_t kOwnedBytes = 4096;
// Tags of the releases and acquires that a reader makes of a row: addresses that are none.
inline constexpr std::uint64_t kHandOverTags = std::uint64_t{1} << 62;

struct ChunkHeader {
  std::uint32_t magic;
  std::uint32_t type;          // ChunkType
  std::uint64_t body_bytes;    // stored bytes after this header, without padding
  std::uint64_t raw_bytes;     // Events: bytes after decompression. Live: same as body_bytes
  std::uint32_t thread;        // Events, Live
  std::uint32_t count;         // Events: number of slots
  std::uint64_t first_slot;    // Events, Live: how many slots of the thread come before this chunk; Inputs: rows
  std::uint64_t body_checksum; // XXH3 64 of the stored body; 0 for Live
  std::uint32_t state;         // Live: 1 in use, 0 free
  std::uint32_t reserved;
  std::uint64_t header_checksum; // XXH3 64 of the 56 bytes before; 0 for Live, whose header changes
};
static_assert(sizeof(ChunkHeader) == 64);

// The body of a Module chunk:
//   ModuleHeader, SiteRow[sites], GlobalRow[globals], string bytes[string_bytes],
//   fact bytes[fact_bytes]
struct ModuleHeader {
  std::uint32_t first_site; // sites are numbered first_site, first_site + 1, ...
  std::uint32_t sites;
  std::uint32_t globals;
  std::uint32_t string_bytes;   // zero-terminated strings; offset 0 is the empty string
  std::uint32_t fact_bytes;     // static facts, opaque here
  std::uint32_t name;           // string offset: the module's source file
  std::uint32_t compiler_flags; // string offset
  std::uint32_t reserved;
};

// Properties of a site that a reader knows without its events.
enum SiteFlags : std::uint32_t {
  kSiteVolatile = 1,
  kSiteFunction = 2, // the row of a function: line of its definition
  kSiteCall = 4,
  kSiteFloat = 8,   // the value is a floating-point number
  kSiteSigned = 16, // ... a signed integer
  kSitePointer = 32,
  kSiteBitField = 64,
  kSiteBranch = 128,
  kSiteSystem = 256,   // the file is a system header
  kSiteOwnFrame = 512, // accesses a variable of its own function, on that function's frame
};

struct SiteRow { // 24 bytes; all but line, column and flags are string offsets
  std::uint32_t file;
  std::uint32_t line;
  std::uint32_t column;
  std::uint32_t function; // demangled
  std::uint32_t variable; // source name of the touched variable or the called function
  std::uint32_t flags;    // SiteFlags
};

struct GlobalRow {       // 32 bytes
  std::uint64_t address; // at run time
  std::uint64_t bytes;
  std::uint32_t name; // `net::state`, `file.cpp:counter` for statics of a file
  std::uint32_t type; // source type: `int`, `struct account [16]`
  std::uint32_t file;
  std::uint32_t line;
};

// Static facts are a list of sections: u32 tag, u32 bytes of the payload, payload. A payload
// consists of words of 32 bits; a 64-bit number takes two of them, low half first. Sections with
// other tags are kept as they are.
enum FactTag : std::uint32_t {
  kFactTypes = 0x45505954,      // "TYPE": types, and the type of each global
  kFactNames = 0x454d414e,      // "NAME": constant names of user events and watched variables
  kFactLeftOut = 0x50494b53,    // "SKIP": how many functions of the module have no hooks at the user's request
  kFactInlined = 0x4e4c4e49,    // "INLN": the inlined calls that lead to sites
  kFactObjects = 0x534a424f,    // "OBJS": the objects that calls are about
  kFactChecks = 0x4b454843,     // "CHEK": loads whose values decide whether the program fails (program/checks.h)
  kFactDependence = 0x53504544, // "DEPS": what decides which events happen, and their values (static_facts.h)
  kFactFlows = 0x574f4c46,      // "FLOW": loads whose values only flow into stores (value_flows.h)
};

// kFactTypes: number of types, number of globals; the types; for each GlobalRow the number of its
//   type.
// A type: TypeKind, name (string offset), bytes (64), element, count (64), members, enumerators;
//   then each member: name, offset in bits (64), type, bits of a bit field or 0;
//   then each enumerator: name, value (64).
// Types are numbered from 1 in this order; 0 is the unknown type. A type names only types of its
// own module.
enum class TypeKind : std::uint32_t {
  Unknown = 0,
  Signed = 1,
  Unsigned = 2,
  Float = 3,
  Bool = 4,
  Pointer = 5, // also references
  Enum = 6,
  Struct = 7, // also classes and unions
  Array = 8,
};

// kFactNames: NameFlags; then for each name: NameKind, name (string offset), bytes, TypeKind.
enum class NameKind : std::uint32_t {
  UserEvent = 1,
  Watch = 2,
  InlinedFunction = 3, // some of its calls were inlined, and so have no events
  Thread = 4,          // that a thread gives itself; empty: some names are made at run time
  Block = 5,           // of SOOTH_ATOMIC; empty likewise
  // Only in a module that was compiled for its monitors:
  Unseen = 6,      // a global variable whose plain accesses have no hooks
  Unreached = 7,   // a global with such hooks that no pointer leads to; plain accesses by pointers have no hooks here
  ThreadLocal = 8, // in every module: a variable of which each thread has its own
};
inline constexpr NameKind kLastNameKind = NameKind::ThreadLocal;
enum NameFlags : std::uint32_t {
  kNamesIncomplete = 1, // some names are made at run time
};

// kFactInlined: number of calls; the calls; then for each SiteRow whose function was inlined: its
//   number, the call.
// A call: file, line, column, function (file and function are string offsets; the function makes
//   the call), flags (kSiteSystem), the call in whose place this function stands or 0.
// Calls are numbered from 1 in this order, and name only calls before them.

// kFactObjects: for each SiteRow of a call that has one: its number, the name (string offset). Of
//   an allocation, the name of the type that is made; of another call, the source's name of the
//   object that it locks, signals, ...

// kFactChecks: for each check: the function that it fails with (string offset); how many loads, and
//   the SiteRow of each, in the order in which they happen; how many words its condition has, and
//   these. A condition is in postfix form: CheckOperation | bits of the result << 8 | index of a
//   load << 16; a constant is followed by its value (64).
enum class CheckOperation : std::uint8_t {
  Load = 1,
  Constant,
  ZeroExtend, // to more bits
  SignExtend,
  Truncate, // to fewer
  Add,
  Subtract,
  Multiply,
  And,
  Or,
  Xor,
  ShiftLeft,
  ShiftRight,
  ShiftRightSigned,
  Equal, // comparisons have one bit
  NotEqual,
  Above, // unsigned
  AboveEqual,
  Below,
  BelowEqual,
  Greater, // signed
  GreaterEqual,
  Less,
  LessEqual,
  Select, // of three: the second if the first is 1, else the third
};

// kFactDependence: numbers of variable length: seven bits a byte, the lowest first, the top bit set
// on all bytes but the last. Zero bytes fill the last word. First kDependenceVersion, then how many
// modules have such facts and how many do not (in a module: 1, 0); then
//   source sets: how many, each: how many, each source: index << 4 | every << 3 | SourceKind
//   site sets:   how many, each: how many, each row: its difference to the row before (first: to 0)
//   functions:   how many, each: row + 1 of its site, name, parameters, source set of its result
//   sites:       how many, each: difference of its row to that of the site before (first: to 0),
//                function, SiteRole, CallEffect | SiteFactFlags << 4, site sets of control parents
//                (classic, weak, termination-sensitive), site set of other writes, source sets of
//                value, address, condition, target, callee, how many arguments, the source set of
//                each
// The name of a function and the callee of a call are numbers made from the linker's name: the same
// number if the call is one of that function; 0: not known. Sites are rows of the module. Sets are
// numbered from 1, and 0 is the empty set. Functions are numbered from 0.
inline constexpr std::uint32_t kDependenceVersion = 1;

// kFactFlows: numbers as in kFactDependence. First kFlowsVersion, then how many modules have such
// facts and how many do not (in a module: 1, 0), 1 if some code of it has no hooks, and 1 if
// it defines main; then
//   names:   how many functions with hooks other modules can call, the number of each name
//            how many functions it calls that may have no hooks, the number of each name
//   reads:   how many, each: difference of its row to that of the read before (first: to 0), its
//            bytes << 2 | whether code without hooks cannot read its stores << 1 | whether it is an
//            atomic update, how many stores in its block, each: row << 1 | whether it writes the
//            bytes that were read; where its value may go at all
//   passed:  how many parameters and results, each: itself, where its value may go
// Before the names: 1 if the module redirects the standard streams, and how many local functions
// parameters and results belong to.
// Where a value may go: how many stores, each: its row; how many parameters and results, each:
//   itself; 1 if it may decide something | 2 if it is printed.
// A parameter or result: 0 for the result, n + 1 for parameter n, shifted left by 1 | whether the
//   function is a local one; the number of the function's name, or the local function's number.
inline constexpr std::uint32_t kFlowsVersion = 2;

enum class SourceKind : std::uint8_t {
  Unknown = 0,    // anything that the thread has read so far
  Load = 1,       // what the event at site `index` read
  Parameter = 2,  // parameter `index` of this activation
  CallResult = 3, // what the call at site `index` returned
  Branch = 4,     // which way the branch at site `index` went: it chose between two values
};

enum class SiteRole : std::uint8_t {
  None = 0,
  Load = 1,
  Store = 2,
  Update = 3, // an atomic operation that reads and writes
  Copy = 4,   // memory to memory: its reads and its writes have the same site
  Call = 5,
  Branch = 6,
  Trap = 7, // an operation that ends the program if its operands are wrong: a division
};

// What a call may do to memory, as far as its caller's module knows.
enum class CallEffect : std::uint8_t {
  None = 0,    // nothing; the result depends on the arguments alone
  Reads = 1,   // may read all memory that it can reach, writes nothing
  Known = 2,   // a function of the C library: the runtime records its accesses, or it touches no memory of the program
  Defined = 3, // its body is in this module and has hooks
  Other = 4,   // any function: of another module, or code without hooks, which may write all that it can reach
};

enum SiteFactFlags : std::uint8_t {
  kMayNotReturn = 1, // a call that may not return
};

// A row of an Initial chunk; `bytes` bytes follow, padded to a multiple of 8. Globals that were
// zero have no row. Of large globals, the first kMaxInitial bytes are kept.
struct InitialRow {
  std::uint64_t address;
  std::uint64_t bytes;
};
inline constexpr std::uint64_t kMaxInitial = 4096;

inline constexpr std::uint64_t kMaxPayload = 1u << 16;
inline constexpr std::uint32_t kFirstSite = 1u << 16; // smaller numbers: the module was not registered yet

constexpr std::uint64_t round_up(std::uint64_t bytes, std::uint64_t align) {
  return (bytes + align - 1) / align * align;
}
constexpr std::uint64_t payload_slots(const RawEvent& e) {
  return (e.flags & kPayload) ? (e.kind == static_cast<std::uint8_t>(EventKind::AtomicRmw) ? (2 * e.value + 31) / 32
                                                                                           : (e.value + 31) / 32)
                              : 0;
}

} // namespace sooth::trace
