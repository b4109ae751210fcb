// Ends of ownership, as events in the threads' streams.
//
//     file: T1 ... fork ... lock ...         row: T1's omitted accesses of block B come before its
//           T2 ... read b (12)               first event from number 10 on; others' from 11 on
//     read: T1 ... fork ... [write B, opaque, merged] [hb-release] lock ...
//           T2 ... [hb-acquire] read b
//
// docs/trace_format.md ("Owned blocks") says what a row promises, and why this is sound. In every
// run, no other thread uses the block between the owner's omitted accesses; and afterwards its
// contents are unknown until somebody reads them.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "trace/file/chunk_scan.h"
#include "trace/trace.h"

namespace sooth::trace {

// All rows of a file, and which of them each thread and each block have.
class Moves {
public:
  explicit Moves(const std::vector<Chunk>& chunks);
  bool empty() const { return rows_.empty(); }
  std::uint64_t malformed() const { return malformed_; }

private:
  friend class MovesOfThread;
  struct ByBlock {
    std::uint64_t block;
    std::uint32_t row;
  };
  std::vector<MoveRow> rows_;
  std::vector<ByBlock> by_block_;                             // ascending
  std::map<std::uint32_t, std::vector<std::uint32_t>> owned_; // by owner: by number, then by epoch, ascending
  std::uint64_t malformed_ = 0;
};

// What rows add to one thread's stream. Events are asked for in the thread's order.
class MovesOfThread {
public:
  MovesOfThread() = default;
  MovesOfThread(const Moves& moves, std::uint32_t thread);

  // The events that come before one that has not been asked about yet, in their order. `use`: the
  // memory that it uses, or no bytes.
  struct Use {
    std::uint64_t address = 0, bytes = 0;
  };
  struct Given {
    Event event;
    std::uint64_t counter;
  };
  void before(const Event& e, std::uint64_t counter, Use use, std::vector<Given>& gives, std::vector<Event>& takes);
  // The thread has no more events.
  void at_end(std::vector<Given>& gives);

private:
  void give(std::uint32_t row, std::uint64_t next, std::vector<Given>& out) const;

  void give_first(std::size_t of_epoch, std::size_t of_number, std::uint64_t next, std::vector<Given>& gives);
  void give_all(std::uint64_t next, std::vector<Given>& gives);

  const Moves* moves_ = nullptr;
  std::uint32_t thread_ = 0;
  std::span<const std::uint32_t> by_number_, by_epoch_; // of rows that are still to come
  std::uint32_t epoch_ = 1;
  std::vector<bool> taken_; // by place in by_block_
};

} // namespace sooth::trace
