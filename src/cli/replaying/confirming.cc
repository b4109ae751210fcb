#include "cli/replaying/confirming.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <sstream>
#include <thread>

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

// What the runs got from outside, by trace; read once.
class InputsOfRuns {
public:
  InputsOfRuns(const report::Report& report, const std::vector<std::string>& traces) {
    const std::size_t runs = std::max<std::size_t>(1, report.traces.size());
    for (std::size_t i = 0; i < runs && i < traces.size(); ++i) {
      auto inputs = replay::read_inputs(traces[i]);
      all_.push_back(inputs ? std::move(inputs.value()) : replay::RecordedInputs{});
    }
  }
  const replay::RecordedInputs* of(const report::FindingText& finding) const {
    return finding.trace < all_.size() && all_[finding.trace].threads != 0 ? &all_[finding.trace] : nullptr;
  }

private:
  std::vector<replay::RecordedInputs> all_;
};

// All replays together.
class Confirming {
public:
  Confirming(report::Report& report, const std::vector<std::string>& command, const ConfirmOptions& options)
      : report_(report), command_(command), options_(options), inputs_(report, options.traces), begin_(Clock::now()) {}

  void run() {
    std::vector<report::FindingText*> wanted;
    for (report::FindingText& finding : report_.findings)
      if (finding.status == witness::Status::Predicted && can_be_replayed(finding)) wanted.push_back(&finding);
    const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
    const std::size_t workers = std::min(wanted.size(), options_.jobs != 0 ? options_.jobs : cores);
    if (workers <= 1) return replay_all(wanted);
    replay_together(wanted, workers);
    // Two of them may have been in each other's way: one file, one port. Those get another try,
    // alone.
    std::erase_if(wanted, [](const report::FindingText* finding) { return finding->diverged.empty(); });
    replay_all(wanted);
  }

private:
  using Clock = std::chrono::steady_clock;

  bool can_be_replayed(report::FindingText& finding) const {
    if (report::is_of_child(report_, finding))
      finding.diverged = "not replayed: it is in a child process, and a replay follows the first process";
    else if (finding.script.empty()) finding.diverged = "the finding has no schedule: the trace was analysed in pieces";
    return finding.diverged.empty();
  }
  double left() const { return options_.budget - std::chrono::duration<double>(Clock::now() - begin_).count(); }

  void replay_all(const std::vector<report::FindingText*>& wanted) {
    for (report::FindingText* finding : wanted) replay_one(*finding);
  }
  void replay_together(const std::vector<report::FindingText*>& wanted, std::size_t workers) {
    std::atomic<std::size_t> next{0};
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < workers; ++i)
      threads.emplace_back([&] {
        for (std::size_t at; (at = next++) < wanted.size();) replay_one(*wanted[at]);
      });
    for (std::thread& thread : threads) thread.join();
  }
  void replay_one(report::FindingText& finding) const {
    if (left() <= 0) {
      if (finding.diverged.empty()) finding.diverged = "not replayed: the time for replays was up (--confirm-budget)";
      return;
    }
    finding.diverged.clear();
    const auto script = replay::parse_script(finding.script, "witness");
    if (!script) {
      finding.diverged = script.error().text();
      return;
    }
    ReplayOptions options;
    options.watchdog = std::min(options_.watchdog, left());
    options.most = left();
    options.silent = true;
    options.inputs = inputs_.of(finding);
    const auto replayed = replay_script(script.value(), command_, options);
    if (replayed) put_outcome(finding, script.value(), replayed.value());
    else finding.diverged = replayed.error().text();
  }

  report::Report& report_;
  const std::vector<std::string>& command_;
  const ConfirmOptions& options_;
  InputsOfRuns inputs_;
  Clock::time_point begin_;
};

} // namespace

void confirm(report::Report& report, const std::vector<std::string>& command, const ConfirmOptions& options) {
  Confirming(report, command, options).run();
}

} // namespace sooth::cli
