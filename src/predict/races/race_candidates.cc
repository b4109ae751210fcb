#include "predict/races/race_candidates.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <compare>
#include <iterator>
#include <tuple>
#include <utility>

#include "predict/question/must_order.h"
#include "predict/races/benign_races.h"
#include "predict/races/locks_held.h"
#include "trace/contents.h"
#include "trace/kind_groups.h"

namespace sooth::predict {
namespace {

using causality::Computation;
using causality::OperationKind;
using causality::StepId;
using trace::Event;
using trace::EventKind;

// What distinguishes accesses for the user; if the site is unknown, the address stands for it.
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

// Accesses of one location by the threads of one chain (thread_chains.h) at one site with the same
// locks held.
struct Group {
  std::uint32_t chain = 0;
  std::uint32_t locks = 0; // LocksHeld::set
  SiteKey key;
  std::vector<std::uint32_t> events;
};

// Groups that differ only in their chains: by their first events.
struct Groups {
  std::vector<Group> all;
  std::vector<std::uint32_t> until; // by group: the last event of it and of those before it
};

bool conflict(const SiteKey& a, const SiteKey& b) { return (a.writes || b.writes) && !(a.atomic && b.atomic); }

constexpr std::uint32_t kClose = 16; // events; who stands so close together needs no closer ones

struct Pairing : RaceCandidate {
  std::uint32_t far = 0xffffffff; // events; pairs further apart are not wanted any more: there are enough
};
using Pairings = absl::flat_hash_map<std::pair<SiteKey, SiteKey>, Pairing>;

class Candidates {
public:
  Candidates(const trace::Trace& trace, const Computation& computation, const MustOrder& must, const FlagLocks& flags,
             std::size_t most, const Budget& budget)
      : trace_(trace), c_(computation), most_(most), budget_(budget), order_(must), held_(computation, flags),
        benign_(trace) {}

  std::vector<RaceCandidate> run() {
    sort_by_location();
    for (std::uint32_t location = 0; location < c_.locations.size(); ++location) {
      if (location % 1024 == 0 && budget_.spent() != nullptr) break;
      auto& pairings = benign_.has(c_.locations[location].address) ? benign_pairings_ : pairings_;
      const std::vector<Groups> alike = by_site_and_locks(groups_at(location));
      for (std::size_t a = 0; a < alike.size() && budget_.spent() == nullptr; ++a)
        for (std::size_t b = a; b < alike.size(); ++b) {
          const Group &x = alike[a].all.front(), &y = alike[b].all.front();
          if (conflict(x.key, y.key) && !held_.sets_exclude(x.locks, y.locks)) pair_all(alike[a], alike[b], pairings);
        }
    }
    return finish();
  }

