// The observed run: monitors step along it as soon as its events arrive, in the order of their
// positions.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "observe/monitors.h"

namespace sooth::observe {

struct RunStep {
  std::uint32_t thread = 0;
  Happening happening;
};

class ObservedRun {
public:
  ObservedRun(const logic::PropertyFile& file, std::vector<std::uint64_t> values);

  // Positions are 1, 2, 3, ...; they come in any order. Returns false if it was there before.
  bool add(std::uint32_t thread, const Happening& happening);
  // Monitors that failed since the last call, for the first time, with the steps that led there.
  struct Failed {
    std::size_t monitor = 0;
    std::vector<RunStep> path;              // the newest steps
    std::uint64_t before = 0;               // steps before them
    std::vector<std::uint64_t> values = {}; // before the first of them
  };
  std::vector<Failed> take_failed();

  const RunState& state() const { return state_; }
  std::uint64_t position() const { return position_; } // of the newest event before which none is missing
  std::size_t waiting() const { return waiting_.size(); }
  std::uint64_t waiting_bytes() const { return waiting_bytes_; }
  const logic::Faults& faults() const { return monitors_.faults(); }

private:
  void step(RunStep step);
  void fail(std::size_t monitor);

  MessageMonitors monitors_;
  RunState state_;
  std::vector<bool> failed_;
  std::vector<Failed> told_;
  std::uint64_t position_ = 0;
  std::map<std::uint64_t, RunStep> waiting_; // by position, beyond a gap
  std::uint64_t waiting_bytes_ = 0;
  std::deque<RunStep> tail_;
  std::uint64_t before_tail_ = 0;
  std::vector<std::uint64_t> tail_values_; // of the variables, before the tail's first step
};

} // namespace sooth::observe
