// `sooth verify`: is the trace legal?
#include <string>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/parser.h"
#include "cli/trace_within.h"
#include "report/event_text.h"
#include "report/terminal/printable.h"
#include "trace/verify.h"

namespace sooth::cli {

using trace::Problem;
using trace::Trace;
using trace::VerifyReport;

namespace {

const trace::RuleRow& row_of(trace::Rule rule) { return trace::rule_rows()[static_cast<std::size_t>(rule)]; }

void print_text(const Trace& trace, const VerifyReport& report, Output& out) {
  report::Narrator narrator(trace);
  std::size_t followed = 0;
  for (const Problem& problem : report.problems) { // in the order of the trace
    while (followed <= problem.event) narrator.follow(followed++);
    const std::string place = narrator.place_text();
    out.print("event {}: {} [{}]{}\n", problem.event, report::printable(problem.sentence, std::string::npos),
              row_of(problem.rule).name,
              place.empty() ? ""
                            : fmt::format("\n    at {}{}", place,
                                          narrator.function().empty() ? "" : " in " + narrator.function()));
  }
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

void print_json(const Trace& trace, const VerifyReport& report, Output& out) {
  nlohmann::ordered_json json;
  json["legal"] = report.legal();
  json["degraded"] = report.degraded;
  json["events"] = report.events;
  json["comparedBytes"] = report.compared_bytes;
  json["externalWrites"] = report.external_writes;
  json["spuriousWakes"] = report.spurious_wakes;
  json["problems"] = nlohmann::ordered_json::array();
  report::Narrator narrator(trace);
  std::size_t followed = 0;
  for (const Problem& problem : report.problems) {
    while (followed <= problem.event) narrator.follow(followed++);
    nlohmann::ordered_json one;
    one["event"] = problem.event;
    one["rule"] = row_of(problem.rule).name;
    one["sentence"] = problem.sentence;
    one["file"] = narrator.place().file;
    one["line"] = narrator.place().line;
    one["function"] = narrator.place().function;
    json["problems"].push_back(std::move(one));
  }
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
      "children follow their fork, joins follow ends. Exit status: 0 legal, 2 illegal or unreadable.",
      "  sooth verify bank.sooth\n"
      "  sooth verify bank.sooth --json\n");
  parser.add_option("trace", file, "The trace file")->required()->type_name("T.sooth");
  parser.add_flag("--json", json, "The result as one JSON object");
  parser.add_option("--problems", most, "Describe at most N problems")->type_name("N")->show_default();
  add_memory_option(parser, memory);
  if (const auto status = parser.parse_all(argc, argv)) return *status;

  return with_trace(file, memory, [&](const Trace& trace, const BeginTelling& begin) {
    const VerifyReport report = trace::verify(trace, most);
    begin();
    Output out;
    if (json) print_json(trace, report, out);
    else print_text(trace, report, out);
    const int status = out.finish();
    return report.legal() ? status : kWrong;
  });
}

} // namespace sooth::cli
