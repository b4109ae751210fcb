// The linear tier: one pass that drops what cannot race and finds what plainly does.
//
//     T1 write x              T1's clock: (1, 0)
//     T2 write y
//     T2 write x              T2 does not know of T1's write: a race, under every model
//     T1 acquire m, write z, release m; T2 acquire m, write z, release m    always under m: dropped
//
// Question: which memory is private, read-only, atomic throughout or always under one lock; and
//   which conflicting accesses are not ordered by anything that the observed run had?
// Source: happens-before with vector clocks and epochs (Djit, FastTrack), lock sets (Eraser), in
//   one pass.
// Where we differ: every conflicting access orders, as under the model hb. So a race found here is
//   one under every model, and not only the first one is believed. All synchronisation counts as
//   acquiring and releasing: too much order costs findings of this tier, which the next one makes,
//   and never invents one. Granules of 8 bytes; whether bytes really overlap is asked of the two
//   events.
// Cost: O(1) for an access or a synchronisation from which the thread learns nothing new,
//   O(threads) for the others. Memory grows with threads, locks and granules touched, not with the
//   length of the trace.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "predict/races/clock_pool.h"
#include "predict/races/race_candidates.h"
#include "trace/trace.h"

namespace sooth::predict {

struct LinearResult {
  std::vector<RaceInstance> races; // one for each pair of sites
  std::uint64_t granules = 0;      // of 8 bytes
  std::uint64_t one_thread = 0;    // ... that only one thread touched
  std::uint64_t read_only = 0;     // ... or no thread wrote
  std::uint64_t atomic = 0;        // ... or only atomic operations touched
  std::uint64_t one_lock = 0;      // ... or were always touched with the same lock held
};

class LinearPass {
public:
  explicit LinearPass(std::size_t threads);
  // Events in the order of the trace. An event is looked at again only if `see` is given the same
  // trace.
  void see(const trace::Trace& trace, std::uint32_t event);
  LinearResult finish();

private:
  struct Effects;
  // The last access of one kind.
  struct Last {
    std::uint32_t event = 0;
    std::uint32_t thread = 0;
    std::uint32_t count = 0;  // of its thread; 0: there was none
    ClockPool::Moment moment; // for others to learn, once several threads use the granule: then, or a little later
  };
  struct alignas(64) Granule {                // a line of the cache
    std::uint32_t thread = 0xffffffff;        // who touched it; kSeveral: more than one
    std::uint32_t locks = 0;                  // set that all accesses had in common
    std::uint32_t readers = ClockPool::kNone; // clock of the reads since the last write, if no moment covers them all
    bool written = false, plain = false, locked = false; // locked: `locks` is set
    Last write, read;
  };

  void access(const trace::Trace& trace, const trace::Event& e, std::uint32_t event);
  void touch(const trace::Trace& trace, const trace::Event& e, std::uint32_t event, Granule& granule);
  void share(Granule& granule);
  void learn(std::uint32_t thread, bool writes, Granule& granule);
  void add_reader(std::uint32_t thread, Granule& granule);
  void set(Last& last, std::uint32_t event, std::uint32_t thread, bool shared);
  void report(const trace::Trace& trace, std::uint32_t first, std::uint32_t second);
  void pass_on(std::uint32_t from, std::uint32_t to); // what a thread knows, to another one
  void synchronise(std::uint32_t thread, std::uint64_t object);
  std::uint32_t changed_set(std::uint32_t set, std::uint64_t lock, bool takes);
  std::uint32_t common(std::uint32_t a, std::uint32_t b);
  std::uint32_t number(const std::vector<std::uint64_t>& locks);

  const std::uint32_t width_; // threads
  ClockPool clocks_;
  absl::flat_hash_map<std::uint64_t, ClockPool::Moment> objects_; // by address: its last synchronisation
  absl::flat_hash_map<std::uint64_t, std::uint32_t> numbers_;     // granule -> index
  std::vector<Granule> granules_;
  std::vector<std::uint32_t> held_; // by thread: number of its set of locks
  absl::flat_hash_map<std::vector<std::uint64_t>, std::uint32_t> set_numbers_;
  std::vector<std::vector<std::uint64_t>> sets_; // ascending; a lock stands there as often as it was taken
  absl::flat_hash_map<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t> changes_; // (set and direction, lock)
  absl::flat_hash_map<std::uint64_t, std::uint32_t> common_;                            // of two sets
  absl::flat_hash_set<std::uint64_t> reported_;                                         // pairs of sites
  LinearResult result_;
};

LinearResult linear_pass(const trace::Trace& trace);

} // namespace sooth::predict
