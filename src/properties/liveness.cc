#include "properties/liveness.h"

#include "properties/run_table.h"

namespace sooth::properties {

using causality::EventIndex;

LivenessAnswer find_possible_liveness(const trace::Trace& trace, const causality::Model& model,
                                      const logic::PropertyFile& file, const explore::PropertyEvents& events,
                                      const LassoLimits& limits) {
  LivenessAnswer out;
  const RunTable table(file, events, trace);
  for (const logic::Property& property : file.properties) {
    if (property.lasso == nullptr) continue;
    LassoSearch search(file, property, events.initial, limits);
    const auto lasso = search.find(model, events);
    out.complete = out.complete && (lasso || search.complete());
    if (!lasso) continue;
    witness::Finding finding;
    finding.kind = witness::FindingKind::PossibleLiveness;
    finding.engine = "lasso";
    finding.property = property.name;
    finding.run = table.run(property, lasso->visible);
    finding.run.repeated = lasso->repeated;
    finding.note = lasso_note(lasso->repeated);
    finding.places.push_back({static_cast<std::uint32_t>(lasso->visible.back()), witness::Role::Step});
    const std::vector<EventIndex> run = model.run_along(lasso->path);
    while (finding.witness.observed < run.size() && run[finding.witness.observed] == finding.witness.observed)
      ++finding.witness.observed;
    for (std::size_t k = finding.witness.observed; k < run.size(); ++k)
      finding.witness.steps.push_back(static_cast<std::uint32_t>(run[k]));
    out.findings.push_back(std::move(finding));
  }
  return out;
}

} // namespace sooth::properties
