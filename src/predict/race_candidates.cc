#include "predict/race_candidates.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <compare>
#include <iterator>
#include <utility>

#include "predict/benign_races.h"
#include "predict/locks_held.h"
#include "predict/must_order.h"
#include "trace/contents.h"
#include "trace/kind_groups.h"

namespace sooth::predict {
namespace {

using causality::Computation;
using causality::OperationKind;
using causality::StepId;
using trace::Event;
using trace::EventKind;

// What tells accesses apart for the user; where the site is unknown, the address stands for it.
struct SiteKey {
  std::uint32_t site = 0;
  bool writes = false;
  bool atomic = false;
  std::uint64_t address = 0;
  friend auto operator<=>(const SiteKey&, const SiteKey&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const SiteKey& key) {
    return H::combine(std::move(h), key.site, key.writes, key.atomic, key.address);
  }
};

SiteKey key_of(const Event& e) {
  return {e.site, writes_memory(e.kind), is_atomic(e.kind), e.site == 0 ? e.address : 0};
}

// Accesses of one location by one thread at one site with the same locks held.
struct Group {
  std::uint32_t thread = 0;
  std::uint32_t locks = 0; // LocksHeld::set
  SiteKey key;
  std::vector<std::uint32_t> events;
};

bool conflict(const SiteKey& a, const SiteKey& b) { return (a.writes || b.writes) && !(a.atomic && b.atomic); }

constexpr std::uint32_t kClose = 16; // events; who stands so close together needs no closer ones

struct Pairing : RaceCandidate {
  std::uint32_t far = 0xffffffff; // events; pairs further apart are not wanted any more: there are enough
};
using Pairings = absl::flat_hash_map<std::pair<SiteKey, SiteKey>, Pairing>;

class Candidates {
public:
  Candidates(const trace::Trace& trace, const Computation& computation, std::size_t most, const Budget& budget)
      : trace_(trace), c_(computation), most_(most), budget_(budget), order_(trace, computation), held_(computation),
        benign_(trace), groups_(computation.locations.size()) {}

  std::vector<RaceCandidate> run() {
    for (StepId id = 0; id < c_.steps.size() && (id % 4096 != 0 || budget_.spent() == nullptr); ++id)
      if ((c_.steps[id].flags & causality::kMergedStep) == 0) collect(id);
    for (std::size_t location = 0; location < groups_.size(); ++location) {
      auto& pairings = benign_.has(c_.locations[location].address) ? benign_pairings_ : pairings_;
      const std::vector<Group>& groups = groups_[location];
      for (std::size_t a = 0; a < groups.size() && budget_.spent() == nullptr; ++a)
        for (std::size_t b = a + 1; b < groups.size(); ++b)
          if (groups[a].thread != groups[b].thread && conflict(groups[a].key, groups[b].key) &&
              !held_.sets_exclude(groups[a].locks, groups[b].locks))
            groups[a].events.size() < groups[b].events.size() ? pair(groups[a], groups[b], pairings)
                                                              : pair(groups[b], groups[a], pairings);
    }
    return finish();
  }

  // Pairs of sites that the program's annotations keep back.
  std::uint64_t benign() const {
    return static_cast<std::uint64_t>(
        std::ranges::count_if(benign_pairings_, [](const auto& entry) { return entry.second.all != 0; }));
  }

private:
  void collect(StepId id) {
    const causality::Step& step = c_.steps[id];
    for (const causality::Operation& o : c_.operations_of(id)) {
      if (o.kind != OperationKind::Read && o.kind != OperationKind::Write) continue;
      for (std::uint32_t i = step.event; i <= step.last_event; ++i)
        if (c_.step_of_event[i] == id && covers(trace_.events[i], o.object) && !benign_.ignores(i)) add(o.object, i);
    }
  }
  bool covers(const Event& e, std::uint32_t location) const {
    const bool access = reads_memory(e.kind) || (writes_memory(e.kind) && e.kind != EventKind::ExternalWrite);
    return access && c_.locations[location].address - e.address < e.size;
  }
  void add(std::uint32_t location, std::uint32_t event) {
    const Event& e = trace_.events[event];
    const SiteKey key = key_of(e);
    const std::uint32_t locks = held_.set(c_.step_of_event[event]);
    for (Group& group : groups_[location])
      if (group.thread == e.thread && group.locks == locks && group.key == key) {
        if (group.events.back() != event) group.events.push_back(event);
        return;
      }
    groups_[location].push_back({e.thread, locks, key, {event}});
  }

