#include "cli/reports/report_files.h"

#include <functional>

#include "cli/output.h"
#include "report/between/known.h"
#include "report/files/junit.h"
#include "report/files/page.h"
#include "report/files/sarif.h"
#include "report/json.h"

namespace sooth::cli {

namespace {

using Write = void (*)(const report::Report&, const report::JsonSink&);

bool write_to(const std::string& path, const report::Report& report, Write write) {
  if (path.empty()) return true;
  FileOutput out(path);
  write(report, [&](std::string_view text) { return out.write(text); });
  return out.finish();
}

} // namespace

void add_report_file_options(Parser& parser, ReportFiles& files) {
  parser.add_option("--json", files.json, "Write the report as JSON (docs/report.md)")->type_name("FILE");
  parser.add_option("--html", files.html, "Write it as a page for browsers, in one file (docs/page.md)")
      ->type_name("FILE");
  parser.add_option("--sarif", files.sarif, "Write it as SARIF 2.1.0, for code-scanning services and editors")
      ->type_name("FILE");
  parser.add_option("--junit", files.junit, "Write it as JUnit XML: a test case for each kind that was looked for")
      ->type_name("FILE");
  parser.add_option("--baseline", files.baseline, "Show only what is not in this report, which --json wrote")
      ->type_name("FILE");
}

std::string check(const ReportFiles& files) {
  if (!files.html.empty() && !report::has_page()) return "--html: " + std::string(report::kNoPage);
  if (!files.baseline.empty())
    if (const auto known = report::read_known_file(files.baseline); !known) return known.error().text();
  return {};
}

void apply_baseline(const ReportFiles& files, report::Report& report) {
  if (files.baseline.empty()) return;
  const auto known = report::read_known_file(files.baseline);
  if (known) report::leave_out_known(known.value(), files.baseline, report);
  else complain(known.error().text()); // it was there before the analysis
}

bool write_report_files(const report::Report& report, const ReportFiles& files) {
  bool fine = write_to(files.json, report, report::json);
  fine = write_to(files.html, report, report::page) && fine;
  fine = write_to(files.sarif, report, report::sarif) && fine;
  return write_to(files.junit, report, report::junit) && fine;
}

} // namespace sooth::cli
