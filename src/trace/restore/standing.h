// The state after the events so far, as a few events that lead to the same state as all of them.
//
//     main: p = malloc ; fork T ; lock m ; unlock m ; lock m
//     standing:  p = malloc ; fork T ; lock m               the first critical section is over
//
// Question: which past events must be known to judge the next ones?
// An event stands as long as nothing has undone it:
//   an acquire until its release, a wait until its wake, an entry until its function is left, a
//   fork until the child is joined;
//   an allocation until another object takes its place;
//   the arrivals at a barrier until all of them have left it;
//   an access that stands for later ones (docs/trace_format.md, kHeld) until its thread
//   synchronises.
// Other events say nothing about the state: what a lock was held for, what has ended. Nor do values
// of memory, because the first read of a byte defines it.
// Why the result is legal: it is a subsequence of a legal trace, in nearly the same order, and
//   standing events exclude nothing that stood beside them. Some change a little: an acquire whose
//   mutex a wait gave up stands where the wake took the mutex again; the initialisation of a
//   semaphore has the present count; accesses have no values, and new memory has no contents.
// Cost: a lookup for each event that is not an access; memory for the standing events, and for one
//   entry for each address of ended objects.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include <absl/container/btree_map.h>
#include <absl/container/flat_hash_map.h>

#include "trace/trace.h"

namespace sooth::trace {

class Standing {
public:
  // The trace has its sites and globals.
  explicit Standing(const Trace& trace) : trace_(trace) {}

  void see(const Event& e, std::uint64_t number);

  struct Entry {
    std::uint64_t place;  // entries ascend by it
    std::uint64_t number; // of the event in the whole trace
    Event event;
  };
  // The standing events; objects and accesses only if one of `events` touches their memory.
  std::vector<Entry> before(const std::vector<Event>& events) const;
  // Whether the thread used variables of its own frames on another stack than its first one.
  bool leaves_its_stack(std::uint32_t thread) const {
    return thread < threads_.size() && threads_[thread].leaves_its_stack;
  }

private:
  using Entries = std::vector<Entry>;
  using AccessKey = std::tuple<std::uint64_t, std::uint32_t, bool>; // address, bytes, whether it is a write
  struct ThreadState {
    Entries calls, handlers, blocks, waits;
    absl::flat_hash_map<AccessKey, Entry> accesses; // of the present segment
    bool leaves_its_stack = false;
    std::uint64_t stack = 0, stack_end = 0;
  };
  struct Life { // of a thread, until it is joined
    Entries events;
    bool detached = false, ended = false;
  };
  struct Condition {
    std::uint64_t waiting = 0;
    Entries signals; // since the first open wait
  };
  struct Barrier {
    Entries init, round; // arrivals and leaves, until all have left
    std::uint64_t inside = 0;
  };
  struct Semaphore {
    Entries init;
    std::int64_t count = 0;
  };
  struct Object {
    std::uint64_t end;
    Entries events; // its beginning, and its end if it has ended
  };

  static constexpr std::size_t kMaxSignals = 256; // of one condition: the latest ones

  ThreadState& thread(std::uint32_t number);
  void own_frame(const Event& e);
  void see_access(const Event& e, std::uint64_t number);
  bool is_gone(const Entry& access) const;
  bool holds_a_lock(std::uint64_t thread) const;
  bool see_thread(const Event& e, std::uint64_t number);
  bool see_lock(const Event& e, std::uint64_t number);
  bool see_condition(const Event& e, std::uint64_t number);
  bool see_primitive(const Event& e, std::uint64_t number);
  bool see_nesting(const Event& e, std::uint64_t number);
  bool see_object(const Event& e, std::uint64_t number);
  static void close(Entries& open, const Event& end);

  const Trace& trace_;
  std::vector<ThreadState> threads_;
  absl::flat_hash_map<std::uint64_t, Life> lives_;           // by thread
  absl::btree_map<std::uint64_t, Entries> locks_;            // by address: acquires
  absl::flat_hash_map<std::uint64_t, Condition> conditions_; // only with open waits
  absl::btree_map<std::uint64_t, Barrier> barriers_;
  absl::btree_map<std::uint64_t, Semaphore> semaphores_;
  absl::btree_map<std::uint64_t, Entries> once_;
  std::map<std::uint64_t, Object> objects_; // they do not overlap
  Entries watches_;
};

} // namespace sooth::trace