  // Pairs of sites that the program's annotations keep back.
  std::uint64_t benign() const {
    return static_cast<std::uint64_t>(
        std::ranges::count_if(benign_pairings_, [](const auto& entry) { return entry.second.all != 0; }));
  }

private:
  // f(location, step), in the observed order, for every access that may race.
  template <typename F>
  void each_access(F&& f) const {
    for (StepId id = 0; id < c_.steps.size(); ++id) {
      if ((c_.steps[id].flags & causality::kMergedStep) != 0) continue;
      for (const causality::Operation& o : c_.operations_of(id))
        if (o.kind == OperationKind::Read || o.kind == OperationKind::Write) f(o.object, id);
    }
  }
  void sort_by_location() {
    begins_.assign(c_.locations.size() + 1, 0);
    each_access([&](std::uint32_t location, StepId) { ++begins_[location + 1]; });
    for (std::size_t i = 1; i < begins_.size(); ++i) begins_[i] += begins_[i - 1];
    accesses_.resize(begins_.back());
    std::vector<std::uint32_t> next(begins_.begin(), begins_.end() - 1);
    each_access([&](std::uint32_t location, StepId id) { accesses_[next[location]++] = id; });
  }
  // By their first events.
  std::vector<Group> groups_at(std::uint32_t location) {
    std::vector<Group> out;
    table_.clear();
    for (std::uint32_t n = begins_[location]; n < begins_[location + 1]; ++n) {
      if (n != begins_[location] && accesses_[n] == accesses_[n - 1]) continue; // it reads and writes
      const causality::Step& step = c_.steps[accesses_[n]];
      for (std::uint32_t i = step.event; i <= step.last_event; ++i)
        if (c_.step_of_event[i] == accesses_[n] && covers(trace_.events[i], location) && !benign_.ignores(i))
          add(out, i);
    }
    return out;
  }
  bool covers(const Event& e, std::uint32_t location) const {
    const bool access = reads_memory(e.kind) || (writes_memory(e.kind) && e.kind != EventKind::ExternalWrite);
    return access && c_.locations[location].address - e.address < e.size;
  }
  void add(std::vector<Group>& groups, std::uint32_t event) {
    const Event& e = trace_.events[event];
    const SiteKey key = key_of(e);
    const std::uint32_t locks = held_.set(c_.step_of_event[event]);
    const std::uint32_t chain = order_.chain(e.thread);
    Group* group = nullptr;
    if (groups.size() < kFewGroups) {
      const auto it = std::ranges::find_if(
          groups, [&](const Group& other) { return other.chain == chain && other.locks == locks && other.key == key; });
      if (it != groups.end()) group = &*it;
    } else {
      if (table_.empty())
        for (std::size_t i = 0; i < groups.size(); ++i) table_[{groups[i].chain, groups[i].locks, groups[i].key}] = i;
      const auto [it, fresh] = table_.try_emplace(std::tuple(chain, locks, key), groups.size());
      if (!fresh) group = &groups[it->second];
    }
    if (group == nullptr) group = &groups.emplace_back(Group{chain, locks, key, {}});
    if (group->events.empty() || group->events.back() != event) group->events.push_back(event);
  }

  static std::vector<Groups> by_site_and_locks(std::vector<Group> groups) {
    std::vector<Groups> out;
    absl::flat_hash_map<std::pair<std::uint32_t, SiteKey>, std::size_t> numbers;
    for (Group& group : groups) {
      const auto [it, fresh] = numbers.try_emplace(std::pair(group.locks, group.key), out.size());
      if (fresh) out.emplace_back();
      Groups& alike = out[it->second];
      alike.until.push_back(std::max(alike.until.empty() ? 0 : alike.until.back(), group.events.back()));
      alike.all.push_back(std::move(group));
    }
    return out;
  }

  // Every two groups of different chains, but for those that are further apart than is wanted.
  void pair_all(const Groups& some, const Groups& others, Pairings& pairings) {
    const bool same = &some == &others;
    Pairing& pairing = pairings[key_of_pair(some.all.front(), others.all.front())];
    for (std::size_t n = 0; n < some.all.size() && pairing.far > kClose; ++n) {
      const Group& a = some.all[n];
      const std::uint32_t first = a.events.front();
      const auto from =
          std::ranges::lower_bound(others.until, first - std::min(first, pairing.far)) - others.until.begin();
      for (std::size_t m = std::max(static_cast<std::size_t>(from), same ? n + 1 : 0); m < others.all.size(); ++m) {
        const Group& b = others.all[m];
        if (b.events.front() > a.events.back() && b.events.front() - a.events.back() > pairing.far) break;
        if (a.chain == b.chain) continue;
        a.events.size() < b.events.size() ? pair(a, b, pairing) : pair(b, a, pairing);
      }
    }
  }
  static std::pair<SiteKey, SiteKey> key_of_pair(const Group& a, const Group& b) {
    return a.key < b.key ? std::pair(a.key, b.key) : std::pair(b.key, a.key);
  }

