#include "cli/analysis.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <utility>

#include <unistd.h>

#include "cli/command.h"
#include "cli/coverage.h"
#include "cli/engines.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "predict/crashes.h"
#include "predict/sliced_feasibility.h"
#include "predict/unrecorded.h"
#include "report/describe.h"
#include "report/held_locks.h"
#include "report/json.h"
#include "report/names.h"
#include "report/suppressions.h"
#include "report/text.h"
#include "trace/lost.h"
#include "witness/check.h"

namespace sooth::cli {

using trace::Trace;
using witness::Finding;

namespace {

constexpr double kLeastSeconds = 1; // for what has to be done in any case

std::vector<std::string> words_of(const std::string& list) {
  std::vector<std::string> out;
  std::istringstream in(list);
  for (std::string word; std::getline(in, word, ',');)
    if (!word.empty()) out.push_back(word);
  return out;
}

std::string model_names() {
  std::string out;
  for (const report::ModelRow& row : report::model_rows())
    out += fmt::format("{}{}", out.empty() ? "" : ", ", row.name);
  return out;
}

std::vector<std::string> wanted_words(const AnalysisOptions& options) {
  if (!options.find.empty()) return words_of(options.find);
  return options.properties.file.empty() ? find_words() : std::vector<std::string>{"properties"};
}

// Seed 004, section 5: taken as atomic sets, an acquire without its release could stand anywhere.
bool some_lock_is_never_released(const Trace& trace) {
  report::HeldLocks locks(trace.threads.size());
  for (std::uint32_t i = 0; i < trace.events.size(); ++i) locks.follow(trace.events[i], i);
  for (std::uint32_t thread = 0; thread < trace.threads.size(); ++thread)
    if (!locks.of(thread).empty()) return true;
  return false;
}

// The checker shares nothing with the engines; what it rejects is a mistake of ours, and is not shown.
// It is paid for by a part of the budget of its own: what was found is worth it.
void check_witnesses(const Prepared& prepared, std::vector<Finding> found, double seconds, Findings& out) {
  if (found.empty()) return;
  const Budget budget(seconds > 0 ? std::max(seconds / 4, kLeastSeconds) : 0);
  witness::Checker checker(prepared.trace, &prepared.objects);
  // The checker follows the recorded run once, from one witness to the next.
  std::vector<std::size_t> order(found.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(found[a].witness.observed, a) < std::pair(found[b].witness.observed, b);
  });
  std::vector<std::optional<std::string>> objections(found.size());
  std::vector<bool> checked(found.size(), false);
  for (const std::size_t i : order) {
    if (budget.spent() != nullptr) break;
    objections[i] = checker.objection(found[i]);
    checked[i] = true;
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!checked[i])
      out.coverage.undecided_about(found[i].kind, std::move(found[i].places), "there was no time to check the witness");
    else if (objections[i])
      out.objections.push_back(
          fmt::format("{} by {}: {}", report::row_of(found[i].kind).name, found[i].engine, *objections[i]));
    else out.accepted.push_back(std::move(found[i]));
  }
}

Result<std::vector<report::Suppression>> read_suppressions(const std::string& path) {
  if (path.empty()) return std::vector<report::Suppression>{};
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) return Error{"cannot read the suppressions.", path};
  return report::parse_suppressions(std::move(text).str(), path);
}

// Candidates are described as findings are, but stand apart.
void describe_candidates(const Trace& trace, const predict::Coverage& coverage, const report::OriginalAddress& original,
                         report::Report& report) {
  std::vector<Finding> listed;
  for (const predict::Candidate& candidate : coverage.listed) {
    Finding finding;
    finding.kind = candidate.kind;
    finding.places = candidate.places;
    finding.note = candidate.reason;
    listed.push_back(std::move(finding));
  }
  report::Report apart;
  report::describe(trace, listed, original, apart);
  report.candidates = std::move(apart.findings);
}

bool write_file(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << text;
  out.flush();
  if (out) return true;
  complain(fmt::format("cannot write {}: {}.", path, std::strerror(errno)));
  return false;
}

} // namespace

void add_search_options(Parser& parser, AnalysisOptions& options) {
  std::string words;
  for (const std::string& word : find_words()) words += fmt::format("{}{}", words.empty() ? "" : ",", word);
  parser.add_option("--find", options.find, "What to look for; all of " + words + " if not given")->type_name("KINDS");
  parser.add_option("--atomic", options.atomic, "Functions that are meant to be atomic; `*` stands for letters")
      ->type_name("GLOB")
      ->one_value();
  parser.add_option("--window", options.limits.window, "Search the complete tier within N steps")
      ->type_name("N")
      ->at_least(1)
      ->show_default();
  options.limits.seconds = kDefaultSeconds;
  parser
      .add_option("--budget", options.limits.seconds, "Stop after so many seconds, and say what is undecided; 0: never")
      ->type_name("SECONDS")
      ->show_default()
      ->at_least(0);
  add_memory_option(parser, options.properties);
  parser.add_option("--jobs", options.limits.jobs, "Use N threads; 0: one for each processor")
      ->type_name("N")
      ->at_least(0)
      ->show_default();
}

