// The files that a report can be written to: JSON, the page, SARIF, JUnit.
#pragma once

#include <string>

#include "cli/parser.h"
#include "report/report.h"

namespace sooth::cli {

// Paths; empty: not wanted.
struct ReportFiles {
  std::string json;
  std::string html;
  std::string sarif;
  std::string junit;
  std::string baseline; // a report as JSON, whose findings are left out
};

void add_report_file_options(Parser& parser, ReportFiles& files);
// A sentence about what cannot be written or read at all, or nothing. Asked before the analysis.
std::string check(const ReportFiles& files);
// Takes what the baseline has out of the report.
void apply_baseline(const ReportFiles& files, report::Report& report);
// False after an error, which has been reported; the other files are written all the same.
bool write_report_files(const report::Report& report, const ReportFiles& files);

} // namespace sooth::cli
