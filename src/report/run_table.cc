#include "report/run_table.h"

#include <algorithm>

#include <fmt/format.h>

#include "report/phrases.h"
#include "report/terminal/table.h"

namespace sooth::report {

namespace {

struct Row {
  std::string step, thread, what, where, observed, state, mark;
};

std::string where_text(const Spot& spot) {
  if (spot.file.empty()) return spot.function;
  if (spot.line != 0) return fmt::format("{}:{}", spot.file, spot.line);
  return spot.function.empty() ? spot.file : spot.function; // an optimiser merged accesses of several lines
}

class RunTableWriter {
public:
  RunTableWriter(const FindingText& finding, bool color) : finding_(finding), run_(finding.run), color_(color) {}

  std::string write() {
    std::string out = fmt::format("  {}: {}\n\n  {}\n", run_.place, run_.rule, title());
    make_rows();
    const auto widest = [&](auto field) {
      std::size_t most = 0;
      for (const Row& row : rows_) most = std::max(most, width(row.*field));
      return most;
    };
    const std::size_t step = widest(&Row::step), thread = widest(&Row::thread), what = widest(&Row::what),
                      where = widest(&Row::where), observed = widest(&Row::observed), state = widest(&Row::state);
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      const Row& row = rows_[r];
      std::string line = "    " + padded(row.step, step) + "  " + padded(row.thread, thread) + "  " +
                         padded(row.what, what) + "  " + padded(row.where, where);
      if (is_other_run()) line += "  | " + padded(row.observed, observed) + "  |";
      line += "  " + (row.mark.empty() ? row.state : padded(row.state, state) + "  " + row.mark);
      line.erase(line.find_last_not_of(' ') + 1);
      out += is_marked(row) && color_ ? "\033[1;31m" + line + "\033[0m\n" : line + "\n";
      if (r == 1 && run_.skipped != 0) out += fmt::format("    ... {} steps ...\n", run_.skipped);
    }
    return out + doubt();
  }

  // Warns that the recorded order of two steps is a guess.
  std::string doubt() const {
    if (run_.unordered.size() != 2) return {};
    const auto named = [&](const RunStepText& step) {
      const std::string where = where_text(step.spot);
      return fmt::format("`{}` of {}{}", step.what, thread_phrase(finding_, step.thread),
                         where.empty() ? "" : " at " + where);
    };
    return fmt::format(
        "\n  The recording does not tell which came first, {}\n  or {}: nothing synchronises them.\n  {}\n",
        named(run_.unordered[0]), named(run_.unordered[1]),
        finding_.status == witness::Status::Observed ? "The property fails in every order that it allows."
                                                     : "The observed order is one of those that it allows.");
  }

private:
  bool is_other_run() const { return finding_.status != witness::Status::Observed && run_.steps.size() > 1; }
  bool is_loop() const { return run_.repeated != 0; }
  static bool is_marked(const Row& row) { return row.mark.starts_with("<-"); }

  const char* title() const {
    if (is_loop()) return "a run that could go on for ever";
    if (finding_.status != witness::Status::Observed) return "a run that violates it";
    return run_.unordered.empty() ? "the observed run" : "the observed run, in an order that the recording allows";
  }

  void make_rows() {
    rows_.push_back({"step", "thread", "what", "where", "observed order", run_.initial.empty() ? "" : "state", ""});
    rows_.push_back({"", "", run_.steps.empty() ? "nothing has happened" : "initially", "", "", run_.initial, ""});
    std::vector<const RunStepText*> observed;
    observed.reserve(run_.steps.size());
    for (const RunStepText& step : run_.steps) observed.push_back(&step);
    std::ranges::sort(observed, {}, &RunStepText::observed);
    for (std::size_t k = 0; k < run_.steps.size(); ++k) {
      const RunStepText& step = run_.steps[k];
      const RunStepText& beside = *observed[k];
      rows_.push_back({fmt::format("{}", run_.skipped + k + 1), thread_phrase(finding_, step.thread), step.what,
                       where_text(step.spot),
                       fmt::format("{}. thread {}  {}", beside.observed, beside.thread, beside.what), step.state,
                       mark(k)});
    }
    if (run_.steps.empty()) rows_.back().mark = "<- fails here";
  }

  std::string mark(std::size_t k) const {
    const bool last = k + 1 == run_.steps.size();
    if (!is_loop()) return last ? "<- fails here" : "";
    if (k + run_.repeated < run_.steps.size()) return "";
    return last ? "<- as before step " + fmt::format("{}", run_.skipped + k + 2 - run_.repeated) : "again and again";
  }

  const FindingText& finding_;
  const RunText& run_;
  bool color_;
  std::vector<Row> rows_;
};

} // namespace

std::string run_table(const FindingText& finding, bool color) { return RunTableWriter(finding, color).write(); }
std::string doubt_text(const FindingText& finding) { return RunTableWriter(finding, false).doubt(); }

} // namespace sooth::report