void add_analysis_options(Parser& parser, AnalysisOptions& options) {
  add_search_options(parser, options);
  parser
      .add_option("--model", options.model,
                  "Which other runs there are: " + model_names() +
                      "; if not given, full for a trace with static facts, else maximal")
      ->type_name("MODEL")
      ->each([&options](const std::string& name) { options.properties.model = name; });
  add_property_options(parser, options.properties);
  parser.add_option("--json", options.json, "Write the report as JSON (docs/report.md)")->type_name("FILE");
  parser.add_option("--suppressions", options.suppressions, "Findings to leave out, as ThreadSanitizer has them")
      ->type_name("FILE");
  parser.add_flag("--candidates", options.candidates,
                  "List, apart, what might be an error but is not proved: undecided ones, and pairs of accesses\n"
                  "that no lock and no order keeps apart although no run has both");
  parser.add_option("--exit-code", options.exit_code, "Exit status if something was found")
      ->type_name("N")
      ->show_default()
      ->within(0, 255);
}

std::string check_analysis_options(const AnalysisOptions& options) {
  std::vector<std::string> known = find_words();
  known.emplace_back("properties");
  for (const std::string& word : words_of(options.find))
    if (std::find(known.begin(), known.end(), word) == known.end())
      return fmt::format("there is nothing called `{}` to find; there are {}.", word, fmt::join(known, ", "));
  const auto model = report::model_named(options.model);
  if (!options.model.empty() && !model)
    return fmt::format("there is no model `{}`; there are {}.", options.model, model_names());
  if (const std::string wrong = check_property_options(options.properties); !wrong.empty()) return wrong;
  if (options.limits.window == 0) return "--window must be at least 1.";
  const auto suppressions = read_suppressions(options.suppressions);
  return suppressions ? std::string() : suppressions.error().text();
}

std::string model_for(const Prepared& prepared, const AnalysisOptions& options) {
  if (!options.model.empty()) return options.model;
  return prepared.computation.dependence.known ? "full" : "maximal";
}

Result<Findings> find_all(const Prepared& prepared, const AnalysisOptions& options) {
  const witness::Model model = *report::model_named(model_for(prepared, options));
  const bool sliced = model == witness::Model::Sliced;
  if ((model == witness::Model::Full || sliced) && !prepared.computation.dependence.known)
    return Error{fmt::format("the model {} needs a trace with static facts: compile with -fsooth-facts.",
                             report::name_of(model)),
                 "", 0, 0};
  if (model == witness::Model::WeakHappensBefore && some_lock_is_never_released(prepared.trace))
    return Error{"the model whb is not for this trace, in which a lock is never released; whb-locks is.", "", 0, 0};
  const std::vector<std::string> wanted = wanted_words(options);
  const Allowance own(options.limits.seconds, memory_limit(options.properties));
  const Allowance& allowance = options.allowance != nullptr ? *options.allowance : own;
  const Budget& budget = allowance.budget;
  predict::Limits limits = options.limits;
  limits.budget = &budget;
  const auto feasibility = sliced ? predict::make_sliced_feasibility(prepared.trace, prepared.computation, limits)
                                  : predict::make_feasibility(prepared.computation, model, limits);
  Findings out;
  out.coverage.list = options.candidates;
  std::vector<Finding> found;
  const std::string unrecorded = predict::unrecorded_synchronisation(prepared.trace);
  Progress progress("looking");
  const auto all = static_cast<unsigned>(engines().size());
  unsigned done = 0;
  const EngineInput input{prepared.trace, prepared.computation, *feasibility,     model,
                          limits,         options.atomic,       prepared.objects, progress};
  unsigned looked = 0;
  // Where most of the memory holds the trace, more would be decided of fewer events. Otherwise one question was too large, and it
  // would be again.
  const auto begin_again_if_better = [&] {
    if (options.attempt != nullptr && !options.attempt->last && budget.spent() == Budget::kMemory &&
        prepared.occupied > allowance.bytes / 2 && (looked == 0 || allowance.part_left() > 0.5))
      options.attempt->give_up();
  };
  for (const Engine& engine : engines()) {
    progress.stage(fmt::format("looking for {}", engine.looked_for), done++, all);
    if (std::find(wanted.begin(), wanted.end(), engine.find) == wanted.end()) continue;
    if (options.of_the_model_only && !engine.of_the_model) continue;
    // What orders threads and was not recorded could make a prediction wrong.
    if (engine.of_the_model && !unrecorded.empty()) {
      out.coverage.undecided_because(
          fmt::format("{}: the program used what is not recorded ({})", engine.looked_for, unrecorded));
      continue;
    }
    if (const std::uint64_t lost = trace::lost_events(prepared.trace); lost != 0) {
      out.coverage.undecided_because(
          fmt::format("{}: events were lost, and they may have ordered the others", engine.looked_for));
      continue;
    }
    begin_again_if_better();
    if (const char* reason = budget.spent()) {
      out.coverage.undecided_because(fmt::format("{} were not looked for: {}", engine.looked_for, reason));
      continue;
    }
    std::vector<Finding> some = engine.run(input, out.coverage);
    for (Finding& finding : some)
      if (engine.of_the_model && finding.status == witness::Status::Predicted) finding.model = model;
    std::move(some.begin(), some.end(), std::back_inserter(found));
    ++looked;
    begin_again_if_better();
  }
  if (!options.properties.file.empty()) {
    progress.stage("checking the properties", done, all);
    const double seconds = options.limits.seconds > 0 ? std::max(allowance.left(), kLeastSeconds) : 0;
    const auto exploration = exploration_options(options.properties, seconds, options.limits.jobs, budget);
    auto properties = find_properties(prepared, options.properties, exploration);
    if (!properties) return properties.error();
    std::move(properties->found.begin(), properties->found.end(), std::back_inserter(found));
    out.gaps = std::move(properties->gaps);
  }
  progress.stage("checking the witnesses", all, all);
  check_witnesses(prepared, std::move(found), options.limits.seconds, out);
  predict::explain_crashes(prepared.trace, out.accepted);
  // Sliced causality by the letter may allow what no run bears out; that is no mistake of ours.
  if (const std::uint64_t unreal = feasibility->unreal() + (sliced ? out.objections.size() : 0); unreal != 0)
    out.gaps.push_back({"unrealByFull", unreal, "findings of sliced causality that no run of `full` bears out", true});
  if (sliced) out.objections.clear();
  return out;
}

