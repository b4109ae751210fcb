#include "predict/atomicity/run_events.h"

namespace sooth::predict {

RunEvents RunEvents::recorded(const Index& index, const KnownMemory& known) {
  const Computation& c = index.computation;
  RunEvents out(c);
  out.doubtful_ = known.doubtful;
  out.initial_ = known.initial;
  for (StepId step = 0; step < c.steps.size() && c.steps[step].event < c.first_misplaced; ++step) {
    // Nobody knows what it read, or when it wrote.
    if (c.steps[step].place >= index.trusted[c.steps[step].thread])
      for (const Operation& o : c.operations_of(step))
        if (o.kind == OperationKind::Read || o.kind == OperationKind::Write) out.doubtful_.insert(o.object);
    out.take(step);
  }
  return out;
}

RunEvents RunEvents::replayed(const Index& index, std::span<const StepId> run, const KnownMemory& known) {
  RunEvents out(index.computation);
  out.doubtful_ = known.doubtful;
  out.initial_ = known.initial;
  if (!index.reads_freely()) {
    for (const StepId step : run) out.take(step);
    return out;
  }
  Execution execution(index);
  for (const StepId step : run) out.take(step, &execution);
  return out;
}

std::uint32_t RunEvents::initial(std::uint32_t location) const {
  const auto it = initial_.find(location);
  return it != initial_.end() ? it->second : computation_->locations[location].initial;
}

std::uint32_t RunEvents::now(std::uint32_t location) const {
  const auto it = memory_.find(location);
  return it != memory_.end() ? it->second : initial(location);
}

// `free`: what the trace says does not count.
std::uint32_t RunEvents::seen(const Operation& read, bool free) {
  const std::uint32_t there = now(read.object);
  if (free) return there;
  if (there == kAnyValue || there == read.value) return read.value;
  doubtful_.insert(read.object); // somebody wrote it whom the trace does not know
  return kAnyValue;
}

void RunEvents::take(StepId step, Execution* execution) {
  Entry entry{step, static_cast<std::uint32_t>(operations_.size()), 0};
  if (execution != nullptr) execution->take(step);
  for (const Operation& o : computation_->operations_of(step)) {
    Operation own = o;
    if (o.kind == OperationKind::Read) own.value = seen(o, execution != nullptr);
    if (o.kind == OperationKind::Write) {
      if (execution != nullptr && execution->is_tainted(o.object)) own.value = kSymbol | ++symbols_;
      memory_[o.object] = own.value;
    }
    operations_.push_back(own);
  }
  entry.operations = static_cast<std::uint32_t>(operations_.size()) - entry.first;
  entries_.push_back(entry);
}

void RunEvents::diverge(StepId step) {
  Entry entry{step, static_cast<std::uint32_t>(operations_.size()), 0};
  for (const Operation& o : computation_->operations_of(step)) {
    if (o.kind == OperationKind::Read) operations_.push_back({o.kind, o.object, seen(o, true)});
    if (o.kind != OperationKind::Write) continue;
    operations_.push_back({o.kind, o.object, kAnyValue});
    memory_[o.object] = kAnyValue;
  }
  entry.operations = static_cast<std::uint32_t>(operations_.size()) - entry.first;
  entries_.push_back(entry);
}

RunEvents RunEvents::only(const std::vector<bool>& kept) const {
  RunEvents out(*computation_);
  out.doubtful_ = doubtful_;
  out.symbols_ = symbols_;
  absl::flat_hash_map<std::uint32_t, std::uint32_t> memory;
  for (const Entry& entry : entries_) {
    const bool mine = kept[entry.step];
    if (mine)
      out.entries_.push_back({entry.step, static_cast<std::uint32_t>(out.operations_.size()), entry.operations});
    for (const Operation& o : operations_of(entry)) {
      const bool writes = o.kind == OperationKind::Write;
      if (mine) {
        out.operations_.push_back(o);
        if (writes || o.kind == OperationKind::Read) {
          const auto before = memory.find(o.object);
          out.initial_.try_emplace(o.object, before != memory.end() ? before->second : initial(o.object));
        }
        if (writes) out.memory_[o.object] = o.value;
      }
      if (writes) memory[o.object] = o.value;
    }
  }
  return out;
}

} // namespace sooth::predict
