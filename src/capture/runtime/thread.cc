#include "capture/runtime/thread.h"

#include <pthread.h>
#include <sys/resource.h>

#include "capture/runtime/modules.h"
#include "capture/runtime/os.h"
#include "capture/runtime/recording/cells.h"
#include "capture/runtime/recording/clock.h"
#include "capture/runtime/recording/file.h"
#include "capture/runtime/recording/ownership.h"

namespace sooth::runtime {
alignas(16) std::uint8_t g_no_cells[64];
// The word of a block that is shared.
alignas(8) std::uint8_t g_no_owners[8] = {255, 255, 255, 255, 255, 255, 255, 255};
} // namespace sooth::runtime

namespace {
using sooth::runtime::g_no_cells;
using sooth::runtime::g_no_owners;
std::uint64_t g_no_stack[65536]; // a thread's stack before it has a state: room for unused frames
} // namespace

extern "C" {
constinit thread_local sooth::runtime::ThreadLocal __sooth_thread = {
    {0, 0, 1u << 24, g_no_stack, g_no_stack, g_no_cells, 0, 0, g_no_owners, 0, 1, 0}, nullptr, 0, 0, nullptr};
}

namespace sooth::runtime {

trace::RawEvent kNoEvent = {};
bool g_no_room;

namespace {

os::SpinLock g_lock; // free list and numbers
Thread* g_free;
Thread* g_all; // every state there ever was; only grows at its head
std::uint32_t g_next_number;
bool g_told_libraries;
std::uint32_t g_unjoined; // threads that began, or will begin, and are not joined

std::uint32_t next_number() { return __atomic_fetch_add(&g_next_number, 1, __ATOMIC_RELAXED); } // only unique

// The calling thread's own stack.
void find_stack(Thread* t) {
  Quiet quiet; // pthread_getattr_np allocates
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  void* low = nullptr;
  std::size_t bytes = 0;
  if (pthread_attr_getstack(&attributes, &low, &bytes) == 0) {
    t->stack_low_address = reinterpret_cast<std::uint64_t>(low);
    t->stack_bytes = bytes;
  }
  pthread_attr_destroy(&attributes);
}

// An activation takes at least 16 bytes of stack, so one frame for each 16 bytes is always enough.
bool make_shadow_stack(Thread* t) {
  std::size_t stack_bytes = t->stack_bytes != 0 ? t->stack_bytes : std::size_t{8} << 20;
  if (stack_bytes > std::size_t{1} << 30) stack_bytes = std::size_t{1} << 30;
  const std::size_t frames = stack_bytes / 16 + 8192;
  if (t->stack != nullptr && static_cast<std::size_t>(t->stack_end - t->stack) >= frames - 4096) return true;
  if (t->stack != nullptr)
    os::give_back(t->stack, static_cast<std::size_t>(t->stack_end - t->stack + 4096) * sizeof *t->stack);
  t->stack = static_cast<std::uint64_t*>(os::pages(frames * sizeof *t->stack));
  t->stack_end = t->stack + frames - 4096; // room for frames past the end, until the next check
  return t->stack != nullptr;
}

bool make_buffer(Thread* t, std::size_t bytes) {
  std::uint64_t offset = 0;
  trace::ChunkHeader* live = map_live(bytes, offset);
  if (live == nullptr) return false;
  t->live = live;
  t->live_offset = offset;
  t->live_bytes = bytes;
  t->begin = reinterpret_cast<trace::RawEvent*>(live + 1);
  t->end = t->begin + (bytes - sizeof *live) / sizeof(trace::RawEvent);
  return true;
}

void start_buffer(Thread* t) {
  t->cursor = t->limit = t->begin;
  t->last = &kNoEvent;
  t->run = {};
  t->live->thread = t->number;
  t->live->first_slot = t->first_slot;
  t->live->reserved = static_cast<std::uint32_t>(t->dirty_count); // lost if the process is killed
  __atomic_store_n(&t->live->state, 1, __ATOMIC_RELEASE);
}

Thread* take_state() {
  {
    os::Guard guard(g_lock);
    if (Thread* t = g_free) {
      g_free = t->next_free;
      return t;
    }
  }
  auto* t = static_cast<Thread*>(os::pages(sizeof(Thread)));
  if (t == nullptr) return nullptr;
  t->dirty_blocks = static_cast<std::uint32_t*>(os::pages(kMaxCells / kBlockCells * sizeof *t->dirty_blocks));
  if (t->dirty_blocks == nullptr || !make_buffer(t, kSmallLive)) return nullptr;
  os::Guard guard(g_lock);
  t->next_all = g_all;
  __atomic_store_n(&g_all, t, __ATOMIC_RELEASE); // catch_up() walks without the lock
  return t;
}

void use_stack_from_here(Thread* t) {
  SoothThreadAbi& abi = __sooth_thread.abi;
  abi.stack_top = abi.stack_low = __sooth_thread.written_top = t->stack;
}

} // namespace

Thread* attach(std::uint32_t number, std::uint32_t parent) {
  ThreadLocal& local = __sooth_thread;
  os::BlockSignals signals;
  ++local.quiet;
  Thread* t = take_state();
  bool ok = t != nullptr;
  if (ok) {
    t->number = number == kNoThread ? next_number() : number;
    t->parent = parent;
    t->evictions = t->dirty_count = t->dirty_block_count = t->stack_low_address = t->stack_bytes = 0;
    t->busy = t->locks = 0;
    t->inputs = 0;
    t->in_input = false;
    t->clock = t->raised = look(g_time);
    t->exact_tickets = kExactTickets;
    find_stack(t);
    ok = make_shadow_stack(t);
    local.abi.call_site = 0;
    local.abi.branches = g_branches;
    if (t->cells != 0) local.abi.epoch = t->epoch;
    else ok = ok && make_cells(t, kMinCells);
  }
  if (ok) {
    use_stack_from_here(t);
    t->first_slot = 0;
    start_buffer(t);
    use_detail(t);
    t->strong_epoch = 1;
    t->interrupted = 0;
    __atomic_store_n(&t->storing, &local.abi.storing, __ATOMIC_RELEASE);
    use_own_word(t);
    local.thread = t;
    if (__atomic_fetch_add(&g_header->threads, 1, __ATOMIC_RELAXED) != 0 && number == kNoThread) {
      __atomic_fetch_add(&g_unjoined, 1, __ATOMIC_SEQ_CST); // no thread announced it, and none will join it
      __atomic_store_n(&g_alone, false, __ATOMIC_RELAXED);
    }
  } else {
    local.ended = kNoRoom; // nothing of this thread can be kept
    __atomic_store_n(&g_no_room, true, __ATOMIC_RELEASE);
    count(Defect::NoRoomEvents);
  }
  --local.quiet;
  return ok ? t : nullptr;
}

void retire(std::uint32_t why) {
  ThreadLocal& local = __sooth_thread;
  local.abi = {0, 0, 1u << 24, g_no_stack, g_no_stack, g_no_cells, 0, 0, g_no_owners, 0, kNobody, 0};
  local.thread = nullptr;
  local.ended = why;
}

void detach(Thread* t) {
  const ThreadLocal& local = __sooth_thread;
  os::BlockSignals signals;
  if (!flush(t)) return; // its buffer is a part of the trace
  if (t->cells != kMinCells) make_cells(t, kMinCells);
  t->epoch = local.abi.epoch;
  retire(kOver);
  raise(g_time, t->clock); // the next user of this state begins there: its numbers are above all that there were
  __atomic_store_n(&t->live->state, 0, __ATOMIC_RELEASE);
  os::Guard guard(g_lock);
  t->storing = nullptr; // soon its place is another thread's
  t->next_free = g_free;
  g_free = t;
}

bool is_only_thread(const Thread* t) {
  return t != nullptr && t->number == 0 && __atomic_load_n(&g_next_number, __ATOMIC_SEQ_CST) == 1;
}

namespace {

// f(state) for the living thread, if it lives, and then the thread cannot end.
template <typename F>
void with_living(std::uint32_t number, F&& f) {
  os::Guard guard(g_lock);
  for (Thread* t = g_all; t != nullptr; t = t->next_all)
    if (t->number == number && t->storing != nullptr) return f(*t);
}

} // namespace

bool store_is_under_way(std::uint32_t thread) {
  bool out = false;
  with_living(thread, [&](const Thread& t) {
    out = __atomic_load_n(t.storing, __ATOMIC_ACQUIRE) != 0 || __atomic_load_n(&t.interrupted, __ATOMIC_ACQUIRE) != 0;
  });
  return out;
}

void forget_store(std::uint32_t thread) {
  with_living(thread, [](Thread& t) { __atomic_store_n(&t.interrupted, 0, __ATOMIC_RELEASE); });
}

bool operation_is_under_way(std::uint32_t thread) {
  os::Guard guard(g_lock);
  for (const Thread* t = g_all; t != nullptr; t = t->next_all)
    if (t->number == thread && __atomic_load_n(&t->operations, __ATOMIC_ACQUIRE) != 0) return true;
  return false;
}

void catch_up(Thread* t) {
  // Another thread may have caused the event that gets its number now. It moved its clock before
  // that, and the kernel delivered the event with its barriers.
  for (const Thread* other = __atomic_load_n(&g_all, __ATOMIC_ACQUIRE); other != nullptr; other = other->next_all)
    if (const std::uint64_t seen = __atomic_load_n(&other->clock, __ATOMIC_RELAXED); seen > t->clock) t->clock = seen;
}

void enlarge_buffer(Thread* t) {
  trace::ChunkHeader* small = t->live;
  const std::uint64_t offset = t->live_offset;
  if (!make_buffer(t, kLiveBytes)) return; // the small one stays in use
  start_buffer(t);
  __atomic_store_n(&small->state, 0, __ATOMIC_RELEASE);
  punch(offset, kSmallLive); // it stays mapped: if this is a signal's handler, the code below it may read `last` there
}

void reset_thread_lock() { g_lock.reset(); }

void forget_other_threads(Thread* t) {
  g_free = nullptr; // their buffers are pages of the parent's file
  os::give_back(t->live, t->live_bytes);
  if (is_recording()) { // its own trace begins with thread 0; in the other modes knowledge and numbers go on
    g_next_number = 1;
    t->number = 0;
    t->parent = 0;
  }
  g_alone = true;
  g_told_libraries = false;
  g_unjoined = 0;
  t->dirty_count = t->dirty_block_count = 0;
  t->first_slot = t->inputs = 0;
  if (make_buffer(t, kSmallLive)) {
    start_buffer(t);
    use_detail(t);
    __sooth_thread.written_top = t->stack; // the child's trace repeats the open activations
    __sooth_thread.abi.stack_low = t->stack;
    make_cells(t, kMinCells);
    restart_owning(t);
  } else {
    __sooth_thread.thread = nullptr;
    __sooth_thread.ended = 1;
  }
}

void punch_free_buffers() {
  os::Guard guard(g_lock);
  for (Thread* t = g_free; t != nullptr; t = t->next_free) punch(t->live_offset, t->live_bytes);
}

// --- record.h ------------------------------------------------------------------------------------

Thread* enter() { return enter_quickly(); }

Thread* enter_slowly() {
  ThreadLocal& local = __sooth_thread;
  if (local.quiet != 0 || !recording_is_ready()) return nullptr;
  if (local.ended != 0) {
    count(local.ended == kOver ? Defect::LateEvents : Defect::NoRoomEvents);
    return nullptr;
  }
  // An unannounced thread: made by clone(2), by libc for a timer, or before the runtime was there.
  // Its creator, and the events before its creation, are unknown. So it comes after everything that
  // was done before, like input from outside.
  const int error = errno;
  Thread* t = attach(kNoThread, kNoThread);
  if (t != nullptr) {
    sync(t, EventKind::ThreadStart, reinterpret_cast<void*>(pthread_self()), kNoThread);
    sync(t, EventKind::Receive, nullptr);
  }
  errno = error;
  return t;
}

std::uint32_t number_of(const Thread* t) { return t->number; }

std::uint32_t thread_create(Thread* parent) {
  const std::uint32_t number = next_number();
  end_segment(parent); // records the writes that were left out while it was alone
  if (g_alone) end_alone(parent);
  if (!__atomic_exchange_n(&g_told_libraries, true, __ATOMIC_RELAXED))
    write_libraries(); // a killed program writes nothing more
  __atomic_fetch_add(&g_unjoined, 1, __ATOMIC_SEQ_CST);
  __atomic_store_n(&g_alone, false, __ATOMIC_RELAXED);
  sync(parent, EventKind::Fork, nullptr, number);
  return number;
}

void thread_joined(Thread* t) {
  // The thread that joins the last one is the only thread left: the others have ended, and their
  // joins came before this one.
  if (__atomic_sub_fetch(&g_unjoined, 1, __ATOMIC_SEQ_CST) != 0) return;
  end_segment(t);
  begin_alone();
  __atomic_store_n(&g_alone, true, __ATOMIC_RELAXED);
}

void thread_begin(std::uint32_t number, std::uint32_t parent) {
  thread_bind(pthread_self(), number);
  Thread* t = attach(number, parent);
  if (t == nullptr) return;
  sync(t, EventKind::ThreadStart, reinterpret_cast<void*>(pthread_self()), parent);
  alloc_event(t, EventKind::StackBegin, reinterpret_cast<void*>(t->stack_low_address), t->stack_bytes, false);
}

void thread_end() {
  Thread* t = __sooth_thread.thread;
  if (t == nullptr || __sooth_thread.quiet != 0) return;
  if (t->stack_bytes != 0)
    free_event(t, EventKind::StackEnd, reinterpret_cast<void*>(t->stack_low_address), t->stack_bytes);
  __sooth_thread.abi.stack_top = t->stack; // leaves all open activations
  if (__sooth_thread.abi.stack_low > t->stack) __sooth_thread.abi.stack_low = t->stack;
  sync(t, EventKind::ThreadEnd, reinterpret_cast<void*>(pthread_self()));
  detach(t);
}

Quiet::Quiet() { ++__sooth_thread.quiet; }
Quiet::~Quiet() { --__sooth_thread.quiet; }

} // namespace sooth::runtime
