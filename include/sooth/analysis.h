// Sooth as a library: open a trace, choose a model and what to look for, get findings.
//
//     const sooth::Answer answer = sooth::analyse("bank.sooth", {.find = "deadlocks"});
//     if (!answer.error.empty()) ...
//     for (const sooth::FoundError& found : answer.findings) ...
//
// In CMake: find_package(Sooth), then link Sooth::sooth. examples/library is a complete program.
// Nothing is printed, and no process is started. Every error ends as a sentence in Answer::error.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sooth {

// The options of an analysis; the defaults are those of `sooth check`.
struct Request {
  std::string find;                // as --find: "races,deadlocks"; empty: everything
  std::string model;               // as --model; empty: the most permissive one that the trace is fit for
  std::string property;            // a property file; empty: none
  std::vector<std::string> atomic; // functions that are meant to be atomic; `*` stands for letters
  std::string suppressions;        // a file; empty: none
  double seconds = 60;             // 0: no limit
  std::string memory;              // "2G"; empty: half of the machine's
  unsigned jobs = 0;               // threads; 0: one for each processor
  bool each = false;               // as --each: a finding for each pair of lines
  bool whole_witness = false;      // as --whole-witness, in Answer::json
};

// An event that a finding is about.
struct FoundPlace {
  std::string what;     // "write", "acquire", ...
  std::string variable; // or lock; empty if it has no name
  std::string file;     // empty if it is not known
  std::uint32_t line = 0, column = 0;
  std::string function;
  std::uint32_t thread = 0;
};

// The lines at which a finding was made.
struct FoundPair {
  std::string status;
  std::string fingerprint; // of these lines
  std::uint64_t count = 0; // so often, as far as looked at
  std::vector<FoundPlace> places;
};

// One for each variable (or member, or array) and pair of functions.
struct FoundError {
  std::string kind;        // "race", "deadlock", ... (docs/findings.md)
  std::string status;      // "observed" or "predicted"
  std::string fingerprint; // the same for the same finding in another run
  std::string property;    // name of the property, block or pattern; else empty
  std::string note;
  std::vector<FoundPlace> places; // the first of `pairs`
  std::vector<FoundPair> pairs;   // all lines at which it was found; empty if `each` was asked for, and of properties
};

struct Answer {
  std::string error; // a sentence, if there is no answer at all; then the rest is empty
  std::vector<FoundError> findings;
  std::uint64_t events = 0;            // that were looked at
  bool complete = false;               // every candidate of this run was decided
  std::vector<std::string> unanswered; // what was not looked for at all
  std::vector<std::string> limits;     // what bounds the answer, and remarks, a sentence each
  std::string json;                    // the whole report (docs/report.md)
};

__attribute__((visibility("default"))) Answer analyse(const std::string& trace, const Request& request = {});

} // namespace sooth
