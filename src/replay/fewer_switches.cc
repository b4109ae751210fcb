#include "replay/fewer_switches.h"

#include <algorithm>

#include <absl/container/flat_hash_map.h>

#include "trace/effects.h"
#include "trace/kind_groups.h"
#include "trace/together.h"

namespace sooth::replay {

using trace::Event;
using trace::EventKind;
using trace::Trace;

namespace {

constexpr std::uint64_t kMostGranules = 4096; // of one event; a larger one keeps its order to all others
constexpr std::uint32_t kNone = ~0u;

// What threads share, by a number of its own sort.
enum class Sort : std::uint8_t { Granule, Object, Thread };
struct Key {
  Sort sort;
  std::uint64_t number;
  friend bool operator==(const Key&, const Key&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const Key& key) {
    return H::combine(std::move(h), static_cast<int>(key.sort), key.number);
  }
};

struct Uses {
  std::uint32_t last_write = kNone;
  std::vector<std::uint32_t> reads; // since then
};

// No other thread can notice when it comes. Fences matter only to accesses without an order.
bool is_free(const Event& e) {
  const trace::ObjectKind object = trace::object_of(e.kind);
  return object == trace::ObjectKind::Call || object == trace::ObjectKind::Name ||
         object == trace::ObjectKind::Awaited || e.kind == EventKind::Fence;
}

// The order that must be kept: for each place of the run, the later places that wait for it.
// Events that stay together wait together: for each of them, the first one waits.
class Order {
public:
  Order(const Trace& trace, std::span<const std::uint32_t> run)
      : trace_(trace), run_(run), first_(run.size()), after_(run.size()), waits_for_(run.size()) {
    find_firsts();
    for (std::uint32_t i = 0; i < run.size(); ++i) add(i);
  }

  // Whether all that must come before it has come; for places in each thread's own order.
  bool is_ready(std::uint32_t place) const { return waits_for_[place] == 0; }
  void make(std::uint32_t place) {
    for (const std::uint32_t later : after_[place]) --waits_for_[later];
  }

private:
  void find_firsts() {
    std::vector<std::uint32_t> before(trace_.threads.size(), kNone); // the thread's place before
    for (std::uint32_t i = 0; i < run_.size(); ++i) {
      const Event& e = trace_.events[run_[i]];
      std::uint32_t& last = before[e.thread];
      const bool stays = last != kNone && (trace::clings(e) || trace::is_glued(trace_.events[run_[last]]));
      first_[i] = stays ? first_[last] : i;
      last = i;
    }
  }

  void edge(std::uint32_t from, std::uint32_t to) {
    if (from == kNone || from == to || trace_.events[run_[from]].thread == trace_.events[run_[to]].thread) return;
    after_[from].push_back(first_[to]);
    ++waits_for_[first_[to]];
  }

  void use(Key key, std::uint32_t place, bool writes) {
    Uses& uses = uses_[key];
    edge(uses.last_write, place);
    if (!writes) {
      uses.reads.push_back(place);
      return;
    }
    for (const std::uint32_t read : uses.reads) edge(read, place);
    uses.reads.clear();
    uses.last_write = place;
  }

  // Keeps its order to everything: a wall.
  void wall(std::uint32_t place) {
    for (std::uint32_t i = wall_ == kNone ? 0 : wall_; i < place; ++i) edge(i, place);
    wall_ = place;
  }

  void touch(std::uint32_t place, std::uint64_t address, std::uint64_t size, bool writes) {
    const std::uint64_t first = address >> 3, last = (address + std::max<std::uint64_t>(size, 1) - 1) >> 3;
    if (last - first >= kMostGranules) return wall(place);
    for (std::uint64_t granule = first; granule <= last; ++granule) use({Sort::Granule, granule}, place, writes);
  }

  void add(std::uint32_t place) {
    const Event& e = trace_.events[run_[place]];
    if (is_free(e)) return;
    if (wall_ != kNone) edge(wall_, place);
    const trace::ObjectKind object = trace::object_of(e.kind);
    if (trace::is_access(e.kind)) return touch(place, e.address, e.size, trace::writes_memory(e.kind));
    if (trace::begins_or_ends_object(e.kind)) return touch(place, e.address, e.value, true);
    if (object == trace::ObjectKind::Thread) {
      const bool own = e.kind == EventKind::ThreadStart || e.kind == EventKind::ThreadEnd;
      return use({Sort::Thread, own ? e.thread : e.value}, place, true);
    }
    if (!trace::is_place(object)) return wall(place); // signals, processes, the world outside
    const bool is_reader =
        object == trace::ObjectKind::Lock && trace::does(e.kind, trace::act::kShares) && !e.has(trace::kFailed);
    use({Sort::Object, e.address}, place, !is_reader);
    if (trace::moves_mutex(e.kind)) use({Sort::Object, e.value}, place, true);
  }

  const Trace& trace_;
  std::span<const std::uint32_t> run_;
  std::vector<std::uint32_t> first_; // of the events that stay together with this one
  std::vector<std::vector<std::uint32_t>> after_;
  std::vector<std::uint32_t> waits_for_;
  absl::flat_hash_map<Key, Uses> uses_;
  std::uint32_t wall_ = kNone;
};

} // namespace

std::size_t switches(const Trace& trace, std::span<const std::uint32_t> run) {
  std::size_t out = 0;
  for (std::size_t i = 1; i < run.size(); ++i) out += trace.events[run[i]].thread != trace.events[run[i - 1]].thread;
  return out;
}

std::vector<std::uint32_t> with_fewer_switches(const Trace& trace, std::span<const std::uint32_t> run) {
  Order order(trace, run);
  std::vector<std::vector<std::uint32_t>> queues(trace.threads.size()); // places of each thread, the next one last
  for (std::uint32_t i = static_cast<std::uint32_t>(run.size()); i-- > 0;)
    queues[trace.events[run[i]].thread].push_back(i);
  std::vector<std::uint32_t> active; // threads with events left
  for (std::uint32_t t = 0; t < queues.size(); ++t)
    if (!queues[t].empty()) active.push_back(t);
  const auto ready = [&](std::uint32_t t) { return order.is_ready(queues[t].back()); };
  std::vector<std::uint32_t> out;
  out.reserve(run.size());
  while (!active.empty()) {
    std::size_t best = active.size();
    for (std::size_t i = 0; i < active.size(); ++i)
      if (ready(active[i]) && (best == active.size() || queues[active[i]].back() < queues[active[best]].back()))
        best = i;
    if (best == active.size()) break; // cannot be: the given order itself is possible
    std::vector<std::uint32_t>& queue = queues[active[best]];
    while (!queue.empty() && order.is_ready(queue.back())) {
      const std::uint32_t place = queue.back();
      queue.pop_back();
      out.push_back(run[place]);
      order.make(place);
    }
    if (queue.empty()) active.erase(active.begin() + static_cast<std::ptrdiff_t>(best));
  }
  if (out.size() != run.size() || switches(trace, out) >= switches(trace, run)) return {run.begin(), run.end()};
  return out;
}

} // namespace sooth::replay
