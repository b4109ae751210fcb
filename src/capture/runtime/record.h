// How the rest of the runtime records: interceptors, annotations and hooks call these and nothing below them.
//
// Rules for an interceptor:
//   * `Thread* t = enter()`: null where nothing must be recorded (the runtime itself is running, the thread has
//     ended, or there is no trace). Call the real function in either case.
//   * An event that takes something (lock, wake, join, sem-wait) is recorded after the real call succeeded; one that gives
//     something (unlock, signal, fork, post, free) before it. So tickets order them as they took effect.
//   * Never call anything that is intercepted; use REAL(f). errno is the program's: it must be what REAL(f) left.
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

// The calling thread's record, made on first use; null where recording must stay out.
Thread* enter();
// The thread's number in the trace.
std::uint32_t number_of(const Thread* t);

// A synchronisation event with an exact ticket at the site of the last call; it ends the thread's segment.
void sync(Thread* t, EventKind kind, const void* address, std::uint64_t value = 0, std::uint8_t flags = 0);
// A ticketed event that does not end the segment: alloc, free, names.
void mark(Thread* t, EventKind kind, const void* address, std::uint64_t value = 0, std::uint8_t flags = 0);
// Before the real call that may take a lock: a buffer that is nearly full is written out now, not while others wait.
void before_lock(Thread* t);
// The event of an operation that failed (try-lock, timed wait): no ticket; repeats in a row are dropped.
void failed(Thread* t, EventKind kind, const void* address, std::uint64_t value = 0);

// Requests are recorded, so a try that fails is worth its time: only then the wait is told.
bool tries_before_waiting(const Thread* t);
// Around a real call that may wait for long: a `request` before it, so that the trace of a program that hangs says what its
// threads wait for. Where that is cheap, only after a try has failed. `awaited` is the kind of the event that will end the
// wait, `value` what it will have (56 bits). `by_others`: it may end without any thread of this process doing something.
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

// The calling code read or wrote `size` bytes at `p` (a libc function did so for it). Contents are read from memory:
// call read_range while they are there, write_range after the function has written them.
void read_range(Thread* t, const void* p, std::size_t size);
void write_range(Thread* t, const void* p, std::size_t size);
// The same for calls whose outcome is known beforehand. Called before the bytes change, as the hooks of plain stores are,
// so that a racing reader cannot see the bytes before their write is recorded.
void copy_range(Thread* t, const void* to, const void* from, std::size_t size); // reads `from`, writes `to`
void fill_range(Thread* t, const void* to, std::uint8_t byte, std::size_t size);
// Stores the byte and records it as an atomic-write with release order (the done-byte of a local static's guard, which
// compiled code reads with an atomic load).
void atomic_store_byte(Thread* t, void* p, std::uint8_t value);

// An object at [p, p + size) begins or ends: forget what is known of its bytes. Called by alloc_event and free_event.
void alloc_event(Thread* t, EventKind kind, const void* p, std::size_t size, bool zeroed);
void free_event(Thread* t, EventKind kind, const void* p, std::size_t size);

// The number of an interned name; bounded length, kept for the life of the process.
std::uint32_t intern(const char* name);

void count(Defect defect, std::uint64_t n = 1);
// A primitive that is not followed was used.
void unsupported(const char* primitive);

// --- life cycle (thread.cc, process.cc) -----------------------------------------------------------------------
// In the creating thread, before the real pthread_create: reserves the child's number and records `fork`.
std::uint32_t thread_create(Thread* parent);
// In the joining thread, once the join is recorded; or if the thread that thread_create announced could not be made. If all
// are joined, the caller is alone again.
void thread_joined(Thread* t);
// In the new thread before anything else / when its last destructor has run.
void thread_begin(std::uint32_t number, std::uint32_t parent);
void thread_end();
// Thread number <-> pthread_t, for join, detach and cancel. Number is ~0u if it is not known. Parent and child both bind,
// in whatever order they come to it; binding a number that was bound before does nothing (its pthread_t may belong to a
// younger thread by then). thread_unbind undoes the binding only if it is still `number`'s.
void thread_bind(unsigned long pthread, std::uint32_t number);
std::uint32_t thread_of(unsigned long pthread);
void thread_unbind(unsigned long pthread, std::uint32_t number);

// Around fork(2): signals are blocked between before_fork and after_fork. The child starts a trace of its own.
void before_fork(Thread* t);
void after_fork_parent(Thread* t, int child);
void after_fork_child(Thread* t);
// Resolves the real functions, arms the main thread's end and the crash handlers (interceptors/init.cc). The core calls
// it once, in its constructor, before it records anything.
void install_interceptors();

// Last words: writes out the calling thread's buffer and how the process ends. The process may go on (failed exec).
void finish(trace::EndKind kind, int value);

// Recording is off between the two, for this thread: for code of the runtime that calls back into libc.
class Quiet {
public:
  Quiet();
  ~Quiet();
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;
};

} // namespace sooth::runtime
