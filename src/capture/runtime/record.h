// The interface through which the rest of the runtime records. Interceptors, annotations and hooks
// call these functions, and nothing below them.
//
// Rules for an interceptor:
//   * `Thread* t = enter()`. Null means: record nothing (the runtime itself is running, the thread
//     has ended, or there is no trace). Call the real function in either case.
//   * Record an event that takes something (lock, wake, join, sem-wait) after the real call has
//     succeeded. Record an event that gives something (unlock, signal, fork, post, free) before the
//     real call. So tickets order events as they took effect.
//   * Never call an intercepted function; use REAL(f). errno is the program's: leave it as REAL(f)
//     left it.
//   * Nothing declared here changes errno.
//   * No libstdc++, no exceptions, no locale, no malloc inside the runtime.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trace/format.h"

namespace sooth::runtime {

using trace::Defect;
using trace::EventKind;

struct Thread; // thread.h

// The calling thread's record, made on first use. Null where nothing may be recorded.
Thread* enter();
// The thread's number in the trace.
std::uint32_t number_of(const Thread* t);

// Records a synchronisation event with an exact ticket, at the site of the last call. It ends the
// thread's segment.
void sync(Thread* t, EventKind kind, const void* address, std::uint64_t value = 0, std::uint8_t flags = 0);
// Records a ticketed event that does not end the segment: alloc, free, names.
void mark(Thread* t, EventKind kind, const void* address, std::uint64_t value = 0, std::uint8_t flags = 0);
// Call it before a real call that may take a lock. It writes out a buffer that is nearly full now,
// not while other threads wait for the lock.
void before_lock(Thread* t);
// Records an operation that failed (try-lock, timed wait). It takes no ticket. Repeats in a row are
// dropped.
void failed(Thread* t, EventKind kind, const void* address, std::uint64_t value = 0);

// Requests are recorded, so trying before waiting pays: only a failed try records the wait.
bool tries_before_waiting(const Thread* t);
// Stands around a real call that may wait for long. It records a `request` before the call, so that
// the trace of a hanging program says which threads wait for which objects. Where a try is cheap,
// callers make a request only after the try has failed. `awaited` is the kind of the event that
// will end the wait; `value` is that event's value (56 bits). `by_others`: the wait may end without
// an action of any thread of this process.
class Request {
public:
  Request(Thread* t, EventKind awaited, const void* object, std::uint64_t value = 0, bool by_others = false);
  ~Request() { over(); }
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;
  void over(); // the thread goes on

private:
  bool counted_ = false;
};

// Before a real call that takes something if it can, and does not wait.
void before_try(Thread* t, EventKind kind, const void* object);
// After the real call of an event that gives something. Both are for replays only: another thread
// may be due before the try, or directly behind the call.
void gave(Thread* t);

// A libc function read or wrote `size` bytes at `p` for the calling code. The contents are read
// from memory: call read_range while they are there, and write_range after the function has written
// them.
void read_range(Thread* t, const void* p, std::size_t size);
void write_range(Thread* t, const void* p, std::size_t size);
// The same for calls whose outcome is known beforehand. Call these before the bytes change, like
// the hooks of plain stores. So a racing reader cannot see the bytes before their write is
// recorded.
void copy_range(Thread* t, const void* to, const void* from, std::size_t size); // reads `from`, writes `to`
void fill_range(Thread* t, const void* to, std::uint8_t byte, std::size_t size);
// Stores the byte and records an atomic-write with release order. For the done-byte of a local
// static's guard, which compiled code reads with an atomic load.
void atomic_store_byte(Thread* t, void* p, std::uint8_t value);

// An object at [p, p + size) begins or ends. Both functions also forget everything that is known of
// its bytes.
void alloc_event(Thread* t, EventKind kind, const void* p, std::size_t size, bool zeroed);
void free_event(Thread* t, EventKind kind, const void* p, std::size_t size);

// The number of an interned name. Names have a bounded length and live as long as the process.
std::uint32_t intern(const char* name);

void count(Defect defect, std::uint64_t n = 1);
// The program used a primitive that Sooth does not follow.
void unsupported(const char* primitive);

// --- life cycle (thread.cc, process.cc) ----------------------------------------------------------
// In the creating thread, before the real pthread_create: reserves the child's number and records
// `fork`.
std::uint32_t thread_create(Thread* parent);
// In the joining thread, after the join is recorded; or in the creating thread, if the thread that
// thread_create announced could not be made. Once all threads are joined, the caller is alone
// again.
void thread_joined(Thread* t);
// In the new thread, before anything else; and after its last destructor has run.
void thread_begin(std::uint32_t number, std::uint32_t parent);
void thread_end();
// Maps pthread_t to thread number, for join, detach and cancel. An unknown thread has the number
// ~0u. Parent and child both bind, in either order. Binding a number a second time does nothing,
// because its pthread_t may belong to a younger thread by then. thread_unbind removes the binding
// only if it is still `number`'s.
void thread_bind(unsigned long pthread, std::uint32_t number);
std::uint32_t thread_of(unsigned long pthread);
void thread_unbind(unsigned long pthread, std::uint32_t number);

// Around fork(2): signals are blocked between before_fork and after_fork. The child starts its own
// trace.
void before_fork(Thread* t);
void after_fork_parent(Thread* t, int child);
void after_fork_child(Thread* t);
// Resolves the real functions; arms the main thread's end and the crash handlers
// (interceptors/init.cc). The core calls it once, in its constructor, before it records anything.
void install_interceptors();

// Last words: writes out the calling thread's buffer and how the process ends. After an exit,
// nothing more of the calling thread is recorded. `goes_on`: it may, in this process (failed exec)
// or in a child.
void finish(trace::EndKind kind, int value, bool goes_on = false);

// Turns recording off for this thread while it lives. For code of the runtime that calls back into
// libc.
class Quiet {
public:
  Quiet();
  ~Quiet();
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;
};

} // namespace sooth::runtime
