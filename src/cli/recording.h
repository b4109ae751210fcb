// One recorded run of a program: what `sooth record` and `sooth run` share.
#pragma once

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
  std::string property; // keep what this file can see ...
  std::string exact;    // ... and keep the order of these accesses (fit)
  double timeout = 0;   // seconds; 0: none
};

struct Recording {
  Ended ended;
  std::string trace; // where the trace is; empty if the program left none
  bool timed_out = false;
  bool stood_still = false;
};

// `all`: the names of the flag that keeps every event; `sooth run` has another use for --all.
void add_record_options(Parser& parser, RecordOptions& options, const std::string& all);
// A sentence about what is wrong with them, or nothing.
std::string check_record_options(const RecordOptions& options);

// How accesses of what the property file names are recorded in their exact order: an option of the runtime, or nothing if it
// names no variable. An error, told before the program runs, if the program, which is a file here, does not have something
// that is named; not if only the run can tell: the program has no tables, or loads libraries while it runs.
Result<std::string> fit(const std::string& property, const std::string& program);

// What is done if the program stands still (watch.h). Nothing, if `report` is empty.
struct Standstill {
  std::function<void(const std::string& trace)> report;
  bool keep = false; // do not end it
};

// `command`: the program's path and its arguments.
Result<Recording> record(const std::vector<std::string>& command, const RecordOptions& options,
                         const Standstill& standstill = {});

// Of a program that ended without a trace: the sentence for the user.
std::string why_no_trace(const std::string& program);

// The words after PROGRAM: a first `--` is ours.
std::vector<std::string> program_arguments(std::vector<std::string> words);

} // namespace sooth::cli