  // Of the pairs that may be concurrent, those that stand closest together: a few for each access if there are many. Once there
  // are enough, only closer ones are looked for, and none if all are close: else every access is compared with every set of
  // locks, of which a longer trace has more.
  void pair(const Group& a, const Group& b, Pairings& pairings) {
    Pairing& pairing = pairings[a.key < b.key ? std::pair(a.key, b.key) : std::pair(b.key, a.key)];
    const auto around = static_cast<std::ptrdiff_t>(std::max<std::size_t>(1, most_ / a.events.size()));
    for (const std::uint32_t event : a.events) {
      if (pairing.far <= kClose) return;
      const auto middle = std::ranges::lower_bound(b.events, event);
      const bool before = middle != b.events.begin() && event - *std::prev(middle) <= pairing.far;
      const bool behind = middle != b.events.end() && *middle - event <= pairing.far;
      if (!before && !behind) continue;
      // Orders that every run keeps take away the first ones before it, and the last ones behind it.
      const auto apart = [&](std::uint32_t other) {
        return order_.excludes(c_.step_of_event[event], c_.step_of_event[other]);
      };
      auto from = std::partition_point(b.events.begin(), middle, apart);
      auto to = std::partition_point(middle, b.events.end(), [&](std::uint32_t other) { return !apart(other); });
      pairing.all += static_cast<std::uint64_t>(to - from);
      if (middle - from > around) from = middle - around, pairing.cut = true;
      if (to - middle > around) to = middle + around, pairing.cut = true;
      for (; from < to; ++from) {
        const RaceInstance instance{std::min(event, *from), std::max(event, *from)};
        if (instance.second - instance.first <= pairing.far) pairing.instances.push_back(instance);
      }
      if (pairing.instances.size() > 4 * most_) shrink(pairing);
    }
  }
  void shrink(Pairing& pairing) const {
    const auto closer = [](const RaceInstance& x, const RaceInstance& y) {
      const std::uint32_t dx = x.second - x.first, dy = y.second - y.first;
      return dx != dy ? dx < dy : x < y;
    };
    std::ranges::sort(pairing.instances, closer);
    pairing.instances.erase(std::unique(pairing.instances.begin(), pairing.instances.end()), pairing.instances.end());
    if (pairing.instances.size() > most_) {
      pairing.instances.resize(most_);
      pairing.cut = true;
      pairing.far = pairing.instances.back().second - pairing.instances.back().first;
    }
  }

  std::vector<RaceCandidate> finish() {
    std::vector<RaceCandidate> out;
    for (auto& [key, pairing] : pairings_) {
      shrink(pairing);
      if (!pairing.instances.empty()) out.push_back(std::move(pairing));
    }
    std::ranges::sort(out, [](const RaceCandidate& a, const RaceCandidate& b) { return a.instances < b.instances; });
    return out;
  }

  const trace::Trace& trace_;
  const Computation& c_;
  const std::size_t most_;
  const Budget& budget_;
  const MustOrder order_;
  const LocksHeld held_;
  const BenignRaces benign_;
  std::vector<std::vector<Group>> groups_; // by location
  Pairings pairings_;
  Pairings benign_pairings_;
};

} // namespace

std::vector<RaceCandidate> race_candidates(const trace::Trace& trace, const Computation& computation,
                                           std::size_t most_instances, const Budget& budget, std::uint64_t* benign) {
  Candidates candidates(trace, computation, most_instances, budget);
  std::vector<RaceCandidate> out = candidates.run();
  if (benign != nullptr) *benign = candidates.benign();
  return out;
}

} // namespace sooth::predict
