#include "analysis/engines.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>

#include "analysis/property_engine.h"
#include "analysis/suggestions.h"
#include "logic/syntax/nearest.h"
#include "predict/atomicity/atomicity.h"
#include "predict/atomicity/unmarked_blocks.h"
#include "predict/deadlocks/deadlocks.h"
#include "predict/deadlocks/lost_wakeups.h"
#include "predict/deadlocks/waiting_at_end.h"
#include "predict/memory/assertions.h"
#include "predict/memory/crashes.h"
#include "predict/memory/memory_errors.h"
#include "predict/memory/unordered_frees.h"
#include "predict/misuse/handlers.h"
#include "predict/misuse/misuse.h"
#include "predict/misuse/thread_leaks.h"
#include "predict/question/unrecorded.h"
#include "predict/races/descriptors.h"
#include "predict/races/handler_races.h"
#include "predict/races/initialisations.h"
#include "predict/races/memory_model.h"
#include "predict/races/races.h"
#include "trace/lost.h"

namespace sooth::analysis {

namespace {

using Found = std::vector<witness::Finding>;

// Predicting engines have no errors of their own, only findings and coverage.
template <Found (*Find)(const EngineInput&, predict::Coverage&)>
std::optional<Error> find(const EngineInput& input, EngineOutput& output) {
  Found some = Find(input, output.coverage);
  std::move(some.begin(), some.end(), std::back_inserter(output.found));
  return std::nullopt;
}

Found recorded_races(const EngineInput& in, predict::Coverage& coverage) {
  return predict::find_memory_model_races(in.prepared.trace, coverage, in.spending.budget);
}
Found predicted_races(const EngineInput& in, predict::Coverage& coverage) {
  return predict::find_races(in.prepared.trace, in.prepared.computation, in.feasibility, in.model, in.limits, coverage,
                             [&](std::size_t done, std::size_t all) { in.progress.within(done, all); });
}
Found recorded_deadlocks(const EngineInput& in, predict::Coverage&) {
  return predict::waiting_at_end(in.prepared.trace).deadlocks;
}
Found crashes(const EngineInput& in, predict::Coverage&) { return predict::find_crashes(in.prepared.trace); }
Found assertions(const EngineInput& in, predict::Coverage& coverage) {
  return predict::find_assertions(in.prepared.trace, in.prepared.computation, in.feasibility, in.model, in.limits,
                                  coverage);
}
Found misuse(const EngineInput& in, predict::Coverage&) {
  Found found = in.prepared.misuse;
  std::ranges::move(predict::find_misuse(in.prepared.trace), std::back_inserter(found));
  std::ranges::move(predict::find_handler_misuse(in.prepared.trace), std::back_inserter(found));
  return found;
}
Found thread_leaks(const EngineInput& in, predict::Coverage& coverage) {
  if (in.prepared.left_out.any()) { // somebody may join them there
    coverage.undecided_because("threads that nobody joined: that needs the trace to its end");
    return {};
  }
  return predict::find_thread_leaks(in.prepared.trace, coverage);
}
Found descriptor_races(const EngineInput& in, predict::Coverage& coverage) {
  return predict::find_descriptor_races(in.prepared.trace, in.prepared.computation, in.feasibility, coverage);
}
Found handler_races(const EngineInput& in, predict::Coverage& coverage) {
  return predict::find_handler_races(in.prepared.trace, coverage);
}
Found initialisation_races(const EngineInput& in, predict::Coverage& coverage) {
  return predict::find_initialisation_races(in.prepared.trace, in.prepared.computation, in.feasibility, coverage);
}
Found deadlocks(const EngineInput& in, predict::Coverage& coverage) {
  return predict::find_deadlocks(in.prepared.trace, in.prepared.computation, in.feasibility, in.limits, coverage);
}
Found lost_wakeups(const EngineInput& in, predict::Coverage& coverage) {
  return predict::find_lost_wakeups(in.prepared.trace, in.prepared.computation, in.feasibility, in.limits, coverage);
}
// Notes functions of --atomic that the trace does not have: most likely a misspelt name.
void tell_unknown_functions(const EngineInput& in, predict::Coverage& coverage) {
  for (const std::string& pattern : in.options.atomic) {
    if (predict::names_function(in.prepared.trace, pattern)) continue;
    std::set<std::string> known;
    for (const trace::Site& site : in.prepared.trace.sites)
      known.insert(site.function.substr(0, site.function.find('(')));
    const std::vector<std::string> names(known.begin(), known.end());
    coverage.undecided_because("--atomic `" + pattern + "` names no function that the trace knows" +
                               logic::did_you_mean(pattern, names));
  }
}

Found atomicity(const EngineInput& in, predict::Coverage& coverage) {
  tell_unknown_functions(in, coverage);
  return predict::find_atomicity(
      in.prepared.trace, in.prepared.computation, in.feasibility, in.limits, coverage, in.options.atomic,
      in.options.definition5 ? predict::AtomicityRule::Definition5 : predict::AtomicityRule::View);
}
// Suggestions: they are neither findings nor gaps in the answer, which is about marked blocks.
std::optional<Error> unmarked_blocks(const EngineInput& in, EngineOutput& output) {
  const trace::Trace& trace = in.prepared.trace;
  if (in.spending.budget.spent() != nullptr || trace::lost_events(trace) != 0 ||
      !predict::unrecorded_synchronisation(trace).empty())
    return std::nullopt;
  std::vector<predict::Suggestion> blocks;
  const std::vector<survey::SplitUpdate>& known = in.prepared.settled.suggested;
  std::uint64_t count = known.size();
  std::string words = in_words(trace, known);
  if (!in.prepared.settled.unmarked || output.coverage.list) {
    blocks = predict::suggest_blocks(trace, in.prepared.computation, in.feasibility, in.limits, in.options.atomic,
                                     output.coverage.list);
    count = blocks.size();
    words = in_words(trace, blocks);
  }
  if (count == 0) return std::nullopt;
  output.gaps.push_back({std::string(report::kUnmarkedBlocks), count,
                         "blocks look as if they should be atomic (--candidates lists them)", true, words});
  if (output.coverage.list) std::ranges::copy(blocks, std::back_inserter(output.coverage.listed));
  return std::nullopt;
}
Found memory_errors(const EngineInput& in, predict::Coverage& coverage) {
  return predict::find_memory_errors(in.prepared.trace, in.prepared.computation, in.feasibility, in.limits, coverage,
                                     in.prepared.objects);
}

// Behind memory_errors: what that engine has found is not told twice.
std::optional<Error> unordered_frees(const EngineInput& in, EngineOutput& output) {
  output.found = predict::find_unordered_frees(in.prepared.trace, in.known, output.coverage, in.spending.budget);
  return std::nullopt;
}

} // namespace

std::span<const Engine> engines() {
  using survey::Settled;
  static constexpr Engine rows[] = {
      {"races", "data races of the recorded run", 2, Needs::Nothing, find<recorded_races>, &Settled::races},
      {"races", "data races of other runs", 4, Needs::Predictions, find<predicted_races>, &Settled::races},
      {"races", "races on file descriptors", 1, Needs::Predictions, find<descriptor_races>, &Settled::descriptors},
      {"races", "races with signal handlers", 1, Needs::Nothing, find<handler_races>, &Settled::races},
      {"races", "races on initialisations", 1, Needs::Predictions, find<initialisation_races>, &Settled::races},
      {"deadlocks", "deadlocks of the recorded run", 1, Needs::Nothing, find<recorded_deadlocks>, &Settled::deadlocks},
      {"deadlocks", "deadlocks", 3, Needs::Predictions, find<deadlocks>, &Settled::deadlocks},
      {"deadlocks", "lost wake-ups", 1, Needs::Predictions, find<lost_wakeups>, &Settled::wakeups},
      {"atomicity", "blocks that are not atomic", 2, Needs::Predictions, find<atomicity>, &Settled::blocks, true},
      {"atomicity", "blocks that nobody marked", 1, Needs::Fact, unmarked_blocks, &Settled::unmarked, false,
       &Settled::suggested},
      {"memory", "errors with memory", 3, Needs::Predictions, find<memory_errors>, &Settled::memory},
      {"memory", "frees that nothing orders", 2, Needs::Nothing, unordered_frees, &Settled::memory},
      {"misuse", "threads that nobody joined", 1, Needs::Fact, find<thread_leaks>, &Settled::threads},
      {"misuse", "misuse of locks and in signal handlers", 1, Needs::Fact, find<misuse>, &Settled::misuse},
      {"crashes", "assertions that fail", 2, Needs::Predictions, find<assertions>, &Settled::assertions},
      {"crashes", "the recorded run's own end", 1, Needs::Fact, find<crashes>, &Settled::end},
      {kProperties, "violations of properties", 4, Needs::Properties, find_properties},
  };
  return rows;
}

bool is_wanted(const Engine& engine, const std::vector<std::string>& wanted, const Options& options) {
  if (engine.needs == Needs::Properties) return !options.properties.file.empty();
  if (options.of_the_model_only && engine.needs != Needs::Predictions) return false;
  return std::find(wanted.begin(), wanted.end(), engine.find) != wanted.end();
}

bool all_settled(const survey::Settled& settled, const Options& options) {
  const std::vector<std::string> wanted = wanted_words(options);
  return std::ranges::all_of(engines(), [&](const Engine& engine) {
    const bool listed = engine.counted != nullptr && !(settled.*engine.counted).empty() && options.candidates;
    return !is_wanted(engine, wanted, options) || (engine.settled != nullptr && settled.*engine.settled && !listed);
  });
}

std::vector<std::string> find_words() {
  std::vector<std::string> out;
  for (const Engine& engine : engines())
    if (engine.find != kProperties && std::find(out.begin(), out.end(), engine.find) == out.end())
      out.emplace_back(engine.find);
  return out;
}

} // namespace sooth::analysis
