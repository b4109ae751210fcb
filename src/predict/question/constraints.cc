#include "predict/question/constraints.h"

#include <algorithm>
#include <span>
#include <utility>

namespace sooth::predict {
namespace {

constexpr std::uint32_t kNothing = 0xffffffff;

// The last access before the step `bound`, and the first one from it on; kNoStep if there is none.
StepId last_before(std::span<const Access> accesses, StepId bound) {
  const auto it = std::ranges::lower_bound(accesses, bound, {}, &Access::step);
  return it == accesses.begin() ? kNoStep : std::prev(it)->step;
}

} // namespace

Constraints::Constraints(const Index& index, const Question& question, const Window& window,
                         std::vector<std::uint32_t> limits, const Deadline& deadline)
    : index_(index), c_(index.computation), question_(question),
      run_(c_, window.begin, window.end, window.base, std::move(limits)), begin_(window.begin), end_(window.end),
      deadline_(deadline) {
  if (window.begin == window.end) return;
  first_operation_ = c_.steps[window.begin].first_operation;
  const causality::Step& last = c_.steps[window.end - 1];
  chosen_.assign(last.first_operation + last.operations - first_operation_, kNothing);
}

void Constraints::set_choice(std::uint32_t operation, std::uint32_t value) {
  std::uint32_t& chosen = chosen_[operation - first_operation_];
  choices_.push_back({operation, chosen});
  chosen = value;
}

void Constraints::take_back(const Mark& mark) {
  run_.take_back(mark.run);
  while (choices_.size() > mark.choices) {
    chosen_[choices_.back().operation - first_operation_] = choices_.back().old;
    choices_.pop_back();
  }
  while (required_.size() > mark.required) {
    is_required_.erase(required_.back());
    required_.pop_back();
  }
  new_.clear();
  locations_.clear();
  locks_.clear();
  semaphores_.clear();
  conditions_.clear();
}

// --- what the run has ---

bool Constraints::start() {
  for (const StepId step : question_.before) {
    if (!extend(c_.steps[step].thread, c_.steps[step].place)) return false;
    if (index_.reads_freely() && !require(c_.dependence.steps[step].stands)) return false;
  }
  for (const StepId step : question_.done)
    if (!include(step)) return false;
  for (const causality::Order& sequence : question_.sequence)
    if (!order(sequence.first, sequence.second)) return false;
  if (index_.reads_freely())
    for (const StepId step : question_.as_recorded) {
      const causality::StepDependence::Row& row = c_.dependence.steps[step];
      if (!require(row.writes)) return false;
      if (row.own != causality::StepDependence::kNoNode && !require(std::span(&row.own, 1))) return false;
    }
  return true;
}

bool Constraints::extend(std::uint32_t thread, std::uint32_t prefix) {
  while (run_.prefix(thread) < prefix) {
    const StepId step = run_.grow(thread);
    if (step == kNoStep) return false;
    new_.push_back(step);
  }
  return true;
}

bool Constraints::include(StepId step) { return extend(c_.steps[step].thread, c_.steps[step].place + 1); }

bool Constraints::order(StepId first, StepId second) {
  return include(first) && include(second) && run_.order(first, second);
}

// The needs of the step, in every run.
bool Constraints::admit(StepId id) {
  const causality::Step& step = c_.steps[id];
  for (const causality::Order& o : index_.orders(id))
    if (std::ranges::find(question_.waived, o) == question_.waived.end() && !order(o.first, id)) return false;
  for (const StepId need : index_.needs(id))
    if (!order(need, id)) return false;
  if ((step.flags & causality::kExternalRead) != 0)
    for (std::uint32_t t = 0; t < run_.threads(); ++t) {
      const std::uint32_t before = t == step.thread ? 0 : index_.steps_before(t, id);
      if (before != 0 && !order(c_.threads[t].steps[before - 1], id)) return false;
    }
  for (std::uint32_t n = step.first_operation; n < step.first_operation + step.operations; ++n)
    if (!admit_operation(n, id)) return false;
  return !index_.reads_freely() || require(c_.dependence.steps[id].decides);
}

bool Constraints::admit_operation(std::uint32_t n, StepId id) {
  const Operation& o = c_.operations[n];
  if (o.kind == OperationKind::TryFailed) {
    set_choice(n, kUndecidedSection);
    return true;
  }
  if (o.kind != OperationKind::Read || index_.orders_conflicts()) return true;
  if (index_.reads_identity()) {
    const StepId seen = index_.writer(n);
    if (seen != kNoStep && !run_.in_base(seen)) {
      set_choice(n, seen);
      return true; // it is among the needs, or of this thread
    }
    set_choice(n, kBaseWriter);
    return base_write(o.object).step == seen;
  }
  if (index_.reads_freely() && !is_required_.contains(c_.dependence.steps[id].own)) {
    set_choice(n, kAnyWriter);
    return true;
  }
  set_choice(n, kUndecidedWriter); // its location is looked at next
  return true;
}

bool Constraints::choose_writer(std::uint32_t n, StepId writer) {
  set_choice(n, writer);
  locations_.insert(c_.operations[n].object);
  if (writer == kBaseWriter) return true;
  return include(writer) && (!index_.reads_freely() || require(c_.dependence.steps[writer].writes));
}

// --- model full: what must be as it was ---

bool Constraints::require(std::span<const causality::DependenceNode> nodes) {
  const causality::StepDependence& dependence = c_.dependence;
  std::vector<causality::DependenceNode> stack(nodes.begin(), nodes.end());
  while (!stack.empty()) {
    const causality::DependenceNode id = stack.back();
    stack.pop_back();
    // Before the window, everything happened as observed.
    if (in_base(id) || !is_required_.insert(id).second) continue;
    required_.push_back(id);
    const causality::StepDependence::Node& node = dependence.nodes[id];
    stack.insert(stack.end(), dependence.of(node.children).begin(), dependence.of(node.children).end());
    if (node.reads && !bind_reads(dependence.step_of_node[id])) return false;
  }
  return true;
}

// Reads that were free become bound. Those that are not admitted yet are bound when they are.
bool Constraints::bind_reads(StepId id) {
  const causality::Step& step = c_.steps[id];
  if (!run_.has(id)) return true;
  for (std::uint32_t n = step.first_operation; n < step.first_operation + step.operations; ++n) {
    if (c_.operations[n].kind != OperationKind::Read || writer(n) != kAnyWriter) continue;
    set_choice(n, kUndecidedWriter);
    locations_.insert(c_.operations[n].object); // who it may see is looked up there
  }
  return true;
}

bool Constraints::is_clean(StepId writer) const {
  if (!index_.reads_freely() || writer == kBaseWriter || run_.in_base(writer)) return true;
  return std::ranges::all_of(c_.dependence.of(c_.dependence.steps[writer].writes), [&](causality::DependenceNode node) {
    return in_base(node) || is_required_.contains(node);
  });
}

bool Constraints::choose_section(std::uint32_t n, std::uint32_t section) {
  set_choice(n, section);
  locks_.insert(c_.operations[n].object);
  return include(index_.locks[c_.operations[n].object][section].begin);
}

// --- who a read may see ---

Access Constraints::base_write(std::uint32_t location) const { return index_.last_write(location, run_.bases()); }

bool Constraints::can_see(StepId reader, std::uint32_t location, StepId writer) const {
  const bool base = writer == kBaseWriter;
  if (!base && (!run_.may_have(writer) || run_.in_base(writer) || writer == reader)) return false;
  if (!base && run_.has(writer) && run_.precedes(reader, writer)) return false;
  const std::uint32_t thread = c_.steps[reader].thread;
  if (!base && !run_.has(writer) && c_.steps[writer].thread == thread) return false; // behind it in its own thread
  for (const ThreadAccesses& own : index_.locations[location].threads_between(begin_, end_)) {
    const std::uint32_t before = own.thread == thread ? c_.steps[reader].place : run_.known_before(reader, own.thread);
    const StepId last = last_before(own.writes, index_.step_at(own.thread, before));
    if (last == kNoStep || run_.in_base(last) || last == writer) continue;
    if (base || (run_.has(writer) && run_.precedes(writer, last))) return false;
  }
  return true;
}

std::vector<StepId> Constraints::candidates(std::uint32_t n, StepId step, std::size_t most) const {
  const Operation& o = c_.operations[n];
  std::vector<StepId> found;
  const StepId seen = index_.writer(n);
  const auto try_one = [&](StepId writer) {
    if (found.size() < most && can_see(step, o.object, writer)) found.push_back(writer);
  };
  const bool base = base_write(o.object).value == o.value && o.value != causality::kUnknownValue;
  const bool seen_in_base = seen == kNoStep || run_.in_base(seen);
  if (!seen_in_base) try_one(seen);
  if (base) try_one(kBaseWriter);
  // Those that are in the run first: they cost nothing.
  const std::span<const Access> writes = index_.writes_of(o.object, o.value, begin_, end_);
  for (const bool in_run : {true, false})
    for (const Access& write : writes) {
      if (found.size() >= most) return found;
      if (write.step != seen && run_.may_have(write.step) && run_.has(write.step) == in_run) try_one(write.step);
    }
  return found;
}

// --- rules ---

void Constraints::note_changes() {
  for (const StepId step : run_.changed())
    for (const Operation& o : c_.operations_of(step)) {
      if (is_counted(o.kind)) {
        (is_of_condition(o.kind) ? conditions_ : semaphores_).insert(o.object);
        continue;
      }
      const bool location = o.kind == OperationKind::Read || o.kind == OperationKind::Write ||
                            o.kind == OperationKind::HoldBegin || o.kind == OperationKind::HoldEnd;
      (location ? locations_ : locks_).insert(o.object);
    }
  run_.changed().clear();
}

// Rules see the orders known when the round began; the orders that they add are closed together
// before the next one.
bool Constraints::saturate() {
  for (;;) {
    if (deadline_.passed()) {
      out_of_time_ = true;
      return false;
    }
    while (!new_.empty()) {
      const StepId step = new_.back();
      new_.pop_back();
      if (!admit(step)) return false;
    }
    if (!run_.propagate()) return false;
    note_changes();
    if (locks_.empty() && locations_.empty() && semaphores_.empty() && conditions_.empty()) return true;
    for (const std::uint32_t lock : std::exchange(locks_, {}))
      if (!apply_locks(lock) || !apply_tries(lock)) return false;
    for (const std::uint32_t semaphore : std::exchange(semaphores_, {}))
      if (!apply_semaphore(semaphore)) return false;
    for (const std::uint32_t condition : std::exchange(conditions_, {}))
      if (!apply_condition(condition)) return false;
    if (run_.pending() || !new_.empty()) continue; // locks say most; memory is dearer
    for (const std::uint32_t location : std::exchange(locations_, {}))
      if (!apply_reads(location) || !apply_holds(location)) return false;
  }
}

bool Constraints::apply_reads(std::uint32_t location) {
  if (index_.orders_conflicts()) return true;
  for (const ThreadAccesses& own : index_.locations[location].threads_between(begin_, end_)) {
    auto read =
        std::ranges::lower_bound(own.reads, index_.step_at(own.thread, run_.base(own.thread)), {}, &Access::step);
    for (; read != own.reads.end() && run_.has(read->step); ++read) {
      StepId seen = writer(read->operation);
      if (seen == kAnyWriter) continue;
      if (seen == kNothing) continue; // new; it will be admitted, and this looked at again
      if (seen == kUndecidedWriter) {
        if (++looked_ % kBetweenLooks == 0 && deadline_.passed()) {
          out_of_time_ = true;
          return false;
        }
        const std::vector<StepId> possible = candidates(read->operation, read->step, 2);
        if (possible.empty()) return false;
        if (possible.size() > 1) continue;
        seen = possible.front();
        if (!choose_writer(read->operation, seen)) return false;
      }
      if (!apply_read(location, read->step, seen)) return false;
    }
  }
  return true;
}

bool Constraints::apply_read(std::uint32_t location, StepId reader, StepId writer) {
  const bool base = writer == kBaseWriter;
  if (!base && !order(writer, reader)) return false;
  const std::uint32_t thread = c_.steps[reader].thread;
  for (const ThreadAccesses& own : index_.locations[location].threads_between(begin_, end_)) {
    // The last write of this thread that is known before the read is not after the write that the
    // read sees.
    const std::uint32_t before = own.thread == thread ? c_.steps[reader].place : run_.known_before(reader, own.thread);
    const StepId last = last_before(own.writes, index_.step_at(own.thread, before));
    if (last != kNoStep && last != writer && !run_.in_base(last) && (base || !run_.order(last, writer))) return false;
    // The first write of this thread that is known behind the one that is seen is behind the read.
    const auto first = std::ranges::lower_bound(own.writes, true, {}, [&](const Access& write) {
      return !run_.has(write.step) || is_behind(write.step, writer);
    });
    if (first == own.writes.end() || !run_.has(first->step)) continue;
    const auto next = first->step == reader ? std::next(first) : first;
    if (next != own.writes.end() && run_.has(next->step) && !run_.order(reader, next->step)) return false;
  }
  return true;
}

bool Constraints::is_behind(StepId write, StepId writer) const {
  if (run_.in_base(write)) return false;
  return writer == kBaseWriter || (write != writer && run_.precedes(writer, write));
}

bool Constraints::apply_holds(std::uint32_t location) {
  const LocationIndex& all = index_.locations[location];
  for (std::size_t i = all.first_hold(begin_); i < all.holds.size() && all.holds[i].begin < end_; ++i) {
    const Section& hold = all.holds[i];
    if (!run_.has(hold.begin) || (hold.end != kNoStep && run_.in_base(hold.end))) continue;
    for (const ThreadAccesses& own : all.threads_between(begin_, end_)) {
      if (own.thread == hold.thread) continue;
      if (!apply_hold(hold, own.writes)) return false;
      if (hold.exclusive && !apply_hold(hold, own.reads)) return false;
    }
  }
  return true;
}

// Each access comes before the hold, or after it.
bool Constraints::apply_hold(const Section& hold, std::span<const Access> accesses) {
  const auto behind = std::ranges::lower_bound(accesses, true, {}, [&](const Access& access) {
    return !run_.has(access.step) || (!run_.in_base(access.step) && run_.precedes(hold.begin, access.step));
  });
  if (behind != accesses.end() && run_.has(behind->step)) {
    if (hold.end == kNoStep || !order(hold.end, behind->step)) return false;
  }
  const bool ends = hold.end != kNoStep && run_.has(hold.end);
  if (!ends && run_.may_have(hold.end)) return true; // open: it may end, or not
  // The last access that is known before the end, all of them if there is none, is before the
  // beginning.
  const std::uint32_t thread = accesses.empty() ? 0 : c_.steps[accesses.front().step].thread;
  const StepId last =
      last_before(accesses, index_.step_at(thread, ends ? run_.known_before(hold.end, thread) : run_.prefix(thread)));
  return last == kNoStep || run_.in_base(last) || (!run_.in_base(hold.begin) && run_.order(last, hold.begin));
}

bool Constraints::apply_locks(std::uint32_t lock) {
  if (index_.orders_locks()) return true;
  for (const ThreadSections& own : index_.lock_threads[lock]) {
    auto n =
        std::ranges::lower_bound(own.all, begin_, {}, [&](std::uint32_t s) { return index_.locks[lock][s].begin; });
    if (n != own.all.begin()) --n; // perhaps open when the window begins
    for (; n != own.all.end() && run_.has(index_.locks[lock][*n].begin); ++n) {
      const Section& section = index_.locks[lock][*n];
      if (section.end != kNoStep && run_.in_base(section.end)) continue;
      if (!apply_section(lock, section)) return false;
    }
  }
  return true;
}

// In each other thread: the first conflicting section that is not over when this one begins comes
// behind this one.
bool Constraints::apply_section(std::uint32_t lock, const Section& section) {
  const std::vector<Section>& sections = index_.locks[lock];
  for (const ThreadSections& own : index_.lock_threads[lock]) {
    if (own.thread == section.thread) continue;
    const std::vector<std::uint32_t>& others = section.exclusive ? own.all : own.exclusive;
    const auto it = std::ranges::lower_bound(others, true, {}, [&](std::uint32_t n) {
      const Section& other = sections[n];
      if (!run_.has(other.begin)) return true;
      if (other.end != kNoStep && run_.has(other.end))
        return !run_.in_base(other.end) && run_.precedes(section.begin, other.end);
      return !run_.may_have(other.end) || (!run_.in_base(other.begin) && run_.precedes(section.begin, other.begin));
    });
    if (it == others.end() || !run_.has(sections[*it].begin)) continue;
    const Section& other = sections[*it];
    if (section.end == kNoStep || !order(section.end, other.begin)) return false;
  }
  return true;
}

bool Constraints::apply_tries(std::uint32_t lock) {
  const std::vector<TryFailed>& tries = index_.tries[lock];
  for (auto it = std::ranges::lower_bound(tries, begin_, {}, &TryFailed::step); it != tries.end(); ++it) {
    const TryFailed& attempt = *it;
    if (!run_.has(attempt.step) || run_.in_base(attempt.step)) continue;
    const std::uint32_t n = tried_section(attempt.operation);
    if (n == kUndecidedSection || n == kNothing) continue;
    const Section& section = index_.locks[lock][n];
    if (!order(section.begin, attempt.step)) return false;
    if (section.end != kNoStep && run_.has(section.end) && !run_.order(attempt.step, section.end)) return false;
  }
  return true;
}

// --- semaphores and conditions ---

// How many of these steps of the thread the run may have before the step.
std::size_t Constraints::may_precede(const std::vector<StepId>& own, std::uint32_t thread, StepId step) const {
  const causality::Step& at = c_.steps[step];
  if (thread == at.thread) return index_.among(own, thread, at.place);
  const std::uint32_t prefix = run_.prefix(thread);
  const auto behind = [&](StepId other) { return !run_.in_base(other) && run_.precedes(step, other); };
  const bool all_behind = prefix > run_.base(thread) && behind(c_.threads[thread].steps[prefix - 1]);
  const std::size_t here = index_.among(own, thread, prefix);
  if (!all_behind) return index_.among(own, thread, run_.limit(thread));
  const auto end = own.begin() + static_cast<std::ptrdiff_t>(here);
  return static_cast<std::size_t>(std::partition_point(own.begin(), end, [&](StepId s) { return !behind(s); }) -
                                  own.begin());
}

bool Constraints::apply_semaphore(std::uint32_t semaphore) {
  if (index_.orders_locks()) return true;
  const std::uint64_t base = index_.count(semaphore, run_.bases());
  std::uint64_t takes = 0, gives = 0; // in the run; possible
  for (const ThreadUses& own : index_.semaphores[semaphore]) {
    const std::uint32_t begin = run_.base(own.thread);
    takes += index_.among(own.takes, own.thread, run_.prefix(own.thread)) - index_.among(own.takes, own.thread, begin);
    gives += index_.among(own.gives, own.thread, run_.limit(own.thread)) - index_.among(own.gives, own.thread, begin);
  }
  if (takes > base + gives) return false;
  for (const ThreadUses& own : index_.semaphores[semaphore]) {
    std::size_t i = index_.among(own.takes, own.thread, run_.base(own.thread));
    for (; i < own.takes.size() && run_.has(own.takes[i]); ++i)
      if (!apply_take(semaphore, own.takes[i], base)) return false;
  }
  return true;
}

bool Constraints::apply_take(std::uint32_t semaphore, StepId take, std::uint64_t base_count) {
  const causality::Step& step = c_.steps[take];
  std::uint64_t needed = 1, possible = base_count;
  for (const ThreadUses& own : index_.semaphores[semaphore]) {
    const std::uint32_t base = run_.base(own.thread);
    const std::uint32_t before = own.thread == step.thread ? step.place : run_.known_before(take, own.thread);
    needed += index_.among(own.takes, own.thread, before) - index_.among(own.takes, own.thread, base);
    possible += may_precede(own.gives, own.thread, take) - index_.among(own.gives, own.thread, base);
  }
  if (possible < needed) return false;
  if (possible > needed || needed <= base_count) return true;
  for (const ThreadUses& own : index_.semaphores[semaphore]) {
    const std::size_t count = may_precede(own.gives, own.thread, take);
    if (own.thread == step.thread || count == 0 || run_.in_base(own.gives[count - 1])) continue;
    if (!order(own.gives[count - 1], take)) return false;
  }
  return true;
}

bool Constraints::apply_condition(std::uint32_t condition) {
  if (index_.orders_locks()) return true;
  for (const ThreadUses& own : index_.conditions[condition].threads) {
    const StepId begin = index_.step_at(own.thread, run_.base(own.thread));
    auto wait = std::ranges::lower_bound(own.waits, begin, {}, &ThreadUses::Wait::begin);
    if (wait != own.waits.begin()) --wait; // perhaps open when the window begins
    for (; wait != own.waits.end() && run_.has(wait->begin); ++wait) {
      if (wait->end == kNoStep || run_.in_base(wait->end) || !run_.has(wait->end)) continue;
      if (std::ranges::binary_search(own.takes, wait->end) && !apply_wake_up(condition, wait->end, wait->begin))
        return false;
    }
  }
  return true;
}

const causality::WaitQueue& Constraints::base_waits(std::uint32_t condition) const {
  const auto [it, fresh] = base_waits_.try_emplace(condition);
  if (fresh) it->second = index_.waiting(condition, run_.bases());
  return it->second;
}

bool Constraints::apply_wake_up(std::uint32_t condition, StepId wake, StepId wait) {
  const causality::Step& step = c_.steps[wake];
  const bool waited_before = run_.in_base(wait);
  if (waited_before && base_waits(condition).may_wake(step.thread)) return true;
  StepId only = kNoStep;
  for (const ThreadUses& own : index_.conditions[condition].threads) {
    std::uint32_t before = run_.base(own.thread); // what is known to come before the wait
    if (!waited_before) before = std::max(before, run_.known_before(wait, own.thread));
    if (own.thread == step.thread) before = std::max(before, c_.steps[wait].place);
    const std::size_t first = index_.among(own.gives, own.thread, before);
    const std::size_t end = may_precede(own.gives, own.thread, wake);
    if (first >= end) continue;
    if (only != kNoStep || end - first > 1) return true; // more than one
    only = own.gives[first];
  }
  if (only == kNoStep) return false;
  return (waited_before || order(wait, only)) && order(only, wake);
}

} // namespace sooth::predict
