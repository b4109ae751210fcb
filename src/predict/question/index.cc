#include "predict/question/index.h"

#include <algorithm>

#include <absl/container/flat_hash_map.h>

namespace sooth::predict {
namespace {

constexpr std::uint32_t kNoSection = 0xffffffff;

struct LocationState {
  StepId writer = kNoStep;
  std::uint32_t value = 0; // what it wrote, or the initial value
};

struct LockState {
  std::uint32_t exclusive = kNoSection; // the open section
  std::vector<std::uint32_t> shared;    // open sections
  StepId writer = kNoStep;              // the last operation of an exclusive holder
  std::vector<StepId> readers;          // all others since
};

// Finds the entry of a thread in a list with one entry for each thread, or makes it. Long lists, of
// which there are few, have a table.
template <typename Entry>
class ByThread {
public:
  Entry& of(std::vector<Entry>& entries, std::size_t list, std::uint32_t thread) {
    constexpr std::size_t kShort = 16;
    if (entries.size() < kShort) {
      const auto it = std::ranges::find(entries, thread, &Entry::thread);
      return it == entries.end() ? add(entries, thread) : *it;
    }
    auto& table = tables_[list];
    if (table.empty())
      for (std::uint32_t i = 0; i < entries.size(); ++i) table[entries[i].thread] = i;
    const auto [it, fresh] = table.try_emplace(thread, static_cast<std::uint32_t>(entries.size()));
    return fresh ? add(entries, thread) : entries[it->second];
  }

private:
  static Entry& add(std::vector<Entry>& entries, std::uint32_t thread) {
    entries.emplace_back();
    entries.back().thread = thread;
    return entries.back();
  }
  absl::flat_hash_map<std::size_t, absl::flat_hash_map<std::uint32_t, std::uint32_t>> tables_; // by list: by thread
};

} // namespace

Index::Index(const Computation& c, witness::Model m)
    : computation(c), model(m), locations(c), locks(c.locks.size()), lock_threads(c.locks.size()),
      tries(c.locks.size()), semaphores(c.semaphores.size()), conditions(c.conditions.size()) {
  order_begin_.assign(c.steps.size() + 1, 0);
  for (const causality::Order& order : all_orders()) ++order_begin_[order.second + 1];
  for (std::size_t i = 0; i < c.steps.size(); ++i) order_begin_[i + 1] += order_begin_[i];
  collect();
}

void Index::collect() {
  const Computation& c = computation;
  std::vector<LocationState> memory(c.locations.size());
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i].value = c.locations[i].initial;
  std::vector<std::vector<StepId>> readers(orders_conflicts() ? memory.size() : 0); // since the last write
  for (const causality::ThreadSteps& thread : c.threads) trusted.push_back(thread.trusted);
  std::vector<LockState> lock_states(c.locks.size());
  ByThread<ThreadSections> own_sections;
  ByThread<ThreadUses> semaphore_uses, condition_uses;
  absl::flat_hash_map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> open_wait; // thread, condition: 1 + wait
  std::vector<std::uint32_t> waiting(c.conditions.size(), 0);                            // threads
  writer_.assign(c.operations.size(), kNoStep);
  section_.assign(c.operations.size(), kNoSection);
  need_begin_.reserve(c.steps.size() + 1);

