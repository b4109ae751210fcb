// `sooth compare`: the findings of each causal model in one trace, as a table.
#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "analysis/find.h"
#include "base/interrupt.h"
#include "cli/analysing.h"
#include "cli/attempts.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/parser.h"
#include "cli/terminal/progress.h"
#include "report/groups.h"
#include "report/names.h"

namespace sooth::cli {

namespace {

// The results of one model.
struct Row {
  std::string_view model;
  std::string_view sentence;
  std::string refused; // why the model does not apply; then the rest is empty
  std::map<std::string_view, std::uint64_t> kinds;
  std::uint64_t findings = 0;
  std::uint64_t pairs = 0; // of lines
  std::uint64_t undecided = 0;
  std::uint64_t rejected = 0;
  double seconds = 0;
};

// Counts one finding for each variable and pair of functions, as reports do, or for each pair of
// lines.
void count(const analysis::Prepared& prepared, const std::vector<witness::Finding>& found, bool each, Row& row) {
  row.pairs = found.size();
  if (each)
    for (const witness::Finding& finding : found) ++row.kinds[report::row_of(finding.kind).name];
  else
    for (const report::FindingGroup& group : report::group_findings(prepared.trace, found))
      ++row.kinds[report::row_of(found[group.members.front()].kind).name];
  for (const auto& [kind, findings] : row.kinds) row.findings += findings;
}

Row compare_one(const analysis::Prepared& prepared, analysis::Options options, const report::ModelRow& model) {
  Row row;
  row.model = model.name;
  row.sentence = model.sentence;
  options.model = options.properties.model = model.name;
  const auto start = std::chrono::steady_clock::now();
  // Each model gets the whole time.
  analysis::Spending spending(options.limits.seconds, analysis::memory_limit(options));
  ProgressLine line("looking");
  auto found = analysis::find_all(prepared, options, spending, line);
  row.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!found) {
    row.refused = found.error().message;
    return row;
  }
  count(prepared, found->accepted, options.each, row);
  row.undecided = found->coverage.undecided;
  row.rejected = found->objections.size();
  for (const std::string& objection : found->objections) complain("internal error: " + objection);
  return row;
}

// A column for each kind that some model found.
std::vector<std::string_view> columns(const std::vector<Row>& rows) {
  std::vector<std::string_view> out;
  for (const report::KindRow& kind : report::kind_rows())
    for (const Row& row : rows)
      if (row.kinds.contains(kind.name)) {
        out.push_back(kind.name);
        break;
      }
  return out;
}

void print_text(const std::vector<Row>& rows, Output& out) {
  const std::vector<std::string_view> kinds = columns(rows);
  out.print("{:<10}", "model");
  for (const std::string_view kind : kinds) out.print(" {:>{}}", kind, std::max<std::size_t>(kind.size(), 6));
  out.print(" {:>8} {:>8} {:>9} {:>9}\n", "findings", "lines", "undecided", "seconds");
  for (const Row& row : rows) {
    out.print("{:<10}", row.model);
    if (!row.refused.empty()) {
      out.print(" {}\n", row.refused);
      continue;
    }
    for (const std::string_view kind : kinds) {
      const auto it = row.kinds.find(kind);
      out.print(" {:>{}}", it == row.kinds.end() ? 0 : it->second, std::max<std::size_t>(kind.size(), 6));
    }
    out.print(" {:>8} {:>8} {:>9} {:>9.2f}\n", row.findings, row.pairs, row.undecided, row.seconds);
  }
}

void print_json(const std::vector<Row>& rows, const std::string& file, Output& out) {
  nlohmann::ordered_json json;
  json["sooth"] = SOOTH_VERSION;
  json["trace"] = file;
  json["models"] = nlohmann::ordered_json::array();
  for (const Row& row : rows) {
    nlohmann::ordered_json one = {{"model", row.model}, {"sentence", row.sentence}};
    if (!row.refused.empty()) one["refused"] = row.refused;
    else {
      one["findings"] = row.findings;
      one["pairs"] = row.pairs;
      one["kinds"] = nlohmann::ordered_json::object();
      for (const auto& [kind, count] : row.kinds) one["kinds"][std::string(kind)] = count;
      one["undecided"] = row.undecided;
      one["rejected"] = row.rejected;
      one["seconds"] = row.seconds;
    }
    json["models"].push_back(std::move(one));
  }
  out.print("{}\n", json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

int tell_interrupted(std::size_t models) {
  complain(fmt::format("interrupted: {} of {} models were looked at, the last one only in part.", models,
                       report::model_rows().size()));
  return kUnanswered;
}

} // namespace

int run_compare(int argc, char** argv) {
  std::string file;
  bool json = false;
  analysis::Options options;
  options.of_the_model_only = true;
  Parser parser(
      "compare",
      "Count what each causal model finds in a trace, from the strictest to the most permissive. What is the\n"
      "same under every model (races of the recorded run by the C++ memory model) is left out.",
      "  sooth compare bank.sooth\n"
      "  sooth compare bank.sooth --find races --json\n"
      "  sooth compare landing.sooth --property landing.prop\n");
  parser.add_option("trace", file, "The trace file")->required()->type_name("T.sooth");
  parser.add_option("--property", options.properties.file, "Also count violations of this file's properties")
      ->type_name("P.prop");
  parser.add_flag("--json", json, "The result as one JSON object");
  add_search_options(parser, options);
  if (const auto status = parser.parse_all(argc, argv)) return *status;
  if (const std::string wrong = analysis::check(options); !wrong.empty()) {
    complain(wrong);
    return kWrong;
  }
  // For reading and preparing.
  analysis::Spending spending(options.limits.seconds, analysis::memory_limit(options));
  const auto compare = [&](const BeginTelling& begin) -> int {
    analysis::Reading reading(options, spending);
    auto prepared = [&]() -> Result<std::unique_ptr<analysis::Prepared>> {
      ProgressLine line("verifying the trace");
      if (auto error = reading.open(file)) return *error;
      trace::Trace trace = reading.rest();
      complain_all(trace.notes);
      return analysis::prepare(std::move(trace), spending, line, reading.left_out);
    }();
    if (!prepared) {
      complain(prepared.error().file.empty() ? fmt::format("{}: {}", file, prepared.error().message)
                                             : prepared.error().text());
      return kWrong;
    }
    const analysis::LeftOut& gone = (*prepared)->left_out;
    if (gone.any())
      complain(
          fmt::format("only the first {} events are compared: more needs more time (--budget) or memory (--memory).",
                      (*prepared)->trace.events.size()));
    if (spending.looks) spending.looks();
    std::vector<Row> rows;
    for (const report::ModelRow& model : report::model_rows()) {
      if (was_interrupted()) break;
      rows.push_back(compare_one(**prepared, options, model));
    }
    begin();
    Output out;
    if (json) print_json(rows, file, out);
    else print_text(rows, out);
    const int status = out.finish();
    return was_interrupted() && status == kFine ? tell_interrupted(rows.size()) : status;
  };
  return end_like(within_memory(spending, compare, [] { return tell_interrupted(0); }));
}

} // namespace sooth::cli
