// Orders that keep the uses of a lock before its destruction (causality/computation/
// lock_operations.h). A question about a thread that comes too late waives them for this thread.
//
//     T1 acquire m, T1 release m, T2 lock-destroy m, T2 free the block of m
//     T1's release comes before the destruction. May T1 stand before its acquire when the block is
//     freed? Only without that order: T2 has destroyed m before.
#pragma once

#include <algorithm>
#include <tuple>
#include <vector>

#include "causality/computation/computation.h"
#include "predict/question/feasibility.h"
#include "trace/effects.h"
#include "trace/trace.h"

namespace sooth::predict {

class DestroyOrders {
public:
  DestroyOrders(const trace::Trace& trace, const causality::Computation& computation) : computation_(computation) {
    for (const causality::Order& order : computation.orders)
      if (destroys_primitive(trace.events[computation.steps[order.second].event].kind) &&
          !computation.cancels_thread(order))
        orders_.push_back(order);
    std::ranges::sort(orders_, {}, [&](const causality::Order& order) { return place(order.first); });
  }

  // The thread of `use` stands before it: none of its steps from there on has happened.
  void waive(Question& question, causality::StepId use) const {
    const auto first = std::ranges::lower_bound(orders_, place(use), {},
                                                [&](const causality::Order& order) { return place(order.first); });
    for (auto it = first; it != orders_.end() && place(it->first).first == place(use).first; ++it)
      question.waived.push_back(*it);
  }

private:
  std::pair<std::uint32_t, std::uint32_t> place(causality::StepId step) const {
    return {computation_.steps[step].thread, computation_.steps[step].place};
  }

  const causality::Computation& computation_;
  std::vector<causality::Order> orders_; // by thread and place of the use
};

} // namespace sooth::predict
