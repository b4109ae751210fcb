#include "predict/question/index.h"

#include <algorithm>

#include <absl/container/flat_hash_map.h>

namespace sooth::predict {
namespace {

constexpr std::uint32_t kNoSection = 0xffffffff;

} // namespace

// One walk over all operations, in the observed order.
class Index::Collector {
public:
  explicit Collector(Index& index)
      : index_(index), c_(index.computation), memory_(c_.locations.size()),
        readers_(index.orders_conflicts() ? c_.locations.size() : 0), lock_states_(c_.locks.size()),
        waiting_(c_.conditions.size(), 0) {
    for (std::size_t i = 0; i < memory_.size(); ++i) memory_[i].value = c_.locations[i].initial;
    for (const causality::ThreadSteps& thread : c_.threads) index.trusted.push_back(thread.trusted);
    index.writer_.assign(c_.operations.size(), kNoStep);
    index.section_.assign(c_.operations.size(), kNoSection);
    index.need_begin_.reserve(c_.steps.size() + 1);
  }

  void run() {
    for (id_ = 0; id_ < c_.steps.size(); ++id_) {
      const causality::Step& step = c_.steps[id_];
      thread_ = step.thread;
      index_.need_begin_.push_back(index_.needs_.size());
      if ((step.flags & causality::kExternalRead) != 0) index_.pinned.push_back(id_);
      for (std::size_t n = step.first_operation; n < step.first_operation + step.operations; ++n) follow(n);
    }
    index_.need_begin_.push_back(index_.needs_.size());
    if (index_.needs_.empty()) index_.need_begin_ = {};
    sort_sections();
  }

private:
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

  // Finds the entry of a thread in a list with one entry for each thread, or makes it. Long lists,
  // of which there are few, have a table.
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

  void follow(std::size_t n) {
    const Operation& o = c_.operations[n];
    switch (o.kind) {
    case OperationKind::Read: return read(n, o);
    case OperationKind::Write: return write(o);
    case OperationKind::HoldBegin:
    case OperationKind::HoldEnd: return; // location_index.cc
    case OperationKind::Post: semaphore_use(o.object).gives.push_back(id_); return;
    case OperationKind::Take: semaphore_use(o.object).takes.push_back(id_); return;
    case OperationKind::WaitBegin:
    case OperationKind::WakeUp:
    case OperationKind::WakeAnyway:
    case OperationKind::Signal:
    case OperationKind::Broadcast: return use_condition(n, o);
    default: return use_lock(n, o);
    }
  }

  ThreadUses& semaphore_use(std::uint32_t object) {
    return semaphore_uses_.of(index_.semaphores[object], object, thread_);
  }

  void need(StepId other) {
    if (other != kNoStep && other != id_ && c_.steps[other].thread != thread_) index_.needs_.push_back(other);
  }
  // Behind all accesses in `readers` as well.
  void need_all(std::vector<StepId>& readers) {
    for (const StepId reader : readers) need(reader);
    readers.clear();
  }

  void read(std::size_t n, const Operation& o) {
    const LocationState& state = memory_[o.object];
    index_.writer_[n] = state.writer;
    std::uint32_t& trusted = index_.trusted[thread_];
    if (index_.reads_identity() && state.value != o.value) trusted = std::min(trusted, c_.steps[id_].place);
    if (index_.reads_identity()) need(state.writer);
    if (index_.orders_conflicts()) readers_[o.object].push_back(id_);
  }

  void write(const Operation& o) {
    LocationState& state = memory_[o.object];
    if (index_.orders_conflicts()) {
      need(state.writer);
      need_all(readers_[o.object]);
    }
    state.writer = id_;
    state.value = o.value;
  }

  void use_condition(std::size_t n, const Operation& o) {
    ConditionIndex& condition = index_.conditions[o.object];
    ThreadUses& own = condition_uses_.of(condition.threads, o.object, thread_);
    const auto here = static_cast<std::uint32_t>(condition.uses.size());
    condition.uses.push_back({id_, o.kind, waiting_[o.object] == 0 ? here : condition.uses.back().idle});
    // The thread's last wait that is open: a handler that waits inside of a wait ends first.
    std::uint32_t& open = open_wait_[{thread_, o.object}];
    if (o.kind == OperationKind::WaitBegin) {
      ++waiting_[o.object];
      own.waits.push_back({id_, kNoStep, here, open - 1});
      open = static_cast<std::uint32_t>(own.waits.size());
    } else if (o.kind == OperationKind::WakeUp || o.kind == OperationKind::WakeAnyway) {
      --waiting_[o.object];
      ThreadUses::Wait& wait = own.waits[open - 1];
      wait.end = id_;
      open = wait.outer + 1;
      index_.section_[n] = wait.begin;
      if (o.kind == OperationKind::WakeUp) own.takes.push_back(id_);
    } else {
      own.gives.push_back(id_);
    }
  }

