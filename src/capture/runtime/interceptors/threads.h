// Creating and joining threads, for POSIX and C11.
#pragma once

#include <pthread.h>

#include "capture/runtime/interceptors/real.h"

namespace sooth::runtime {

// The data that a new thread needs. The creating thread makes it, the new one frees it.
struct StartBlock {
  void* (*routine)(void*); // one of the two
  int (*c11_routine)(void*);
  void* argument;
  std::uint32_t number;
  std::uint32_t parent;
  std::uint64_t signal_mask; // the mask the new thread is to have
  bool sets_mask;
};

// libc stores the new thread's id before the thread begins. So the write is recorded before the
// fork; it gets its value as soon as that is known. Make it before before_create.
class IdStore {
public:
  IdStore(Thread* t, const unsigned long* id);
  void made() const; // the thread was created

private:
  Thread* t_;
  const unsigned long* id_;
  trace::RawEvent* slot_ = nullptr;
  std::uint64_t first_slot_ = 0; // of the buffer: another one after it was written out
};

// Records `fork`, and blocks signals until after_create. So no handler runs in the new thread
// before it is known.
StartBlock* before_create(Thread* t, bool has_own_mask);
// If the thread was created, `block` may be gone already. `pthread` is 0 where only the child may
// bind itself.
void after_create(StartBlock* block, std::uint32_t number, std::uint64_t signal_mask, unsigned long pthread,
                  bool created);
// In the new thread: takes the block over.
StartBlock begin_thread(void* block);

// Call it after a join returned. Look `number` up before the join: afterwards the pthread_t may be
// another thread's.
int join_returned(Thread* t, unsigned long pthread, std::uint32_t number, int result);

// Arms the record of the calling thread's end.
void arm_thread_end();
// Whether the calling thread's end will be recorded by the key's destructor.
bool ends_by_key();
void make_thread_end_key();

} // namespace sooth::runtime
