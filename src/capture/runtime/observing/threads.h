// The observing layer's state of each thread. It belongs to the thread itself, or to a thread that
// is alone (section.h). Others only look at the fields that say so.
#pragma once

#include <cstddef>
#include <cstdint>

#include "capture/runtime/observing/clock.h"

namespace sooth::runtime::observing {

struct Page;        // shadow.h
struct ThreadCount; // slots.h

struct ThreadState {
  std::uint32_t number;
  std::uint32_t slot;   // its component in clocks; kNoSlot once it has ended and nobody needs it any more (slots.h)
  std::uint32_t inside; // it runs a hook (section.h). Others look at it
  bool alone;           // no other thread runs one
  bool alive;
  bool stops;    // it has reported its end
  bool ended;    // and its last hook is over. Others look at it
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
  ClockNumber start_clock;

  ClockNumber clock;           // others look at it
  bool learned;                // its clock has changed in this hook
  std::uint64_t segment;       // how often that has happened: a number for what it knows (own_pages.h)
  std::uint64_t breaks;        // how often it let another thread go first inside a store (own_pages.h)
  std::uint64_t left_out;      // accesses that hooks saw, and left out (own_pages.h)
  std::uint32_t count;         // its relevant events in this epoch
  std::uint64_t sequence;      // its messages in this epoch
  std::uint64_t last_position; // of its newest event. Others look at it

  // The plain store that is under way: where, and how many bytes; 0: none. Others look at it.
  std::uint64_t storing;
  std::uint64_t storing_bytes;

  static constexpr unsigned kCovered = 64;
  ClockNumber covered[kCovered]; // clocks that its own clock covers: a small cache
  static constexpr unsigned kPages = 256;
  Page* pages[kPages]; // pages that it used: a small cache

  // Frames that were sent, by their sites; only if the property asks for calls.
  std::uint32_t* frames;
  std::size_t frame_count;
  std::size_t frame_room;

  ThreadCount* entries; // of the clock that is sent (slots.h)
  std::size_t entries_room;

  // Frames of the protocol that wait until the hook is over, to be sent then.
  std::uint8_t* out;
  std::size_t out_used;
  std::size_t out_room;
  std::uint64_t unsent;   // of the oldest event that was not sent; ~0: none. Others look at it
  std::uint64_t sent;     // messages so far. Others look at it
  bool asks;              // the observer has to look at its newest event before the thread goes on
  bool looks_for_silence; // others may have been silent for too long
};

// A clock that the thread's own clock covered once, it covers until the counts restart. False: not
// known.
inline bool is_known_to_cover(const ThreadState& self, ClockNumber number) {
  return number == 0 || number == self.clock || self.covered[number % ThreadState::kCovered] == number;
}

extern std::uint32_t g_thread_count; // threads are numbered below this

// Made on first use. Null only if memory runs out.
ThreadState* thread_state(std::uint32_t number);
// Null if there was none.
ThreadState* find_thread(std::uint32_t number);

// Room for `bytes` more in `thread.out`. Null if memory runs out.
std::uint8_t* out_room(ThreadState& thread, std::size_t bytes);

} // namespace sooth::runtime::observing
