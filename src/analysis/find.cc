#include "analysis/find.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include <fmt/format.h>

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

// One walk through the table of engines.
class Search {
public:
  Search(const EngineInput& input, Spending& spending, EngineOutput& output)
      : input_(input), spending_(spending), output_(output) {}

  std::optional<Error> run_all() {
    const std::vector<std::string> wanted = wanted_words(input_.options);
    const auto all = static_cast<unsigned>(engines().size());
    unsigned done = 0;
    for (const Engine& engine : engines()) {
      input_.progress.stage(fmt::format("looking for {}", engine.looked_for), done++, all);
      if (!is_wanted(engine, wanted, input_.options)) continue;
      if (is_settled(engine)) continue;
      begin_share(engine, wanted);
      if (!can_answer(engine)) continue;
      if (auto error = run(engine)) return error;
    }
    input_.progress.stage("checking the witnesses", all, all);
    return std::nullopt;
  }

private:
  // Every engine gets a share of the time, which the engines before it cannot take. Time that an
  // engine leaves goes to those after it.
  void begin_share(const Engine& engine, const std::vector<std::string>& wanted) {
    double all = 0;
    for (const Engine* other = &engine; other != engines().data() + engines().size(); ++other)
      if (is_wanted(*other, wanted, input_.options)) all += other->share;
    spending_.budget.begin_part(spending_.left_for_search() * engine.share / all);
  }

  // As if it had found no candidate. What is not recorded is not settled.
  bool is_settled(const Engine& engine) const {
    if (engine.needs == Needs::Predictions && !unpredictable_.empty()) return false;
    return engine.settled != nullptr && input_.prepared.settled.*engine.settled &&
           trace::lost_events(input_.prepared.trace) == 0;
  }

  // False: the coverage says why there is no answer.
  bool can_answer(const Engine& engine) {
    if (engine.needs == Needs::Properties || engine.needs == Needs::Fact) return true;
    if (engine.needs == Needs::Predictions && !unpredictable_.empty())
      return no_answer(engine, fmt::format("{}: {}", engine.looked_for, unpredictable_));
    if (trace::lost_events(input_.prepared.trace) != 0)
      return no_answer(engine,
                       fmt::format("{}: events were lost, and they may have ordered the others", engine.looked_for));
    if (engine.whole_only && input_.prepared.trace.is_piece && has_blocks())
      return no_answer(engine, fmt::format("{} were not looked for: that needs the whole trace at once (--memory)",
                                           engine.looked_for));
    begin_again_if_better();
    if (const char* reason = input_.spending.budget.spent())
      return no_answer(engine, fmt::format("{} were not looked for: {}", engine.looked_for, reason));
    return true;
  }

  bool has_blocks() const {
    return !input_.options.atomic.empty() ||
           std::ranges::any_of(input_.prepared.trace.events,
                               [](const trace::Event& e) { return e.kind == trace::EventKind::AtomicBegin; });
  }

  bool no_answer(const Engine& engine, const std::string& sentence) {
    output_.coverage.undecided_because(sentence);
    output_.unanswered.emplace_back(engine.looked_for);
    return false;
  }

  std::optional<Error> run(const Engine& engine) {
    const std::size_t before = output_.found.size();
    if (auto error = engine.run(input_, output_)) return error;
    if (engine.needs == Needs::Predictions)
      for (std::size_t i = before; i < output_.found.size(); ++i)
        if (output_.found[i].status == witness::Status::Predicted) output_.found[i].model = input_.model;
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

  const EngineInput& input_;
  Spending& spending_;
  EngineOutput& output_;
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
  EngineOutput output;
  output.coverage.list = options.candidates;
  const EngineInput input{prepared, *feasibility, *model, limits, options, spending, progress};
  if (const auto error = Search(input, spending, output).run_all()) return *error;
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
