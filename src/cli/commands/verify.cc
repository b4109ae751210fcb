// `sooth verify`: is the trace legal? What the program itself did wrong with a lock is no fault of
// the trace: it is told, and the lock is set aside, as `sooth check` does.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/parser.h"
#include "cli/trace_within.h"
#include "predict/misuse/misuse.h"
#include "report/event_text.h"
#include "report/terminal/printable.h"
#include "trace/verify.h"

namespace sooth::cli {

using trace::Problem;
using trace::Trace;
using trace::VerifyReport;

namespace {

const trace::RuleRow& row_of(trace::Rule rule) { return trace::rule_rows()[static_cast<std::size_t>(rule)]; }

struct Verdict {
  VerifyReport report;
  std::vector<Problem> misuse; // of the program
};

Verdict judge(const Trace& trace, std::size_t most) {
  Verdict out{trace::verify(trace, std::max<std::size_t>(most, 1)), {}};
  std::optional<Trace> without; // the locks that were set aside
  while (!out.report.legal() && out.misuse.size() < predict::kMaxSetAside) {
    const Problem problem = out.report.problems.front();
    const auto misused = predict::misuse_of(trace, problem);
    if (!misused) break;
    out.misuse.push_back(problem);
    if (!without) without = trace;
    predict::set_aside(*without, misused->address);
    out.report = trace::verify(*without, std::max<std::size_t>(most, 1));
  }
  if (out.report.problems.size() > most) out.report.problems.resize(most);
  return out;
}

void print_problems(const Trace& trace, std::vector<Problem> problems, Output& out) {
  report::Narrator narrator(trace);
  std::size_t followed = 0;
  std::ranges::sort(problems, {}, &Problem::event);
  for (const Problem& problem : problems) {
    while (followed <= problem.event) narrator.follow(followed++);
    const std::string place = narrator.place_text();
    out.print("event {}: {} [{}]{}\n", problem.event, report::printable(problem.sentence, std::string::npos),
              row_of(problem.rule).name,
              place.empty() ? ""
                            : fmt::format("\n    at {}{}", place,
                                          narrator.function().empty() ? "" : " in " + narrator.function()));
  }
}

void print_text(const Trace& trace, const Verdict& verdict, Output& out) {
  const VerifyReport& report = verdict.report;
  std::vector<Problem> problems = report.problems;
  problems.insert(problems.end(), verdict.misuse.begin(), verdict.misuse.end());
  print_problems(trace, std::move(problems), out);
  if (!verdict.misuse.empty())
    out.print("misuse: {} by the program; not judged further (`sooth check` reports it)\n",
              counted(verdict.misuse.size(), "lock"));
  for (const std::string& remark : report.remarks) out.print("note: {}\n", remark);
  if (!report.legal()) {
    const std::uint64_t count = report.broken_count();
    if (count > report.problems.size()) out.print("... and {} more:\n", count - report.problems.size());
    for (const trace::RuleRow& row : trace::rule_rows())
      if (const std::uint64_t n = report.broken[static_cast<std::size_t>(row.rule)]; n != 0)
        out.print("  {:>8} x {}: {}\n", n, row.name, row.demand);
    out.print("illegal: {} in {}\n", counted(count, "problem"), counted(report.events, "event"));
    return;
  }
  out.print("legal: {} of {}, {} of reads compared with their last write, {}, {}\n", counted(report.events, "event"),
            counted(trace.threads.size(), "thread"), counted(report.compared_bytes, "byte"),
            counted(report.external_writes, "external write"), counted(report.spurious_wakes, "spurious wake"));
}

nlohmann::ordered_json problems_json(const Trace& trace, const std::vector<Problem>& problems) {
  auto out = nlohmann::ordered_json::array();
  report::Narrator narrator(trace);
  std::size_t followed = 0;
  for (const Problem& problem : problems) {
    while (followed <= problem.event) narrator.follow(followed++);
    nlohmann::ordered_json one;
    one["event"] = problem.event;
    one["rule"] = row_of(problem.rule).name;
    one["sentence"] = problem.sentence;
    one["file"] = narrator.place().file;
    one["line"] = narrator.place().line;
    one["function"] = narrator.place().function;
    out.push_back(std::move(one));
  }
  return out;
}

void print_json(const Trace& trace, const Verdict& verdict, Output& out) {
  const VerifyReport& report = verdict.report;
  nlohmann::ordered_json json;
  json["legal"] = report.legal();
  json["degraded"] = report.degraded;
  json["events"] = report.events;
  json["comparedBytes"] = report.compared_bytes;
  json["externalWrites"] = report.external_writes;
  json["spuriousWakes"] = report.spurious_wakes;
  json["problems"] = problems_json(trace, report.problems);
  std::vector<Problem> misuse = verdict.misuse;
  std::ranges::sort(misuse, {}, &Problem::event);
  json["misuse"] = problems_json(trace, misuse);
  json["rules"] = nlohmann::ordered_json::object();
  for (const trace::RuleRow& row : trace::rule_rows()) {
    const auto number = static_cast<std::size_t>(row.rule);
    json["rules"][std::string(row.name)] = {{"broken", report.broken[number]}, {"notJudged", report.unjudged[number]}};
  }
  json["notes"] = report.remarks;
  out.print("{}\n", json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

} // namespace

int run_verify(int argc, char** argv) {
  std::string file, memory;
  bool json = false;
  std::size_t most = 20;
  Parser parser(
      "verify",
      "Check that a trace is legal: each read returns the last write, locks exclude, wake-ups follow signals,\n"
      "children follow their fork, joins follow ends. A lock that the program misuses (unlocks without having it)\n"
      "is told and set aside. Exit status: 0 legal, 2 illegal or unreadable.",
      "  sooth verify bank.sooth\n"
      "  sooth verify bank.sooth --json\n");
  parser.add_option("trace", file, "The trace file")->required()->type_name("T.sooth");
  parser.add_flag("--json", json, "The result as one JSON object");
  parser.add_option("--problems", most, "Describe at most N problems")->type_name("N")->show_default();
  add_memory_option(parser, memory);
  if (const auto status = parser.parse_all(argc, argv)) return *status;

  return with_trace(file, memory, [&](const Trace& trace, const BeginTelling& begin) {
    const Verdict verdict = judge(trace, most);
    begin();
    Output out;
    if (json) print_json(trace, verdict, out);
    else print_text(trace, verdict, out);
    const int status = out.finish();
    return verdict.report.legal() ? status : kWrong;
  });
}

} // namespace sooth::cli
