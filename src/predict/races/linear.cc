#include "predict/races/linear.h"

#include <algorithm>
#include <iterator>

#include "trace/contents.h"
#include "trace/effects.h"
#include "trace/kind_groups.h"

namespace sooth::predict {
namespace {

using trace::Event;
using trace::EventKind;

constexpr std::uint32_t kNobody = 0xffffffff;
constexpr std::uint32_t kSeveral = 0xfffffffe;
constexpr std::uint64_t kLongRange = 4096; // longer ones are looked at by their first and last bytes only

} // namespace

LinearPass::LinearPass(std::size_t threads)
    : width_(static_cast<std::uint32_t>(threads)), clocks_(width_), held_(threads, 0) {
  number({});
}

// What has no other rule orders by its address: more order than necessary does no harm.
struct LinearPass::Effects : trace::EffectVisitor {
  LinearPass& pass;
  std::uint32_t thread;
  bool ordered = false;
  Effects(LinearPass& p, std::uint32_t t) : pass(p), thread(t) {}

  void creates(std::uint64_t child) {
    if (child < pass.width_) pass.pass_on(thread, static_cast<std::uint32_t>(child));
    ordered = true;
  }
  void cancels(std::uint64_t other) { creates(other); }
  void joins(std::uint64_t child) {
    if (child < pass.width_) pass.pass_on(static_cast<std::uint32_t>(child), thread);
    ordered = true;
  }
  void fails(const trace::Affected& object) {
    if (object.kind == trace::ObjectKind::Thread) joins(object.address);
  }
  void pins(const trace::Affected&) {
    for (std::uint32_t t = 0; t < pass.width_; ++t) pass.pass_on(t, thread);
    ordered = true;
  }
  // Lock sets: exclusive holders only.
  void takes(const trace::Affected& object) { change_locks(object, true); }
  void gives(const trace::Affected& object) { change_locks(object, false); }
  void change_locks(const trace::Affected& object, bool takes) {
    if (object.kind != trace::ObjectKind::Lock || object.shared) return;
    pass.held_[thread] = pass.changed_set(pass.held_[thread], object.address, takes);
  }
};

void LinearPass::see(const trace::Trace& trace, std::uint32_t event) {
  const Event& e = trace.events[event];
  if (is_access(e.kind)) return access(trace, e, event);
  if (object_of(e.kind) == trace::ObjectKind::Call) return;
  Effects effects(*this, e.thread);
  for_each_effect(e, effects);
  if (effects.ordered) return;
  synchronise(e.thread, e.address);
  if (moves_mutex(e.kind) && e.value != 0) synchronise(e.thread, e.value);
}

void LinearPass::pass_on(std::uint32_t from, std::uint32_t to) {
  ClockPool::Moment now;
  clocks_.mark(now, from);
  clocks_.learn(to, now);
  clocks_.forget(now);
}

void LinearPass::synchronise(std::uint32_t thread, std::uint64_t object) {
  ClockPool::Moment& last = objects_[object];
  clocks_.learn(thread, last);
  clocks_.mark(last, thread);
}

// --- lock sets ---

std::uint32_t LinearPass::changed_set(std::uint32_t set, std::uint64_t lock, bool takes) {
  const std::pair key{std::uint64_t{set} << 1 | (takes ? 1 : 0), lock};
  if (const auto it = changes_.find(key); it != changes_.end()) return it->second;
  std::vector<std::uint64_t> held = sets_[set];
  const auto it = std::ranges::lower_bound(held, lock);
  if (takes) held.insert(it, lock);
  else if (it != held.end() && *it == lock) held.erase(it);
  return changes_[key] = number(held);
}

std::uint32_t LinearPass::number(const std::vector<std::uint64_t>& locks) {
  const auto [it, fresh] = set_numbers_.try_emplace(locks, static_cast<std::uint32_t>(sets_.size()));
  if (fresh) sets_.push_back(locks);
  return it->second;
}

std::uint32_t LinearPass::common(std::uint32_t a, std::uint32_t b) {
  if (a == b || a == 0) return a;
  if (b == 0) return b;
  const auto [it, fresh] = common_.try_emplace(std::uint64_t{a} << 32 | b, 0);
  if (!fresh) return it->second;
  std::vector<std::uint64_t> both;
  std::ranges::set_intersection(sets_[a], sets_[b], std::back_inserter(both));
  const std::uint32_t found = number(both);
  return common_[std::uint64_t{a} << 32 | b] = found;
}

// --- memory ---

void LinearPass::access(const trace::Trace& trace, const Event& e, std::uint32_t event) {
  if (e.size == 0 || e.size > ~e.address) return;
  const std::uint64_t first = e.address >> 3, last = (e.address + e.size - 1) >> 3;
  const std::uint64_t stride = e.size > kLongRange ? std::max<std::uint64_t>(1, last - first) : 1;
  for (std::uint64_t g = first; g <= last; g += stride) {
    const auto [it, fresh] = numbers_.try_emplace(g, static_cast<std::uint32_t>(granules_.size()));
    if (fresh) granules_.emplace_back();
    touch(trace, e, event, granules_[it->second]);
  }
}

// For a granule with one thread, the time of use is known only as a number. The thread's knowledge
// then is at most its knowledge now, and more order than necessary does no harm.
void LinearPass::share(Granule& granule) {
  for (Last* last : {&granule.write, &granule.read})
    if (last->count != 0) clocks_.mark(last->moment, granule.thread);
  granule.thread = kSeveral;
}

// Every later access comes after the last write and, if it is a write, after the reads since.
void LinearPass::learn(std::uint32_t thread, bool writes, Granule& granule) {
  clocks_.learn(thread, granule.write.moment);
  if (!writes) return;
  clocks_.learn(thread, granule.read.moment);
  clocks_.forget(granule.read.moment);
  if (granule.readers == ClockPool::kNone) return;
  clocks_.learn_all(thread, granule.readers);
  clocks_.drop(granule.readers);
  granule.readers = ClockPool::kNone;
}

// The last read stands for those before it as long as it came after them.
void LinearPass::add_reader(std::uint32_t thread, Granule& granule) {
  if (clocks_.covers(thread, granule.read.moment)) return;
  if (granule.readers == ClockPool::kNone) granule.readers = clocks_.make();
  clocks_.add(granule.readers, granule.read.moment);
}

void LinearPass::set(Last& last, std::uint32_t event, std::uint32_t thread, bool shared) {
  last.event = event;
  last.thread = thread;
  if (shared) {
    clocks_.mark(last.moment, thread);
    last.count = last.moment.count;
  } else {
    last.count = clocks_.tick(thread);
  }
}

void LinearPass::touch(const trace::Trace& trace, const Event& e, std::uint32_t event, Granule& granule) {
  const bool writes = writes_memory(e.kind), external = e.kind == EventKind::ExternalWrite;
  granule.written |= writes;
  if (external) return;
  granule.plain |= !is_atomic(e.kind);
  granule.locks = granule.locked ? common(granule.locks, held_[e.thread]) : held_[e.thread];
  granule.locked = true;

  if (granule.thread == kNobody) granule.thread = e.thread;
  if (granule.thread != e.thread) {
    const auto unordered = [&](const Last& last) {
      return last.count != 0 && last.thread != e.thread && clocks_.knows(e.thread, last.thread) < last.count;
    };
    if (unordered(granule.write)) report(trace, granule.write.event, event);
    if (writes && unordered(granule.read)) report(trace, granule.read.event, event);
    if (granule.thread != kSeveral) share(granule);
    learn(e.thread, writes, granule);
    if (!writes) add_reader(e.thread, granule);
  }
  const bool shared = granule.thread == kSeveral;
  if (writes) set(granule.write, event, e.thread, shared);
  if (!writes || reads_memory(e.kind)) set(granule.read, event, e.thread, shared);
}

void LinearPass::report(const trace::Trace& trace, std::uint32_t first, std::uint32_t second) {
  const Event& a = trace.events[first];
  const Event& b = trace.events[second];
  if (is_atomic(a.kind) && is_atomic(b.kind)) return;
  if (a.has(trace::kMerged) || b.has(trace::kMerged) || !overlap(a, b)) return;
  const std::uint64_t x = a.site != 0 ? a.site : first, y = b.site != 0 ? b.site : second;
  if (reported_.insert(std::min(x, y) << 32 | std::max(x, y)).second) result_.races.push_back({first, second});
}

LinearResult LinearPass::finish() {
  result_.granules = granules_.size();
  for (const Granule& granule : granules_) {
    if (granule.thread != kSeveral) ++result_.one_thread;
    else if (!granule.written) ++result_.read_only;
    else if (!granule.plain) ++result_.atomic;
    else if (granule.locks != 0) ++result_.one_lock;
  }
  return std::move(result_);
}

LinearResult linear_pass(const trace::Trace& trace) {
  LinearPass pass(trace.threads.size());
  for (std::uint32_t i = 0; i < trace.events.size(); ++i) pass.see(trace, i);
  return pass.finish();
}

} // namespace sooth::predict
