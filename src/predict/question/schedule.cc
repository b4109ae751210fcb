#include "predict/question/schedule.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>

#include "predict/question/counted.h"

namespace sooth::predict {
namespace {

class Scheduler {
public:
  explicit Scheduler(const Constraints& constraints)
      : constraints_(constraints), index_(constraints.index()), c_(constraints.computation()), run_(constraints.run()),
        identity_(index_.reads_identity()), counted_(constraints) {
    for (std::uint32_t t = 0; t < run_.threads(); ++t) {
      positions_.push_back(run_.base(t));
      if (run_.prefix(t) > run_.base(t)) busy_.push_back(t);
    }
    waiting_.resize(positions_.size());
    result_.run.reserve(steps_left());
    count_readers();
    for (const std::uint32_t t : busy_) look_at(t);
  }

  Schedule run() {
    while (!ready_.empty()) {
      const auto free = std::ranges::find_if(ready_, [&](StepId step) { return !blocked(step, nullptr); });
      if (free == ready_.end()) {
        for (const StepId step : ready_) {
          blocked(step, &result_.options);
          if (result_.decides) break;
        }
        return std::move(result_);
      }
      const StepId step = *free;
      ready_.erase(free);
      take(step);
    }
    result_.complete = steps_left() == 0;
    return std::move(result_);
  }

private:
  StepId next(std::uint32_t thread) const { return c_.threads[thread].steps[positions_[thread]]; }
  bool executed(StepId step) const { return positions_[c_.steps[step].thread] > c_.steps[step].place; }
  bool pending(StepId step) const { return step != kNoStep && run_.has(step) && !executed(step); }

  std::size_t steps_left() const {
    std::size_t sum = 0;
    for (const std::uint32_t t : busy_) sum += run_.prefix(t) - positions_[t];
    return sum;
  }
  // The thread's next step is ready, or waits for another thread to go on.
  void look_at(std::uint32_t thread) {
    const StepId step = next(thread);
    const std::uint32_t other = run_.waits_for(step, positions_);
    if (other != PartialRun::kNoThread) waiting_[other].push_back(thread);
    else ready_.insert(std::ranges::lower_bound(ready_, step), step);
  }

  // --- memory ---
  static constexpr std::uint32_t kTainted = 0xffffffff; // a value that no read that is bound can see
  struct Content {
    StepId writer = kBaseWriter;
    std::uint32_t value = 0;
    std::uint32_t pending = 0; // reads that still have to see this value
  };
  Content& content(std::uint32_t location) {
    const auto [it, fresh] = contents_.try_emplace(location);
    if (fresh) {
      it->second.value = constraints_.base_write(location).value;
      it->second.pending = readers(location, kBaseWriter);
    }
    return it->second;
  }
  static std::uint64_t key(std::uint32_t location, StepId writer) { return std::uint64_t{location} << 32 | writer; }
  std::uint32_t readers(std::uint32_t location, StepId writer) const {
    const auto it = readers_.find(key(location, writer));
    return it == readers_.end() ? 0 : it->second;
  }
  bool decided(std::uint32_t operation) const {
    const StepId writer = constraints_.writer(operation);
    return writer != kUndecidedWriter && writer != kNoStep && writer != kAnyWriter;
  }
  void count_readers() {
    if (index_.orders_conflicts()) return;
    for (const std::uint32_t t : busy_)
      for (std::uint32_t place = run_.base(t); place < run_.prefix(t); ++place)
        each_operation(c_.threads[t].steps[place], [&](std::uint32_t n, const Operation& o) {
          if (o.kind == OperationKind::Read && decided(n)) ++readers_[key(o.object, constraints_.writer(n))];
        });
  }
  template <typename F>
  void each_operation(StepId id, F&& f) const {
    const causality::Step& step = c_.steps[id];
    for (std::uint32_t n = step.first_operation; n < step.first_operation + step.operations; ++n)
      f(n, c_.operations[n]);
  }
  bool reads_itself(StepId id, std::uint32_t location) const {
    bool reads = false;
    each_operation(id, [&](std::uint32_t n, const Operation& o) {
      reads |= o.kind == OperationKind::Read && o.object == location && decided(n);
    });
    return reads;
  }

