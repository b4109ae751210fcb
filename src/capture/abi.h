// The whole contract between an instrumented program (the pass emits it) and libsooth_rt (the
// runtime provides it). Plain C types only; both sides include it.
//
//     x = 7;      x is a global int: the program calls __sooth_write4(&x, 7, site), or the inlined
//                 check before it, and then stores. The runtime appends a `write` event to the
//                 thread's buffer
//
// --- The per-thread record ------------------------------------------------------------------
// `__sooth_thread` is a thread-local variable (initial-exec) of type ThreadAbi. Inlined hooks read
// and write it.
//
// --- Cells: omitting repetitions ------------------------------------------------------------
// Each thread has a direct-mapped table of 16-byte cells, one for an aligned granule of 8 bytes:
//     u32 low:  bits 0-7   unknown: 0 if this byte's value is in `bytes`, and an access of it was
//                          kept in this segment
//               bits 8-15  clean: 0 if writes of it were omitted already; further writes only
//                          change `bytes`
//               bits 16-23 unwritten: 0 if a write of it was kept in this segment
//               bits 24-31 epoch: the segment in which this holds; 0: never
//     u32 high: address >> 15
//     u64 bytes: the granule's bytes
// The inlined hook of a read of `size` bytes (1, 2, 4, 8) at `a` that saw `v`:
//     cell  = cells + ((a << 1) & cell_mask)
//     mask  = ((1 << size) - 1) << (a & 7)                -- u32; 0xff for size 8
//     if (high(cell) != (u32)(a >> 15)
//         || ((low(cell) ^ epoch) & (0xff000000 | mask)) != 0
//         || load(cell + 8 + (a & 7), size) != v          -- for size 8: cell + 8
//         || ((a & 7) + size - 1) & 8)                    -- crosses the granule; only tested if
//                                                            the access may be unaligned
//       __sooth_read<size>(a, v, site)                    -- unlikely
// and of a write, before the store, with mask << 8 for mask and without the comparison of values:
// if everything matches,
//     store(cell + 8 + (a & 7), size) = v                 -- else __sooth_write<size>(a, v, site)
// A write always tests that it does not cross the granule (for size 8: that a & 7 is 0), so that a
// pointer with a wrong alignment cannot spoil the next cell. The table has 8 bytes of room after
// its end.
//
// --- Owners: omitting what one thread has to itself -----------------------------------------
// Only in modules with kSoothModuleHasOwners. Each block of 4096 bytes has a word, at
// owners + ((a >> 9) & owner_mask). If it equals `mine`, the thread has the block to itself, and
// its accesses there are omitted (runtime/recording/ownership.h). The inlined hooks look there
// first, reads after the load:
//     if (load(owners + ((a >> 9) & owner_mask)) == mine) done; else the cell, as above
// An access that may lie in two blocks (it is not aligned to its size) goes to the cell in that
// case. Around each store, however it is recorded, and around each transfer and each loop whose
// hook comes before it:
//     storing = 1; the check and the hook; the store; storing = 0
// A thread that takes a block over waits until the store that was checked before has been made.
// Hooks of transfers and loops set `storing` themselves; the code behind them sets it to 0.
//
// --- The shadow call stack ------------------------------------------------------------------
// Before every call the pass stores the call's site number in `call_site`. An instrumented
// function, at entry:
//     top = stack_top; stack_top = top + 1; *top = own site | (u64)call_site << 32
// at every return (absolute, not a decrement, so that longjmp and exceptions cannot unbalance it):
//     stack_top = top; if (top < stack_low) stack_low = top
// and after a landing pad or a call that returns twice:
//     stack_top = top + 1; if (top + 1 < stack_low) stack_low = top + 1
// A function of which every call is to be an event (-fsooth-property) also calls __sooth_called()
// after each of these changes.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct SoothThreadAbi {
  // Not `cells`: at offset 0 LLVM would carry the record's own address around, instead of reaching
  // the field by one instruction.
  uint64_t detail;     // offset 0: not 0 while the segment is kept in full; then `cells` is one cell that never matches
  uint64_t cell_mask;  // offset 8: (number of cells - 1) << 4
  uint64_t epoch;      // offset 16: the segment's epoch << 24, 1 to 255
  uint64_t* stack_top; // offset 24: next free frame
  uint64_t* stack_low; // offset 32: lowest stack_top since frames were last written to the trace
  uint8_t* cells;      // offset 40
  uint32_t call_site;  // offset 48
  uint32_t branches;   // offset 52: branch hooks run only if it is not 0
  uint8_t* owners;     // offset 56: words of blocks; one word that never matches, if nothing is owned
  uint64_t owner_mask; // offset 64: 8-byte words only; 0, if nothing is owned
  uint64_t mine;       // offset 72: the word of blocks that this thread owns now
  uint64_t storing;    // offset 80: not 0 between a check and its store
};

