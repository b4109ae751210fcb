// Threads of POSIX: create, join, detach, cancel, name.
//
// The destructor of a pthread key records the end of a thread, in the last of the rounds that libc
// makes over the keys. So the destructors of other keys and of C++ thread_locals, which run
// earlier, still belong to the thread.
#include "capture/runtime/interceptors/threads.h"
#include "capture/runtime/inputs/inputs.h"

#include <cerrno>
#include <climits>
#include <csignal>
#include <sys/syscall.h>

#include "capture/runtime/interceptors/calls.h"
#include "capture/runtime/mode.h"
#include "capture/runtime/os.h"
#include "capture/runtime/recording/buffer.h"
#include "capture/runtime/recording/cells.h"
#include "capture/runtime/replaying/replaying.h"
#include "capture/runtime/thread.h"

USE_REAL(void*, malloc, (std::size_t));
USE_REAL(void, free, (void*));
USE_REAL(int, pthread_key_create, (pthread_key_t*, void (*)(void*)));

namespace sooth::runtime {
namespace {

pthread_key_t g_end_key;
bool g_has_end_key;

void end_round(void* rounds_so_far) {
  const auto round = reinterpret_cast<std::uintptr_t>(rounds_so_far);
  if (round < PTHREAD_DESTRUCTOR_ITERATIONS) pthread_setspecific(g_end_key, pointer(round + 1));
  else thread_end();
}

std::uint64_t set_signal_mask(std::uint64_t mask) {
  std::uint64_t old = 0;
  os::call(SYS_rt_sigprocmask, SIG_SETMASK, reinterpret_cast<long>(&mask), reinterpret_cast<long>(&old), sizeof old);
  return old;
}

} // namespace

void make_thread_end_key() { g_has_end_key = REAL(pthread_key_create)(&g_end_key, end_round) == 0; }
void arm_thread_end() {
  if (g_has_end_key) pthread_setspecific(g_end_key, pointer(1));
}

bool ends_by_key() { return g_has_end_key && pthread_getspecific(g_end_key) != nullptr; }

IdStore::IdStore(Thread* t, const unsigned long* id) : t_(t), id_(id) {
  if (is_replaying() && t != nullptr) write_range(t, id, sizeof *id); // only its place counts
  if (t == nullptr || !is_recording() || g_exact || !has_room(t)) return;
  before_lock(t); // so that the buffer is not written out before the value is known
  end_segment(t); // no cell knows of this write: it begins and ends a segment
  append(t, EventKind::Write, reinterpret_cast<std::uint64_t>(id), 0, __sooth_thread.abi.call_site, sizeof *id, 0);
  if (t->last->address != reinterpret_cast<std::uint64_t>(id)) return;
  slot_ = t->last;
  first_slot_ = t->first_slot;
}

void IdStore::made() const {
  if (t_ == nullptr || is_replaying()) return;
  if (slot_ == nullptr || t_->first_slot != first_slot_) return write_range(t_, id_, sizeof *id_);
  slot_->value = *id_;
}

StartBlock* before_create(Thread* t, bool has_own_mask) {
  auto* block = static_cast<StartBlock*>(REAL(malloc)(sizeof(StartBlock)));
  if (block == nullptr) return nullptr;
  *block = {};
  block->number = thread_create(t);
  block->parent = number_of(t);
  if (has_inputs()) input_thread(t, block->number);
  block->sets_mask = !has_own_mask;
  block->signal_mask = set_signal_mask(~std::uint64_t{0});
  return block;
}

void after_create(StartBlock* block, std::uint32_t number, std::uint64_t signal_mask, unsigned long pthread,
                  bool created) {
  if (!created && !is_recording()) g_sink->no_child(__sooth_thread.thread, number);
  if (!created) {
    REAL(free)(block);
    if (Thread* t = enter()) thread_joined(t);
  } else if (pthread != 0) thread_bind(pthread, number);
  set_signal_mask(signal_mask);
  gave(__sooth_thread.thread);
}

StartBlock begin_thread(void* p) {
  const StartBlock block = *static_cast<StartBlock*>(p);
  {
    // An allocator with state for each thread makes it now. Its calls would be those of a thread
    // that nobody created.
    Quiet quiet;
    REAL(free)(p);
  }
  thread_begin(block.number, block.parent);
  arm_thread_end();
  if (block.sets_mask) set_signal_mask(block.signal_mask);
  return block;
}

int join_returned(Thread* t, unsigned long pthread, std::uint32_t number, int result) {
  if (t == nullptr || number == ~0u) return result;
  if (result == 0) {
    sync(t, EventKind::Join, pointer(pthread), number);
    if (number != 0) thread_joined(t); // the main thread was never announced
    thread_unbind(pthread, number);
  } else if (result == EBUSY || result == ETIMEDOUT) {
    failed(t, EventKind::Join, pointer(pthread), number);
  }
  return result;
}

} // namespace sooth::runtime

using namespace sooth::runtime;
using namespace sooth::trace;

namespace {

void* run_thread(void* p) {
  const StartBlock block = begin_thread(p);
  return block.routine(block.argument);
}

bool is_detached(const pthread_attr_t* attributes) {
  int state = PTHREAD_CREATE_JOINABLE;
  return attributes != nullptr && pthread_attr_getdetachstate(attributes, &state) == 0 &&
         state == PTHREAD_CREATE_DETACHED;
}

bool has_signal_mask(const pthread_attr_t* attributes) {
  sigset_t mask;
  return attributes != nullptr && pthread_attr_getsigmask_np(attributes, &mask) == 0;
}

} // namespace