  for (StepId id = 0; id < c.steps.size(); ++id) {
    const causality::Step& step = c.steps[id];
    need_begin_.push_back(needs_.size());
    const auto need = [&](StepId other) {
      if (other != kNoStep && other != id && c.steps[other].thread != step.thread) needs_.push_back(other);
    };
    if ((step.flags & causality::kExternalRead) != 0) pinned.push_back(id);
    for (std::size_t n = step.first_operation; n < step.first_operation + step.operations; ++n) {
      const Operation& o = c.operations[n];
      switch (o.kind) {
      case OperationKind::Read: {
        LocationState& state = memory[o.object];
        writer_[n] = state.writer;
        if (reads_identity() && state.value != o.value)
          trusted[step.thread] = std::min(trusted[step.thread], step.place);
        if (reads_identity()) need(state.writer);
        if (orders_conflicts()) readers[o.object].push_back(id);
        break;
      }
      case OperationKind::Write: {
        LocationState& state = memory[o.object];
        if (orders_conflicts()) {
          need(state.writer);
          for (const StepId reader : readers[o.object]) need(reader);
          readers[o.object].clear();
        }
        state.writer = id;
        state.value = o.value;
        break;
      }
      case OperationKind::HoldBegin:
      case OperationKind::HoldEnd: break; // location_index.cc
      case OperationKind::Post:
        semaphore_uses.of(semaphores[o.object], o.object, step.thread).gives.push_back(id);
        break;
      case OperationKind::Take:
        semaphore_uses.of(semaphores[o.object], o.object, step.thread).takes.push_back(id);
        break;
      case OperationKind::WaitBegin:
      case OperationKind::WakeUp:
      case OperationKind::WakeAnyway:
      case OperationKind::Signal:
      case OperationKind::Broadcast: {
        ConditionIndex& condition = conditions[o.object];
        ThreadUses& own = condition_uses.of(condition.threads, o.object, step.thread);
        const auto here = static_cast<std::uint32_t>(condition.uses.size());
        condition.uses.push_back({id, o.kind, waiting[o.object] == 0 ? here : condition.uses.back().idle});
        // The thread's last wait that is open: a handler that waits inside of a wait ends first.
        std::uint32_t& open = open_wait[{step.thread, o.object}];
        if (o.kind == OperationKind::WaitBegin) {
          ++waiting[o.object];
          own.waits.push_back({id, kNoStep, here, open - 1});
          open = static_cast<std::uint32_t>(own.waits.size());
        } else if (o.kind == OperationKind::WakeUp || o.kind == OperationKind::WakeAnyway) {
          --waiting[o.object];
          ThreadUses::Wait& wait = own.waits[open - 1];
          wait.end = id;
          open = wait.outer + 1;
          section_[n] = wait.begin;
          if (o.kind == OperationKind::WakeUp) own.takes.push_back(id);
        } else {
          own.gives.push_back(id);
        }
        break;
      }
      default: {
        LockState& state = lock_states[o.object];
        std::vector<Section>& sections = locks[o.object];
        const auto number = static_cast<std::uint32_t>(sections.size());
        if (orders_locks()) {
          need(state.writer);
          // A try that fails is like a write: it needs the readers that it ran into.
          if (o.kind != OperationKind::AcquireShared && o.kind != OperationKind::ReleaseShared) {
            for (const StepId reader : state.readers) need(reader);
            state.readers.clear();
            state.writer = id;
          } else {
            state.readers.push_back(id);
          }
        }
        if (o.kind == OperationKind::Acquire) {
          sections.push_back({id, kNoStep, step.thread, true});
          section_[n] = state.exclusive = number;
        } else if (o.kind == OperationKind::AcquireShared) {
          sections.push_back({id, kNoStep, step.thread, false});
          section_[n] = number;
          state.shared.push_back(number);
        } else if (o.kind == OperationKind::Release) {
          if (state.exclusive != kNoSection) sections[section_[n] = state.exclusive].end = id;
          state.exclusive = kNoSection;
        } else if (o.kind == OperationKind::ReleaseShared) {
          const auto mine = std::ranges::find_if(
              state.shared, [&](std::uint32_t open) { return sections[open].thread == step.thread; });
          if (mine != state.shared.end()) {
            sections[section_[n] = *mine].end = id;
            state.shared.erase(mine);
          }
        } else { // TryFailed
          tries[o.object].push_back({id, static_cast<std::uint32_t>(n)});
          if (state.exclusive != kNoSection) section_[n] = state.exclusive;
          else if (!state.shared.empty()) section_[n] = state.shared.front();
        }
        break;
      }
      }
    }
  }
  need_begin_.push_back(needs_.size());
  if (needs_.empty()) need_begin_ = {};
  for (std::size_t lock = 0; lock < locks.size(); ++lock)
    for (std::uint32_t n = 0; n < locks[lock].size(); ++n) {
      const Section& section = locks[lock][n];
      ThreadSections& own = own_sections.of(lock_threads[lock], lock, section.thread);
      own.all.push_back(n);
      if (section.exclusive) own.exclusive.push_back(n);
    }
  for (const std::vector<Section>& sections : locks)
    for (const Section& section : sections) lock_never_released |= section.end == kNoStep;
}

