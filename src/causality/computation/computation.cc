#include "causality/computation/computation.h"

#include <algorithm>

#include "causality/computation/doubtful_reads.h"
#include "causality/computation/effects.h"
#include "causality/computation/lifetimes.h"
#include "causality/computation/locations.h"
#include "causality/computation/lock_operations.h"
#include "causality/computation/memory_operations.h"
#include "causality/computation/primitives.h"
#include "causality/dependence/dependence.h"
#include "trace/contents.h"
#include "trace/effects.h"
#include "trace/kind_groups.h"
#include "trace/lost.h"
#include "trace/restore/misplaced.h"
#include "trace/together.h"

namespace sooth::causality {
namespace {

using trace::Event;
using trace::EventKind;

bool glued_to_next(const trace::Trace& trace, std::size_t i) {
  const Event& e = trace.events[i];
  if (e.kind == EventKind::ExternalWrite) { // it stands for what the next event found
    if (i + 1 == trace.events.size()) return false;
    const Event& next = trace.events[i + 1];
    return next.thread == e.thread && reads_memory(next.kind) && overlap(e, next);
  }
  return (e.kind == EventKind::Read || e.kind == EventKind::Write) && e.has(trace::kGlued);
}

// Synchronisation is a step even if no other thread of this trace takes part: findings are about
// it. So are inner events of recursive locks, and readers that read once more.
bool synchronises(EventKind kind) {
  const bool thread = object_of(kind) == trace::ObjectKind::Thread;
  return uses_primitive(kind) || begins_primitive(kind) || destroys_primitive(kind) ||
         object_of(kind) == trace::ObjectKind::Descriptor ||
         (thread && does(kind, trace::act::kTakes | trace::act::kGives | trace::act::kBegins | trace::act::kEnds));
}

class Builder {
public:
  Builder(const trace::Trace& trace, const trace::ObjectTable& objects)
      : trace_(trace), objects_(objects), locations_(trace) {}

  Computation run() {
    effects_.operations.reserve(trace_.events.size()); // most have one at most; what is not used is never touched
    result_.locks = add_lock_operations(trace_, effects_);
    add_primitives(trace_, effects_);
    std::vector<std::uint32_t> doubtful = first_doubtful(trace_, locations_, effects_);
    for (const std::uint32_t event : trace::misplaced_reads(trace_)) {
      result_.first_misplaced = std::min(result_.first_misplaced, event);
      std::uint32_t& first = doubtful[trace_.events[event].thread];
      first = std::min(first, event);
    }
    add_lifetime_orders(trace_, effects_); // no synchronisation, so after the question of doubt
    add_locations();
    make_steps();
    place_operations();
    place_orders();
    pin();
    cut_off(doubtful);
    return std::move(result_);
  }
  const Locations& locations() const { return locations_; }

private:
  void add_locations() {
    const std::vector<std::uint32_t> initial = add_memory_operations(trace_, locations_, objects_, effects_);
    for (std::size_t i = 0; i < initial.size(); ++i) {
      const Piece& piece = locations_.pieces()[i];
      result_.locations.push_back({piece.address, piece.bytes, initial[i]});
    }
  }

  // Events that other threads can notice, or that wait for others, begin steps. The events that
  // follow belong to the step before them.
  void make_steps() {
    std::vector<std::uint8_t> acts(trace_.events.size(), 0);
    for (const EventOperation& o : effects_.operations)
      if (o.operation.kind != OperationKind::HoldEnd) acts[o.event] = 1; // a hold ends where its last event is
    for (const EventOrder& order : effects_.orders) acts[order.first] = acts[order.second] = 1;
    for (const std::uint32_t event : effects_.pinned) acts[event] = 1;

    const auto count_standing = [&](std::uint32_t event) { result_.standing += event < trace_.standing ? 1 : 0; };
    result_.threads.resize(trace_.threads.size());
    result_.step_of_event.assign(trace_.events.size(), kNoStep);
    result_.steps.reserve(trace_.events.size()); // what is not used is never touched
    std::vector<std::uint8_t> glued(trace_.threads.size(), 0);
    for (std::uint32_t i = 0; i < trace_.events.size(); ++i) {
      const Event& e = trace_.events[i];
      ThreadSteps& own = result_.threads[e.thread];
      // What stands before a piece is no part of the steps in it.
      const bool first =
          own.steps.empty() || (i >= trace_.standing && result_.steps[own.steps.back()].event < trace_.standing);
      // A thread may end with a call or a branch, in traces from elsewhere.
      const bool begins = (acts[i] != 0 && !trace::clings(e)) || synchronises(e.kind);
      if (first || (begins && glued[e.thread] == 0)) {
        const auto place = static_cast<std::uint32_t>(own.steps.size());
        own.steps.push_back(static_cast<StepId>(result_.steps.size()));
        result_.steps.push_back({i, i, e.thread, place, 0, 0, kAtomicStep});
        count_standing(i);
      }
      const StepId id = own.steps.back();
      Step& step = result_.steps[id];
      step.last_event = i;
      if (is_access(e.kind) && locations_.of(i).count != 0) { // what only this thread touches says nothing of the step
        if (e.has(trace::kMerged)) step.flags |= kMergedStep;
        if (!is_atomic(e.kind)) step.flags &= ~kAtomicStep;
      }
      result_.step_of_event[i] = id;
      glued[e.thread] = glued_to_next(trace_, i);
    }
  }

