// The state of a replay that its files share.
#pragma once

#include "capture/runtime/os.h"
#include "capture/runtime/replaying/replaying.h"

namespace sooth::runtime {

// A store that was made early, in its hook, and that the thread will make once more.
struct Repair {
  std::uint64_t address;
  std::uint64_t size; // 0: none
  std::uint8_t bytes[8];
};

// A thread of the schedule. Only the thread itself changes it, except that its creator fills in
// `number`.
struct ReplayedThread {
  std::uint32_t row;      // in the schedule
  std::uint32_t number;   // of the program's thread; kNoThread: not created yet
  std::uint32_t children; // it has created so many
  std::uint32_t step;     // its next step; the number of steps: none
  std::uint32_t left;     // so many matching events until then
  bool gives;             // its step takes effect with the real call that comes now
  bool retries;           // it stands at the right place, and touched other memory than the goal needs
  bool stopped;
  bool ended;
  bool sleeps;   // it waits for its turn in the kernel
  bool searches; // search.cc
  bool plain;    // it is its turn, and its next step is all that its hooks have to look for
  Repair repair;
  std::uint64_t* held; // the locks that it has; others look while it stands
  std::uint32_t locks;

  // Where it stopped.
  std::uint32_t stop; // the step
  EventKind kind;
  std::uint64_t address;
  std::uint64_t size;
};

// An event, as a hook meets it.
struct Met {
  EventKind kind;
  bool failed;
  std::uint64_t address;
  std::uint64_t size;
  const void* bytes; // that are read or written; null: none
  std::uint32_t site;
};

// Up to 8 bytes of it.
inline std::uint64_t value_of(const Met& met) {
  std::uint64_t value = 0;
  if (met.bytes != nullptr) os::copy(&value, met.bytes, met.size < 8 ? met.size : 8);
  return value;
}

extern replay::ScheduleHeader* g_schedule;
extern const replay::ThreadRow* g_thread_rows;
extern const replay::StepRow* g_step_rows;
extern ReplayedThread* g_replayed;
extern bool g_may_look; // there is a processor for another thread

inline replay::State replay_state() { return replay::state_of(*g_schedule); }
inline bool is_followed() { return replay_state() == replay::State::Running; }
inline std::uint32_t replay_cursor() { return __atomic_load_n(&g_schedule->cursor, __ATOMIC_ACQUIRE); }

// The calling thread's row; null: the schedule does not know it, and it runs freely.
ReplayedThread* replayed_self(Thread* t);
// The creator announces a thread.
void announce_replayed(ReplayedThread& parent, std::uint32_t number);
std::uint64_t place_of_site(std::uint32_t site);

// Waits until it is this thread's turn. False: nothing is followed any more.
bool take_turn(ReplayedThread& self);
// The step at the cursor is made.
void pass_turn(ReplayedThread& self);
// The calling thread's plain accesses call their hooks, or need not until its turn is over.
void watch_accesses(ReplayedThread& self);
void leave_accesses();
void wake_all();
// Ends the replay, once.
void diverge(const ReplayedThread* self, replay::Reason reason, const Met* met);
void confirm(Thread* t);

// Goals (goals.cc). The thread stands where the last step names it: is the error there? `reason`:
// why not.
bool is_reached(const ReplayedThread& self, replay::Reason& reason);
// Whether a request for anything but a lock will be granted is known only by trying.
bool has_to_close();
// The goal is about this memory, which is freed now.
void remember_freed(std::uint64_t address, std::uint64_t bytes);

// Search (search.cc). The thread whose stop is the last one touched other memory than the first:
void note_access(const ReplayedThread& self);
// ... up to here, the end of its segment. The first thread looks for common bytes; the replay ends.
void search_with_other(const ReplayedThread& self, const Met& met);
bool has_to_search(const ReplayedThread& self);
void begin_search(ReplayedThread& self);
void search(ReplayedThread& self, const Met& met);

// Lines of the outcome's text.
void tell_stop(Thread* t, const ReplayedThread& self, const Met& met);
void tell_divergence(const ReplayedThread* self, const Met* met);
// `--then step`: the tool shows the event of the thread whose turn it is, and says when to go on.
void show(const ReplayedThread& self, const Met& met);

// A signal, or a broadcast, to the threads that wait on the condition.
void signal_waiters(const void* condition, bool all);

// The thread takes or gives the lock that such an event names, if it names one.
void note_lock(ReplayedThread& self, EventKind kind, std::uint64_t address, std::uint64_t value);
// A thread whose last step is to wake stands in its wait. False: it has no such step.
bool stops_in_wait(Thread* t, ReplayedThread& self, const Waiter& waiter);
// The row that holds the lock; ~0: none.
std::uint32_t holder_of(std::uint64_t lock);

} // namespace sooth::runtime
