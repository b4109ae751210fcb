#include "predict/question/closure.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <absl/container/inlined_vector.h>

#include <algorithm>
#include <span>

namespace sooth::predict {
namespace {

class Closure {
public:
  Closure(const Index& index, const Question& question, const std::vector<std::uint32_t>& limits, ClosureKind kind,
          const std::vector<std::uint32_t>& base)
      : index_(index), c_(index.computation), question_(question), limits_(limits), kind_(kind), base_(base),
        prefixes_(base), looked_at_(base) {
    prefixes_.resize(limits.size(), 0);
    looked_at_.resize(limits.size(), 0);
  }

  std::optional<std::vector<std::uint32_t>> run() {
    for (const StepId step : question_.before) {
      if (!extend(c_.steps[step].thread, c_.steps[step].place)) return {};
      if (index_.reads_freely() && !require(c_.dependence.steps[step].stands)) return {};
    }
    for (const StepId step : question_.done)
      if (!include(step)) return {};
    for (const causality::Order& order : question_.sequence)
      if (!include(order.first) || !include(order.second)) return {};
    if (index_.reads_freely())
      for (const StepId step : question_.as_recorded)
        if (!require(c_.dependence.steps[step].writes) || !require_own(step)) return {};
    do {
      if (!look_at_new_steps()) return {};
    } while (end_sections() && end_holds() && count_posts() && !waiting_.empty());
    if (failed_) return {};
    return std::move(prefixes_);
  }

private:
  bool extend(std::uint32_t thread, std::uint32_t prefix) {
    if (prefix <= prefixes_[thread]) return true;
    if (prefix > limits_[thread]) {
      failed_ = true;
      return false;
    }
    if (prefixes_[thread] == looked_at_[thread]) waiting_.push_back(thread);
    prefixes_[thread] = prefix;
    return true;
  }
  bool include(StepId step) { return extend(c_.steps[step].thread, c_.steps[step].place + 1); }
  bool has(StepId step) const { return prefixes_[c_.steps[step].thread] > c_.steps[step].place; }
  bool in_base(StepId step) const { return !base_.empty() && base_[c_.steps[step].thread] > c_.steps[step].place; }
  bool may_have(StepId step) const { return step != kNoStep && limits_[c_.steps[step].thread] > c_.steps[step].place; }

  bool look_at_new_steps() {
    while (!waiting_.empty()) {
      const std::uint32_t thread = waiting_.back();
      while (looked_at_[thread] < prefixes_[thread])
        if (!look_at(c_.threads[thread].steps[looked_at_[thread]++])) return false;
      waiting_.erase(std::ranges::find(waiting_, thread));
    }
    return true;
  }

  bool look_at(StepId id) {
    const causality::Step& step = c_.steps[id];
    for (const causality::Order& order : index_.orders(id))
      if (std::ranges::find(question_.waived, order) == question_.waived.end() && !include(order.first)) return false;
    for (const StepId need : index_.needs(id))
      if (!include(need)) return false;
    if ((step.flags & causality::kExternalRead) != 0)
      for (std::uint32_t t = 0; t < prefixes_.size(); ++t)
        if (t != step.thread && !extend(t, index_.steps_before(t, id))) return false;
    for (std::size_t n = step.first_operation; n < step.first_operation + step.operations; ++n) {
      const Operation& o = c_.operations[n];
      switch (o.kind) {
      case OperationKind::Read:
        if (!index_.reads_identity() && !index_.reads_freely() && !find_writer(n, id)) return false;
        break;
      case OperationKind::Acquire:
      case OperationKind::AcquireShared: begin_section(o.object, index_.section(n)); break;
      case OperationKind::TryFailed:
        if (kind_ == ClosureKind::Preserving && !include(index_.locks[o.object][index_.section(n)].begin)) return false;
        break;
      case OperationKind::HoldBegin: open_holds_.push_back({o.object, id}); break;
      case OperationKind::Take:
        if (kind_ == ClosureKind::Necessary) semaphores_.insert(o.object);
        else if (o.value != kNoStep && !include(o.value)) return false;
        break;
      case OperationKind::WakeUp:
        if (kind_ == ClosureKind::Necessary ? !find_signal(o.object, id, index_.section(n)) : !include(o.value))
          return false;
        break;
      default: break;
      }
    }
    return !index_.reads_freely() || require(c_.dependence.steps[id].decides);
  }

