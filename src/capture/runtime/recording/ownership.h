// Ownership: accesses of memory that one thread has to itself are not recorded.
//
//     T1: p = malloc ; *p = 1 ... *p = 1000000        T1 owns p's block: its accesses are omitted
//     T2: lock ; read *p                              first T2 takes the block over, then it reads
//
// Memory is looked at in blocks of 4096 bytes. Each block has a word, in a table that covers the
// address space; only the touched part of it takes memory. Its states, which go one way only:
//
//     fresh -> touched by T, some times -> owned by T -> shared for ever
//
// Until a block is owned, all accesses of it are recorded as usual; a second thread's makes it
// shared, at no cost. While it is owned, none of its owner's plain accesses is recorded. So a
// reader does not know the contents of the block when the ownership ends. When another thread comes
// (or the owner uses it in a way that is always recorded: by an atomic operation, in a signal
// handler), a row in the file says so (hand_over.h, docs/trace_format.md).
//
// If all that the owner did in its epoch comes before the newcomer in every run, by creation and
// joining alone (epochs.h), then the block is not shared but touched by the newcomer. When a thread
// is alone, it may touch shared blocks again.
//
// A thread that is alone (cells.h) owns blocks that it writes and that lie inside one object. It
// writes out their contents before there is another thread (end_alone): what others begin with is
// known, and nobody takes such a block over.
//
// Never owned: blocks with globals, statics and watched variables; blocks in which objects ended
// (ownership.cc, g_marks). Not owned, because others are likely to come: blocks at the border of a
// thread's part (is_well_inside), memory used under locks.
//
// A thread that takes a block over waits for the owner's store. Only code that is compiled without
// -fno-sooth-own says that it stores. So nothing is owned unless all of the program is compiled so;
// and when another module is loaded, all ownership ends before its code runs.
#pragma once

#include "capture/runtime/recording/cells.h"