  // --- obstacles ---
  // With `options`, adds the ways to remove the obstacle: of the first obstacle only.
  bool blocked(StepId id, std::vector<Option>* options) {
    const causality::Step& step = c_.steps[id];
    for (std::uint32_t n = step.first_operation; n < step.first_operation + step.operations; ++n) {
      const Operation& o = c_.operations[n];
      bool in_the_way = false;
      switch (o.kind) {
      case OperationKind::Read:
        in_the_way = read_blocked(id, n, o, options) || hold_blocks(id, o, false, options);
        break;
      case OperationKind::Write: in_the_way = write_blocked(id, o, options) || hold_blocks(id, o, true, options); break;
      case OperationKind::Acquire:
      case OperationKind::AcquireShared: in_the_way = lock_blocks(o.object, index_.section(n), options); break;
      case OperationKind::TryFailed: in_the_way = try_blocked(id, n, o, options); break;
      case OperationKind::HoldBegin: in_the_way = hold_waits(id, o, options); break;
      case OperationKind::Take:
      case OperationKind::WakeUp:
        in_the_way = !counted_.allows(o, step.thread);
        if (in_the_way && options != nullptr) {
          Served served = counted_.why_not(n, id, positions_);
          decide_on({id, kNoStep, 0, kUndecidedWriter, false, std::move(served.used_by)});
          *options = std::move(served.options);
        }
        break;
      default: break;
      }
      if (in_the_way) return true;
    }
    return false;
  }

  bool read_blocked(StepId id, std::uint32_t n, const Operation& o, std::vector<Option>* options) {
    if (index_.orders_conflicts() || constraints_.writer(n) == kAnyWriter) return false;
    const Content& now = content(o.object);
    if (identity_ ? now.writer == constraints_.writer(n) : now.value == o.value) return false;
    if (options == nullptr || constraints_.writer(n) != kUndecidedWriter) return true;
    decide_on({id, kNoStep, n, kUndecidedWriter, true});
    for (const StepId writer : constraints_.candidates(n, id, ~std::size_t{0}))
      options->push_back({Option::Writer, n, writer});
    return true;
  }

  bool write_blocked(StepId id, const Operation& o, std::vector<Option>* options) {
    if (index_.orders_conflicts()) return false;
    const Content& now = content(o.object);
    if (!identity_ && now.value == o.value && constraints_.is_clean(id)) return false;
    const std::uint32_t others = now.pending - (now.pending > 0 && reads_itself(id, o.object) ? 1 : 0);
    if (others == 0) return false;
    if (options != nullptr) spoiled_read(id, o.object, *options);
    return true;
  }
  void spoiled_read(StepId id, std::uint32_t location, std::vector<Option>& options) {
    for (const ThreadAccesses& own : index_.locations[location].threads_between(constraints_.begin(), kNoStep))
      for (auto it = std::ranges::lower_bound(own.reads, constraints_.begin(), {}, &Access::step);
           it != own.reads.end() && run_.has(it->step); ++it) {
        const Access& read = *it;
        if (!pending(read.step) || read.step == id || !decided(read.operation)) continue;
        const StepId writer = constraints_.writer(read.operation);
        if (writer != kBaseWriter && !executed(writer)) continue;
        decide_on({read.step, id, read.operation, writer, false});
        const Option behind{Option::Order, read.step, id}, before{Option::Order, id, writer};
        if (writer == kBaseWriter) options = {behind};
        else if (id < writer) options = {before, behind};
        else options = {behind, before};
        return;
      }
  }

  // --- locks and holds ---
  bool open(const Section& section) const {
    return executed(section.begin) && (section.end == kNoStep || !executed(section.end));
  }
  bool ends(const Section& section) const { return section.end != kNoStep && run_.has(section.end); }

  bool lock_blocks(std::uint32_t lock, std::uint32_t number, std::vector<Option>* options) {
    if (index_.orders_locks()) return false;
    const Section& mine = index_.locks[lock][number];
    const bool last = !ends(mine); // other threads that want the lock must have had it
    for (const ThreadSections& own : index_.lock_threads[lock]) {
      if (own.thread == mine.thread) continue;
      const std::vector<std::uint32_t>& others = mine.exclusive ? own.all : own.exclusive;
      // Among them, in the order of the thread: those that are over, perhaps an open one, those to
      // come.
      const auto first = std::ranges::lower_bound(others, true, {}, [&](std::uint32_t n) {
        const Section& other = index_.locks[lock][n];
        return !executed(other.begin) || open(other);
      });
      if (first == others.end()) continue;
      const Section& other = index_.locks[lock][*first];
      if (open(other) || (last && pending(other.begin))) return in_turn(mine, other, options);
    }
    return false;
  }
  bool in_turn(const Section& a, const Section& b, std::vector<Option>* options) {
    if (options == nullptr) return true;
    decide_on({a.begin, b.begin, 0, kUndecidedWriter, false});
    const Section& first = a.begin < b.begin ? a : b;
    const Section& second = a.begin < b.begin ? b : a;
    if (run_.may_have(first.end)) options->push_back({Option::Order, first.end, second.begin});
    if (run_.may_have(second.end)) options->push_back({Option::Order, second.end, first.begin});
    return true;
  }