  // Of the pairs that may be concurrent, those that stand closest together: a few for each access
  // if there are many. Once there are enough, only closer ones are looked for, and none if all are
  // close. Otherwise every access would be compared with every set of locks, of which a longer
  // trace has more.
  void pair(const Group& a, const Group& b, Pairing& pairing) {
    std::vector<Beside> found;
    std::size_t count = 0;
    for (auto it = a.events.begin(); it != a.events.end() && count <= most_; ++it) {
      found.push_back(beside(*it, b, pairing));
      count += static_cast<std::size_t>(found.back().to - found.back().from);
    }
    const std::size_t around = count <= most_ ? most_ : std::max<std::size_t>(1, most_ / a.events.size());
    for (std::size_t i = 0; i < a.events.size() && pairing.far > kClose; ++i)
      keep(i < found.size() ? found[i] : beside(a.events[i], b, pairing), static_cast<std::ptrdiff_t>(around), pairing);
  }
  struct Beside { // what may be concurrent with an event
    std::uint32_t event;
    std::vector<std::uint32_t>::const_iterator from, middle, to; // up to the middle before it, then behind it
  };
  Beside beside(std::uint32_t event, const Group& b, const Pairing& pairing) const {
    const auto middle = std::ranges::lower_bound(b.events, event);
    const bool before = middle != b.events.begin() && event - *std::prev(middle) <= pairing.far;
    const bool behind = middle != b.events.end() && *middle - event <= pairing.far;
    if (!before && !behind) return {event, middle, middle, middle};
    // Orders that every run keeps take away the first ones before it, and the last ones behind it.
    const auto apart = [&](std::uint32_t other) {
      return order_.excludes(c_.step_of_event[event], c_.step_of_event[other]);
    };
    return {event, first_beside(b.events.begin(), middle, apart), middle, last_beside(middle, b.events.end(), apart)};
  }
  // From the middle outwards in growing steps: where threads come and go, what is beside is near.
  using At = std::vector<std::uint32_t>::const_iterator;
  template <typename Apart>
  static At first_beside(At begin, At middle, const Apart& apart) {
    At inside = middle;
    for (std::ptrdiff_t step = 1; inside != begin; step *= 2) {
      const At next = inside - std::min(step, inside - begin);
      if (apart(*next)) return std::partition_point(next, inside, apart);
      inside = next;
    }
    return inside;
  }
  template <typename Apart>
  static At last_beside(At middle, At end, const Apart& apart) {
    At inside = middle; // all up to here are
    for (std::ptrdiff_t step = 1; inside != end; step *= 2) {
      const At next = inside + std::min(step, end - inside);
      if (apart(*std::prev(next)))
        return std::partition_point(inside, next, [&](std::uint32_t e) { return !apart(e); });
      inside = next;
    }
    return inside;
  }
  void keep(Beside beside, std::ptrdiff_t around, Pairing& pairing) const {
    auto& [event, from, middle, to] = beside;
    pairing.all += static_cast<std::uint64_t>(to - from);
    if (middle - from > around) from = middle - around, pairing.cut = true;
    if (to - middle > around) to = middle + around, pairing.cut = true;
    for (; from < to; ++from) {
      const RaceInstance instance{std::min(event, *from), std::max(event, *from)};
      if (instance.second - instance.first <= pairing.far) pairing.instances.push_back(instance);
    }
    if (pairing.instances.size() > 4 * most_) shrink(pairing);
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
  const MustOrder& order_;
  const LocksHeld held_;
  const BenignRaces benign_;
  std::vector<StepId> accesses_;      // by location, each in the observed order
  std::vector<std::uint32_t> begins_; // by location: where its accesses begin; operations are numbered with 32 bits
  // The present location's groups by what distinguishes them, if it has many.
  static constexpr std::size_t kFewGroups = 16;
  absl::flat_hash_map<std::tuple<std::uint32_t, std::uint32_t, SiteKey>, std::size_t> table_;
  Pairings pairings_;
  Pairings benign_pairings_;
};

} // namespace

std::vector<RaceCandidate> race_candidates(const trace::Trace& trace, const Computation& computation,
                                           const MustOrder& must, const FlagLocks& flags, std::size_t most_instances,
                                           const Budget& budget, std::uint64_t* benign) {
  Candidates candidates(trace, computation, must, flags, most_instances, budget);
  std::vector<RaceCandidate> out = candidates.run();
  if (benign != nullptr) *benign = candidates.benign();
  return out;
}

} // namespace sooth::predict
