#include "analysis/scripts.h"

#include <memory>
#include <optional>
#include <utility>

#include "replay/fewer_switches.h"
#include "replay/script_of.h"
#include "report/names.h"
#include "witness/check.h"

namespace sooth::analysis {

report::Scripting scripting(const Prepared& prepared) {
  auto made = std::make_shared<std::optional<witness::Checker>>(); // it is large, and most runs have no finding
  constexpr std::uint64_t kMostExplaining = 200'000'000;           // about a second for all findings together
  auto work = std::make_shared<std::uint64_t>(kMostExplaining);
  return [&prepared, made, work](const witness::Finding& finding, const std::string& fingerprint) -> std::string {
    if (finding.status != witness::Status::Predicted || prepared.trace.is_piece) return {};
    const std::vector<std::uint32_t> run = replay::run_of(finding.witness);
    witness::Finding equal = finding;
    equal.witness.observed = 0;
    equal.witness.steps = replay::with_fewer_switches(prepared.trace, run);
    if (!*made) made->emplace(prepared.trace, &prepared.objects);
    const bool accepted = !(*made)->objection(equal);
    auto script = replay::script_of(prepared.trace, finding, accepted ? equal.witness.steps : run, *work);
    if (!script) return {};
    script->finding = report::row_of(finding.kind).name;
    script->fingerprint = fingerprint;
    return replay::print(*script);
  };
}

} // namespace sooth::analysis
