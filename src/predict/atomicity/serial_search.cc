#include "predict/atomicity/serial_search.h"

#include <algorithm>
#include <map>

#include <absl/container/flat_hash_set.h>

#include "predict/question/execution.h"
#include "predict/question/index.h"

namespace sooth::predict {
namespace {

class SerialSearch {
public:
  SerialSearch(const Computation& computation, const std::vector<Part>& parts, std::size_t states)
      : index_(computation, witness::Model::Maximal), parts_(parts), states_(states) {}

  Truth run() {
    std::vector<Frame> stack;
    if (Execution start(index_); settle(start)) stack.push_back(frame(std::move(start)));
    while (!stack.empty()) {
      if (done(stack.back().execution)) return Truth::Yes;
      if (stack.back().moves.empty()) {
        stack.pop_back();
        continue;
      }
      const StepId move = stack.back().moves.back();
      stack.back().moves.pop_back();
      Execution next = stack.back().execution;
      if (!take(next, move)) continue;
      if (done(next)) return Truth::Yes;
      if (!settle(next)) continue;
      if (visited_.size() >= states_) return Truth::Undecided;
      stack.push_back(frame(std::move(next)));
    }
    return Truth::No;
  }

private:
  struct Frame {
    Execution execution;
    std::vector<StepId> moves; // still to be tried; the last one first
  };

  const Part* part_at(std::uint32_t thread, std::uint32_t place) const {
    for (const Part& part : parts_)
      if (part.thread == thread && part.first == place && part.first < part.end) return &part;
    return nullptr;
  }
  bool done(const Execution& execution) const {
    return std::all_of(parts_.begin(), parts_.end(),
                       [&](const Part& part) { return execution.position(part.thread) >= part.end; });
  }
  // The thread stands for ever before a read that sees another value.
  bool stopped(const Execution& execution, std::uint32_t thread) const {
    return std::any_of(parts_.begin(), parts_.end(), [&](const Part& part) {
      return part.thread == thread && part.last_read && execution.position(thread) >= part.end;
    });
  }

  // False if the part or step cannot be done now.
  bool take(Execution& execution, StepId move) const {
    const causality::Step& step = index_.computation.steps[move];
    const Part* part = part_at(step.thread, step.place);
    if (part == nullptr) {
      if (!execution.allows(move, question_)) return false;
      execution.take(move);
      return true;
    }
    for (std::uint32_t place = part->first; place < part->end; ++place) {
      const StepId own = index_.computation.threads[step.thread].steps[place];
      if (!execution.allows(own, question_)) return false;
      execution.take(own);
    }
    return !part->last_read || execution.memory(part->last_read->location) == part->last_read->value;
  }

  // Takes steps that hinder no other thread. False if this state was seen before.
  bool settle(Execution& execution) {
    for (bool moved = true; moved;) {
      moved = false;
      for (std::uint32_t t = 0; t < index_.computation.threads.size(); ++t) {
        if (stopped(execution, t)) continue;
        for (StepId next = execution.next(t); next != kNoStep && harmless(next); next = execution.next(t)) {
          if (part_at(t, index_.computation.steps[next].place) != nullptr || !execution.allows(next, question_)) break;
          execution.take(next);
          moved = true;
        }
      }
    }
    std::vector<std::uint32_t> state(execution.positions().begin(), execution.positions().end());
    for (std::size_t i = 0; i < execution.locations(); ++i) state.push_back(execution.memory(i));
    execution.tell_waits(state);
    return visited_.insert(std::move(state)).second;
  }
  bool harmless(StepId step) const {
    return std::ranges::all_of(index_.computation.operations_of(step), [](const Operation& o) {
      return o.kind == OperationKind::Read || o.kind == OperationKind::HoldEnd || o.kind == OperationKind::Post;
    });
  }

  // Moves in the observed order: if there is a serial run, one close to the observed one is likely.
  Frame frame(Execution execution) const {
    std::vector<StepId> moves;
    for (std::uint32_t t = 0; t < index_.computation.threads.size(); ++t)
      if (const StepId next = execution.next(t); next != kNoStep && !stopped(execution, t)) moves.push_back(next);
    std::sort(moves.begin(), moves.end(), std::greater<>());
    return {std::move(execution), std::move(moves)};
  }

  const Index index_;
  const std::vector<Part>& parts_;
  const std::size_t states_;
  const Question question_; // asks nothing
  absl::flat_hash_set<std::vector<std::uint32_t>> visited_;
};

// Only the locations of the parts, renumbered; no locks, no holds.
Computation reduced(const Computation& whole, std::vector<Part>& parts) {
  std::map<std::uint32_t, std::uint32_t> kept;
  Computation out;
  const auto keep = [&](std::uint32_t location) {
    const auto [it, fresh] = kept.try_emplace(location, static_cast<std::uint32_t>(out.locations.size()));
    if (fresh) out.locations.push_back(whole.locations[location]);
    return it->second;
  };
  const auto is_access = [](const Operation& o) {
    return o.kind == OperationKind::Read || o.kind == OperationKind::Write;
  };
  for (Part& part : parts) {
    for (std::uint32_t place = part.first; place < part.end; ++place)
      for (const Operation& o : whole.operations_of(whole.threads[part.thread].steps[place]))
        if (is_access(o)) keep(o.object);
    if (part.last_read) part.last_read->location = keep(part.last_read->location);
  }
  out.steps = whole.steps;
  out.threads = whole.threads;
  out.orders = whole.orders;
  for (StepId id = 0; id < out.steps.size(); ++id) {
    out.steps[id].first_operation = static_cast<std::uint32_t>(out.operations.size());
    for (const Operation& o : whole.operations_of(id)) {
      const auto it = is_access(o) ? kept.find(o.object) : kept.end();
      if (it != kept.end()) out.operations.push_back({o.kind, it->second, o.value});
    }
    out.steps[id].operations = static_cast<std::uint32_t>(out.operations.size()) - out.steps[id].first_operation;
  }
  return out;
}

} // namespace

Truth serial_run_exists(const Computation& computation, const std::vector<Part>& parts, std::size_t states) {
  if (computation.steps.size() > kMaxSearched) return Truth::Undecided;
  std::vector<Part> renumbered = parts;
  const Computation fewer = reduced(computation, renumbered);
  if (SerialSearch(fewer, renumbered, states).run() == Truth::No) return Truth::No;
  // A state of the whole computation is a copy of its memory.
  const std::size_t room =
      states * 64 / std::max<std::size_t>(1, computation.locations.size() + computation.locks.size());
  return SerialSearch(computation, parts, std::min(states, room)).run();
}

std::optional<std::uint32_t> contradiction(const Computation& computation, const Part& part) {
  std::map<std::uint32_t, std::uint32_t> known; // location: value that the part itself saw or left there
  for (std::uint32_t place = part.first; place < part.end; ++place) {
    for (const Operation& o : computation.operations_of(computation.threads[part.thread].steps[place])) {
      if (o.kind == OperationKind::Read) {
        const auto [it, first] = known.try_emplace(o.object, o.value);
        if (!first && it->second != o.value) return place;
      } else if (o.kind == OperationKind::Write) {
        known[o.object] = o.value;
      }
    }
  }
  if (!part.last_read) return {};
  const auto it = known.find(part.last_read->location);
  if (it != known.end() && it->second != part.last_read->value) return part.end;
  return {};
}

} // namespace sooth::predict
