#include "analysis/engines.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "analysis/property_engine.h"
#include "predict/atomicity/atomicity.h"
#include "predict/deadlocks/deadlocks.h"
#include "predict/deadlocks/lost_wakeups.h"
#include "predict/deadlocks/waiting_at_end.h"
#include "predict/memory/crashes.h"
#include "predict/memory/memory_errors.h"
#include "predict/races/memory_model.h"
#include "predict/races/races.h"

namespace sooth::analysis {

namespace {

using Found = std::vector<witness::Finding>;

// Engines that predict have no errors of their own, only findings and what bounds them.
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
Found deadlocks(const EngineInput& in, predict::Coverage& coverage) {
  return predict::find_deadlocks(in.prepared.trace, in.prepared.computation, in.feasibility, in.limits, coverage);
}
Found lost_wakeups(const EngineInput& in, predict::Coverage& coverage) {
  return predict::find_lost_wakeups(in.prepared.trace, in.prepared.computation, in.feasibility, in.limits, coverage);
}
Found atomicity(const EngineInput& in, predict::Coverage& coverage) {
  return predict::find_atomicity(in.prepared.trace, in.prepared.computation, in.feasibility, in.limits, coverage,
                                 in.options.atomic);
}
Found memory_errors(const EngineInput& in, predict::Coverage& coverage) {
  return predict::find_memory_errors(in.prepared.trace, in.prepared.computation, in.feasibility, in.limits, coverage,
                                     in.prepared.objects);
}

} // namespace

std::span<const Engine> engines() {
  static constexpr Engine rows[] = {
      {"races", "data races of the recorded run", Needs::Nothing, find<recorded_races>},
      {"races", "data races of other runs", Needs::Predictions, find<predicted_races>},
      {"deadlocks", "deadlocks of the recorded run", Needs::Nothing, find<recorded_deadlocks>},
      {"deadlocks", "deadlocks", Needs::Predictions, find<deadlocks>},
      {"deadlocks", "lost wake-ups", Needs::Predictions, find<lost_wakeups>},
      {"atomicity", "blocks that are not atomic", Needs::Predictions, find<atomicity>},
      {"memory", "errors with memory", Needs::Predictions, find<memory_errors>},
      {"crashes", "the recorded run's own end", Needs::Fact, find<crashes>},
      {kProperties, "violations of properties", Needs::Properties, find_properties},
  };
  return rows;
}

std::vector<std::string> find_words() {
  std::vector<std::string> out;
  for (const Engine& engine : engines())
    if (engine.find != kProperties && std::find(out.begin(), out.end(), engine.find) == out.end())
      out.emplace_back(engine.find);
  return out;
}

} // namespace sooth::analysis
