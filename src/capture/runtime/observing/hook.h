// The frame around every hook of the observing layer: hooks run one at a time, and send their
// messages when they end.
#pragma once

#include "capture/runtime/observing/observing.h"
#include "capture/runtime/observing/table.h"
#include "capture/runtime/observing/threads.h"
#include "observe/wire.h"

namespace sooth::runtime::observing {

// Counts for the end of the report. Changed with the lock held.
struct Counts {
  std::uint64_t messages;
  std::uint64_t external_writes;
  std::uint64_t horizons;
  std::uint64_t forks;
  std::uint64_t unsupported;
  std::uint64_t early;      // hooks that ran before the observer knew all names of the property
  std::uint64_t late_names; // threads that got their names after their start had to be sent
};
extern Counts g_counts;

// Holds the lock while it lives. Nested hooks do nothing. Meanwhile nothing is recorded, and no
// signal handler runs a hook. At the end it sends the thread's messages, without the lock unless
// the observer has to answer.
class Hook {
public:
  explicit Hook(Thread* t); // null: does nothing
  ~Hook();
  Hook(const Hook&) = delete;
  Hook& operator=(const Hook&) = delete;

  // Null if there is nothing to do: the observer is gone, nothing can be predicted any more, or the
  // program has ended.
  ThreadState* self() const { return self_; }
  // Lets others run their hooks, and takes the lock again.
  void step_aside();

private:
  Thread* t_;
  ThreadState* self_ = nullptr;
  bool outermost_ = false;
  bool blocked_ = false;
  std::uint64_t mask_ = 0;
};

// An atomic operation happens while this lives.
class Operation {
public:
  Operation(Thread* t, const void* address, std::size_t size) // null: does nothing
      : t_(t), hook_(t), address_(reinterpret_cast<std::uint64_t>(address)), size_(size) {}
  // The value it saw (null: none) and the value it wrote (null: none).
  void done(EventKind kind, const void* seen, const void* written, std::uint32_t site);

private:
  Thread* t_;
  Hook hook_;
  std::uint64_t address_;
  std::size_t size_;
};

// Step 1 of Algorithm A: the thread's next event is relevant. Call it before the clocks of the
// touched objects move.
void begin_relevant(ThreadState& self);
// Step 4: the message. `written`: indexes of variables. Their values are those in the table.
void send_event(ThreadState& self, trace::EventKind kind, std::uint32_t site, std::uint64_t happened,
                const std::uint32_t* written, std::size_t written_count);
// The position of an event that is reported later. With `more` 0: that of the newest event.
std::uint64_t next_position(std::uint64_t more = 1);
// Sends the start of the thread `of`, as `of` keeps it.
void send_start(ThreadState& self, ThreadState& of, std::uint64_t happened);
// Everything so far happens before this thread's next event.
void see_everything(ThreadState& self);
void send_fork(ThreadState& self, ThreadState& parent, std::uint32_t child);
void send_end(ThreadState& self, ThreadState& of);
void send_waits(ThreadState& self, std::uint32_t other);
// Everything sent so far happens before everything that follows. Counts restart.
void send_checkpoint(ThreadState& self, observe::wire::CheckpointKind kind, std::uint32_t site);

// No more messages: the program ends, or nothing after this could be trusted.
void end_messages();
void reset_lock();

} // namespace sooth::runtime::observing
