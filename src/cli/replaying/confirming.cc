#include "cli/replaying/confirming.h"

#include <algorithm>
#include <chrono>
#include <sstream>

#include <fmt/format.h>

#include "cli/replaying/replaying.h"
#include "report/between/processes.h"

namespace sooth::cli {

namespace {

void put_outcome(report::FindingText& finding, const replay::Script& script, const Replayed& replayed) {
  if (!replayed.confirmed) {
    finding.diverged = replayed.why;
    if (replayed.followed < script.steps.size())
      finding.diverged += fmt::format("; expected {}", replay::phrase(script.steps[replayed.followed]));
    return;
  }
  finding.status = witness::Status::Confirmed;
  std::istringstream lines(replay_text(script, replayed));
  std::string line;
  std::getline(lines, line); // the headline
  while (std::getline(lines, line)) finding.replayed.push_back(line.substr(std::min<std::size_t>(2, line.size())));
  if (!finding.pairs.empty()) finding.pairs.front().status = witness::Status::Confirmed;
}

void confirm_one(report::FindingText& finding, const std::vector<std::string>& command, double watchdog) {
  const auto script = replay::parse_script(finding.script, "witness");
  if (!script) {
    finding.diverged = script.error().text();
    return;
  }
  ReplayOptions options;
  options.watchdog = watchdog;
  options.silent = true;
  const auto replayed = replay_script(script.value(), command, options);
  if (replayed) put_outcome(finding, script.value(), replayed.value());
  else finding.diverged = replayed.error().text();
}

} // namespace

void confirm(report::Report& report, const std::vector<std::string>& command, const ConfirmOptions& options) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  for (report::FindingText& finding : report.findings) {
    if (finding.status != witness::Status::Predicted) continue;
    const double left = options.budget - std::chrono::duration<double>(Clock::now() - begin).count();
    if (report::is_of_child(report, finding))
      finding.diverged = "not replayed: it is in a child process, and a replay follows the first process";
    else if (finding.script.empty()) finding.diverged = "the finding has no schedule: the trace was analysed in pieces";
    else if (left <= 0) finding.diverged = "not replayed: the time for replays was up (--confirm-budget)";
    else confirm_one(finding, command, std::min(options.watchdog, left));
  }
}

} // namespace sooth::cli
