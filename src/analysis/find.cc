#include "analysis/find.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "analysis/turns.h"
#include "base/interrupt.h"
#include "predict/memory/crashes.h"
#include "predict/question/model_rules.h"
#include "predict/question/sliced_feasibility.h"
#include "predict/question/unrecorded.h"
#include "report/held_locks.h"
#include "report/names.h"
#include "trace/lost.h"
#include "witness/check.h"

namespace sooth::analysis {

using trace::Trace;
using witness::Finding;

namespace {

constexpr double kLeastSeconds = 0.5; // for checking witnesses, even if the time is up

// Maximal models, section 5: taken as atomic sets, an acquire without its release could stand
// anywhere.
bool some_lock_is_never_released(const Trace& trace) {
  report::HeldLocks locks(trace.threads.size());
  for (std::uint32_t i = 0; i < trace.events.size(); ++i) locks.follow(trace.events[i], i);
  for (std::uint32_t thread = 0; thread < trace.threads.size(); ++thread)
    if (!locks.of(thread).empty()) return true;
  return false;
}

Result<witness::Model> applicable_model(const Prepared& prepared, const Options& options) {
  const witness::Model model = *report::model_named(model_for(prepared, options));
  const predict::NeedsOfModel needs = predict::rules_of(model).needs;
  if (needs == predict::NeedsOfModel::Facts && !prepared.trace.is_fit_for_dependence())
    return Error{fmt::format("the model {} needs a trace with static facts: compile with -fsooth-facts.",
                             report::name_of(model))};
  if (needs == predict::NeedsOfModel::Flows && !prepared.trace.is_fit_for_dependence() &&
      !prepared.trace.is_fit_for_flows())
    return Error{fmt::format("the model {} needs to know what the program does with the values that it reads: "
                             "compile it with this version of Sooth, or with -fsooth-facts.",
                             report::name_of(model))};
  if (needs == predict::NeedsOfModel::ReleasedLocks && some_lock_is_never_released(prepared.trace))
    return Error{"the model whb is not for this trace, in which a lock is never released; whb-locks is."};
  return model;
}

// Why predictions from this trace could be wrong, as the end of a sentence; empty if they cannot.
std::string why_nothing_is_predicted(const Trace& trace) {
  if (const std::string unrecorded = predict::unrecorded_synchronisation(trace); !unrecorded.empty())
    return fmt::format("the program used what is not recorded ({})", unrecorded);
  return {};
}

// Asks the engines of the table, in turns.
class Search {
public:
  Search(const EngineInput& input, Spending& spending) : input_(input), spending_(spending) {}

  std::optional<Error> run_all() {
    const std::vector<std::string> wanted = wanted_words(input_.options);
    for (const Engine& engine : engines()) {
      if (!is_wanted(engine, wanted, input_.options) || is_settled(engine)) continue;
      parts_.push_back({&engine, {}});
      turns_.push_back({engine.share});
    }
    std::optional<Error> error;
    take_turns(
        turns_, [&] { return spending_.left_for_search(); },
        [&](std::size_t number, double seconds) {
          error = look(number, seconds);
          return !error;
        });
    const auto all = static_cast<unsigned>(parts_.size());
    input_.progress.stage("checking the witnesses", all, all);
    return error;
  }

  // What all of them say together.
  EngineOutput take() {
    EngineOutput all;
    all.coverage.list = input_.options.candidates;
    for (Part& part : parts_) {
      std::ranges::move(part.output.found, std::back_inserter(all.found));
      all.coverage += part.output.coverage;
      std::ranges::move(part.output.gaps, std::back_inserter(all.gaps));
      std::ranges::move(part.output.unanswered, std::back_inserter(all.unanswered));
    }
    return all;
  }

private:
  struct Part {
    const Engine* engine = nullptr;
    EngineOutput output;
    bool looked = false;
    bool outdated = false; // an engine before it has found more since
  };

