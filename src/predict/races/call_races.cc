#include "predict/races/call_races.h"

#include "predict/question/must_order.h"
#include "predict/question/witness_of.h"

namespace sooth::predict {

using causality::StepId;
using witness::Finding;
using witness::Role;

void CallRaces::ask(std::uint32_t first, std::uint32_t second, const char* note) {
  Tried& tries = tried(first, second);
  if (tries.finding != 0) return;
  const StepId a = computation_.step_of_event[first], b = computation_.step_of_event[second];
  if (a == causality::kNoStep || b == causality::kNoStep) return;
  if (computation_.steps[a].event != first || computation_.steps[b].event != second) return;
  if (feasibility_.must(trace_).excludes(a, b)) return;
  if (!tries.once_more(coverage_, left_out_)) return;
  ++coverage_.candidates;
  ++coverage_.questions;
  const Answer answer = feasibility_.ask({{a, b}, {}, {}, {}});
  if (answer.truth == Truth::Undecided)
    coverage_.undecided_about(witness::FindingKind::Race, {{first, Role::Access}, {second, Role::Access}},
                              answer.reason);
  if (answer.truth != Truth::Yes) return;
  Finding& finding = add(first, second, note);
  finding.engine = answer.tier;
  finding.witness = witness_of(computation_, trace_, answer.run, {first, second});
  finding.status = finding.witness.steps.empty() ? witness::Status::Observed : witness::Status::Predicted;
}

void CallRaces::observed(std::uint32_t first, std::uint32_t second, const char* note) {
  if (const std::size_t known = tried(first, second).finding; known != 0) {
    ++findings_[known - 1].count;
    return;
  }
  ++coverage_.candidates;
  Finding& finding = add(first, second, note);
  finding.engine = "memory-model";
  finding.model = witness::Model::HappensBefore;
  finding.status = witness::Status::Observed;
  finding.witness.observed = std::size_t{second} + 1;
}

Finding& CallRaces::add(std::uint32_t first, std::uint32_t second, const char* note) {
  Finding finding;
  finding.kind = witness::FindingKind::Race;
  finding.places = {{first, Role::Access}, {second, Role::Access}};
  finding.note = note;
  findings_.push_back(std::move(finding));
  tried(first, second).finding = findings_.size();
  return findings_.back();
}

} // namespace sooth::predict
