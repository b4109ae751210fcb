// One recorded run of a program, shared by `sooth record` and `sooth run`.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/launch.h"
#include "cli/parser.h"

namespace sooth::cli {

struct RecordOptions {
  std::string output;   // empty: the runtime's own choice, PROGRAM.PID.sooth here
  bool all = false;     // keep every event
  std::string property; // keep every event that this file can see ...
  std::string exact;    // ... and keep the order of these accesses (fit)
  double timeout = 0;   // seconds; 0: none
  bool inputs = false;  // keep what it gets from outside, for replays
};

// The trace of a process that the program forked or started, or that it became (exec).
struct ChildTrace {
  std::string file;
  std::string name; // for people: "bank (process 12, a child of 10)"
  std::uint32_t process = 0;
};

struct Recording {
  Ended ended;
  std::string trace;                // path of the trace; empty if the program left none
  std::vector<ChildTrace> children; // in the order in which they began
  bool timed_out = false;
  bool stood_still = false;
};

// `all`: the names of the flag that keeps every event, because `sooth run` uses --all otherwise.
void add_record_options(Parser& parser, RecordOptions& options, const std::string& all);
// A sentence about the error in them, or nothing.
std::string check_record_options(const RecordOptions& options);

// The option of the runtime that records accesses of the property's variables in their exact order;
// empty if the property names no variable. `program` is a file. An error if the program lacks a
// name in the property, so that it is reported before the run. Not an error if only the run can
// show it: the program has no tables, or loads libraries while it runs.
Result<std::string> fit(const std::string& property, const std::string& program);

// The reaction to a program that stands still (watch.h); none if `report` is empty.
struct Standstill {
  std::function<void(const std::string& trace, const std::vector<ChildTrace>& children)> report;
  bool keep = false; // do not end it
};

// `command`: the program's path and its arguments.
Result<Recording> record(const std::vector<std::string>& command, const RecordOptions& options,
                         const Standstill& standstill = {});

// For a program that ended without a trace: the sentence for the user.
std::string why_no_trace(const std::string& program);

// The words after PROGRAM, without a first `--`, which is ours.
std::vector<std::string> program_arguments(std::vector<std::string> words);

} // namespace sooth::cli
