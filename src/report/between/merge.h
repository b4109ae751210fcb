// One report from those of several traces: of several runs of a program, or of several programs.
//
//     run 1:  race on x (predicted), deadlock          ->  race on x (observed; in 2 of 3 traces)
//     run 2:  race on x (observed)                         deadlock (in 1 of 3 traces)
//     run 3:  nothing
//
// Findings are equal if their fingerprints are. An observed one is shown rather than a predicted
// one, else the first. Events of a later trace are numbered behind those of the ones before it.
// The answer is complete only if it is complete for every trace.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "report/report.h"

namespace sooth::report {

class MergedReports {
public:
  // `of_child`: of a process that the program made. An error if there are more events than can be
  // numbered.
  std::optional<Error> add(Report report, bool of_child = false);
  // A trace that could not be analysed.
  void miss(const std::string& trace, const std::string& why);
  // The trace of a child process that there is no time for.
  void leave_out(std::uint64_t process) { left_out_.push_back(process); }
  bool empty() const { return report_.traces.empty(); }
  Report all() &&;

private:
  void add_finding(FindingText finding);
  void add_coverage(Coverage coverage);

  Report report_;
  std::map<std::string, std::size_t> known_; // by fingerprint: the finding's row
  std::uint64_t first_event_ = 0;            // of the next trace
  std::vector<std::string> missed_;
  std::vector<std::uint64_t> left_out_;
};

} // namespace sooth::report
