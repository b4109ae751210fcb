#include "predict/atomicity/critical_sections.h"

#include <utility>

namespace sooth::predict {

using causality::Operation;
using causality::OperationKind;
using causality::StepId;

CriticalSections::CriticalSections(const causality::Computation& c) : set_of_(c.steps.size(), 0), sets_(1) {
  std::vector<std::size_t> now(c.threads.size(), 0);
  for (StepId id = 0; id < c.steps.size(); ++id) {
    std::size_t& mine = now[c.steps[id].thread];
    set_of_[id] = mine;
    for (const Operation& o : c.operations_of(id)) {
      const bool begins = o.kind == OperationKind::Acquire || o.kind == OperationKind::AcquireShared;
      if (!begins && o.kind != OperationKind::Release && o.kind != OperationKind::ReleaseShared) continue;
      std::vector<Held> held = sets_[mine];
      std::erase_if(held, [&](const Held& h) { return h.lock == o.object; });
      if (begins) held.push_back({o.object, id, o.kind == OperationKind::Acquire});
      mine = held.empty() ? 0 : sets_.size();
      if (mine != 0) sets_.push_back(std::move(held));
    }
  }
}

} // namespace sooth::predict