  // Model full: these must be as they were, so the reads that influence them must be, too.
  bool require(const causality::StepDependence::Slice& slice) { return require(c_.dependence.of(slice)); }
  bool require_own(StepId step) {
    const causality::DependenceNode own = c_.dependence.steps[step].own;
    return own == causality::StepDependence::kNoNode || require(std::span(&own, 1));
  }
  bool require(std::span<const causality::DependenceNode> nodes) {
    const causality::StepDependence& dependence = c_.dependence;
    std::vector<causality::DependenceNode> stack(nodes.begin(), nodes.end());
    while (!stack.empty()) {
      const causality::DependenceNode id = stack.back();
      stack.pop_back();
      if (in_base(dependence.step_of_node[id]) || !required_.insert(id).second) continue;
      const causality::StepDependence::Node& node = dependence.nodes[id];
      stack.insert(stack.end(), dependence.of(node.children).begin(), dependence.of(node.children).end());
      if (node.reads && !find_writers(dependence.step_of_node[id])) return false;
    }
    return true;
  }
  bool find_writers(StepId id) {
    const causality::Step& step = c_.steps[id];
    for (std::size_t n = step.first_operation; n < step.first_operation + step.operations; ++n)
      if (c_.operations[n].kind == OperationKind::Read && !find_writer(n, id)) return false;
    return true;
  }
  // The write is one that a read depends on.
  bool include_writer(StepId writer) {
    return include(writer) && (!index_.reads_freely() || require(c_.dependence.steps[writer].writes));
  }

  bool find_writer(std::size_t n, StepId id) {
    const Operation& o = c_.operations[n];
    const StepId seen = index_.writer(n);
    if (kind_ == ClosureKind::Preserving) return seen == kNoStep || include_writer(seen);
    if (seen != kNoStep && c_.steps[seen].thread == c_.steps[id].thread) return true; // its own
    if (o.value == c_.locations[o.object].initial) return true;
    StepId only = kNoStep;
    for (const Access& write : index_.writes_of(o.object, o.value)) {
      if (!may_have(write.step) || write.step == id) continue;
      if (c_.steps[write.step].thread == c_.steps[id].thread && c_.steps[write.step].place > c_.steps[id].place)
        continue;
      if (only != kNoStep) return true; // more than one
      only = write.step;
    }
    if (only == kNoStep) {
      failed_ = true;
      return false;
    }
    return include_writer(only);
  }

  // --- locks ---
  struct OpenSections {
    absl::InlinedVector<std::uint32_t, 4> open; // begun, and not known to end
    std::uint32_t last = 0;                     // 1 + the last section that begins, in the observed order
    std::uint32_t last_exclusive = 0;
    bool changed = false;
  };
  void begin_section(std::uint32_t lock, std::uint32_t number) {
    const auto [it, fresh] = sections_.try_emplace(lock);
    OpenSections& sections = it->second;
    if (fresh && !base_.empty() && kind_ == ClosureKind::Preserving) add_open_in_base(lock, sections);
    sections.open.push_back(number);
    sections.last = std::max(sections.last, number + 1);
    if (index_.locks[lock][number].exclusive) sections.last_exclusive = std::max(sections.last_exclusive, number + 1);
    if (!sections.changed) changed_.push_back(lock);
    sections.changed = true;
  }

  void add_open_in_base(std::uint32_t lock, OpenSections& sections) const {
    std::vector<std::uint32_t> open;
    index_.open_sections(lock, base_, open);
    sections.open.assign(open.begin(), open.end());
    for (const std::uint32_t n : open) {
      sections.last = std::max(sections.last, n + 1);
      if (index_.locks[lock][n].exclusive) sections.last_exclusive = std::max(sections.last_exclusive, n + 1);
    }
  }

