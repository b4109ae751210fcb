#include "properties/monitored_run.h"

#include <algorithm>
#include <bit>
#include <utility>

#include <absl/container/flat_hash_map.h>

#include "logic/names/lookup.h"
#include "trace/effects.h"
#include "trace/kind_groups.h"

namespace sooth::properties {

using knowledge::kNoVariable;
using knowledge::Thread;
using knowledge::Word;
using trace::Event;
using trace::EventKind;

namespace {

constexpr std::uint32_t kMostPlaces = 256;

// Whether some atomic operations overlap, but are not of the same bytes.
bool has_mixed_atomics(const trace::Trace& trace) {
  absl::flat_hash_map<std::uint64_t, std::pair<std::uint64_t, std::uint64_t>> extents; // by byte
  for (const Event& e : trace.events) {
    if (!is_atomic(e.kind)) continue;
    for (std::uint64_t at = e.address; at < e.address + e.size; ++at) {
      const auto extent = std::pair(e.address, std::uint64_t{e.size});
      if (extents.try_emplace(at, extent).first->second != extent) return true;
    }
  }
  return false;
}

} // namespace

MonitoredRun::MonitoredRun(const trace::Trace& trace, const logic::PropertyFile& file, std::string& wrong)
    : trace_(trace), block_(file.compiled_monitors), threads_(trace.threads.size()) {
  const auto threads = static_cast<std::uint32_t>(std::min<std::size_t>(trace.threads.size(), kMostPlaces));
  if (const char* problem = setup_.open(block_.data(), block_.size() * sizeof(Word), threads)) {
    wrong = problem;
    return;
  }
  logic::PropertyFile named;
  fill_variables(named);
  changes_ = explore::property_events(named, trace);
  values_ = changes_.initial;
  snapshots_.begin(setup_);
  initial_.resize(setup_.setup_words());
  setup_.begin(initial_.data(), values_.data());
  places_memory_.resize(std::size_t{2} * threads);
  places_.begin(places_memory_.data(), threads);
  all_memory_ = (setup_.compiled.header->flags & knowledge::kAllMemory) != 0;
  if (all_memory_ || has_mixed_atomics(trace)) locations_ = std::make_unique<causality::Locations>(trace);
}

// The variables in the form of explore/property_events.h, which knows how writes of ranges and
// watches change them.
void MonitoredRun::fill_variables(logic::PropertyFile& named) {
  const knowledge::Compiled& compiled = setup_.compiled;
  for (std::uint32_t v = 0; v < compiled.variable_count(); ++v) {
    const knowledge::VariableRow& row = compiled.variables[v];
    logic::Variable variable;
    variable.name = compiled.string(row.name);
    variable.address = row.address;
    variable.size = row.size;
    variable.watched = (row.flags & knowledge::kWatched) != 0;
    variable.watch_name = compiled.string(row.watch_name);
    addresses_.push_back(variable.watched ? 0 : row.address);
    named.types.push_back(variable.type);
    named.variables.push_back(std::move(variable));
  }
}

Thread& MonitoredRun::of(std::uint32_t number, const Thread* creator) {
  Owned& owned = threads_[number];
  if (owned.state == nullptr) {
    owned.memory = std::make_unique<Word[]>(setup_.thread_words());
    owned.state = make_thread(setup_, owned.memory.get(), number, places_.take(setup_, creator, number));
  }
  return *owned.state;
}

void MonitoredRun::write_object(Thread& thread, Target target, std::uint64_t address) {
  add(write_carrier(setup_, thread, carrier(target, address)));
}
void MonitoredRun::read_object(Thread& thread, Target target, std::uint64_t address) {
  add(read_carrier(setup_, thread, carrier(target, address)));
}

std::string MonitoredRun::string(std::uint64_t number) const {
  return number < trace_.strings.size() ? trace_.strings[number] : std::string();
}

Word MonitoredRun::take(std::size_t event) {
  const Event& e = trace_.events[event];
  fresh_ = 0;
  if (e.thread >= threads_.size()) return 0;
  Thread& thread = of(e.thread, nullptr);
  if (trace::reads_memory(e.kind) || trace::writes_memory(e.kind)) memory(event, thread);
  else if (e.kind == EventKind::Watch) watch(e, thread);
  else if (e.kind == EventKind::Enter || e.kind == EventKind::Exit) call(e);
  else if (!synchronisation(e, thread) && !life(e, thread)) annotation(e, thread);
  roles_taken_ |= thread.classes;
  return fresh_;
}

// --- memory --------------------------------------------------------------------------------------

void MonitoredRun::memory(std::size_t event, Thread& thread) {
  const Event& e = trace_.events[event];
  const bool atomic = is_atomic(e.kind);
  const bool changes = next_change_ < changes_.events.size() && changes_.events[next_change_].event == event;
  if (changes) {
    const explore::RelevantEvent& change = changes_.events[next_change_++];
    for (std::uint32_t k = 0; k < change.effects; ++k) {
      const explore::Effect& effect = changes_.effects[change.first_effect + k];
      values_[effect.variable] = (values_[effect.variable] & ~effect.mask) | effect.bits;
    }
  }
  // A write without an event: the next read notices it.
  if (e.kind == EventKind::ExternalWrite) return;
  touches_.clear();
  touch_variables(e);
  if (trace::writes_memory(e.kind) && e.has(trace::kOpaque) && !touches_.empty()) {
    stopped_ = true;
    return;
  }
  if (locations_ != nullptr && (all_memory_ || atomic)) {
    touch_pieces(event);
  } else if (atomic && touches_.empty()) {
    touches_.push_back({&carrier(Target::Memory, e.address), 0, kNoVariable});
  }
  if (touches_.empty()) {
    if (all_memory_) add(start(setup_, thread)); // what only one thread touches is a step of that thread and no more
    return;
  }
  const auto kind = !trace::writes_memory(e.kind) ? knowledge::Access::Read
                    : trace::reads_memory(e.kind) ? knowledge::Access::Update
                                                  : knowledge::Access::Write;
  add(access(setup_, thread, kind, touches_.data(), touches_.size(), atomic));
}

void MonitoredRun::touch_variables(const Event& e) {
  for (std::uint32_t v = 0; v < addresses_.size(); ++v) {
    const std::uint64_t size = setup_.compiled.variables[v].size;
    if (addresses_[v] == 0 || addresses_[v] >= e.address + e.size || e.address >= addresses_[v] + size) continue;
    touches_.push_back({&carrier(Target::Variable, v), values_[v], v});
  }
}

bool MonitoredRun::is_named(std::uint64_t address, std::uint64_t bytes) const {
  for (std::uint32_t v = 0; v < addresses_.size(); ++v)
    if (addresses_[v] != 0 && address < addresses_[v] + setup_.compiled.variables[v].size &&
        addresses_[v] < address + bytes)
      return true;
  return false;
}
bool MonitoredRun::follows(std::uint64_t address, std::uint64_t bytes) const {
  return all_memory_ || is_named(address, bytes);
}

// The pieces that no formula names.
void MonitoredRun::touch_pieces(std::size_t event) {
  const causality::LocationRange range = locations_->of(event);
  for (std::uint32_t k = range.first; k < range.first + range.count; ++k)
    if (const causality::Piece& piece = locations_->pieces()[k]; !is_named(piece.address, piece.bytes))
      touches_.push_back({&carrier(Target::Memory, k), 0, kNoVariable});
}

void MonitoredRun::forget(Target target, std::uint64_t first, std::uint64_t end) {
  auto& table = carriers_[static_cast<std::size_t>(target)];
  for (auto row = table.lower_bound(first); row != table.end() && row->first < end; row = table.erase(row))
    reset_carrier(setup_, row->second);
}

// The knowledge there goes with it.
void MonitoredRun::forget_object(std::uint64_t address, std::uint64_t bytes) {
  const std::uint64_t end = address + bytes;
  forget(Target::Lock, address, end);
  forget(Target::Object, address, end);
  if (locations_ == nullptr) return forget(Target::Memory, address, end);
  const std::vector<causality::Piece>& pieces = locations_->pieces();
  const auto at = [&](std::uint64_t place) {
    return static_cast<std::uint64_t>(std::ranges::lower_bound(pieces, place, {}, &causality::Piece::address) -
                                      pieces.begin());
  };
  forget(Target::Memory, at(address), at(end));
}

// From now on the name stands for another place: like a write of the variable.
void MonitoredRun::watch(const Event& e, Thread& thread) {
  const bool changes =
      next_change_ < changes_.events.size() && &trace_.events[changes_.events[next_change_].event] == &e;
  if (!changes) return;
  const explore::RelevantEvent& change = changes_.events[next_change_++];
  for (std::uint32_t k = 0; k < change.effects; ++k) {
    const explore::Effect& effect = changes_.effects[change.first_effect + k];
    const std::uint32_t v = effect.variable;
    values_[v] = (values_[v] & ~effect.mask) | effect.bits;
    addresses_[v] = e.address + setup_.compiled.variables[v].address;
    const knowledge::Touch touch{&carrier(Target::Variable, v), values_[v], v};
    add(access(setup_, thread, knowledge::Access::Write, &touch, 1, true));
  }
}

// --- synchronisation, threads, annotations -------------------------------------------------------

// A primitive is like a variable: those that share it read it, others write it.
struct MonitoredRun::Touches : trace::EffectVisitor {
  MonitoredRun& run;
  Thread& thread;
  const Event& e;
  bool any = false;
  Touches(MonitoredRun& r, Thread& t, const Event& event) : run(r), thread(t), e(event) {}

