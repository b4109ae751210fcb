// `sooth diff`: what changed from one report to the next.
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/parser.h"
#include "report/between/known.h"
#include "report/terminal/printable.h"

namespace sooth::cli {

namespace {

void print_all(std::string_view word, const std::vector<report::KnownFinding>& findings, Output& out) {
  for (const report::KnownFinding& finding : findings) {
    out.print("{:<9} {}  {}\n", word, report::printable(finding.fingerprint), report::printable(finding.title));
    for (const std::string& place : finding.places) out.print("{:>28}{}\n", "", report::printable(place));
  }
}

} // namespace

int run_diff(int argc, char** argv) {
  std::string before, after;
  int exit_code = kFound;
  bool quiet = false;
  Parser parser("diff",
                "Compare two reports that --json wrote: findings that are new, gone and unchanged, by their "
                "fingerprints.\n"
                "Exit status: 0 nothing is new, 66 something is, 2 wrong usage or files.",
                "  sooth diff before.json after.json\n"
                "  sooth diff --quiet before.json after.json && echo nothing new\n");
  parser.add_option("before", before, "The older report")->required()->type_name("A.json");
  parser.add_option("after", after, "The newer report")->required()->type_name("B.json");
  parser.add_flag("--quiet", quiet, "Only the last line");
  parser.add_option("--exit-code", exit_code, "Exit status if something is new")
      ->type_name("N")
      ->show_default()
      ->within(0, 255);
  if (const auto status = parser.parse_all(argc, argv)) return *status;
  const auto old_findings = report::read_known_file(before);
  const auto new_findings = report::read_known_file(after);
  for (const auto* one : {&old_findings, &new_findings})
    if (!*one) {
      complain(one->error().text());
      return kWrong;
    }
  const report::Difference difference = report::difference(old_findings.value(), new_findings.value());
  Output out;
  if (!quiet) {
    print_all("new", difference.fresh, out);
    print_all("gone", difference.gone, out);
    print_all("unchanged", difference.unchanged, out);
  }
  out.print("{} new, {} gone, {} unchanged\n", difference.fresh.size(), difference.gone.size(),
            difference.unchanged.size());
  if (const int status = out.finish(); status != kFine) return status;
  return difference.fresh.empty() ? kFine : exit_code;
}

} // namespace sooth::cli