  void place_operations() {
    for (const EventOperation& o : effects_.operations) ++result_.steps[result_.step_of_event[o.event]].operations;
    std::uint32_t sum = 0;
    for (Step& step : result_.steps) {
      step.first_operation = sum;
      sum += step.operations;
      step.operations = 0;
    }
    std::vector<Operation> grouped(sum);
    for (const EventOperation& o : effects_.operations) {
      Step& step = result_.steps[result_.step_of_event[o.event]];
      Operation& placed = grouped[step.first_operation + step.operations++] = o.operation;
      const bool names_event = placed.kind == OperationKind::Take || placed.kind == OperationKind::WakeUp;
      if (names_event && placed.value != kNoEvent) placed.value = result_.step_of_event[placed.value];
    }
    result_.semaphores = std::move(effects_.semaphores);
    result_.conditions = std::move(effects_.conditions);
    effects_.operations = {};
    simplify(grouped);
  }

  // A step happens at once: it reads each location once, before it writes, and writes it once. A
  // hold that ends in the step in which it begins does not count.
  void simplify(const std::vector<Operation>& grouped) {
    std::vector<StepId> read(result_.locations.size(), kNoStep);
    std::vector<StepId> written(result_.locations.size(), kNoStep);
    std::vector<std::uint32_t> at(result_.locations.size(), 0); // where the step's write or hold is in the result
    std::vector<StepId> held(result_.locations.size(), kNoStep);
    std::vector<std::uint32_t> held_at(result_.locations.size(), 0);
    result_.operations.reserve(grouped.size());
    for (StepId id = 0; id < result_.steps.size(); ++id) {
      Step& step = result_.steps[id];
      const std::uint32_t first = step.first_operation, count = step.operations;
      step.first_operation = static_cast<std::uint32_t>(result_.operations.size());
      bool dropped_hold = false;
      for (std::uint32_t i = first; i < first + count; ++i) {
        const Operation& o = grouped[i];
        const auto place = static_cast<std::uint32_t>(result_.operations.size());
        switch (o.kind) {
        case OperationKind::Read:
          if (read[o.object] == id || written[o.object] == id) continue;
          read[o.object] = id;
          break;
        case OperationKind::Write:
          if (written[o.object] == id) {
            result_.operations[at[o.object]].value = o.value;
            continue;
          }
          written[o.object] = id;
          at[o.object] = place;
          break;
        case OperationKind::HoldBegin:
          held[o.object] = id;
          held_at[o.object] = place;
          break;
        case OperationKind::HoldEnd:
          if (held[o.object] == id) {
            held[o.object] = kNoStep;
            result_.operations[held_at[o.object]].object = kDropped;
            dropped_hold = true;
            continue;
          }
          break;
        default: break;
        }
        result_.operations.push_back(o);
      }
      if (dropped_hold) {
        const auto begin = result_.operations.begin() + step.first_operation;
        result_.operations.erase(
            std::remove_if(begin, result_.operations.end(), [](const Operation& o) { return o.object == kDropped; }),
            result_.operations.end());
      }
      step.operations = static_cast<std::uint32_t>(result_.operations.size()) - step.first_operation;
      if (step.operations == 0) step.flags &= ~kAtomicStep;
    }
  }

  void place_orders() {
    for (const EventOrder& order : effects_.orders) {
      const StepId first = result_.step_of_event[order.first], second = result_.step_of_event[order.second];
      if (result_.steps[first].thread == result_.steps[second].thread) continue;
      (order.recorded ? result_.orders_as_recorded : result_.orders).push_back({first, second});
      if (order.conservative) ++result_.conservative_orders;
      if (trace_.events[order.first].kind == EventKind::Cancel) result_.cancels.push_back({first, second});
    }
    sort(result_.orders);
    sort(result_.cancels);
    if (result_.orders_as_recorded.empty()) return;
    result_.orders_as_recorded.insert(result_.orders_as_recorded.end(), result_.orders.begin(), result_.orders.end());
    sort(result_.orders_as_recorded);
  }
  static void sort(std::vector<Order>& orders) {
    std::sort(orders.begin(), orders.end(), [](const Order& a, const Order& b) {
      return a.second != b.second ? a.second < b.second : a.first < b.first;
    });
    orders.erase(std::unique(orders.begin(), orders.end()), orders.end());
  }

  // What stands before all steps of other threads is pinned by its own thread alone. (A piece does
  // not begin with the run.)
  void pin() {
    for (const std::uint32_t event : effects_.pinned) {
      const StepId id = result_.step_of_event[event];
      Step& step = result_.steps[id];
      if (id == step.place && !trace_.is_piece) continue;
      if ((step.flags & kExternalRead) == 0) ++result_.external_reads;
      step.flags |= kExternalRead;
    }
  }

  // Lost events may have ordered all others, in every thread: nothing can be said about other runs.
  void cut_off(const std::vector<std::uint32_t>& doubtful) {
    const bool lost = trace::lost_events(trace_) != 0;
    for (std::size_t t = 0; t < result_.threads.size(); ++t) {
      ThreadSteps& own = result_.threads[t];
      own.trusted = static_cast<std::uint32_t>(own.steps.size());
      if (lost) own.trusted = 0;
      else if (doubtful[t] != kTrusted) own.trusted = result_.steps[result_.step_of_event[doubtful[t]]].place;
      result_.untrusted_steps += own.steps.size() - own.trusted;
    }
  }

  static constexpr std::uint32_t kDropped = 0xffffffff;
  const trace::Trace& trace_;
  const trace::ObjectTable& objects_;
  Locations locations_;
  Effects effects_;
  Computation result_;
};

} // namespace

Computation compute(const trace::Trace& trace, const trace::ObjectTable& objects) {
  Builder builder(trace, objects);
  Computation result = builder.run();
  result.dependence = dependence_of(trace, result, builder.locations());
  return result;
}

} // namespace sooth::causality