namespace {

Result<report::Report> analyse(Trace trace, const LeftOut& left_out, const std::string& file,
                               const AnalysisOptions& options) {
  auto suppressions = read_suppressions(options.suppressions);
  if (!suppressions) return suppressions.error();
  auto prepared = prepare(std::move(trace), *options.allowance, left_out, options.attempt);
  if (!prepared) return Error{prepared.error().message, file, 0, 0};
  const Prepared& p = **prepared;
  auto findings = find_all(p, options);
  if (!findings) return findings.error().file.empty() ? Error{findings.error().message, file, 0, 0} : findings.error();

  report::Report report;
  report.version = SOOTH_VERSION;
  report.trace = file;
  report.model = options.find.empty() && !options.properties.file.empty() && options.properties.model.empty()
                     ? "hb"
                     : model_for(p, options);
  report.looked_for = wanted_words(options);
  report.rejected = findings->objections.size();
  for (const std::string& objection : findings->objections) complain("internal error: " + objection);
  const auto original = [&](std::uint64_t address) { return p.objects.original(address); };
  report::describe(p.trace, findings->accepted, original, report);
  if (options.candidates) describe_candidates(p.trace, findings->coverage, original, report);
  report.coverage = coverage_of(p.trace, p.objects, p.computation, findings->coverage, p.left_out);
  for (report::Gap& gap : findings->gaps) {
    report.coverage.complete = report.coverage.complete && gap.complete;
    report.coverage.gaps.push_back(std::move(gap));
  }
  report::suppress_in_source(report);
  report::suppress(*suppressions, report);
  return report;
}

// Prints the report to standard error and writes the JSON.
int tell(const report::Report& report, const AnalysisOptions& options) {
  std::error_code ignored;
  const std::string here = std::filesystem::current_path(ignored).string();
  const std::string text = report::text(report, {isatty(STDERR_FILENO) == 1, here});
  const std::string json = options.json.empty() ? "" : report::json(report);
  options.attempt->tell();
  print_error_text(text);
  if (!options.json.empty() && !write_file(options.json, json)) return kWrong;
  return report.findings.empty() ? kFine : options.exit_code;
}

} // namespace

Ended analyse(const std::string& file, const std::string& name, const AnalysisOptions& options) {
  const Allowance allowance(options.limits.seconds, memory_limit(options.properties));
  return within_memory(allowance, [&](Attempt& attempt) -> int {
    AnalysisOptions bounded = options;
    bounded.allowance = &allowance;
    bounded.attempt = &attempt;
    LeftOut left_out;
    auto trace = load_in_time(file, allowance, attempt, left_out);
    if (!trace) return kWrong;
    auto report = analyse(std::move(*trace), left_out, name, bounded);
    if (report) return tell(*report, bounded);
    complain(report.error().text());
    return kWrong;
  });
}

} // namespace sooth::cli