  void touch(const trace::Affected& object) {
    const bool lock = object.kind == trace::ObjectKind::Lock;
    // Who begins an initialiser learns nothing of earlier attempts.
    const bool seen =
        is_primitive(object.kind) ? e.kind != EventKind::OnceBegin : object.kind == trace::ObjectKind::Tag;
    if (!seen) return;
    any = true;
    const Target target = lock ? Target::Lock : Target::Object;
    if (object.shared) run.read_object(thread, target, object.address);
    else run.write_object(thread, target, object.address);
  }
  void takes(const trace::Affected& object) { touch(object); }
  void gives(const trace::Affected& object) { touch(object); }
  // It looked at the lock or the count. A wait whose time was up saw no signal.
  void fails(const trace::Affected& object) {
    if (object.kind != trace::ObjectKind::Condition) touch(object);
  }
  void begins(const trace::Affected& object) { renews(object); }
  void ends(const trace::Affected& object) {
    renews(object);
    if (object.kind != trace::ObjectKind::Region) return;
    any = true;
    run.forget_object(object.address, e.value);
  }
  void renews(const trace::Affected& object) {
    if (object.kind != trace::ObjectKind::Lock) return;
    any = true;
    run.forget(Target::Lock, object.address, object.address + 1);
  }
};

bool MonitoredRun::synchronisation(const Event& e, Thread& thread) {
  Touches touches(*this, thread, e);
  for_each_effect(e, touches);
  return touches.any;
}

bool MonitoredRun::life(const Event& e, Thread& thread) {
  const bool other = e.value < threads_.size() && e.value != e.thread && !e.has(trace::kFailed);
  const auto number = static_cast<std::uint32_t>(e.value);
  switch (e.kind) {
  case EventKind::ThreadStart: add(start(setup_, thread)); return true;
  case EventKind::ThreadEnd:
    add(end(setup_, thread));
    threads_[e.thread].ended = true;
    if (threads_[e.thread].detached) places_.ended_detached(thread.place, e.thread);
    return true;
  case EventKind::Fork:
    if (other && threads_[number].state == nullptr) add(fork(setup_, thread, of(number, &thread)));
    return true;
  case EventKind::Join:
    if (!other || threads_[number].state == nullptr) return true;
    add(join(setup_, thread, *threads_[number].state));
    places_.joined(threads_[number].state->place, number);
    return true;
  case EventKind::Detach:
    if (!other) return true;
    threads_[number].detached = true;
    if (threads_[number].ended) places_.ended_detached(threads_[number].state->place, number);
    return true;
  default: return false;
  }
}

void MonitoredRun::annotation(const Event& e, Thread& thread) {
  const knowledge::Compiled& compiled = setup_.compiled;
  switch (e.kind) {
  case EventKind::ThreadName:
    // A thread that another one names has no such role.
    if (e.value == 0) add(take_name(setup_, thread, string(e.address).c_str()));
    break;
  case EventKind::User: {
    const auto number = e.has(trace::kFill) ? knowledge::whole_number(std::bit_cast<double>(e.value))
                                            : static_cast<std::int64_t>(e.value);
    add(internal(setup_, thread, find_local(compiled, string(e.address).c_str()), number));
    break;
  }
  case EventKind::AtomicBegin: add(block_begin(setup_, thread, find_block(compiled, string(e.address).c_str()))); break;
  case EventKind::AtomicEnd: add(block_end(setup_, thread, find_block(compiled, string(e.address).c_str()))); break;
  default: break;
  }
}

// A thread starts with the first function that is not the library's.
void MonitoredRun::call(const Event& e) {
  Owned& owned = threads_[e.thread];
  std::vector<bool>& active = owned.functions;
  if (e.kind == EventKind::Exit) {
    if (active.size() > e.value) active.resize(e.value);
    return;
  }
  const std::string name =
      e.site < trace_.sites.size() ? logic::plain_function_name(trace_.sites[e.site].function) : "";
  const bool own = !name.empty() && !name.starts_with("std::") && !name.starts_with("__");
  active.push_back(own);
  if (!own || owned.inside) return;
  owned.inside = true;
  const knowledge::Compiled& compiled = setup_.compiled;
  for (std::uint32_t r = 0; r < compiled.role_count(); ++r) {
    const char* role = compiled.string(compiled.roles[r].name);
    if (compiled.roles[r].kind == knowledge::RoleKind::Function && logic::same_function(name, role))
      take_function(setup_, *owned.state, role);
  }
}

knowledge::Faults MonitoredRun::faults() const {
  knowledge::Faults all;
  for (const Owned& owned : threads_)
    if (owned.state != nullptr) all += owned.state->faults;
  return all;
}

std::vector<std::string> MonitoredRun::roles_without_thread() const {
  std::vector<std::string> out;
  for (std::uint32_t r = 0; r < setup_.compiled.role_count(); ++r) {
    const knowledge::RoleRow& role = setup_.compiled.roles[r];
    if ((roles_taken_ >> r & 1) != 0) continue;
    out.push_back(role.kind == knowledge::RoleKind::Number ? std::to_string(role.number)
                                                           : setup_.compiled.string(role.name));
  }
  return out;
}

} // namespace sooth::properties
