#include "cli/engines.h"

#include <algorithm>

#include "predict/atomicity.h"
#include "predict/crashes.h"
#include "predict/deadlocks.h"
#include "predict/lost_wakeups.h"
#include "predict/memory_errors.h"
#include "predict/memory_model.h"
#include "predict/races.h"
#include "predict/waiting_at_end.h"

namespace sooth::cli {

using predict::Coverage;
using Found = std::vector<witness::Finding>;

std::span<const Engine> engines() {
  static constexpr Engine rows[] = {
      {"races", "data races of the recorded run", false,
       [](const EngineInput& in, Coverage& coverage) -> Found {
         return predict::find_memory_model_races(in.trace, coverage);
       }},
      {"races", "data races of other runs", true,
       [](const EngineInput& in, Coverage& coverage) -> Found {
         return predict::find_races(in.trace, in.computation, in.feasibility, in.model, in.limits, coverage,
                                    [&](std::size_t done, std::size_t all) { in.progress.within(done, all); });
       }},
      {"deadlocks", "deadlocks of the recorded run", false,
       [](const EngineInput& in, Coverage&) -> Found { return predict::waiting_at_end(in.trace).deadlocks; }},
      {"deadlocks", "deadlocks", true,
       [](const EngineInput& in, Coverage& coverage) -> Found {
         return predict::find_deadlocks(in.trace, in.computation, in.feasibility, in.limits, coverage);
       }},
      {"deadlocks", "lost wake-ups", true,
       [](const EngineInput& in, Coverage& coverage) -> Found {
         return predict::find_lost_wakeups(in.trace, in.computation, in.feasibility, in.limits, coverage);
       }},
      {"atomicity", "blocks that are not atomic", true,
       [](const EngineInput& in, Coverage& coverage) -> Found {
         return predict::find_atomicity(in.trace, in.computation, in.feasibility, in.limits, coverage, in.atomic);
       }},
      {"memory", "errors with memory", true,
       [](const EngineInput& in, Coverage& coverage) -> Found {
         return predict::find_memory_errors(in.trace, in.computation, in.feasibility, in.limits, coverage, in.objects);
       }},
      {"crashes", "the recorded run's own end", false,
       [](const EngineInput& in, Coverage&) -> Found { return predict::find_crashes(in.trace); }},
  };
  return rows;
}

std::vector<std::string> find_words() {
  std::vector<std::string> out;
  for (const Engine& engine : engines())
    if (std::find(out.begin(), out.end(), engine.find) == out.end()) out.emplace_back(engine.find);
  return out;
}

} // namespace sooth::cli
