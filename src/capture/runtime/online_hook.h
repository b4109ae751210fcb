// The frame around every hook of the online layer: one at a time, and what they have to say is sent when they end.
#pragma once

#include "capture/runtime/online.h"
#include "capture/runtime/online_table.h"
#include "capture/runtime/online_threads.h"
#include "observe/wire.h"

namespace sooth::runtime {

// What is counted for the end of the report. Changed with the lock held.
struct OnlineCounts {
  std::uint64_t messages;
  std::uint64_t external_writes;
  std::uint64_t horizons;
  std::uint64_t forks;
  std::uint64_t unsupported;
  std::uint64_t early;      // hooks that ran before the observer knew all names of the property
  std::uint64_t late_names; // threads that got their names after their start had to be told
};
extern OnlineCounts g_online_counts;

// Holds the lock from its beginning to its end; nested ones do nothing. Nothing is recorded, and no signal handler runs a
// hook, while it lives. At the end the thread's messages are sent, without the lock unless the observer has to answer.
class Hook {
public:
  explicit Hook(Thread* t); // null: does nothing
  ~Hook();
  Hook(const Hook&) = delete;
  Hook& operator=(const Hook&) = delete;

  // Null if there is nothing to do: the observer is gone, nothing can be predicted any more, or the program has ended.
  OnlineThread* self() const { return self_; }
  // Lets others run their hooks, and takes the lock again.
  void step_aside();

private:
  Thread* t_;
  OnlineThread* self_ = nullptr;
  bool outermost_ = false;
  bool blocked_ = false;
  std::uint64_t mask_ = 0;
};

// Step 1 of Algorithm A: the thread's next event is relevant. Call it before the clocks of what it touches move.
void begin_relevant(OnlineThread& self);
// Step 4: the message. `written`: indexes of variables, whose values are those in the table.
void send_event(OnlineThread& self, trace::EventKind kind, std::uint32_t site, std::uint64_t happened,
                const std::uint32_t* written, std::size_t written_count);
// The position of an event that is told later; 0 more: that of the newest event.
std::uint64_t next_position(std::uint64_t more = 1);
// The start of the thread `of`, as it is kept there.
void send_start(OnlineThread& self, OnlineThread& of, std::uint64_t happened);
// Everything so far is before whatever this thread does next.
void see_everything(OnlineThread& self);
void send_fork(OnlineThread& self, OnlineThread& parent, std::uint32_t child);
void send_end(OnlineThread& self, OnlineThread& of);
void send_waits(OnlineThread& self, std::uint32_t other);
// All that was told so far is before all that follows; counts start anew.
void send_checkpoint(OnlineThread& self, observe::wire::CheckpointKind kind, std::uint32_t site);

// No more messages: the program ends, or nothing after this could be trusted.
void close_online();
void reset_online_lock();

} // namespace sooth::runtime
