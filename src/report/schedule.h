// A run in few steps. Consecutive steps of one thread are a turn, and a turn lists only the steps
// that matter.
//
//     T1 locks m, reads a, writes x ; T2 reads b, writes x
//     listed:  T1 locks m, writes x ; T2 writes x            a and b are used by one thread each
//
// Steps that matter: synchronisation, and accesses of memory that several threads of the run touch.
// The others follow the recorded order: every thread makes them as it did in the recorded run,
// before its next listed step.
// Of a long run, the first turns, which create threads, and the last ones are shown.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "report/report.h"

namespace sooth::report {

struct Schedule {
  std::vector<std::uint32_t> listed; // events
  std::vector<Turn> turns;
};

// The properties of a step that decide whether it is listed.
struct ScheduleStep {
  std::uint32_t thread = 0;
  std::uint64_t address = 0;
  bool access = false;
  bool synchronises = false;
};
using ScheduleStepOf = std::function<ScheduleStep(std::uint32_t event)>;

// `next`: events of the finding; memory that they touch counts as touched by their threads.
// `whole`: list every step.
Schedule schedule_of(std::span<const std::uint32_t> events, std::span<const std::uint32_t> next,
                     const ScheduleStepOf& step_of, bool whole = false);

} // namespace sooth::report