  std::optional<Error> look(std::size_t number, double seconds) {
    Part& part = parts_[number];
    input_.progress.stage(fmt::format("looking for {}", part.engine->looked_for), static_cast<unsigned>(number),
                          static_cast<unsigned>(parts_.size()));
    EngineOutput output;
    output.coverage.list = input_.options.candidates;
    spending_.budget.begin_part(seconds);
    if (part.looked) input_.feasibility.renew();
    if (can_answer(*part.engine, output)) {
      input_.known.clear();
      for (std::size_t before = 0; before < number; ++before)
        for (const Finding& finding : parts_[before].output.found) input_.known.push_back(&finding);
      if (auto error = run(*part.engine, output)) return error;
    }
    turns_[number].ran_out = std::ranges::any_of(output.coverage.reasons, [](const auto& reason) {
      return reason.first.find(Budget::kTime) != std::string::npos;
    });
    // Another try replaces the one before, unless that one found more.
    const std::size_t before = part.output.found.size();
    if (output.found.size() >= before || part.outdated) part.output = std::move(output);
    if (part.looked && part.output.found.size() > before) look_again_behind(number);
    part.looked = true;
    part.outdated = false;
    return std::nullopt;
  }

  // Engines do not report what those before them have found. So those of the same kind look again.
  void look_again_behind(std::size_t number) {
    for (std::size_t i = number + 1; i < parts_.size(); ++i)
      if (parts_[i].engine->find == parts_[number].engine->find) {
        parts_[i].outdated = true;
        turns_[i].seconds = 0;
        turns_[i].ran_out = true;
      }
  }

  // As if it had found no candidate. What is not recorded is not settled.
  bool is_settled(const Engine& engine) const {
    if (engine.needs == Needs::Predictions && !unpredictable_.empty()) return false;
    if (engine.counted != nullptr && !(input_.prepared.settled.*engine.counted).empty()) return false;
    return engine.settled != nullptr && input_.prepared.settled.*engine.settled &&
           trace::lost_events(input_.prepared.trace) == 0;
  }

  // False: the coverage says why there is no answer.
  bool can_answer(const Engine& engine, EngineOutput& output) {
    if (engine.needs == Needs::Properties || engine.needs == Needs::Fact) return true;
    if (engine.needs == Needs::Predictions && !unpredictable_.empty())
      return no_answer(engine, output, fmt::format("{}: {}", engine.looked_for, unpredictable_));
    if (trace::lost_events(input_.prepared.trace) != 0)
      return no_answer(engine, output,
                       fmt::format("{}: events were lost, and they may have ordered the others", engine.looked_for));
    if (engine.whole_only && input_.prepared.trace.is_piece && has_blocks())
      return no_answer(
          engine, output,
          fmt::format("{} were not looked for: that needs the whole trace at once (--memory)", engine.looked_for));
    begin_again_if_better();
    if (const char* reason = input_.spending.budget.spent())
      return no_answer(engine, output, fmt::format("{} were not looked for: {}", engine.looked_for, reason));
    return true;
  }

  bool has_blocks() const {
    return !input_.options.atomic.empty() ||
           std::ranges::any_of(input_.prepared.trace.events,
                               [](const trace::Event& e) { return e.kind == trace::EventKind::AtomicBegin; });
  }

  static bool no_answer(const Engine& engine, EngineOutput& output, const std::string& sentence) {
    output.coverage.undecided_because(sentence);
    output.unanswered.emplace_back(engine.looked_for);
    return false;
  }

  std::optional<Error> run(const Engine& engine, EngineOutput& output) {
    if (auto error = engine.run(input_, output)) return error;
    if (engine.needs == Needs::Predictions)
      for (Finding& finding : output.found)
        if (finding.status == witness::Status::Predicted) finding.model = input_.model;
    if (engine.needs == Needs::Properties) return std::nullopt;
    ++looked_;
    begin_again_if_better();
    return std::nullopt;
  }

  // If most of the memory holds the trace, fewer events would let more be decided. Otherwise one
  // question was too large, and it would be again.
  void begin_again_if_better() const {
    const Spending& spending = input_.spending;
    if (spending.can_begin_again() && spending.budget.spent() == Budget::kMemory &&
        input_.prepared.occupied > spending.bytes / 2 && (looked_ == 0 || spending.part_left() > 0.5))
      spending.give_up();
  }

