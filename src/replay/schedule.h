// The schedule of a replay as bytes: the contract between `sooth replay`, which writes it and
// watches it, and the runtime, which follows it. Both sides map the same file.
//
//     header | threads | steps | what the program gets from outside (inputs.h)
//     step: "thread 1 runs until it has made its 2nd `release` at this place"
//           "thread 0 stops directly before its 1st `write` at that place"
//           "thread 0 pauses directly before its 1st `join` at that place"
//
// Only the thread of step `cursor` runs; the others stand at their hooks. So the steps are exactly
// the places at which another thread takes over, and a few that the goal names. Everything between
// two steps runs freely.
//
// Plain C++ without a library: the runtime includes this file.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trace/format.h"

namespace sooth::replay {

inline constexpr std::uint64_t kScheduleMagic = 0x35796c7065724853; // "SHreply5"
inline constexpr std::uint32_t kMostThreads = 1u << 16;
inline constexpr std::uint32_t kMostSteps = 1u << 24;
inline constexpr std::size_t kTextBytes = 64 * 1024;
inline constexpr std::size_t kShownBytes = 4096;
inline constexpr std::size_t kLineBytes = 64;

enum class Goal : std::uint32_t {
  Followed, // the steps themselves: a property fails, a block was interleaved, the recorded run
  Race,     // two threads stop at conflicting accesses of the same bytes
  Deadlock, // every thread that stops asks for what another one of them holds
  Freed,    // a thread stops before it touches, or frees, memory that a marked step has freed
  Waiting,  // threads wait, and those that could wake them have ended or wait, too
};

enum class Then : std::uint32_t {
  Stop,     // the program ends at the point
  Continue, // all threads are let go
};

enum class State : std::uint32_t {
  Running,
  Confirmed, // the runtime has reached the point
  Diverged,  // the program cannot follow the schedule
};

enum class Reason : std::uint32_t {
  None,
  Ended,       // the program ended before
  ThreadEnded, // the thread that had to make the step ended before
  Blocked,     // nothing happened for the time of the watchdog
  OtherMemory, // the accesses touch different memory
  NotHeld,     // nobody holds the requested lock
  OtherValue,  // a step has another value
  Unknown,     // the runtime could not read the schedule
  TimeUp,      // there was no time left for it
};

struct ThreadRow {
  std::uint32_t parent;  // row; the first thread is its own
  std::uint32_t ordinal; // the parent's so many-th creation of a thread, from 1
};

enum StepFlags : std::uint16_t {
  kStops = 1,    // stop directly before the event
  kFails = 2,    // a try that fails, a wait whose time is up
  kRemember = 4, // of a `free`: the goal needs its memory
  kPauses = 16,  // pass the turn on directly before the event, which the thread makes in its next turn
  kHasValue = 8, // `value` must be the one that is written or seen; of an `exit`: the calls that remain
};

struct StepRow {
  std::uint64_t place; // place_hash
  std::uint64_t value;
  std::uint32_t thread; // row
  std::uint32_t count;  // of events of this kind at this place, since the thread's step before
  std::uint16_t kind;   // trace::EventKind
  std::uint16_t flags;  // StepFlags
  std::uint32_t next;   // the thread's next step; the number of steps: none
};

struct ScheduleHeader {
  std::uint64_t magic;
  std::uint32_t threads;
  std::uint32_t steps;
  Goal goal;
  Then then;
  std::uint32_t first;         // after a race is confirmed: the stop that goes on first
  std::uint32_t input_threads; // 0: inputs are real

  // `--then step`: the thread whose turn it is shows each event, and waits until it was answered.
  std::uint32_t shows;     // 0: nothing is shown
  std::uint32_t show_from; // only from this step on
  std::uint32_t answered;  // written by the tool; a futex
  std::uint32_t asked;     // written by the program
  std::uint32_t shown_used;
  char shown[kShownBytes]; // the event, as in `text`