namespace sooth::runtime {

// Words of blocks: thread << 40 | strong epoch << 8 | kOwned or the number of accesses. Epochs
// begin with 1.
inline constexpr std::uint64_t kFresh = 0;
inline constexpr std::uint64_t kNobody = 1;               // `mine` of a thread that owns nothing; no block has it
inline constexpr std::uint64_t kBusy = ~std::uint64_t{1}; // is being handed over
inline constexpr std::uint64_t kShared = ~std::uint64_t{0};
inline constexpr std::uint64_t kOwned = 0xff;
inline constexpr std::uint64_t kOwnerBlock = 4096;

// own=N in SOOTH_OPTIONS: a block is owned after so many recorded accesses by one thread, of those
// that come after the thread's first 4096 slots, after a segment's detail and without a lock. On
// the thread's own stack one of eight counts in the detail, too. 0: nothing is ever owned; 1:
// everything that may be owned is, at once, however likely it is that another thread comes.
inline constexpr std::uint64_t kOwnAfter = 16;
extern std::uint64_t g_own_after;
inline bool owns_eagerly() { return g_own_after == 1; }
inline constexpr std::uint64_t kMostAccesses = 200; // that a word can count

// A module's code is about to run. `has_owners`: not with -fno-sooth-own.
void own_in_module(bool has_owners);
// Whether all modules so far have them.
bool all_modules_own();
// Makes the table, if the modules so far allow it. Without it (there are other threads, the system
// refuses something, or everything is to be recorded) nothing is ever owned.
void start_owning();
// Ends all ownership, for good. A block that is being handed over is waited for.
void stop_owning(Thread* t);
// In the child of a fork: no block is owned by anybody.
void restart_owning(Thread* t);
// The thread begins, or begins a new epoch: its own blocks have another word from now on.
void use_own_word(Thread* t);

inline std::uint64_t& owner_word(std::uint64_t address) {
  const SoothThreadAbi& abi = __sooth_thread.abi;
  return *reinterpret_cast<std::uint64_t*>(abi.owners + ((address >> 9) & abi.owner_mask));
}
inline bool is_in_one_block(std::uint64_t address, std::uint64_t size) {
  return (address & (kOwnerBlock - 1)) + size <= kOwnerBlock;
}

// Whether an access of a block with this word leaves the word as it is.
inline bool is_settled(EventKind kind, std::uint64_t word) {
  const std::uint64_t mine = __sooth_thread.abi.mine;
  if (word == kShared || word == mine) return true;
  return g_alone && kind == EventKind::Read && (word | kOwned) == mine && !owns_eagerly(); // its reads do not count
}
inline bool is_settled(EventKind kind, std::uint64_t address, std::uint64_t size) {
  return is_in_one_block(address, size) && is_settled(kind, __atomic_load_n(&owner_word(address), __ATOMIC_RELAXED));
}

bool leaves_out_slowly(Thread* t, EventKind kind, std::uint64_t address, std::uint64_t size);
// A plain access of at most 8 bytes: true if it is not to be recorded. Takes the block over, if it
// is another thread's.
inline bool leaves_out(Thread* t, EventKind kind, std::uint64_t address, std::uint64_t size) {
  const std::uint64_t word = __atomic_load_n(&owner_word(address), __ATOMIC_RELAXED);
  if (__builtin_expect(is_settled(kind, word), 1) && is_in_one_block(address, size))
    return word == __sooth_thread.abi.mine;
  return leaves_out_slowly(t, kind, address, size);
}
// The thread is about to access the range, or has just done it: takes its blocks over. `storing` is
// set meanwhile, and was set without a break when this returns: what is left out now can be waited
// for.
void settle_range(Thread* t, EventKind kind, std::uint64_t address, std::uint64_t size);
// f(address, size) for the parts of a settled range that are to be recorded. A block that is being
// taken from the thread was its own when the range was settled: its taker waits.
template <typename F>
void each_recorded_part(Thread* t, std::uint64_t address, std::uint64_t size, F&& f) {
  const std::uint64_t end = address + size;
  std::uint64_t from = address;
  for (std::uint64_t at = address; at < end && __sooth_thread.abi.owner_mask != 0;) {
    const std::uint64_t next = (at | (kOwnerBlock - 1)) + 1 < end ? (at | (kOwnerBlock - 1)) + 1 : end;
    const std::uint64_t word = __atomic_load_n(&owner_word(at), __ATOMIC_RELAXED);
    if (word == kBusy || (word == t->mine && t->mine != kNobody)) {
      if (from < at) f(from, at - from);
      from = next;
    }
    at = next;
  }
  if (from < end) f(from, end - from);
}

// Between these two, the thread is about to access what it has checked (abi.h, `storing`).
inline void begin_storing() {
  __atomic_store_n(&__sooth_thread.abi.storing, 1, __ATOMIC_RELAXED);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
inline void end_storing() {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  __atomic_store_n(&__sooth_thread.abi.storing, 0, __ATOMIC_RELAXED);
}

// The thread is alone, and will not be any more: writes out what its blocks hold. And the reverse.
void end_alone(Thread* t);
void begin_alone();

// Numbers that only a thread's own clock gives are brought behind the last hand-over.
inline void follow_hand_overs(Thread* t) { reading(t); }
// Nobody owns any of these bytes from now on.
void share(Thread* t, std::uint64_t address, std::uint64_t size);
// ... nor will a thread that is alone own them again.
void share_for_good(Thread* t, std::uint64_t address, std::uint64_t size);
inline void share_atomic(Thread* t, const void* p, std::uint64_t size) {
  const auto address = reinterpret_cast<std::uint64_t>(p);
  if (__builtin_expect(__sooth_thread.abi.owner_mask == 0, 1)) return;
  if (__atomic_load_n(&owner_word(address), __ATOMIC_RELAXED) != kShared || !is_in_one_block(address, size))
    share(t, address, size);
  follow_hand_overs(t);
}
// An object begins or ends there: a use of all of its blocks, that is always recorded.
void use_region(Thread* t, EventKind kind, std::uint64_t address, std::uint64_t size);

// Around a signal handler: it owns nothing, and what it interrupted may have been a store.
class HandlerOwnsNothing {
public:
  explicit HandlerOwnsNothing(Thread* t);
  ~HandlerOwnsNothing();
  HandlerOwnsNothing(const HandlerOwnsNothing&) = delete;
  HandlerOwnsNothing& operator=(const HandlerOwnsNothing&) = delete;

private:
  Thread* t_;
  std::uint64_t storing_;
};

} // namespace sooth::runtime