  bool end_sections() {
    if (index_.orders_locks()) return true; // all operations keep their order
    std::vector<std::uint32_t> changed;
    changed.swap(changed_);
    for (const std::uint32_t lock : changed) {
      OpenSections& sections = sections_[lock];
      sections.changed = false;
      const std::vector<Section>& all = index_.locks[lock];
      sections.open.erase(std::remove_if(sections.open.begin(), sections.open.end(),
                                         [&](std::uint32_t n) { return all[n].end != kNoStep && has(all[n].end); }),
                          sections.open.end());
      if (kind_ == ClosureKind::Preserving ? !end_followed(sections, all) : !end_if_other_cannot(sections, all))
        return false;
    }
    return true;
  }
  bool end(const Section& section) {
    if (section.end == kNoStep) failed_ = true;
    return section.end != kNoStep && include(section.end);
  }
  bool end_followed(OpenSections& sections, const std::vector<Section>& all) {
    for (const std::uint32_t n : sections.open)
      if ((all[n].exclusive ? sections.last : sections.last_exclusive) > n + 1 && !end(all[n])) return false;
    return true;
  }
  bool end_if_other_cannot(OpenSections& sections, const std::vector<Section>& all) {
    for (const std::uint32_t a : sections.open) {
      if (may_have(all[a].end)) continue;
      for (const std::uint32_t b : sections.open)
        if (a != b && (all[a].exclusive || all[b].exclusive) && !end(all[b])) return false;
    }
    return true;
  }

  // --- semaphores and conditions ---
  // All waits need posts. If there are no more posts than they need, all of these.
  bool count_posts() {
    for (const std::uint32_t semaphore : semaphores_) {
      std::uint64_t needed = 0, possible = 0, there = c_.semaphores[semaphore].first_count;
      for (const ThreadUses& own : index_.semaphores[semaphore]) {
        needed += index_.among(own.takes, own.thread, prefixes_[own.thread]);
        there += index_.among(own.gives, own.thread, prefixes_[own.thread]);
        possible += index_.among(own.gives, own.thread, limits_[own.thread]) -
                    index_.among(own.gives, own.thread, prefixes_[own.thread]);
      }
      if (needed <= there) continue;
      if (needed > there + possible) {
        failed_ = true;
        return false;
      }
      if (needed < there + possible) continue;
      for (const ThreadUses& own : index_.semaphores[semaphore])
        if (const std::size_t last = index_.among(own.gives, own.thread, limits_[own.thread]);
            last > 0 && !include(own.gives[last - 1]))
          return false;
    }
    return true;
  }
  // A wake-up needs some signal since its wait; if there is only one, that one.
  bool find_signal(std::uint32_t condition, StepId wake, StepId wait) {
    if (in_base(wait)) return true;
    StepId only = kNoStep;
    for (const ThreadUses& own : index_.conditions[condition].threads) {
      const bool mine = own.thread == c_.steps[wake].thread; // by a handler
      const std::size_t first = index_.among(own.gives, own.thread, mine ? c_.steps[wait].place : base(own.thread));
      const std::size_t end = index_.among(own.gives, own.thread, mine ? c_.steps[wake].place : limits_[own.thread]);
      if (first >= end) continue;
      if (only != kNoStep || end - first > 1) return true; // more than one
      only = own.gives[first];
    }
    if (only == kNoStep) failed_ = true;
    return only != kNoStep && include(only);
  }
  std::uint32_t base(std::uint32_t thread) const { return base_.empty() ? 0 : base_[thread]; }

  // --- holds ---
  bool end_holds() {
    for (std::size_t i = 0; i < open_holds_.size();) {
      const auto [location, begin] = open_holds_[i];
      const auto& holds = index_.locations[location].holds;
      const auto hold = std::ranges::lower_bound(holds, begin, {}, &Section::begin);
      const bool ended = hold->end != kNoStep && has(hold->end);
      if (!ended && kind_ == ClosureKind::Preserving && followed(location, *hold) && !end(*hold)) return false;
      if (ended) {
        open_holds_[i] = open_holds_.back();
        open_holds_.pop_back();
      } else {
        ++i;
      }
    }
    return true;
  }
  // Whether the set has a conflicting access of another thread that was observed after the hold
  // began.
  bool followed(std::uint32_t location, const Section& hold) const {
    const auto any = [&](std::span<const Access> accesses) {
      const auto it = std::ranges::upper_bound(accesses, hold.begin, {}, &Access::step);
      return it != accesses.end() && has(it->step);
    };
    for (const ThreadAccesses& own : index_.locations[location].threads)
      if (own.thread != hold.thread && (any(own.writes) || (hold.exclusive && any(own.reads)))) return true;
    return false;
  }