  bool try_blocked(StepId id, std::uint32_t n, const Operation& o, std::vector<Option>* options) {
    const std::uint32_t thread = c_.steps[id].thread;
    const std::vector<Section>& sections = index_.locks[o.object];
    const auto fits = [&](const Section& s) { return s.thread != thread && (s.exclusive || o.value == 0); };
    for (const ThreadSections& own : index_.lock_threads[o.object])
      for (const std::uint32_t s : own.all)
        if (fits(sections[s]) && open(sections[s])) return false;
    if (options != nullptr && constraints_.tried_section(n) == kUndecidedSection) {
      decide_on({id, kNoStep, n, kUndecidedWriter, false});
      const std::uint32_t seen = index_.section(n);
      for (std::uint32_t s = 0; s < sections.size(); ++s)
        if (fits(sections[s]) && run_.may_have(sections[s].begin) &&
            (sections[s].end == kNoStep || !run_.in_base(sections[s].end)))
          options->insert(s == seen ? options->begin() : options->end(), {Option::Section, n, s});
    }
    return true;
  }

  bool hold_blocks(StepId id, const Operation& o, bool writes, std::vector<Option>* options) {
    const LocationIndex& location = index_.locations[o.object];
    for (std::size_t i = location.first_hold(constraints_.begin()); i < location.holds.size(); ++i) {
      const Section& hold = location.holds[i];
      if (hold.thread == c_.steps[id].thread || !(writes || hold.exclusive) || !open(hold)) continue;
      return beside(hold, id, options);
    }
    return false;
  }
  // A hold that does not end in this run comes after all others' accesses.
  bool hold_waits(StepId id, const Operation& o, std::vector<Option>* options) {
    const LocationIndex& location = index_.locations[o.object];
    const auto hold = std::ranges::lower_bound(location.holds, id, {}, &Section::begin);
    if (hold == location.holds.end() || hold->begin != id || ends(*hold)) return false;
    for (const ThreadAccesses& own : location.threads) {
      if (own.thread == hold->thread) continue;
      for (const auto* accesses : {&own.writes, &own.reads}) {
        if (accesses == &own.reads && !hold->exclusive) continue;
        for (const Access& access : *accesses)
          if (pending(access.step)) return beside(*hold, access.step, options);
      }
    }
    return false;
  }
  bool beside(const Section& hold, StepId access, std::vector<Option>* options) {
    if (options == nullptr) return true;
    decide_on({hold.begin, access, 0, kUndecidedWriter, false});
    options->push_back({Option::Order, access, hold.begin});
    if (run_.may_have(hold.end))
      options->insert(access < hold.begin ? options->end() : options->begin(), {Option::Order, hold.end, access});
    return true;
  }

  void decide_on(const Premise& premise) {
    result_.decides = true;
    result_.premise = premise;
  }

  void take(StepId id) {
    const std::uint32_t thread = c_.steps[id].thread;
    result_.run.push_back(id);
    ++positions_[thread];
    change_memory(id);
    each_operation(id, [&](std::uint32_t, const Operation& o) {
      if (is_counted(o.kind)) counted_.take(o, id, thread);
    });
    if (positions_[thread] < run_.prefix(thread)) look_at(thread);
    if (waiting_[thread].empty()) return;
    std::vector<std::uint32_t> waiting;
    waiting.swap(waiting_[thread]);
    for (const std::uint32_t t : waiting) look_at(t);
  }
  void change_memory(StepId id) {
    if (index_.orders_conflicts()) return;
    each_operation(id, [&](std::uint32_t n, const Operation& o) {
      if (o.kind != OperationKind::Read || !decided(n)) return;
      Content& now = content(o.object);
      if (now.pending > 0) --now.pending;
    });
    each_operation(id, [&](std::uint32_t, const Operation& o) {
      if (o.kind != OperationKind::Write) return;
      Content& now = content(o.object);
      now.writer = id;
      now.value = constraints_.is_clean(id) ? o.value : kTainted;
      now.pending += readers(o.object, id);
    });
  }

  const Constraints& constraints_;
  const Index& index_;
  const Computation& c_;
  const PartialRun& run_;
  const bool identity_;
  Counted counted_;
  std::vector<std::uint32_t> positions_;                      // by thread
  std::vector<std::uint32_t> busy_;                           // threads with steps in the window's part of the run
  std::vector<StepId> ready_;                                 // ascending: all that is known before them has happened
  std::vector<std::vector<std::uint32_t>> waiting_;           // by thread: those that wait for its next step
  absl::flat_hash_map<std::uint32_t, Content> contents_;      // by location
  absl::flat_hash_map<std::uint64_t, std::uint32_t> readers_; // (location, writer): reads that see it
  Schedule result_;
};

} // namespace

Schedule schedule(const Constraints& constraints) { return Scheduler(constraints).run(); }

} // namespace sooth::predict
