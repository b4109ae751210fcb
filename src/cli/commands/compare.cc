// `sooth compare`: what each causal model finds in one trace, as a table.
#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "analysis/find.h"
#include "cli/analysing.h"
#include "cli/attempts.h"
#include "cli/command.h"
#include "cli/load.h"
#include "cli/output.h"
#include "cli/parser.h"
#include "cli/progress.h"
#include "report/names.h"
#include "survey/sharing.h"

namespace sooth::cli {

namespace {

// What one model found.
struct Row {
  std::string_view model;
  std::string_view sentence;
  std::string refused; // why the model does not apply; then there is nothing else
  std::map<std::string_view, std::uint64_t> kinds;
  std::uint64_t findings = 0;
  std::uint64_t undecided = 0;
  std::uint64_t rejected = 0;
  double seconds = 0;
};

Row compare_one(const analysis::Prepared& prepared, analysis::Options options, const report::ModelRow& model) {
  Row row;
  row.model = model.name;
  row.sentence = model.sentence;
  options.model = model.name;
  const auto start = std::chrono::steady_clock::now();
  // For each model a time of its own.
  const analysis::Spending spending(options.limits.seconds, analysis::memory_limit(options));
  ProgressLine line("looking");
  auto found = analysis::find_all(prepared, options, spending, line);
  row.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!found) {
    row.refused = found.error().message;
    return row;
  }
  for (const witness::Finding& finding : found->accepted) ++row.kinds[report::row_of(finding.kind).name];
  row.findings = found->accepted.size();
  row.undecided = found->coverage.undecided;
  row.rejected = found->objections.size();
  for (const std::string& objection : found->objections) complain("internal error: " + objection);
  return row;
}

// A column for each kind that somebody found.
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
  out.print(" {:>8} {:>9} {:>9}\n", "findings", "undecided", "seconds");
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
    out.print(" {:>8} {:>9} {:>9.2f}\n", row.findings, row.undecided, row.seconds);
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
      "  sooth compare bank.sooth --find races --json\n");
  parser.add_option("trace", file, "The trace file")->required()->type_name("T.sooth");
  parser.add_flag("--json", json, "The result as one JSON object");
  add_search_options(parser, options);
  if (const auto status = parser.parse_all(argc, argv)) return *status;
  if (const std::string wrong = analysis::check(options); !wrong.empty()) {
    complain(wrong);
    return kWrong;
  }
  // For reading and preparing.
  analysis::Spending spending(options.limits.seconds, analysis::memory_limit(options));
  return end_like(within_memory(spending, [&](const BeginTelling& begin) -> int {
    analysis::LeftOut left_out;
    survey::Sharing sharing(!options.atomic.empty());
    auto trace = load_in_time(file, spending, left_out, &sharing);
    if (!trace) return kWrong;
    auto prepared = [&] {
      ProgressLine line("verifying the trace");
      return analysis::prepare(std::move(*trace), spending, line, left_out);
    }();
    if (!prepared) {
      complain(fmt::format("{}: {}", file, prepared.error().message));
      return kWrong;
    }
    const analysis::LeftOut& gone = (*prepared)->left_out;
    if (gone.unread || gone.for_time != 0 || gone.for_memory != 0)
      complain(
          fmt::format("only the first {} events are compared: more needs more time (--budget) or memory (--memory).",
                      (*prepared)->trace.events.size()));
    std::vector<Row> rows;
    for (const report::ModelRow& model : report::model_rows()) rows.push_back(compare_one(**prepared, options, model));
    begin();
    Output out;
    if (json) print_json(rows, file, out);
    else print_text(rows, out);
    return out.finish();
  }));
}

} // namespace sooth::cli
