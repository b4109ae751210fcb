// Findings of an earlier report, as its JSON has them: for baselines and for `sooth diff`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "report/report.h"

namespace sooth::report {

struct KnownFinding {
  std::string fingerprint;
  std::string kind;
  std::string status;
  std::string title;               // "predicted data race on `x`"
  std::vector<std::string> places; // "bank.cpp:12 in add()"
  friend bool operator==(const KnownFinding&, const KnownFinding&) = default;
};

// The findings in the text of a report that --json wrote. `file` is for error messages.
Result<std::vector<KnownFinding>> read_known(std::string_view json, const std::string& file);
Result<std::vector<KnownFinding>> read_known_file(const std::string& path);

struct Difference {
  std::vector<KnownFinding> fresh, gone, unchanged; // `unchanged` as in the newer report
};
// By fingerprint.
Difference difference(const std::vector<KnownFinding>& before, const std::vector<KnownFinding>& after);

// Takes the findings that are known out of the report, and counts them among its notes.
void leave_out_known(const std::vector<KnownFinding>& known, const std::string& file, Report& report);

} // namespace sooth::report
