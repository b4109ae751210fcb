// The observing layer's state of each thread, and the order of hooks. Everything here needs the
// observing lock.
#pragma once

#include <cstddef>
#include <cstdint>

#include "capture/runtime/observing/clock.h"

namespace sooth::runtime::observing {

struct ThreadState {
  std::uint32_t number;
  bool alive;
  bool in_epoch; // belongs to this epoch: its messages are counted in the checkpoint that ends it
  bool waits;    // it is inside pthread_join of `other`, and has reported that
  std::uint32_t other;
  std::uint32_t name; // string number; 0: none

  // The start has its place and its clock. If a property asks for thread names, its message waits
  // until the thread has a name (observing/names.h).
  bool start_waits;
  bool start_unnamed; // sent before there was one
  std::uint64_t start_position;
  std::uint64_t start_sequence;
  VectorClock* start_clock;

  VectorClock* clock;
  std::uint32_t count;         // its relevant events in this epoch
  std::uint64_t sequence;      // its messages in this epoch
  std::uint64_t last_position; // of its newest event

  static constexpr unsigned kHooks = 16;
  std::uint64_t hooks[kHooks]; // the numbers of its newest hooks, a ring
  unsigned newest;

  // Frames that were sent, by their sites; only if the property asks for calls.
  std::uint32_t* frames;
  std::size_t frame_count;
  std::size_t frame_room;

  // Frames of the protocol that wait until the lock is released, to be sent then.
  std::uint8_t* out;
  std::size_t out_used;
  std::size_t out_room;
  std::uint64_t out_position; // of the newest event among them; 0: none
  std::uint64_t unsent;       // position when the first of them was made; ~0: none. Read without the lock, too.
  std::uint64_t sent;         // messages so far
};

extern std::uint64_t g_hook;         // number of the hook under way
extern std::uint32_t g_thread_count; // threads are numbered below this

// Made on first use. Null only if memory runs out.
ThreadState* thread_state(std::uint32_t number);
// Null if there was none.
ThreadState* find_thread(std::uint32_t number);

// The newest hook of the thread before the one under way.
inline std::uint64_t newest_hook(const ThreadState& thread) { return thread.hooks[thread.newest]; }
// Whether the thread has had a hook after this one: then its operation there is done.
bool has_gone_on(std::uint32_t thread, std::uint64_t hook);
// The number of the thread's first hook after this one, or a later one if that is forgotten. ~0 if
// there was none.
std::uint64_t next_hook(std::uint32_t thread, std::uint64_t hook);
void end_hook(ThreadState& thread);

// Room for `bytes` more in `thread.out`. Null if memory runs out.
std::uint8_t* out_room(ThreadState& thread, std::size_t bytes);

} // namespace sooth::runtime::observing