  EngineInput input_;
  Spending& spending_;
  std::vector<Part> parts_; // in the order of the table
  std::vector<Turn> turns_; // of these
  const std::string unpredictable_ = why_nothing_is_predicted(input_.prepared.trace);
  unsigned looked_ = 0;
};

// The standing accesses before a piece only show which bytes a thread holds. The piece that
// contains them as its own events reports their races.
void drop_races_of_standing(const Trace& piece, std::vector<Finding>& found) {
  std::erase_if(found, [&](const Finding& finding) {
    return finding.kind == witness::FindingKind::Race &&
           std::ranges::any_of(finding.places, [&](const witness::Place& p) { return p.event < piece.standing; });
  });
}

// The objection names the read that is in doubt.
void list_unreal(const Finding& finding, const std::string& objection, Findings& out) {
  const std::string name = finding.property.empty() ? "" : fmt::format("`{}`: ", finding.property);
  ++out.unreal;
  out.coverage.suspect(finding.kind, finding.places,
                       fmt::format("{}sliced causality allows it, but no run of `full` has it. {}", name, objection));
}

// The checker shares nothing with the engines. A rejected witness is a mistake of Sooth, and is not
// shown. A part of the time is reserved for checking: no finding should be lost for lack of time.
// `sliced`: its findings are jPredictor's, and `full` need not bear them out.
void check_witnesses(const Prepared& prepared, std::vector<Finding> found, const Spending& spending, bool sliced,
                     Findings& out) {
  if (found.empty()) return;
  const double least = was_interrupted() || spending.limited() ? kLeastSeconds : 0;
  const double time = was_interrupted() || !spending.limited() ? least : std::max(spending.left_for_checking(), least);
  const Budget budget(time, 0, true);
  witness::Checker checker(prepared.trace, &prepared.objects);
  // The checker follows the recorded run once, from one witness to the next.
  std::vector<std::size_t> order(found.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  // Those that only add lines to others come last.
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::tuple(found[a].alike, found[a].witness.observed, a) <
           std::tuple(found[b].alike, found[b].witness.observed, b);
  });
  std::vector<std::optional<std::string>> objections(found.size());
  std::vector<bool> checked(found.size(), false);
  for (const std::size_t i : order) {
    if (budget.spent() != nullptr) break;
    objections[i] = checker.objection(found[i]);
    checked[i] = true;
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!checked[i] && found[i].alike) ++out.coverage.alike;
    else if (!checked[i])
      out.coverage.undecided_about(found[i].kind, std::move(found[i].places), "there was no time to check the witness");
    else if (objections[i] && sliced) list_unreal(found[i], *objections[i], out);
    else if (objections[i])
      out.objections.push_back(
          fmt::format("{} by {}: {}", report::row_of(found[i].kind).name, found[i].engine, *objections[i]));
    else out.accepted.push_back(std::move(found[i]));
  }
}

// Sliced causality by the letter may allow findings that no run confirms; this is not our mistake.
void count_unreal(const predict::Feasibility& feasibility, Findings& out) {
  if (const std::uint64_t unreal = feasibility.unreal() + out.unreal; unreal != 0)
    out.gaps.push_back({"unrealByFull", unreal, "findings of sliced causality that no run of `full` bears out", true});
}

} // namespace

std::string model_for(const Prepared& prepared, const Options& options) {
  if (!options.model.empty()) return options.model;
  return prepared.computation.dependence.known ? "full" : "maximal";
}

Result<Findings> find_all(const Prepared& prepared, const Options& options, Spending& spending, Progress& progress) {
  auto model = applicable_model(prepared, options);
  if (!model) return model.error();
  predict::Limits limits = options.limits;
  limits.budget = &spending.budget;
  limits.each = options.each;
  const auto feasibility = predict::rules_of(*model).question == predict::QuestionOfModel::Slices
                               ? predict::make_sliced_feasibility(prepared.trace, prepared.computation, limits)
                               : predict::make_feasibility(prepared.computation, *model, limits);
  Search search({prepared, *feasibility, *model, limits, options, spending, progress}, spending);
  if (const auto error = search.run_all()) return *error;
  EngineOutput output = search.take();
  Findings out;
  out.coverage = std::move(output.coverage);
  out.gaps = std::move(output.gaps);
  out.unanswered = std::move(output.unanswered);
  drop_races_of_standing(prepared.trace, output.found);
  check_witnesses(prepared, std::move(output.found), spending, feasibility->is_sliced(), out);
  predict::explain_crashes(prepared.trace, out.accepted);
  count_unreal(*feasibility, out);
  return out;
}

} // namespace sooth::analysis
