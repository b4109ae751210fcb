// What the checker knows of the trace, gathered once: each thread's events, what must precede what,
// which bytes are held from where to where, how far each thread can be trusted.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "trace/objects.h"
#include "trace/trace.h"
#include "witness/locks.h"
#include "witness/memory_map.h"

namespace sooth::witness::checking {

// Rule 1 of docs/trace_format.md: in force when its thread has done the event that it belongs to,
// and fewer than `until` events in all.
struct Hold {
  std::uint32_t piece = 0;
  std::uint32_t thread = 0;
  std::uint32_t until = 0;
  bool write = false; // others do not even read
};

// A lock's or semaphore's state before an event of the trace.
struct Before {
  std::uint32_t uses = 0; // of the same object, earlier in the trace
  bool excluded = false;  // refused requests: others had the lock
  std::uint32_t exclusive_uses = 0;
};

struct Facts {
  // `objects`: where the program had what was moved; null: nothing was.
  explicit Facts(const trace::Trace& trace, const trace::ObjectTable* objects = nullptr);

  const trace::Trace& trace;
  const trace::ObjectTable* const objects;
  const MemoryMap memory;
  std::vector<std::vector<EventNumber>> of_thread;
  std::vector<std::uint32_t> place;    // by event: index in its thread
  std::vector<std::uint32_t> believed; // by thread: so many of its events may be in a predicted run (rule 4)
  absl::flat_hash_map<EventNumber, std::vector<Hold>> holds; // by the held event

  // Event -> one that every run has before it: the fork before its thread's first event, a cancel
  // before what its target did afterwards.
  absl::flat_hash_map<EventNumber, std::vector<EventNumber>> after;
  // Returns of a cancelled thread that belong to an event from before the cancellation -> that
  // cancellation.
  absl::flat_hash_map<EventNumber, EventNumber> unwinds;
  // Join -> its child, and how many of the child's events preceded it.
  absl::flat_hash_map<EventNumber, std::pair<std::uint32_t, std::uint32_t>> joins;
  // Event -> the sequence below of which this many first members precede it in every run.
  struct Follows {
    std::uint32_t sequence = 0;
    std::uint32_t members = 0;
  };
  absl::flat_hash_map<EventNumber, Follows> follows;
  std::vector<std::vector<EventNumber>>
      sequences; // releases of an annotated tag; arrivals at a barrier of unknown size

  absl::flat_hash_map<EventNumber, Before> before; // uses of locks and semaphores
  // Semaphores whose first count was not recorded: the least that it can have been.
  absl::flat_hash_map<std::uint64_t, std::uint64_t> least_count;
  bool all_released = true; // every lock is free at the end

  // The address that the program used.
  std::uint64_t original(std::uint64_t address) const {
    return objects == nullptr ? address : objects->original(address);
  }
  // Whether no other thread may come between the event and its thread's next one.
  bool glued(EventNumber event) const;

private:
  void threads();
  void orders();
  void cancelled(EventNumber cancel, std::uint32_t done);
  void held();
  void locks();
  void semaphores();
};

// Calls and branches belong to the event before them: a repeat of that event may have been omitted
// between them. Calls with a ticket of their own do not.
bool clings(const trace::Event& event);

// Rule 4: by thread, how many of its events may be part of a predicted run.
std::vector<std::uint32_t> believed_events(const trace::Trace& trace, const MemoryMap& memory,
                                           const std::vector<std::uint32_t>& place);

} // namespace sooth::witness::checking
