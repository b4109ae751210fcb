// Legal traces for comparing engines with definitions: all small ones, and random larger ones.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "trace/trace.h"

namespace sooth::cross {

struct SmallShape {
  std::uint32_t threads = 2;
  std::uint32_t events = 6;
  std::uint32_t variables = 2; // of one byte, with the values 0 and 1
  std::uint32_t locks = 1;
};
// Every legal trace of this shape in which every thread does something, up to renaming of threads, variables, locks and
// of each variable's values. A variable that is read before it is written has the value that was read.
// The visitor says whether to go on. Returns the number of traces.
std::uint64_t small_traces(const SmallShape& shape, const std::function<bool(const trace::Trace&)>& visit);

struct RandomShape {
  std::uint32_t threads = 3;
  std::uint32_t events = 12;
  std::uint32_t accesses = 5; // of ten steps so many are accesses
  std::uint32_t bytes = 3;    // of memory; accesses of 1, 2 and 4 of them overlap
  std::uint32_t mutexes = 2;
  std::uint32_t read_write = 0; // locks
  bool atomics = false;
  bool tries = false;  // locks that are tried, with and without success
  bool forks = false;  // thread 0 creates the others and may join them
  bool starts = true;  // ... and threads tell of their start and end
  bool blocks = false; // begins and ends of atomic blocks
};
// The same trace for the same seed and shape.
trace::Trace random_trace(std::uint64_t seed, const RandomShape& shape);
// A shape for the seed: all of them in turn.
RandomShape random_shape(std::uint64_t seed, bool blocks = false);

// Threads that are created and joined by thread 0, and lock, wait for semaphores and post in between.
trace::Trace random_waiting_trace(std::uint64_t seed);

// Threads that read and write, and wait for semaphores, conditions and barriers, with every way in
// which these may meet. `larger`: more threads may use the barrier than a round has.
trace::Trace random_counted_trace(std::uint64_t seed, bool larger = false);

// Threads that use a variable as a lock, most of them as one has to: they take it by an update,
// mark it while others have it, and give it back by a store or an update.
trace::Trace random_flag_trace(std::uint64_t seed);

// Threads with one or two atomic blocks each, of accesses and critical sections; also accesses outside of them.
trace::Trace random_block_trace(std::uint64_t seed);

// One line for each event, to be pasted into a test.
std::string text(const trace::Trace& trace);

} // namespace sooth::cross
