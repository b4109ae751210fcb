// From a file to a trace that is ready for questions: read, verified, with its objects separated,
// and with its computation. All of it within a budget: the beginning of a trace is a trace, and
// events left out at its end are counted.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "analysis/coverage.h"
#include "analysis/options.h"
#include "analysis/progress.h"
#include "analysis/spending.h"
#include "base/result.h"
#include "causality/computation/computation.h"
#include "survey/settled.h"
#include "survey/sharing.h"
#include "trace/objects.h"
#include "trace/pieces.h"
#include "trace/reader.h"
#include "trace/trace.h"

namespace sooth::analysis {

// Not to be moved: the parts refer to each other.
struct Prepared {
  trace::Trace trace; // objects at reused addresses have been separated
  trace::ObjectTable objects;
  causality::Computation computation;
  std::vector<witness::Finding> misuse; // of locks that were set aside
  survey::Settled settled;              // kinds that need not be looked for
  LeftOut left_out;                     // events at the end
  std::uint64_t occupied = 0;           // memory of the process when all this was ready
};

// Reads a trace within the budget, without the events that a sieve may leave out at once.
class Reading {
public:
  // The options decide which sieve is used. They and `spending` must outlive it.
  Reading(const Options& options, Spending& spending);
  explicit Reading(Spending& spending); // without a sieve: every event

  // An error if the file cannot be read. Afterwards, if there is no room for it at all, `left_out`
  // says so.
  std::optional<Error> open(const std::string& file);
  // The next piece of the trace, of as many events as there is room for: all of them if possible.
  trace::Pieces::Got next(trace::Trace& piece);
  // The whole trace, cut where there is no room for more.
  trace::Trace rest();
  bool is_over() const { return pieces_ == nullptr || pieces_->is_over(); }
  // Kinds of findings that the first pass has ruled out, for the whole trace.
  const survey::Settled& settled() const { return sharing_->settled(); }
  // Events that two pieces have in common.
  std::uint64_t overlap() const { return most_ / kOverlap; }

  LeftOut left_out;

private:
  static constexpr std::size_t kOverlap = 8; // an eighth of a piece's events

  void obey();  // sets the reader's options
  void allow(); // a part of the time and memory for what is read next
  trace::Sieve* sieve_again();
  void note_end(); // of the last piece
  void shorten(trace::Trace& trace);

  Spending& spending_;
  const bool blocks_; // of the options
  std::unique_ptr<survey::Sharing> sharing_;
  std::optional<Budget> budget_; // for the present piece
  trace::ReadOptions options_;
  std::unique_ptr<trace::Pieces> pieces_; // null: there is no room
  std::uint64_t part_ = 0;                // bytes for reading, of those that were free
  std::size_t most_ = 0;                  // events of a piece
};

// Locks that the program misused are set aside (predict/misuse/misuse.h). `misused` has those
// of the pieces before, and gets those of this one. An error if the trace is not legal. Events that
// are not verified within a part of the time are left out.
Result<std::unique_ptr<Prepared>> prepare(trace::Trace trace, const Spending& spending, Progress& progress,
                                          LeftOut left_out = {}, std::vector<std::uint64_t>* misused = nullptr);

} // namespace sooth::analysis
