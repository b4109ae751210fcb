#include "causality/computation/lifetimes.h"

#include <absl/container/btree_map.h>
#include <absl/container/inlined_vector.h>

#include <algorithm>

#include "base/address_ranges.h"
#include "trace/effects.h"
#include "trace/kind_groups.h"

namespace sooth::causality {
namespace {

using trace::Event;
using trace::EventKind;

constexpr std::uint32_t kNoLife = 0xffffffff;

// A time between two renewals of some memory.
struct Life {
  std::uint32_t begin = kNoEvent; // the event; none: before the trace
  struct Toucher {
    std::uint32_t thread;
    std::uint32_t last;
  };
  absl::InlinedVector<Toucher, 2> touchers;
};

class Lifetimes {
public:
  Lifetimes(const trace::Trace& trace, Effects& effects) : trace_(trace), effects_(effects) {}

  void run() {
    // An object that ends without having begun was there before the trace.
    for (const Event& e : trace_.events)
      if (begins_or_ends_object(e.kind) && e.value != 0 && e.value <= ~e.address) put(e, kNoEvent);
    for (std::uint32_t i = 0; i < trace_.events.size(); ++i) {
      const Event& e = trace_.events[i];
      if (begins_or_ends_object(e.kind)) {
        if (e.value != 0 && e.value <= ~e.address) renew(e, i);
      } else if ((reads_memory(e.kind) || writes_memory(e.kind)) && e.kind != EventKind::ExternalWrite) {
        if (e.size != 0 && e.size <= ~e.address) touch(e.address, e.size, e.thread, i);
      } else if (uses_primitive(e.kind)) { // they live in memory, too
        touch(e.address, 1, e.thread, i);
        if (moves_mutex(e.kind) && e.value != 0) touch(e.value, 1, e.thread, i);
      }
    }
  }

private:
  struct Range {
    std::uint64_t end;
    std::uint32_t life;
  };
  using Ranges = absl::btree_map<std::uint64_t, Range>;

  // The event's range becomes one life.
  void put(const Event& e, std::uint32_t begin) {
    const std::uint64_t end = e.address + e.value;
    for (auto it = first_overlapping(ranges_, e.address); it != ranges_.end() && it->first < end;) {
      const auto [from, range] = *it;
      it = ranges_.erase(it);
      if (from < e.address) it = std::next(ranges_.insert({from, {e.address, range.life}}).first);
      if (range.end > end) it = ranges_.insert({end, range}).first;
    }
    ranges_[e.address] = {end, static_cast<std::uint32_t>(lives_.size())};
    lives_.push_back({begin, {}});
    if (begin != kNoEvent) lives_.back().touchers.push_back({e.thread, begin});
    last_from_ = 1;
    last_end_ = 0;
  }

  void renew(const Event& e, std::uint32_t i) {
    for (auto it = first_overlapping(ranges_, e.address); it != ranges_.end() && it->first < e.address + e.value;
         ++it) {
      Life& life = lives_[it->second.life];
      for (const Life::Toucher& toucher : life.touchers)
        if (toucher.thread != e.thread) effects_.order(toucher.last, i);
      life.touchers.clear(); // whatever else ends of this life comes after this event, by its own order or thread
      life.touchers.push_back({e.thread, i});
    }
    put(e, i);
  }

  void touch(std::uint64_t address, std::uint64_t bytes, std::uint32_t thread, std::uint32_t i) {
    if (address >= last_from_ && address + bytes <= last_end_) {
      if (last_life_ != kNoLife) touch_life(last_life_, thread, i);
      return;
    }
    auto it = first_overlapping(ranges_, address);
    last_from_ = it == ranges_.begin() ? 0 : std::prev(it)->second.end;
    last_end_ = it == ranges_.end() ? ~std::uint64_t{0} : it->first;
    last_life_ = kNoLife;
    if (it != ranges_.end() && it->first <= address) {
      last_from_ = it->first;
      last_end_ = it->second.end;
      last_life_ = it->second.life;
    }
    for (; it != ranges_.end() && it->first < address + bytes; ++it) touch_life(it->second.life, thread, i);
  }

  void touch_life(std::uint32_t number, std::uint32_t thread, std::uint32_t i) {
    Life& life = lives_[number];
    for (Life::Toucher& toucher : life.touchers)
      if (toucher.thread == thread) {
        toucher.last = i;
        return;
      }
    life.touchers.push_back({thread, i});
    if (life.begin != kNoEvent && trace_.events[life.begin].thread != thread) effects_.order(life.begin, i);
  }

  const trace::Trace& trace_;
  Effects& effects_;
  Ranges ranges_; // disjoint
  std::vector<Life> lives_;
  // The range of the last touch: most touches stay in it.
  std::uint64_t last_from_ = 1, last_end_ = 0;
  std::uint32_t last_life_ = kNoLife;
};

} // namespace

void add_lifetime_orders(const trace::Trace& trace, Effects& effects) { Lifetimes(trace, effects).run(); }

} // namespace sooth::causality
