#include "trace/verify.h"

#include <array>
#include <bit>
#include <memory>
#include <vector>

#include "trace/legality/judge.h"

namespace sooth::trace {

std::span<const RuleRow> rule_rows() {
  static constexpr RuleRow rows[] = {
#define SOOTH_RULE(enumerator, name, needs_every_event, demand) {Rule::enumerator, name, needs_every_event, demand},
#include "trace/legality/rules.def"
#undef SOOTH_RULE
  };
  static_assert(std::size(rows) == kRules);
  return rows;
}

class Verifier::Parts {
public:
  Parts(const Trace& trace, std::size_t max_problems) : judge(trace, max_problems) {
    using namespace legality;
    for (const auto make : {make_threads, make_values, make_merged, make_locks, make_conditions, make_barriers,
                            make_semaphores, make_once, make_blocks, make_nesting})
      families.push_back(make(judge));
    for (const EventKind kind : all_kinds())
      for (std::size_t i = 0; i < families.size(); ++i)
        if (families[i]->wants(kind)) wanting[static_cast<std::uint8_t>(kind)] |= 1u << i;
  }

  void go_on(std::size_t events) {
    for (; judge.index < events; ++judge.index) {
      const Event& event = judge.trace.events[judge.index];
      if (!well_formed(judge, event)) continue;
      for (unsigned left = wanting[static_cast<std::uint8_t>(event.kind)]; left != 0; left &= left - 1)
        families[static_cast<unsigned>(std::countr_zero(left))]->step(event);
      if (event.kind == EventKind::ThreadEnd) judge.ended[event.thread] = 1;
    }
  }
  void finish() {
    for (const auto& family : families) family->finish();
    judge.report.events = judge.trace.events.size();
    if (judge.report.degraded)
      judge.remark("Events are missing from this trace, so rules that need every event were not judged.");
  }
  legality::Judge judge;
  std::vector<std::unique_ptr<legality::Family>> families;
  std::array<unsigned, 256> wanting{}; // by kind: a bit for each family
};

Verifier::Verifier(const Trace& trace, std::size_t max_problems)
    : parts_(std::make_unique<Parts>(trace, max_problems)) {}
Verifier::~Verifier() = default;

std::size_t Verifier::judged() const { return parts_->judge.index; }
void Verifier::judge(std::size_t events) { parts_->go_on(events); }

VerifyReport Verifier::finish() && {
  parts_->go_on(parts_->judge.trace.events.size());
  parts_->finish();
  return std::move(parts_->judge.report);
}

VerifyReport Verifier::judge_rest() {
  const legality::Judge::State before = parts_->judge.state();
  std::vector<std::unique_ptr<legality::Family>> copies;
  for (const auto& family : parts_->families) copies.push_back(family->copy());
  copies.swap(parts_->families);
  parts_->go_on(parts_->judge.trace.events.size());
  parts_->finish();
  VerifyReport report = std::move(parts_->judge.report);
  copies.swap(parts_->families);
  parts_->judge.restore(before);
  return report;
}

VerifyReport verify(const Trace& trace, std::size_t max_problems) { return Verifier(trace, max_problems).finish(); }

} // namespace sooth::trace