INTERCEPT(int, pthread_create,
          (pthread_t * thread, const pthread_attr_t* attributes, void* (*routine)(void*), void* argument)) {
  Thread* t = enter();
  const IdStore store(t, thread);
  StartBlock* block = t != nullptr ? before_create(t, has_signal_mask(attributes)) : nullptr;
  if (block == nullptr) return REAL(pthread_create)(thread, attributes, routine, argument);
  block->routine = routine;
  block->argument = argument;
  const std::uint32_t number = block->number;
  const std::uint64_t mask = block->signal_mask;
  if (is_detached(attributes)) sync(t, EventKind::Detach, nullptr, number);
  const int result = REAL(pthread_create)(thread, attributes, run_thread, block);
  // A detached thread may have ended, and its pthread_t may be another thread's. Only the child
  // itself binds it.
  after_create(block, number, mask, result != 0 || is_detached(attributes) ? 0 : *thread, result == 0);
  if (result == 0) store.made();
  return result;
}

INTERCEPT(int, pthread_join, (pthread_t thread, void** value)) {
  Thread* t = enter();
  const std::uint32_t number = t != nullptr ? thread_of(thread) : ~0u;
  if (!is_recording() && number != ~0u) g_sink->waits(t, number);
  const Request request(number != ~0u ? t : nullptr, EventKind::Join, nullptr, number);
  const int result = join_returned(t, thread, number, REAL(pthread_join)(thread, value));
  if (t != nullptr && result == 0 && value != nullptr) write_range(t, value, sizeof *value);
  return result;
}

INTERCEPT(int, pthread_tryjoin_np, (pthread_t thread, void** value)) {
  Thread* t = enter();
  const std::uint32_t number = t != nullptr ? thread_of(thread) : ~0u;
  before_try(number != ~0u ? t : nullptr, EventKind::Join, nullptr);
  const int result = join_returned(t, thread, number, REAL(pthread_tryjoin_np)(thread, value));
  if (t != nullptr && result == 0 && value != nullptr) write_range(t, value, sizeof *value);
  return result;
}

INTERCEPT(int, pthread_timedjoin_np, (pthread_t thread, void** value, const timespec* until)) {
  Thread* t = enter();
  const std::uint32_t number = t != nullptr ? thread_of(thread) : ~0u;
  const Request request(number != ~0u ? t : nullptr, EventKind::Join, nullptr, number, true);
  const int result = join_returned(t, thread, number, REAL(pthread_timedjoin_np)(thread, value, until));
  if (t != nullptr && result == 0 && value != nullptr) write_range(t, value, sizeof *value);
  return result;
}

INTERCEPT(int, pthread_clockjoin_np, (pthread_t thread, void** value, clockid_t clock, const timespec* until)) {
  Thread* t = enter();
  const std::uint32_t number = t != nullptr ? thread_of(thread) : ~0u;
  const Request request(number != ~0u ? t : nullptr, EventKind::Join, nullptr, number, true);
  const int result = join_returned(t, thread, number, REAL(pthread_clockjoin_np)(thread, value, clock, until));
  if (t != nullptr && result == 0 && value != nullptr) write_range(t, value, sizeof *value);
  return result;
}

INTERCEPT(int, pthread_detach, (pthread_t thread)) {
  if (Thread* t = enter()) {
    if (const std::uint32_t number = thread_of(thread); number != ~0u)
      sync(t, EventKind::Detach, pointer(thread), number);
  }
  return REAL(pthread_detach)(thread);
}

INTERCEPT(int, pthread_cancel, (pthread_t thread)) {
  Thread* t = enter();
  const std::uint32_t number = t != nullptr ? thread_of(thread) : ~0u;
  if (number != ~0u) sync(t, EventKind::Cancel, pointer(thread), number);
  const int result = REAL(pthread_cancel)(thread);
  if (number != ~0u) gave(t);
  return result;
}

INTERCEPT(int, pthread_key_create, (pthread_key_t * key, void (*destroy)(void*))) {
  const int result = REAL(pthread_key_create)(key, destroy);
  if (result == 0) writes(key, sizeof *key);
  return result;
}

// libc gets room for keys beyond the 32nd of a thread, and frees it after all destructors have run:
// after the recorded end. So it is not recorded; the program never sees it.
INTERCEPT(int, pthread_setspecific, (pthread_key_t key, const void* value)) {
  if (!ends_by_key()) return REAL(pthread_setspecific)(key, value);
  const Quiet quiet;
  return REAL(pthread_setspecific)(key, value);
}

INTERCEPT(int, pthread_setname_np, (pthread_t thread, const char* name)) {
  const int result = REAL(pthread_setname_np)(thread, name);
  Thread* t = enter();
  if (t == nullptr || result != 0) return result;
  const bool own = pthread_equal(thread, pthread_self()) != 0;
  const std::uint32_t number = own ? 0 : thread_of(thread);
  if (number != ~0u) mark(t, EventKind::ThreadName, pointer(intern(name)), own ? 0 : std::uint64_t{number} + 1);
  return result;
}
