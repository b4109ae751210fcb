// One report from those of the pieces of a trace.
//
// A finding is shown once, with the first piece that has it, or the first in which it was observed.
// The lines that later pieces have for it are added. Counts of undecided questions add up; remarks
// about the recording appear once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "report/report.h"

namespace sooth::analysis {

class PieceReports {
public:
  // Adds the report of the next piece. Events have their numbers in the whole trace.
  void add(report::Report piece);
  // Counts a piece without an analysis.
  void add_unknown() { ++unknown_; }
  bool empty() const { return pieces_ == 0; }
  // `apart`: events; events further apart than this may not have been compared.
  report::Report all(std::uint64_t apart) &&;

  std::vector<std::uint64_t> misused_locks; // set aside by the pieces so far

private:
  void add_findings(std::vector<report::FindingText> findings);
  void add_gaps(std::vector<report::Gap> gaps);

  report::Report report_;
  std::map<std::string, std::size_t> known_; // by identity: the finding's row
  std::uint64_t pieces_ = 0, unknown_ = 0;
};

} // namespace sooth::analysis
