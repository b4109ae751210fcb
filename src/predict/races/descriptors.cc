#include "predict/races/descriptors.h"

#include <algorithm>
#include <map>
#include <utility>

#include <absl/container/flat_hash_map.h>

#include "predict/question/must_order.h"
#include "predict/question/tries.h"
#include "predict/question/witness_of.h"

namespace sooth::predict {
namespace {

using causality::StepId;
using trace::Event;
using trace::EventKind;
using witness::Finding;
using witness::Role;

class Descriptors {
public:
  Descriptors(const trace::Trace& trace, const causality::Computation& computation, const Feasibility& feasibility,
              Coverage& coverage)
      : trace_(trace), computation_(computation), feasibility_(feasibility), coverage_(coverage) {}

  std::vector<Finding> run() {
    for (std::uint32_t i = 0; i < trace_.events.size(); ++i) {
      if (trace_.events[i].kind == EventKind::FdUse) use(i);
      else if (trace_.events[i].kind == EventKind::FdClose) close(i);
    }
    return std::move(findings_);
  }

private:
  // The last use of each thread at each site.
  void use(std::uint32_t index) {
    const Event& e = trace_.events[index];
    std::vector<std::uint32_t>& uses = uses_[e.address];
    std::erase_if(uses, [&](std::uint32_t other) {
      return trace_.events[other].thread == e.thread && trace_.events[other].site == e.site;
    });
    if (uses.size() == kMaxTouches) {
      if (forgotten_++ == 0)
        coverage_.undecided_because("a file descriptor was used at more places than are remembered");
      uses.erase(uses.begin());
    }
    uses.push_back(index);
  }

  void close(std::uint32_t index) {
    const Event& e = trace_.events[index];
    const auto uses = uses_.extract(e.address);
    if (uses.empty()) return;
    for (const std::uint32_t use : uses.mapped())
      if (trace_.events[use].thread != e.thread) ask(use, index);
  }

  void ask(std::uint32_t use, std::uint32_t close) {
    Tried& tried = tried_[{trace_.events[use].site, trace_.events[close].site}];
    if (tried.finding != 0) return;
    const StepId used = computation_.step_of_event[use], closed = computation_.step_of_event[close];
    if (used == causality::kNoStep || closed == causality::kNoStep) return;
    if (computation_.steps[used].event != use || computation_.steps[closed].event != close) return;
    if (feasibility_.must(trace_).excludes(used, closed)) return;
    if (!tried.once_more(coverage_, "more uses of closed descriptors at one place than are tried")) return;
    ++coverage_.candidates;
    ++coverage_.questions;
    const Answer answer = feasibility_.ask({{used, closed}, {}, {}, {}});
    if (answer.truth == Truth::Undecided)
      coverage_.undecided_about(witness::FindingKind::Race, {{use, Role::Access}, {close, Role::Access}},
                                answer.reason);
    if (answer.truth != Truth::Yes) return;
    Finding finding;
    finding.kind = witness::FindingKind::Race;
    finding.engine = answer.tier;
    finding.places = {{use, Role::Access}, {close, Role::Access}};
    finding.witness = witness_of(computation_, trace_, answer.run, {use, close});
    finding.status = finding.witness.steps.empty() ? witness::Status::Observed : witness::Status::Predicted;
    finding.note = "The descriptor is closed while another thread uses it: its number may be another file's by then.";
    findings_.push_back(std::move(finding));
    tried.finding = findings_.size();
  }

  const trace::Trace& trace_;
  const causality::Computation& computation_;
  const Feasibility& feasibility_;
  Coverage& coverage_;
  absl::flat_hash_map<std::uint64_t, std::vector<std::uint32_t>> uses_; // by descriptor, since it was closed last
  std::size_t forgotten_ = 0;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Tried> tried_; // by sites
  std::vector<Finding> findings_;
};

} // namespace

std::vector<Finding> find_descriptor_races(const trace::Trace& trace, const causality::Computation& computation,
                                           const Feasibility& feasibility, Coverage& coverage) {
  return Descriptors(trace, computation, feasibility, coverage).run();
}

} // namespace sooth::predict
