#include "predict/memory/stale_pointers.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "causality/computation/effects.h"
#include "predict/question/own_accesses.h"
#include "predict/question/tries.h"
#include "predict/question/witness_of.h"

namespace sooth::predict {
namespace {

using causality::kNoEvent;
using causality::StepId;
using trace::Event;
using trace::EventKind;
using witness::Finding;
using witness::FindingKind;
using witness::Role;

struct PlacedObject {
  std::uint64_t original = 0; // where the program had it
  std::uint64_t bytes = 0;
  std::uint32_t begin = kNoEvent; // events
  std::uint32_t end = kNoEvent;
  std::uint32_t before = kNoEvent; // the free that made its place free
};

class StalePointers {
public:
  StalePointers(const trace::Trace& trace, const causality::Computation& computation, const Feasibility& feasibility,
                const MustOrder& must, const trace::ObjectTable& objects, Coverage& coverage)
      : trace_(trace), computation_(computation), feasibility_(feasibility), must_(must), table_(objects),
        coverage_(coverage) {}

  std::vector<Finding> run() {
    if (table_.moved.empty()) return {}; // no place was given out twice
    for (std::uint32_t i = 0; i < trace_.events.size(); ++i) {
      const Event& e = trace_.events[i];
      if (e.kind == EventKind::Alloc) begin(i);
      else if (e.kind == EventKind::Free) end(i);
      else if ((reads_memory(e.kind) || writes_memory(e.kind)) && e.kind != EventKind::ExternalWrite) use(i);
    }
    for (const Candidate& candidate : candidates_) ask(candidate);
    return std::move(findings_);
  }

private:
  struct Candidate {
    std::uint32_t use;
    std::uint32_t free;
    std::uint32_t alloc;
  };

  void begin(std::uint32_t i) {
    const Event& e = trace_.events[i];
    const std::uint64_t original = table_.original(e.address);
    const auto freed = freed_.find(original);
    alive_[e.address] = objects_.size();
    objects_.push_back({original, e.value, i, kNoEvent, freed == freed_.end() ? kNoEvent : freed->second});
    if (freed != freed_.end()) freed_.erase(freed);
  }
  void end(std::uint32_t i) {
    const Event& e = trace_.events[i];
    const auto it = alive_.find(e.address);
    if (it == alive_.end()) return;
    touch(i, it->second);
    objects_[it->second].end = i;
    if (!freed_inside_library(trace_, e)) freed_[objects_[it->second].original] = i;
    alive_.erase(it);
  }
  void use(std::uint32_t i) {
    // Only addresses where the object begins, or inside it: addresses of moved objects belong to no
    // other object.
    const auto moved =
        std::ranges::upper_bound(table_.moved, trace_.events[i].address, {}, &trace::MovedObject::address);
    if (moved == table_.moved.begin()) return;
    if (const auto it = alive_.find(std::prev(moved)->address); it != alive_.end()) touch(i, it->second);
  }

  // Each thread's first touch of an object whose place was another one's.
  void touch(std::uint32_t i, std::size_t number) {
    const PlacedObject& object = objects_[number];
    const Event& e = trace_.events[i];
    if (object.before == kNoEvent || e.thread == trace_.events[object.begin].thread || e.has(trace::kMerged)) return;
    if (e.kind == EventKind::Free && freed_inside_library(trace_, e)) return;
    const bool inside = table_.original(e.address) - object.original < object.bytes;
    const Event& free = trace_.events[object.before];
    if (!inside || table_.original(e.address) - object.original >= std::max<std::uint64_t>(free.value, 1)) return;
    if (touched_.insert({number, e.thread}).second) candidates_.push_back({i, object.before, object.begin});
  }

  SiteName name(std::uint32_t event) const { return site_name(trace_.events[event]); }