  // Written by the program. Threads look at `cursor` while they wait, and `progress` moves all the
  // time: each has its line of the cache to itself.
  char apart_before[kLineBytes];
  std::uint32_t cursor; // the next step; a futex
  char apart_between[kLineBytes];
  std::uint64_t progress; // hooks of the thread whose turn it is
  char apart_behind[kLineBytes];
  std::uint32_t process; // that follows the schedule: the first one that comes
  std::uint32_t state;   // State; also written by the tool, when the time is up
  std::uint32_t reason;  // Reason
  std::uint32_t passed;  // the stop `first` has gone on
  std::uint32_t closing; // a deadlock is reached if the threads that stopped really wait now
  // The threads of a race touch the same bytes if they stop at these counts
  // (runtime/replaying/search.cc).
  std::uint32_t found_stop;  // the step of the thread that stopped first
  std::uint32_t found_first; // its count; 0: not found
  std::uint32_t found_last;  // of the last step
  // A thread asked for something else than in the recorded run: InputCall; 0: none did.
  std::uint32_t input_asked;
  std::uint32_t input_recorded;
  std::uint32_t input_thread;
  std::uint32_t text_used; // of `text`: lines of words separated by tabs (runtime/replaying/report.cc)
  char text[kTextBytes];
};

inline State state_of(const ScheduleHeader& header) {
  return static_cast<State>(__atomic_load_n(&header.state, __ATOMIC_ACQUIRE));
}
// Ends the replay, if it is not over. The waiting threads still have to be woken.
inline void end_replay(ScheduleHeader& header, State state, Reason reason) {
  auto running = static_cast<std::uint32_t>(State::Running);
  if (state_of(header) == State::Running)
    __atomic_store_n(&header.reason, static_cast<std::uint32_t>(reason), __ATOMIC_RELAXED); // before the state
  __atomic_compare_exchange_n(&header.state, &running, static_cast<std::uint32_t>(state), false, __ATOMIC_ACQ_REL,
                              __ATOMIC_RELAXED);
}

inline const char* base_name(const char* file) {
  const char* base = file;
  for (const char* c = file; *c != 0; ++c)
    if (*c == '/') base = c + 1;
  return base;
}

// A place in the source: the file's own name, without folders, line, column and function. FNV-1a.
inline std::uint64_t place_hash(const char* file, std::uint32_t line, std::uint32_t column, const char* function) {
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto add = [&hash](std::uint8_t byte) { hash = (hash ^ byte) * 0x100000001b3; };
  const auto add_text = [&add](const char* text) {
    for (; *text != 0; ++text) add(static_cast<std::uint8_t>(*text));
    add(0);
  };
  add_text(base_name(file));
  for (int i = 0; i < 4; ++i) add(static_cast<std::uint8_t>(line >> (8 * i)));
  for (int i = 0; i < 4; ++i) add(static_cast<std::uint8_t>(column >> (8 * i)));
  add_text(function);
  return hash != 0 ? hash : 1;
}

inline constexpr std::uint64_t bytes_of_schedule(std::uint64_t threads, std::uint64_t steps) {
  return sizeof(ScheduleHeader) + threads * sizeof(ThreadRow) + steps * sizeof(StepRow);
}

// Synchronisation that is always recorded, and that a hook comes before, also where it is a call
// that may block.
constexpr bool has_hook_before(trace::EventKind kind) {
  using trace::EventKind;
  switch (kind) {
  case EventKind::Acquire:
  case EventKind::AcquireShared:
  case EventKind::Release:
  case EventKind::ReleaseShared:
  case EventKind::Fork:
  case EventKind::Join:
  case EventKind::SemWait:
  case EventKind::SemPost:
  case EventKind::Signal:
  case EventKind::Broadcast:
  case EventKind::Wait:
  case EventKind::BarrierArrive: return true;
  default: return false;
  }
}

} // namespace sooth::replay
