// One recorded run of a program: what `sooth record` and `sooth run` share.
#pragma once

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
  std::string property; // keep what this file can see
};

struct Recording {
  Ended ended;
  std::string trace; // where the trace is; empty if the program left none
};

// `all`: the names of the flag that keeps every event; `sooth run` has another use for --all.
void add_record_options(Parser& parser, RecordOptions& options, const std::string& all);
// A sentence about what is wrong with them, or nothing.
std::string check_record_options(const RecordOptions& options);

// What a property file names and the program, which is a file here, does not have; told before the program runs. Nothing if
// it fits, or if only the run can tell: the program has no tables, or loads libraries while it runs.
std::optional<Error> misfit(const std::string& property, const std::string& program);

// `command`: the program's path and its arguments.
Result<Recording> record(const std::vector<std::string>& command, const RecordOptions& options);

// Of a program that ended without a trace: the sentence for the user.
std::string why_no_trace(const std::string& program);

// The words after PROGRAM: a first `--` is ours.
std::vector<std::string> program_arguments(std::vector<std::string> words);

} // namespace sooth::cli