  void ask(const Candidate& candidate) {
    const StepId use = computation_.step_of_event[candidate.use], free = computation_.step_of_event[candidate.free],
                 alloc = computation_.step_of_event[candidate.alloc];
    if (use == causality::kNoStep || free == causality::kNoStep || alloc == causality::kNoStep) return;
    const causality::Step& step = computation_.steps[use];
    if (step.event != candidate.use || computation_.steps[alloc].event != candidate.alloc) return;
    // The thread knew of the new block before: there is no run without it.
    if (step.place > 0 && must_.precedes(alloc, computation_.threads[step.thread].steps[step.place - 1])) return;
    if (must_.precedes(use, free)) return;
    Tried& tried = tried_[std::tuple(name(candidate.use), name(candidate.free))];
    if (tried.finding != 0) return;
    if (!tried.once_more(coverage_, "more blocks at reused places, freed and used at one place, than are tried"))
      return;
    ++coverage_.candidates;
    ++coverage_.questions;
    const Answer answer = feasibility_.ask({{use, alloc}, {free}, {}, {{alloc, use}}});
    const bool second = trace_.events[candidate.use].kind == EventKind::Free;
    if (answer.truth == Truth::Undecided)
      coverage_.undecided_about(second ? FindingKind::DoubleFree : FindingKind::UseAfterFree,
                                {{candidate.use, second ? Role::Free : Role::Use}, {candidate.free, Role::Free}},
                                answer.reason);
    if (answer.truth != Truth::Yes || taken(answer.run, trace_.events[candidate.use])) return;
    Finding finding;
    finding.kind = second ? FindingKind::DoubleFree : FindingKind::UseAfterFree;
    finding.engine = answer.tier;
    finding.places = {{candidate.use, second ? Role::Free : Role::Use}, {candidate.free, Role::Free}};
    finding.note = "In the recorded run, the place had been given out again before.";
    finding.witness = witness_of(computation_, trace_, answer.run, {candidate.use});
    findings_.push_back(std::move(finding));
    tried.finding = findings_.size();
  }

  // Another object is where the address points: allocations would have returned other numbers.
  bool taken(const std::vector<StepId>& run, const Event& use) const {
    absl::flat_hash_set<StepId> done(run.begin(), run.end());
    const std::uint64_t address = table_.original(use.address);
    return std::ranges::any_of(objects_, [&](const PlacedObject& object) {
      if (address - object.original >= std::max<std::uint64_t>(object.bytes, 1)) return false;
      const bool begun = done.contains(computation_.step_of_event[object.begin]);
      return begun && (object.end == kNoEvent || !done.contains(computation_.step_of_event[object.end]));
    });
  }

  const trace::Trace& trace_;
  const causality::Computation& computation_;
  const Feasibility& feasibility_;
  const MustOrder& must_;
  const trace::ObjectTable& table_;
  Coverage& coverage_;
  std::vector<PlacedObject> objects_;
  absl::flat_hash_map<std::uint64_t, std::size_t> alive_;   // by address, as moved
  absl::flat_hash_map<std::uint64_t, std::uint32_t> freed_; // by original address: the last free
  absl::flat_hash_set<std::pair<std::size_t, std::uint32_t>> touched_;
  std::vector<Candidate> candidates_;
  std::map<std::tuple<SiteName, SiteName>, Tried> tried_;
  std::vector<Finding> findings_;
};

} // namespace

std::vector<Finding> find_stale_pointers(const trace::Trace& trace, const causality::Computation& computation,
                                         const Feasibility& feasibility, const MustOrder& must,
                                         const trace::ObjectTable& objects, Coverage& coverage) {
  return StalePointers(trace, computation, feasibility, must, objects, coverage).run();
}

bool freed_inside_library(const trace::Trace& trace, const Event& e) {
  if (e.kind != EventKind::Free || trace.sites.size() <= 1) return false;
  const std::string_view called = trace.sites[e.site].variable;
  if (called.starts_with("operator delete")) return false;
  for (const std::string_view name : {"free", "realloc", "reallocarray"})
    if (called == name) return false;
  return true;
}

} // namespace sooth::predict
