#include "witness/check.h"

#include <array>

#include <fmt/format.h>

#include "trace/verify.h"
#include "witness/facts.h"
#include "witness/replay.h"
#include "witness/shape.h"

namespace sooth::witness {

using namespace checking;

class Checker::Parts {
public:
  Parts(const trace::Trace& trace, const trace::ObjectTable* objects) : facts_(trace, objects), replay_(facts_) {
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
  }

  Objection objection(const Finding& finding) {
    if (auto objection = replay_.run(finding.witness, finding.model)) return objection;
    if (auto objection = legal(finding.witness)) return objection;
    return shape(finding, facts_, replay_);
  }

private:
  // Model full: nobody knows what it reads or writes in this run.
  static void forget_value(trace::Event& event) {
    if (event.kind == trace::EventKind::AtomicRmw) event.kind = trace::EventKind::AtomicWrite;
    event.flags &= static_cast<std::uint8_t>(~(trace::kPayload | trace::kFill));
    event.flags |= trace::kOpaque;
  }

  // Definition 1, by the same rules that a recorded trace must keep.
  Objection legal(const Witness& witness) {
    permuted_.events.clear();
    const auto& events = facts_.trace.events;
    permuted_.events.assign(events.begin(), events.begin() + static_cast<std::ptrdiff_t>(witness.observed));
    for (const EventNumber number : witness.steps) {
      permuted_.events.push_back(events[number]);
      if (replay_.tainted(number)) forget_value(permuted_.events.back());
    }
    for (trace::Event& event : permuted_.events) event.site = 0;
    const trace::VerifyReport report = trace::verify(permuted_, 1);
    if (!report.problems.empty())
      return fmt::format("The witness is not legal: step {}: {}", report.problems[0].event,
                         report.problems[0].sentence);
    // Where events are missing, broken rules prove nothing about the recorded run; but a witness may not break more.
    for (std::size_t rule = 0; rule < report.unjudged.size(); ++rule)
      if (report.unjudged[rule] > recorded_unjudged_[rule])
        return fmt::format("The witness is not legal: {}.", trace::rule_rows()[rule].demand);
    return {};
  }

  const Facts facts_;
  Replay replay_;
  trace::Trace permuted_; // all but its events stays the same
  std::array<std::uint64_t, trace::kRules> recorded_unjudged_{};
};

Checker::Checker(const trace::Trace& trace, const trace::ObjectTable* objects)
    : parts_(std::make_unique<Parts>(trace, objects)) {}
Checker::~Checker() = default;

std::optional<std::string> Checker::objection(const Finding& finding) { return parts_->objection(finding); }

} // namespace sooth::witness
