// Plain accesses of memory that the property does not name: nearly all hooks. Steps 2 and 3 of
// Algorithm A, without a message.
//
//     for (...) sum += table[i];      from the second time on, with no relevant event in between,
//                                     nothing changes: no lock, no store
//
// Question: which clocks change at this access?
// A read changes none, if the thread's clock is the access clock already: it covers the write
// clock. So it only looks. docs/protocol.md has the argument why it may look without the lock. All
// other accesses hold their line, or own its page.
// Where it gives up: bytes of the property, unexpected values, a store of another thread under way,
//   a page of another thread. Then events.cc does the rest.
// Cost: some 30 instructions for a line. Reads that a thread repeats are left out even before, by
//   the inlined check of cells (capture/abi.h).
#pragma once

#include "capture/runtime/observing/shadow.h"
#include "capture/runtime/thread.h"

namespace sooth::runtime::observing {

// Returns how many bytes are done: whole lines, from the beginning.
std::uint64_t plain_access(Thread* t, bool writes, std::uint64_t address, const std::uint8_t* bytes,
                           std::uint64_t size);
// The same for one value that lies in one line, as most do. False: nothing is done.
template <bool kWrites, typename T>
bool plain_value(Thread* t, std::uint64_t address, T value);
// A lock is taken or given up, and that changes no clock.
bool plain_lock(std::uint64_t address, bool shared);

// An atomic operation, made while its bytes are held.
class PlainOperation {
public:
  PlainOperation(Thread* t, std::uint64_t address, std::size_t size); // null: does nothing
  ~PlainOperation();
  PlainOperation(const PlainOperation&) = delete;
  PlainOperation& operator=(const PlainOperation&) = delete;

  bool held() const { return self_ != nullptr; } // false: not here
  void done(const void* seen, const void* written);

private:
  Thread* t_;
  ThreadState* self_ = nullptr;
  Part part_ = {};
  FutexLock* lock_ = nullptr;
};

} // namespace sooth::runtime::observing
