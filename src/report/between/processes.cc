#include "report/between/processes.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace sooth::report {

namespace {

constexpr std::size_t kShown = 8;

std::string listed(const std::vector<std::string>& names) {
  const auto end = names.begin() + static_cast<std::ptrdiff_t>(std::min(kShown, names.size()));
  std::string out = fmt::format("{}", fmt::join(names.begin(), end, ", "));
  if (names.size() > kShown) out += fmt::format(", {} more", names.size() - kShown);
  return out;
}

void add(Coverage& coverage, std::string name, const std::vector<std::string>& of, std::string sentence,
         bool complete) {
  if (of.empty()) return;
  coverage.complete = coverage.complete && complete;
  coverage.gaps.push_back({std::move(name), of.size(), std::move(sentence), complete, listed(of)});
}

std::string process_text(std::uint64_t number) { return fmt::format("process {}", number); }

} // namespace

bool is_of_child(const Report& report, const FindingText& finding) {
  return finding.trace < report.traces.size() && report.traces[finding.trace].child;
}

void tell_processes(Report& report) {
  std::vector<TraceText> traces = report.traces;
  if (traces.empty()) traces.push_back({.process = report.process});
  // Children of processes in this report.
  std::set<std::uint64_t> made(report.processes_left_out.begin(), report.processes_left_out.end());
  std::map<std::uint64_t, std::pair<std::size_t, std::size_t>> known; // traces, and how many end in exec
  std::vector<std::string> children, left_out, others, went_on;
  for (const TraceText& trace : traces) {
    made.insert(trace.process.forked.begin(), trace.process.forked.end());
    if (trace.process.number == 0) continue;
    auto& [all, execs] = known[trace.process.number];
    ++all;
    execs += trace.process.became_another ? 1 : 0;
    if (trace.child) children.push_back(trace.file);
    if (trace.child) made.insert(trace.process.number);
  }
  for (const std::uint64_t child : made)
    if (!known.contains(child)) left_out.push_back(process_text(child));
  for (const auto& [number, counts] : known)
    if (counts.second == counts.first) (made.contains(number) ? others : went_on).push_back(process_text(number));
  Coverage& coverage = report.coverage;
  add(coverage, "childrenLeftOut", left_out,
      "child processes are not in this report: there is no trace of them here, or no time was left (--budget)", false);
  add(coverage, "becameAnother", went_on, "processes became another program (exec), of which there is no trace here",
      false);
  add(coverage, "childProcesses", children, "child processes are in this report, too", true);
  add(coverage, "otherPrograms", others, "child processes became another program (exec) that was not built with Sooth",
      true);
}

} // namespace sooth::report
