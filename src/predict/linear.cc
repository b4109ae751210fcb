#include "predict/linear.h"

#include <algorithm>
#include <iterator>

#include "trace/contents.h"

namespace sooth::predict {
namespace {

using trace::Event;
using trace::EventKind;

constexpr std::uint32_t kNobody = 0xffffffff;
constexpr std::uint32_t kSeveral = 0xfffffffe;
constexpr std::uint64_t kLongRange = 4096; // longer ones are looked at by their first and last bytes only

bool is_atomic(EventKind kind) {
  return kind == EventKind::AtomicRead || kind == EventKind::AtomicWrite || kind == EventKind::AtomicRmw;
}

} // namespace

LinearPass::LinearPass(std::size_t threads)
    : width_(static_cast<std::uint32_t>(threads)), clocks_(threads * threads, 0), held_(threads),
      held_number_(threads, 0) {
  for (std::uint32_t t = 0; t < width_; ++t) clock(t)[t] = 1;
  number({});
}

void LinearPass::see(const trace::Trace& trace, std::uint32_t event) {
  const Event& e = trace.events[event];
  switch (e.kind) {
  case EventKind::Read:
  case EventKind::Write:
  case EventKind::AtomicRead:
  case EventKind::AtomicWrite:
  case EventKind::AtomicRmw:
  case EventKind::ExternalWrite: return access(trace, e, event);
  case EventKind::Enter:
  case EventKind::Exit:
  case EventKind::Branch: return;
  case EventKind::Fork:
    if (e.value < width_) {
      join(clock(static_cast<std::uint32_t>(e.value)), clock(e.thread));
      ++clock(e.thread)[e.thread];
    }
    return;
  case EventKind::Join:
    if (e.value < width_) join(clock(e.thread), clock(static_cast<std::uint32_t>(e.value)));
    return;
  case EventKind::Receive:
  case EventKind::SignalEnter:
    for (std::uint32_t t = 0; t < width_; ++t) join(clock(e.thread), clock(t));
    for (std::uint32_t t = 0; t < width_; ++t) ++clock(t)[t];
    return;
  case EventKind::Wait:
  case EventKind::Wake:
    synchronise(e.thread, e.address);
    if (e.value != 0) synchronise(e.thread, e.value);
    change_locks(e);
    return;
  case EventKind::Acquire:
  case EventKind::Release:
  case EventKind::AcquireShared:
  case EventKind::ReleaseShared:
    synchronise(e.thread, e.address);
    if (!e.has(trace::kFailed)) change_locks(e);
    return;
  default: return synchronise(e.thread, e.address);
  }
}

void LinearPass::synchronise(std::uint32_t thread, std::uint64_t object) {
  std::vector<std::uint32_t>& other = objects_[object];
  std::uint32_t* mine = clock(thread);
  if (other.empty()) other.assign(width_, 0);
  else join(mine, other.data());
  std::copy(mine, mine + width_, other.begin());
  ++mine[thread];
}

// --- lock sets: exclusive holders only ---

void LinearPass::change_locks(const Event& e) {
  std::vector<std::uint64_t>& held = held_[e.thread];
  const bool takes = e.kind == EventKind::Acquire || e.kind == EventKind::Wake;
  if (!takes && e.kind != EventKind::Release && e.kind != EventKind::Wait) return;
  const std::uint64_t lock = e.kind == EventKind::Wake || e.kind == EventKind::Wait ? e.value : e.address;
  // Recursion: a lock stands there as often as it was taken.
  const auto it = std::ranges::lower_bound(held, lock);
  if (takes) held.insert(it, lock);
  else if (it != held.end() && *it == lock) held.erase(it);
  held_number_[e.thread] = number(held);
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

void LinearPass::share(Granule& granule) {
  granule.clocks = 1 + static_cast<std::uint32_t>(shared_.size() / width_);
  shared_.resize(shared_.size() + 2 * std::size_t{width_}, 0);
  // When its only thread used it is not known: as late as can be, which orders more than necessary.
  const std::uint32_t* before = clock(granule.thread);
  std::uint32_t* writes = shared_.data() + std::size_t{granule.clocks - 1} * width_;
  std::copy(before, before + width_, writes);
  granule.thread = kSeveral;
}

void LinearPass::touch(const trace::Trace& trace, const Event& e, std::uint32_t event, Granule& granule) {
  const bool writes = writes_memory(e.kind), external = e.kind == EventKind::ExternalWrite;
  granule.written |= writes;
  if (external) return;
  granule.plain |= !is_atomic(e.kind);
  granule.locks = granule.locked ? common(granule.locks, held_number_[e.thread]) : held_number_[e.thread];
  granule.locked = true;

  std::uint32_t* mine = clock(e.thread);
  if (granule.thread == kNobody) granule.thread = e.thread;
  const bool was_private = granule.thread != kSeveral;
  const bool mine_alone = granule.thread == e.thread;
  if (!mine_alone) {
    const auto unordered = [&](std::uint32_t thread, std::uint32_t count) {
      return count != 0 && thread != e.thread && mine[thread] < count;
    };
    if (unordered(granule.write_thread, granule.write_clock)) report(trace, granule.write_event, event);
    if (writes && unordered(granule.read_thread, granule.read_clock)) report(trace, granule.read_event, event);
    if (was_private) share(granule);
    std::uint32_t* write_clock = shared_.data() + std::size_t{granule.clocks - 1} * width_;
    std::uint32_t* read_clock = write_clock + width_;
    if (granule.write_thread != e.thread || was_private) join(mine, write_clock);
    if (writes) {
      join(mine, read_clock);
      std::copy(mine, mine + width_, write_clock);
    } else {
      join(read_clock, mine);
    }
  }
  if (writes) {
    granule.write_thread = e.thread;
    granule.write_clock = mine[e.thread];
    granule.write_event = event;
  }
  if (!writes || reads_memory(e.kind)) {
    granule.read_thread = e.thread;
    granule.read_clock = mine[e.thread];
    granule.read_event = event;
  }
  // What comes after this in the thread is not what others are told of here.
  ++mine[e.thread];
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
