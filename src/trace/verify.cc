#include "trace/verify.h"

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

VerifyReport verify(const Trace& trace, std::size_t max_problems) {
  using namespace legality;
  Judge judge(trace, max_problems);
  std::vector<std::unique_ptr<Family>> families;
  for (const auto make : {make_threads, make_values, make_merged, make_locks, make_conditions, make_barriers,
                          make_semaphores, make_once, make_blocks, make_nesting})
    families.push_back(make(judge));

  std::vector<std::vector<Family*>> wanting(256);
  for (const EventKind kind : all_kinds())
    for (const auto& family : families)
      if (family->wants(kind)) wanting[static_cast<std::uint8_t>(kind)].push_back(family.get());

  for (judge.index = 0; judge.index < trace.events.size(); ++judge.index) {
    const Event& event = trace.events[judge.index];
    if (!well_formed(judge, event)) continue;
    for (Family* family : wanting[static_cast<std::uint8_t>(event.kind)]) family->step(event);
    if (event.kind == EventKind::ThreadEnd) judge.ended[event.thread] = 1;
  }
  for (const auto& family : families) family->finish();

  if (judge.report.degraded)
    judge.remark("Events are missing from this trace, so rules that need every event were not judged.");
  return std::move(judge.report);
}

} // namespace sooth::trace
