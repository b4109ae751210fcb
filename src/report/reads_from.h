// Which write does a read see?
//
//     recorded:   T1 writes x = 1 ; T2 writes x = 2 ; T1 reads x      from T2's write
//     predicted:  T2 writes x = 2 ; T1 writes x = 1 ; T1 reads x      from T1's write
//
// Question: the last write before a read that touches its bytes, in the recorded run and in a
//   witness. A witness begins with a prefix of the recorded run; so the answer is either among its
//   own steps, or the last such write of the prefix.
// Reads of more than kMostBytes have no answer: they usually see many writes.
// Cost: one pass over the trace for all questions together, with a binary search at each write.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "trace/trace.h"
#include "witness/witness.h"

namespace sooth::report {

class ReadsFrom {
public:
  static constexpr std::uint32_t kMostBytes = 64;

  explicit ReadsFrom(const trace::Trace& trace) : trace_(trace) {}

  // Whether the question makes sense for this event.
  bool is_read(std::uint32_t event) const;

  // Questions; they come before answer(). `listed` are steps of the witness, or its `next` events.
  void ask_recorded(std::uint32_t read);
  void ask_witness(std::size_t witness, const witness::Witness& run, std::span<const std::uint32_t> listed);
  void answer();

  std::optional<std::uint32_t> recorded(std::uint32_t read) const;
  // By read: the write it sees in that witness.
  const std::map<std::uint32_t, std::uint32_t>& of_witness(std::size_t witness) const;

private:
  struct Question {
    std::uint32_t before = 0; // only events with smaller numbers
    std::uint32_t read = 0;
    std::optional<std::size_t> witness;
  };

  const trace::Trace& trace_;
  std::vector<Question> questions_;
  std::map<std::uint32_t, std::uint32_t> recorded_;
  std::map<std::size_t, std::map<std::uint32_t, std::uint32_t>> of_witness_;
};

} // namespace sooth::report