  struct OpenHold {
    std::uint32_t location;
    StepId begin;
  };
  const Index& index_;
  const Computation& c_;
  const Question& question_;
  const std::vector<std::uint32_t>& limits_;
  const ClosureKind kind_;
  const std::vector<std::uint32_t>& base_;                    // empty: none
  std::vector<std::uint32_t> prefixes_;                       // by thread: how many steps are in the set
  std::vector<std::uint32_t> looked_at_;                      // by thread: ... and what they need is, too
  std::vector<std::uint32_t> waiting_;                        // threads with steps that were not looked at
  absl::flat_hash_map<std::uint32_t, OpenSections> sections_; // by lock
  std::vector<std::uint32_t> changed_;                        // locks with new sections
  std::vector<OpenHold> open_holds_;
  absl::flat_hash_set<std::uint32_t> semaphores_;           // that the set waits for
  absl::flat_hash_set<causality::DependenceNode> required_; // model full: what must be as it was
  bool failed_ = false;
};

} // namespace

std::optional<std::vector<std::uint32_t>> limits_of(const Index& index, const Question& question) {
  const Computation& c = index.computation;
  std::vector<std::uint32_t> limits = index.trusted;
  for (const StepId step : question.before) {
    std::uint32_t& limit = limits[c.steps[step].thread];
    if (c.steps[step].place > limit) return {};
    limit = c.steps[step].place;
  }
  // Two places for one thread: it cannot stand at the later one.
  for (const StepId step : question.before)
    if (limits[c.steps[step].thread] != c.steps[step].place) return {};
  return limits;
}

std::optional<std::vector<std::uint32_t>> close(const Index& index, const Question& question,
                                                const std::vector<std::uint32_t>& limits, ClosureKind kind,
                                                const std::vector<std::uint32_t>& base) {
  return Closure(index, question, limits, kind, base).run();
}

std::vector<StepId> observed_order(const Computation& c, const std::vector<std::uint32_t>& prefixes,
                                   const std::vector<std::uint32_t>& base) {
  const auto from = [&](std::size_t thread) { return base.empty() ? 0 : base[thread]; };
  std::size_t size = 0;
  for (std::size_t t = 0; t < prefixes.size(); ++t) size += prefixes[t] - from(t);
  std::vector<StepId> run;
  run.reserve(size);
  if (size > c.steps.size() / 16) { // most of the trace: cheaper to look at all of it than to sort
    for (StepId step = 0; run.size() < size; ++step) {
      const causality::Step& s = c.steps[step];
      if (s.place < prefixes[s.thread] && s.place >= from(s.thread)) run.push_back(step);
    }
    return run;
  }
  for (std::size_t t = 0; t < prefixes.size(); ++t)
    run.insert(run.end(), c.threads[t].steps.begin() + from(t), c.threads[t].steps.begin() + prefixes[t]);
  std::ranges::sort(run);
  return run;
}

std::vector<std::uint32_t> least_of(const Computation& c, const Question& question) {
  std::vector<std::uint32_t> out(c.threads.size(), 0);
  const auto need = [&](StepId id, bool itself) {
    const causality::Step& step = c.steps[id];
    out[step.thread] = std::max(out[step.thread], step.place + (itself ? 1 : 0));
  };
  for (const StepId step : question.before) need(step, false);
  for (const StepId step : question.done) need(step, true);
  for (const causality::Order& order : question.sequence) {
    need(order.first, true);
    need(order.second, true);
  }
  return out;
}

} // namespace sooth::predict
