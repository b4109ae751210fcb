// The events of one run, with the values that its reads see and its writes leave.
//
// Question: what did each step of this run read and write, and what is in memory at its end?
// Source: view serialisability compares runs by exactly this: the values of reads, and the final
//   values. An unknown value is one of:
//     kAnyValue   may equal anything: memory that was not seen, contents that were not kept
//     a symbol    one certain unknown value: what a write of model `full` leaves after it read
//                 another value
// Cost: the steps and operations of the run.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "predict/question/execution.h"
#include "predict/question/index.h"

namespace sooth::predict {

inline constexpr std::uint32_t kAnyValue = causality::kUnknownValue;
inline constexpr std::uint32_t kSymbol = 0x8000'0000; // | number, from 1

// What is known of memory besides the run.
struct KnownMemory {
  absl::flat_hash_set<std::uint32_t> doubtful; // locations with contents that were not kept
  absl::flat_hash_map<std::uint32_t, std::uint32_t>
      initial; // by location: values that nobody saw, but the program file has
};

class RunEvents {
public:
  struct Entry {
    StepId step = kNoStep;
    std::uint32_t first = 0; // of its operations
    std::uint32_t operations = 0;
  };

  explicit RunEvents(const Computation& computation) : computation_(&computation) {}
  // The recorded run up to the first of these events that is not to be trusted to stand where it
  // does.
  static RunEvents recorded(const Index& index, const KnownMemory& known);
  // A run of the index's model, from the beginning.
  static RunEvents replayed(const Index& index, std::span<const StepId> run, const KnownMemory& known);

  // The last step of its thread: it reads what is there, whatever it did in the trace. What it
  // would write then is not known.
  void diverge(StepId step);
  // A step that does what it did in the trace.
  void take(StepId step) { take(step, nullptr); }

  // Only these steps (ascending in the run), with what they found and left.
  RunEvents only(const std::vector<bool>& kept) const;

  std::span<const Entry> entries() const { return entries_; }
  std::span<const Operation> operations_of(const Entry& entry) const {
    return std::span(operations_).subspan(entry.first, entry.operations);
  }
  // Locations of which nothing is known for certain have no operations.
  bool is_doubtful(std::uint32_t location) const { return doubtful_.contains(location); }
  std::uint32_t initial(std::uint32_t location) const;
  std::uint32_t final(std::uint32_t location) const { return now(location); }
  std::uint32_t symbols() const { return symbols_; }
  bool writes_again(std::uint32_t location) const { return memory_.contains(location); }

private:
  void take(StepId step, Execution* execution);
  std::uint32_t now(std::uint32_t location) const;
  std::uint32_t seen(const Operation& read, bool free);

  const Computation* computation_;
  std::vector<Entry> entries_;
  std::vector<Operation> operations_;
  absl::flat_hash_map<std::uint32_t, std::uint32_t> memory_;  // by location, where it was written
  absl::flat_hash_map<std::uint32_t, std::uint32_t> initial_; // by location, where it is not the computation's
  absl::flat_hash_set<std::uint32_t> doubtful_;
  std::uint32_t symbols_ = 0;
};

} // namespace sooth::predict
