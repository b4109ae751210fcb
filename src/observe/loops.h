// `liveness` properties of a program that runs: the beginning of its run is kept, and at the end of
// each epoch its runs are searched for lassos, as those of a recorded run are
// (properties/lasso_search.h).
//
//     epoch 0: x = 1     epoch 1: x = 2, x = 1
//     The paths of epoch 1 begin with the observed run of epoch 0: u may end there, too.
//
// Question: could the program go on for ever in a way that a `liveness` property forbids?
// Cost: memory for the first events of the run, kMostKept at most; then that of the search, whose
//   limits are for all epochs of a program together.
// Gives up: at events beyond those, and at the limits of the search; incomplete() counts it.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <vector>

#include "logic/property.h"
#include "observe/findings.h"
#include "observe/protocol.h"
#include "properties/lasso_search.h"

namespace sooth::observe {

class Loops {
public:
  static constexpr std::uint64_t kMostKept = 1u << 14;

  Loops(const logic::PropertyFile& file, const std::vector<std::uint64_t>& values);

  // A new event of the present epoch. Positions ascend from epoch to epoch.
  void add(const EventMessage& message);
  // No more events of this epoch will come: the findings, at most one for each property in all.
  std::vector<FoundRun> end_epoch();
  // Frees everything; the properties without a finding are incomplete.
  void give_up();
  // Properties without a finding for which not all paths were tried.
  std::uint64_t incomplete() const;
  std::uint64_t bytes() const;

private:
  struct Kept {
    RunStep step;
    std::vector<ClockEntry> clock;
  };
  struct Search {
    const logic::Property* property = nullptr;
    properties::LassoSearch lassos;
  };
  using EpochEvents = std::vector<const Kept*>; // in the observed order
  FoundRun found_run(const logic::Property& property, const properties::Lasso& lasso, const EpochEvents& epoch) const;

  const std::vector<std::uint64_t> values_;
  std::list<Search> searches_;         // of the properties without a finding
  std::map<std::uint64_t, Kept> kept_; // the epoch's events, by position
  std::vector<RunStep> before_;        // the observed run before the epoch
  std::uint64_t bytes_ = 0;            // of the events
  bool left_out_ = false;
};

} // namespace sooth::observe