std::span<const Access> Index::writes_of(std::uint32_t location, std::uint32_t value) const {
  return std::ranges::equal_range(locations[location].by_value, value, {}, &Access::value);
}

std::span<const Access> Index::writes_of(std::uint32_t location, std::uint32_t value, StepId begin, StepId end) const {
  const std::span<const Access> all = writes_of(location, value);
  const auto first = std::ranges::lower_bound(all, begin, {}, &Access::step);
  return {first, std::ranges::lower_bound(first, all.end(), end, {}, &Access::step)};
}

Access Index::last_write(std::uint32_t location, std::span<const std::uint32_t> cut) const {
  Access last{kNoStep, computation.locations[location].initial, 0};
  for (const ThreadAccesses& own : locations[location].threads) {
    if (cut[own.thread] == 0) continue;
    const auto end = std::ranges::lower_bound(own.writes, step_at(own.thread, cut[own.thread]), {}, &Access::step);
    if (end == own.writes.begin()) continue;
    const Access& write = *std::prev(end);
    if (last.step == kNoStep || last.step < write.step) last = write;
  }
  return last;
}

void Index::open_sections(std::uint32_t lock, std::span<const std::uint32_t> cut,
                          std::vector<std::uint32_t>& out) const {
  for (const ThreadSections& own : lock_threads[lock]) {
    if (cut[own.thread] == 0) continue;
    const StepId bound = step_at(own.thread, cut[own.thread]);
    // A thread's sections of one lock follow each other: only its last one can be open.
    const auto end =
        std::ranges::lower_bound(own.all, bound, {}, [&](std::uint32_t n) { return locks[lock][n].begin; });
    if (end == own.all.begin()) continue;
    const std::uint32_t last = *std::prev(end);
    if (locks[lock][last].end >= bound)
      out.push_back(last); // kNoStep is beyond every bound but itself, and then it is open
  }
}

std::uint64_t Index::count(std::uint32_t semaphore, std::span<const std::uint32_t> cut) const {
  std::uint64_t out = computation.semaphores[semaphore].first_count;
  for (const ThreadUses& own : semaphores[semaphore])
    out += among(own.gives, own.thread, cut[own.thread]) - among(own.takes, own.thread, cut[own.thread]);
  return out;
}

causality::WaitQueue Index::waiting(std::uint32_t condition, std::span<const std::uint32_t> cut) const {
  const std::vector<ConditionIndex::Use>& uses = conditions[condition].uses;
  const auto in_cut = [&](StepId step) { return computation.steps[step].place < cut[computation.steps[step].thread]; };
  auto first = static_cast<std::uint32_t>(uses.size());
  for (const ThreadUses& own : conditions[condition].threads) {
    const StepId bound = cut[own.thread] == 0 ? 0 : step_at(own.thread, cut[own.thread]);
    auto i = static_cast<std::uint32_t>(std::ranges::lower_bound(own.waits, bound, {}, &ThreadUses::Wait::begin) -
                                        own.waits.begin());
    for (--i; i < own.waits.size(); i = own.waits[i].outer) {
      const ThreadUses::Wait& wait = own.waits[i];
      if (wait.end == kNoStep || !in_cut(wait.end)) first = std::min(first, uses[wait.use].idle);
    }
  }
  causality::WaitQueue out;
  for (std::uint32_t i = first; i < uses.size(); ++i)
    if (in_cut(uses[i].step)) apply_use(out, uses[i].kind, computation.steps[uses[i].step].thread);
  return out;
}

void apply_use(causality::WaitQueue& queue, OperationKind kind, std::uint32_t thread) {
  switch (kind) {
  case OperationKind::WaitBegin: return queue.wait(thread);
  case OperationKind::WakeUp: return queue.wake(thread, true);
  case OperationKind::WakeAnyway: return queue.wake(thread, false);
  case OperationKind::Signal: return queue.signal();
  case OperationKind::Broadcast: return queue.broadcast();
  default: return;
  }
}

std::uint32_t Index::steps_before(std::uint32_t thread, StepId step) const {
  const std::vector<StepId>& own = computation.threads[thread].steps;
  return static_cast<std::uint32_t>(std::lower_bound(own.begin(), own.end(), step) - own.begin());
}

} // namespace sooth::predict
