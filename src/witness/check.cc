#include "witness/check.h"

#include <array>
#include <optional>

#include <fmt/format.h>

#include "trace/verify.h"
#include "witness/facts.h"
#include "witness/replay.h"
#include "witness/shape.h"

namespace sooth::witness {

using namespace checking;

class Checker::Parts {
public:
  Parts(const trace::Trace& trace, const trace::ObjectTable* objects) : facts_(trace, objects) {
    permuted_.bytes = trace.bytes;
    permuted_.threads = trace.threads;
    permuted_.globals = trace.globals; // names for sentences
    permuted_.sites.resize(1);
    permuted_.process = trace.process;
    permuted_.flags = trace.flags;
    std::copy(std::begin(trace.defects), std::end(trace.defects), std::begin(permuted_.defects));
    const bool degraded = trace.defect(trace::Defect::MissingEvents) != 0 ||
                          trace.defect(trace::Defect::DroppedEvents) != 0 ||
                          trace.defect(trace::Defect::DamagedChunks) != 0;
    if (degraded) recorded_unjudged_ = trace::verify(trace, 0).unjudged;
    begin_again();
  }

  Objection objection(const Finding& finding) {
    const std::size_t observed = finding.witness.observed;
    if (observed > facts_.trace.events.size()) return "The witness begins with more events than the trace has.";
    if (observed < facts_.trace.standing && !finding.witness.steps.empty())
      return "The witness changes what stood before this piece of the trace.";
    if (observed < recorded_->observed()) begin_again();
    observe(static_cast<EventNumber>(observed));
    Replay replay = *recorded_;
    if (auto objection = replay.run(finding.witness, finding.model)) return objection;
    if (auto objection = legal(finding.witness, replay)) return objection;
    return shape(finding, facts_, replay);
  }

private:
  // Model full: it is not known what it reads or writes in this run.
  static void forget_value(trace::Event& event) {
    if (event.kind == trace::EventKind::AtomicRmw) event.kind = trace::EventKind::AtomicWrite;
    event.flags &= static_cast<std::uint8_t>(~(trace::kPayload | trace::kFill));
    event.flags |= trace::kOpaque;
  }

  // Rules about forks and ends of threads go by the whole trace, so the verifier sees it before it
  // is cut.
  void begin_again() {
    permuted_.events = facts_.trace.events;
    verifier_.emplace(permuted_, 1);
    permuted_.events.clear();
    recorded_.emplace(facts_);
  }
  void observe(EventNumber events) {
    for (std::size_t i = permuted_.events.size(); i < events; ++i) add(static_cast<EventNumber>(i));
    verifier_->judge(events);
    recorded_->observe(events);
  }
  void add(EventNumber number) {
    permuted_.events.push_back(facts_.trace.events[number]);
    permuted_.events.back().site = 0;
  }

  // Definition 1, by the same rules that a recorded trace must keep.
  Objection legal(const Witness& witness, const Replay& replay) {
    for (const EventNumber number : witness.steps) {
      add(number);
      if (replay.tainted(number)) forget_value(permuted_.events.back());
    }
    const trace::VerifyReport report = verifier_->judge_rest();
    permuted_.events.resize(witness.observed);
    if (!report.problems.empty())
      return fmt::format("The witness is not legal: step {}: {}", report.problems[0].event,
                         report.problems[0].sentence);
    // If events are missing, broken rules prove nothing about the recorded run; but a witness may
    // not break more.
    for (std::size_t rule = 0; rule < report.unjudged.size(); ++rule)
      if (report.unjudged[rule] > recorded_unjudged_[rule])
        return fmt::format("The witness is not legal: {}.", trace::rule_rows()[rule].demand);
    return {};
  }

  const Facts facts_;
  std::optional<Replay> recorded_; // the trace's beginning, as far as the last witness had it
  trace::Trace permuted_;          // the same events, then those of a witness; all but its events stays the same
  std::optional<trace::Verifier> verifier_;
  std::array<std::uint64_t, trace::kRules> recorded_unjudged_{};
};

Checker::Checker(const trace::Trace& trace, const trace::ObjectTable* objects)
    : parts_(std::make_unique<Parts>(trace, objects)) {}
Checker::~Checker() = default;

std::optional<std::string> Checker::objection(const Finding& finding) { return parts_->objection(finding); }

} // namespace sooth::witness