// A site number is `*module base + row`; hooks pass that sum.
struct SoothSiteRow { // the same as sooth::trace::SiteRow
  uint32_t file, line, column, function, variable, flags;
};
struct SoothGlobalRow { // the same as sooth::trace::GlobalRow, but address is filled in by the linker
  const void* address;
  uint64_t bytes;
  uint32_t name, type, file, line;
};
struct SoothModule {
  uint32_t abi_version; // kSoothAbiVersion
  uint32_t sites;
  const struct SoothSiteRow* site_rows;
  const struct SoothGlobalRow* global_rows;
  const char* strings;
  const uint8_t* facts;
  uint32_t* base; // the module's variable; the runtime writes the number of its first site here
  uint32_t globals;
  uint32_t string_bytes;
  uint32_t fact_bytes;
  uint32_t name;           // string offset
  uint32_t compiler_flags; // string offset
  uint32_t flags;          // SoothModuleFlags
};
enum { kSoothAbiVersion = 2 };
enum SoothModuleFlags {
  kSoothModuleHasFacts = 1,  // compiled with static facts for dependence: everything is recorded in full
  kSoothModuleHasOwners = 2, // not with -fno-sooth-own: it looks at owners, and marks its stores
};

// Called by a constructor of priority 0 that the pass adds to each module; idempotent.
void __sooth_register_module(const struct SoothModule* module);

// --- Hooks with LLVM's preserve_most calling convention (entered through hook_entry.S) ----------
//     void __sooth_read1/2/4/8 (uint64_t address, uint64_t value, uint32_t site)
//         after the load; value zero-extended
//     void __sooth_write1/2/4/8(uint64_t address, uint64_t value, uint32_t site)
//         before the store
//     void __sooth_branch(uint32_t site, uint64_t way)
//         before the branch; only if branches != 0. With static facts also before a call of code
//         that may have no hooks and before a division; then `way` is 0

// --- Hooks with the C calling convention --------------------------------------------------------
void __sooth_read_range(const void* address, const void* bytes, uint64_t size,
                        uint32_t site); // after; sizes other than 1, 2, 4, 8
void __sooth_write_range(const void* address, const void* bytes, uint64_t size, uint32_t site); // before
// Before llvm.memcpy / memmove / memset (not before calls of libc's functions, which the runtime
// intercepts itself):
void __sooth_copy(const void* to, const void* from, uint64_t size, uint32_t site);
void __sooth_fill(const void* to, uint32_t byte, uint64_t size, uint32_t site);
// LLVM may turn these intrinsics into calls of libc's memcpy, memmove and memset. Before such an
// intrinsic, the pass stores this number in `call_site`: the interceptors then only do the work,
// and set `call_site` to 0. If one side cannot be shared, the pass calls read_range or write_range
// (with any size) instead of __sooth_copy.
enum { kSoothCallRecorded = 0x7fffffff };

// An innermost loop in which every access walks over a range that is known before it starts
// (pass/loop_ranges.h) has these instead of a hook for each access: reads before the loop, writes
// after it. `element` is the size of one access; it divides `size`.
enum SoothLoop {
  kLoopWrite = 1,
  kLoopGlued = 2, // not the last of the loop's ranges: in no run does another thread come between this and the next one
  kLoopOpaque = 4, // a read whose bytes the loop itself may write: what is there now need not be what is read
};
void __sooth_loop(const void* address, uint64_t size, uint32_t element, uint32_t site, uint32_t what);

// Before inline assembly that may access memory, which is not recorded (pass/assembly/assembly.h):
//   void __sooth_assembly(void)

// The call stack has just changed by a call or a return that a property can see.
void __sooth_called(void);

// Atomics replace the instruction. `order` is a sooth::trace::MemoryOrder number. Sizes 1, 2, 4, 8:
// N below.
//     uintN __sooth_atomic_load<N>(const void* p, uint32_t order, uint32_t site)
//         N = 1, 2, 4, 8, 16
//     void  __sooth_atomic_store<N>(void* p, uintN value, uint32_t order, uint32_t site)
//     uintN __sooth_atomic_rmw<N>(void* p, uintN operand, uint32_t operation, uint32_t order,
//                                 uint32_t site)
//         returns the old value
//     uintN __sooth_atomic_cas<N>(void* p, uintN expected, uintN desired, uint32_t order,
//                                 uint32_t failure_order, uint32_t site)
//         returns the old value; it succeeded iff that equals `expected`. Weak ones become strong.
// 16: unsigned __int128. An atomic instruction of another kind (float add, ...) becomes a loop of
// __sooth_atomic_cas.
enum SoothRmw { kRmwXchg, kRmwAdd, kRmwSub, kRmwAnd, kRmwNand, kRmwOr, kRmwXor, kRmwMax, kRmwMin, kRmwUMax, kRmwUMin };
void __sooth_fence(uint32_t order, uint32_t site); // before the fence instruction, which stays

// --- Programs that are built for their monitors (`--monitor`) -----------------------------------
// Only memory that formulas name matters: an access at `a` compares
//     a - __sooth_monitored.begin < __sooth_monitored.bytes
// and only if that holds, calls a hook. `begin` lies kSoothMonitoredReach bytes before the first
// variable, so that accesses of up to so many bytes that reach into it are seen. The hook itself
// then makes loads and stores of 1, 2, 4 and 8 bytes:
//     uint64_t __sooth_monitored_read<N>(uint64_t address, uint32_t site)            preserve_most
//     void __sooth_monitored_write<N>(uint64_t address, uint64_t value, uint32_t site)
//                                                                                    preserve_most
// There is no shadow call stack. While `branches` is not 0, a function calls __sooth_entered at its
// entry: the runtime needs to know where the thread starts.
struct SoothMonitoredRange {
  uint64_t begin;
  uint64_t bytes;
};
enum { kSoothMonitoredReach = 64 };
void __sooth_entered(uint32_t site);

#ifdef __cplusplus
}
#endif