  void use_lock(std::size_t n, const Operation& o) {
    LockState& state = lock_states_[o.object];
    if (index_.orders_locks()) order_lock(state, o.kind);
    switch (o.kind) {
    case OperationKind::Acquire: state.exclusive = begin_section(n, o.object, true); return;
    case OperationKind::AcquireShared: state.shared.push_back(begin_section(n, o.object, false)); return;
    case OperationKind::Release:
      if (state.exclusive != kNoSection) end_section(n, o.object, state.exclusive);
      state.exclusive = kNoSection;
      return;
    case OperationKind::ReleaseShared: return release_shared(n, o.object, state);
    default: // TryFailed
      index_.tries[o.object].push_back({id_, static_cast<std::uint32_t>(n)});
      if (state.exclusive != kNoSection) index_.section_[n] = state.exclusive;
      else if (!state.shared.empty()) index_.section_[n] = state.shared.front();
    }
  }

  // A try that fails is like a write: it needs the readers that it ran into.
  void order_lock(LockState& state, OperationKind kind) {
    need(state.writer);
    if (kind == OperationKind::AcquireShared || kind == OperationKind::ReleaseShared) {
      state.readers.push_back(id_);
      return;
    }
    need_all(state.readers);
    state.writer = id_;
  }
  std::uint32_t begin_section(std::size_t n, std::uint32_t lock, bool exclusive) {
    std::vector<Section>& sections = index_.locks[lock];
    sections.push_back({id_, kNoStep, thread_, exclusive});
    return index_.section_[n] = static_cast<std::uint32_t>(sections.size() - 1);
  }
  void end_section(std::size_t n, std::uint32_t lock, std::uint32_t section) {
    index_.locks[lock][index_.section_[n] = section].end = id_;
  }
  void release_shared(std::size_t n, std::uint32_t lock, LockState& state) {
    const auto mine = std::ranges::find_if(
        state.shared, [&](std::uint32_t open) { return index_.locks[lock][open].thread == thread_; });
    if (mine == state.shared.end()) return;
    end_section(n, lock, *mine);
    state.shared.erase(mine);
  }

  void sort_sections() {
    ByThread<ThreadSections> own_sections;
    for (std::size_t lock = 0; lock < index_.locks.size(); ++lock)
      for (std::uint32_t n = 0; n < index_.locks[lock].size(); ++n) {
        const Section& section = index_.locks[lock][n];
        ThreadSections& own = own_sections.of(index_.lock_threads[lock], lock, section.thread);
        own.all.push_back(n);
        if (section.exclusive) own.exclusive.push_back(n);
        index_.lock_never_released |= section.end == kNoStep;
      }
  }

  Index& index_;
  const Computation& c_;
  std::vector<LocationState> memory_;
  std::vector<std::vector<StepId>> readers_; // by location: since the last write
  std::vector<LockState> lock_states_;
  std::vector<std::uint32_t> waiting_; // by condition: threads
  ByThread<ThreadUses> semaphore_uses_, condition_uses_;
  absl::flat_hash_map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> open_wait_; // thread, condition: 1 + wait
  StepId id_ = 0;                                                                         // the present step
  std::uint32_t thread_ = 0;                                                              // its thread
};

Index::Index(const Computation& c, witness::Model m)
    : computation(c), model(m), locations(c), locks(c.locks.size()), lock_threads(c.locks.size()),
      tries(c.locks.size()), semaphores(c.semaphores.size()), conditions(c.conditions.size()) {
  order_begin_.assign(c.steps.size() + 1, 0);
  for (const causality::Order& order : all_orders()) ++order_begin_[order.second + 1];
  for (std::size_t i = 0; i < c.steps.size(); ++i) order_begin_[i + 1] += order_begin_[i];
  Collector(*this).run();
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
