#include "capture/runtime/recording/ownership.h"

#include <sys/uio.h>

#include "capture/runtime/os.h"
#include "capture/runtime/recording/buffer.h"
#include "capture/runtime/recording/cells.h"
#include "capture/runtime/recording/epochs.h"
#include "capture/runtime/recording/hand_over.h"
#include "trace/effects.h"

namespace sooth::runtime {

std::uint64_t g_own_after = kOwnAfter;

namespace {

constexpr std::uint64_t kAddressBits = 47;
constexpr std::uint64_t kTableBytes = std::uint64_t{1} << (kAddressBits - 9); // address space; a 512th of what is used
std::uint8_t* g_table;
bool g_modules_have_owners; // at least one
bool g_stopped;             // another module has not: nothing is owned any more

// All blocks that were ever owned. Address space; only what is used takes memory.
constexpr std::uint64_t kMostOwned = std::uint64_t{1} << 27;
std::uint64_t* g_owned;
std::uint64_t g_owned_count;
std::uint64_t g_owned_before; // they came before the thread was alone

// By block, a byte for each word. Address space.
// Barred: nobody may own it. An object ended in it: a thread that uses what it has freed itself
// makes a mistake, and that is to be recorded. Or one began there under a lock: it is meant to be
// shared. Until one begins that covers all of the block.
// Whole: all of it belongs to one object, since that began.
enum Mark : std::uint8_t { kNoMark, kBarred, kWhole };
std::uint8_t* g_marks;
std::uint8_t& mark_of(std::uint64_t block) { return g_marks[block / kOwnerBlock & (kTableBytes / 8 - 1)]; }
bool has_mark(std::uint64_t block, Mark mark) { return __atomic_load_n(&mark_of(block), __ATOMIC_RELAXED) == mark; }

bool is_stopped() { return __atomic_load_n(&g_stopped, __ATOMIC_SEQ_CST); }

std::uint64_t thread_in(std::uint64_t word) { return word >> 40; }
std::uint64_t epoch_in(std::uint64_t word) { return word >> 8 & 0xffffffff; }
bool is_owned(std::uint64_t word) { return (word & 0xff) == kOwned; }
std::uint64_t touched_by(const Thread* t) { return t->mine == kNobody ? kShared : t->mine & ~kOwned; }

bool change(std::uint64_t& word, std::uint64_t from, std::uint64_t to) {
  return __atomic_compare_exchange_n(&word, &from, to, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

// A hand-over waits for the end of a store. Nothing was checked for this one that may not be
// checked again.
void wait_while_busy(Thread* t, const std::uint64_t& word) {
  const std::uint64_t storing = __sooth_thread.abi.storing;
  end_storing();
  for (unsigned spins = 0; __atomic_load_n(&word, __ATOMIC_ACQUIRE) == kBusy; ++spins) {
    if (spins > 16) os::yield();
    else __builtin_ia32_pause();
  }
  ++t->busy_blocks;
  if (storing != 0) begin_storing();
}

bool is_on_stack(const Thread* t, std::uint64_t block) { return block - t->stack_low_address < t->stack_bytes; }

// Whether no other thread is likely to come. Where the parts of two threads meet, both use the
// block at the border. A thread mostly begins with the block at its lower border, and comes to the
// upper one late. So the block below has to be the thread's, too; but not on its own stack, and not
// while there is nobody else.
bool is_well_inside(const Thread* t, std::uint64_t block) {
  if (owns_eagerly() || g_alone || is_on_stack(t, block)) return true;
  const std::uint64_t below = __atomic_load_n(&owner_word(block - kOwnerBlock), __ATOMIC_RELAXED);
  return (below | kOwned) == t->mine && below < kBusy;
}

// The thread has touched the block often enough, and nobody else has. What the cells know of it is
// written out: from now on they learn nothing of it.
bool begin_to_own(Thread* t, std::uint64_t& word, std::uint64_t seen, std::uint64_t block) {
  if (has_mark(block, kBarred) || !is_well_inside(t, block) || !has_rows_left()) return false;
  const std::uint64_t place = __atomic_fetch_add(&g_owned_count, 1, __ATOMIC_SEQ_CST);
  if (place >= kMostOwned) return false;
  __atomic_store_n(&g_owned[place], block, __ATOMIC_SEQ_CST);
  if (is_stopped()) return false; // else the thread that stops finds the block
  void_range(t, block, kOwnerBlock);
  if (!change(word, seen, t->mine)) return false;
  count(Defect::OwnedBlocks);
  t->last = &kNoEvent; // no later access repeats it, or goes on where it ended
  t->run = {};
  return true;
}

// What the block holds, as one write: nobody else is there to see it earlier. All of it belongs to
// one object, so the write is one that the thread may make. The kernel reads the block, because the
// program may have closed it meanwhile (mprotect). False if so.
bool write_contents(Thread* t, std::uint64_t block) {
  alignas(8) static std::uint8_t bytes[kOwnerBlock]; // the thread is alone
  const iovec to = {bytes, kOwnerBlock}, from = {reinterpret_cast<void*>(block), kOwnerBlock};
  const long pid = os::call(SYS_getpid);
  const long copied =
      os::call(SYS_process_vm_readv, pid, reinterpret_cast<long>(&to), 1, reinterpret_cast<long>(&from), 1, 0);
  if (copied != static_cast<long>(kOwnerBlock)) return false;
  append_payload(t, EventKind::Write, block, kOwnerBlock, 0, 0, 0, 0, bytes, kOwnerBlock, nullptr, 0);
  return true;
}
bool may_write_contents(const Thread* t, std::uint64_t block) {
  return g_alone && __sooth_thread.abi.mine == t->mine && has_mark(block, kWhole);
}

// The calling thread ends the ownership that `seen` says. The word becomes `then`, or kShared if
// the owner may go on in another run.
void end_ownership(Thread* t, std::uint64_t& word, std::uint64_t seen, std::uint64_t block, std::uint64_t then) {
  os::BlockSignals signals; // a handler that touched the block would wait for ever
  if (!change(word, seen, kBusy)) return;
  // The owner may be about to take a block from this thread, and to wait for its store.
  const std::uint64_t storing = __sooth_thread.abi.storing;
  end_storing();
  const auto owner = static_cast<std::uint32_t>(thread_in(seen));
  const auto epoch = static_cast<std::uint32_t>(epoch_in(seen));
  if (owner == t->number && may_write_contents(t, block) && write_contents(t, block)) {
    // nothing is lost
  } else if (owner == t->number && epoch == t->strong_epoch) {
    give_up(t, block);
  } else if (owner == t->number || is_before(owner, epoch, t)) {
    hand_over_in_order(t, block, owner, epoch);
  } else {
    hand_over_now(t, block, owner);
    then = kShared;
  }
  __atomic_store_n(&word, then, __ATOMIC_RELEASE);
  ++t->busy_blocks;
  if (storing != 0) begin_storing();
}

enum class Use { Read, Write, Region, GiveUp, Share };
bool is_access(Use use) { return use == Use::Read || use == Use::Write; }
Use use_by(EventKind kind) { return kind == EventKind::Write ? Use::Write : Use::Read; }

// Whether an access of a block that the thread has touched counts. A segment's detail is kept, but
// for the thread's own stack. So is the beginning of each thread's life: a short run loses nothing,
// and a long one shows first which blocks threads share. What is used under a lock will be used by
// others. What the only thread reads is not recorded anyway (cells.h), and its last writes say what
// others begin with: it owns where it writes, and can say in the end what it wrote.
constexpr std::uint64_t kRecordedWhole = 4096; // slots
bool counts(const Thread* t, Use use, std::uint64_t block) {
  if (__sooth_thread.abi.detail != 0 && (g_alone || !is_on_stack(t, block))) return false;
  if (owns_eagerly()) return true;
  if (g_alone) return use == Use::Write && has_mark(block, kWhole);
  return t->first_slot >= kRecordedWhole && t->locks == 0;
}

// One step on the way of a block's word. True if the use is settled; then `left_out` says whether
// it is not recorded.
bool step(Thread* t, std::uint64_t& word, std::uint64_t block, Use use, bool& left_out) {
  std::uint64_t seen = __atomic_load_n(&word, __ATOMIC_ACQUIRE);
  if (is_access(use) && is_stopped()) use = Use::Share;
  const std::uint64_t touched = use == Use::Share ? kShared : touched_by(t);
  if (seen == kShared) {
    if (!is_access(use) || !g_alone || touched == kShared) return true;
    return change(word, seen, touched);
  }
  if (seen == kBusy) return wait_while_busy(t, word), false;
  if (seen == kFresh) return change(word, seen, touched);
  const bool own_epoch = (seen | kOwned) == t->mine;
  if (own_epoch && !is_owned(seen)) {
    if (use == Use::Share) return change(word, seen, kShared);
    if (!is_access(use) || __sooth_thread.abi.mine != t->mine) return true;
    if (!counts(t, use, block)) return true;
    if ((seen & 0xff) + 1 < g_own_after) return change(word, seen, seen + 1), true;
    left_out = begin_to_own(t, word, seen, block);
    return true;
  }
  const bool own = thread_in(seen) == t->number && t->mine != kNobody;
  const bool goes_on = use == Use::Region || (use == Use::GiveUp && !is_owned(seen)) ||
                       (is_access(use) && __sooth_thread.abi.mine == t->mine);
  if (own && goes_on) {
    if (own_epoch) return left_out = is_access(use), true;
    // Its own, of an earlier epoch. Others may have their parts beside it now.
    if (is_owned(seen) && !is_well_inside(t, block)) end_ownership(t, word, seen, block, touched);
    else change(word, seen, (t->mine & ~kOwned) | (seen & 0xff));
    return false;
  }
  if (!is_owned(seen)) {
    const bool ordered =
        own || is_before(static_cast<std::uint32_t>(thread_in(seen)), static_cast<std::uint32_t>(epoch_in(seen)), t);
    return change(word, seen, ordered ? touched : kShared);
  }
  end_ownership(t, word, seen, block, own && use != Use::GiveUp ? kShared : touched);
  return false;
}

bool settle(Thread* t, std::uint64_t address, Use use) {
  std::uint64_t& word = owner_word(address);
  bool left_out = false;
  while (!step(t, word, address & ~(kOwnerBlock - 1), use, left_out)) {
  }
  return left_out;
}

template <typename F>
void each_block(std::uint64_t address, std::uint64_t size, F&& f) {
  if (size == 0 || __sooth_thread.abi.owner_mask == 0 || !is_recording()) return;
  const std::uint64_t end = address + size;
  for (std::uint64_t at = address & ~(kOwnerBlock - 1); at < end; at += kOwnerBlock) f(at);
}

} // namespace

void stop_owning(Thread* t) {
  if (is_stopped()) return;
  __atomic_store_n(&g_stopped, true, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&g_table, __ATOMIC_RELAXED) == nullptr || t == nullptr) return;
  std::uint64_t count = __atomic_load_n(&g_owned_count, __ATOMIC_SEQ_CST);
  if (count > kMostOwned) count = kMostOwned;
  for (std::uint64_t i = 0; i < count; ++i)
    if (const std::uint64_t block = __atomic_load_n(&g_owned[i], __ATOMIC_SEQ_CST)) settle(t, block, Use::Share);
}

void own_in_module(bool has_owners) {
  if (!has_owners) {
    if (!is_stopped()) stop_owning(g_table != nullptr ? enter() : nullptr); // null: no thread is recorded any more
    return;
  }
  g_modules_have_owners = true;
  const bool known = __sooth_thread.thread != nullptr; // then it shared the module's globals when they were registered
  if (known && g_table == nullptr) start_owning();
  else if (!known && g_table != nullptr)
    if (Thread* t = enter()) share_kept_ranges(t);
}

bool all_modules_own() { return g_modules_have_owners && !is_stopped(); }

void start_owning() {
  Thread* t = __sooth_thread.thread;
  if (!g_modules_have_owners || is_stopped() || g_own_after == 0) return;
  if (!is_recording() || g_detail == ~std::uint64_t{0} || !is_only_thread(t)) return;
  g_owned = static_cast<std::uint64_t*>(os::pages(kMostOwned * sizeof *g_owned));
  if (g_owned == nullptr || !can_hand_over() || !make_lives()) return;
  auto* table = static_cast<std::uint8_t*>(os::pages(kTableBytes + kTableBytes / 8));
  if (table == nullptr) return;
  g_marks = table + kTableBytes;
  constexpr int kDontDump = 16; // MADV_DONTDUMP
  os::call(SYS_madvise, reinterpret_cast<long>(table), static_cast<long>(kTableBytes + kTableBytes / 8), kDontDump);
  __atomic_store_n(&g_table, table, __ATOMIC_SEQ_CST);
  if (!is_only_thread(t)) __atomic_store_n(&g_stopped, true, __ATOMIC_SEQ_CST); // one that may not know the table
  use_own_word(t);
  share_kept_ranges(t);
}

void restart_owning(Thread* t) {
  if (g_table == nullptr) return;
  os::empty_pages(g_table, kTableBytes + kTableBytes / 8);
  forget_lives();
  forget_rows();
  g_owned_count = g_owned_before = 0;
  t->strong_epoch = 1;
  t->interrupted = 0;
  use_own_word(t);
}

void use_own_word(Thread* t) {
  SoothThreadAbi& abi = __sooth_thread.abi;
  const bool may = g_table != nullptr && is_recording() && t->number < kMostOwners;
  t->mine = may ? std::uint64_t{t->number} << 40 | std::uint64_t{t->strong_epoch} << 8 | kOwned : kNobody;
  if (g_table == nullptr) return;
  abi.owners = g_table;
  abi.owner_mask = kTableBytes - 8;
  abi.mine = t->mine;
}

void end_alone(Thread* t) {
  if (g_table == nullptr || t == nullptr) return;
  os::BlockSignals signals;
  std::uint64_t count = __atomic_load_n(&g_owned_count, __ATOMIC_SEQ_CST);
  if (count > kMostOwned) count = kMostOwned;
  for (; g_owned_before < count; ++g_owned_before) {
    const std::uint64_t block = g_owned[g_owned_before];
    if (block == 0 || owner_word(block) != t->mine || !may_write_contents(t, block)) continue;
    if (write_contents(t, block)) change(owner_word(block), t->mine, touched_by(t));
  }
}

void begin_alone() { g_owned_before = __atomic_load_n(&g_owned_count, __ATOMIC_SEQ_CST); }

bool leaves_out_slowly(Thread* t, EventKind kind, std::uint64_t address, std::uint64_t size) {
  const Use use = use_by(kind);
  const bool first = settle(t, address, use);
  if (is_in_one_block(address, size)) return first;
  const std::uint64_t last = address + size - 1;
  if (settle(t, last, use) && first) return true;
  // It lies in two blocks, and is recorded: so neither may be owned now.
  settle(t, address, Use::GiveUp);
  settle(t, last, Use::GiveUp);
  return false;
}

void settle_range(Thread* t, EventKind kind, std::uint64_t address, std::uint64_t size) {
  std::uint64_t waits;
  do {
    waits = t->busy_blocks;
    each_block(address, size, [&](std::uint64_t block) {
      const std::uint64_t seen = __atomic_load_n(&owner_word(block), __ATOMIC_RELAXED);
      if (!is_settled(kind, seen)) settle(t, block, use_by(kind));
    });
  } while (waits != t->busy_blocks);
}

void share(Thread* t, std::uint64_t address, std::uint64_t size) {
  each_block(address, size, [&](std::uint64_t block) { settle(t, block, Use::Share); });
}

void share_for_good(Thread* t, std::uint64_t address, std::uint64_t size) {
  each_block(address, size, [&](std::uint64_t block) { __atomic_store_n(&mark_of(block), kBarred, __ATOMIC_RELAXED); });
  share(t, address, size);
}

void use_region(Thread* t, EventKind kind, std::uint64_t address, std::uint64_t size) {
  // A stack that begins is a thread's own: nobody else comes before it does.
  const bool stack = kind == EventKind::StackBegin || kind == EventKind::StackEnd;
  const bool ends = trace::does_to(trace::ObjectKind::Region, kind, trace::act::kEnds);
  const bool bars = !stack && (ends || (t->locks != 0 && !owns_eagerly()));
  each_block(address, size, [&](std::uint64_t block) {
    const bool covered = address <= block && address + size - block >= kOwnerBlock;
    const Mark mark = bars ? kBarred : covered && !stack ? kWhole : kNoMark;
    // Relaxed: another thread that is about to own the block changes its word, as this one does.
    if (mark != kNoMark || covered || has_mark(block, kWhole))
      __atomic_store_n(&mark_of(block), mark, __ATOMIC_RELAXED);
    const std::uint64_t seen = __atomic_load_n(&owner_word(block), __ATOMIC_RELAXED);
    // All that was left out was done to an object that ends now, by the thread that ends it. What
    // begins there later is another object.
    if (covered && ends && seen == t->mine && change(owner_word(block), seen, touched_by(t))) return;
    if (seen != kShared && !(stack && seen == kFresh)) settle(t, block, bars ? Use::GiveUp : Use::Region);
  });
  if (__sooth_thread.abi.owner_mask != 0) follow_hand_overs(t);
}

HandlerOwnsNothing::HandlerOwnsNothing(Thread* t) : t_(t), storing_(__sooth_thread.abi.storing) {
  if (t_ == nullptr || t_->mine == kNobody) return;
  if (storing_ != 0) __atomic_store_n(&t_->interrupted, t_->interrupted + 1, __ATOMIC_RELEASE);
  __sooth_thread.abi.mine = kNobody;
}

HandlerOwnsNothing::~HandlerOwnsNothing() {
  if (t_ == nullptr || t_->mine == kNobody) return;
  __sooth_thread.abi.storing = storing_;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  if (storing_ != 0 && t_->interrupted != 0) __atomic_store_n(&t_->interrupted, t_->interrupted - 1, __ATOMIC_RELEASE);
  __sooth_thread.abi.mine = t_->mine;
}

} // namespace sooth::runtime
