// From one level of the lattice to the next: a merge of sorted lists.
//
// Question: which nodes follow those of this level, with which monitor states, and by which steps?
// Source: seed 001, section 3.3 (createState, addToSet, monitorAll). We differ: seed 001 looks each new state up in a set.
// Here the steps of one thread, taken from all nodes of a sorted level, give a sorted list of successors (packing.h),
// and the next level is the merge of these lists, one for each thread. Equal cuts meet at the same moment, so nothing is
// looked up, memory is read and written in order, and the result does not depend on how the work was divided.
// Cost: for each node and thread one test and one comparison, for each edge one step of the monitor set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "explore/level.h"
#include "explore/monitor_set.h"
#include "explore/state_sets.h"

namespace sooth::explore {

// How far the observed run has come in each field of the packing, and which field moves next.
struct ObservedCut {
  std::vector<Count> counts;
  std::uint32_t next = Packing::kNoField;
  bool next_is_behind = false; // it moves a thread that has no field: one whose steps all nodes have taken already
};

// The distance of the successor by `field`, from that of the node.
inline std::uint32_t next_distance(const Packing& packing, const ObservedCut& observed, const std::uint64_t* record,
                                   std::uint32_t distance, std::uint32_t field) {
  if (field == observed.next) return distance;
  distance += packing.get(record, packing.field(field)) >= observed.counts[field] ? 1 : -1;
  if (observed.next_is_behind) return distance - 1;
  if (observed.next == Packing::kNoField) return distance;
  const bool ahead = packing.get(record, packing.field(observed.next)) > observed.counts[observed.next];
  return distance + (ahead ? -1 : 1);
}

// A Stepper says which steps there are:
//   static constexpr std::size_t kWords      words of a packed cut, 0 if only known at run time
//   static constexpr bool kCutDecides        nodes with equal cuts are the same node
//   const Packing& packing() const
//   bool enabled(const std::uint64_t* record, std::uint32_t field) const
//   Taken take(const std::uint64_t* record, std::uint32_t field, std::uint64_t* state) const
//                                            the step that is taken; changes the model's words
struct Taken {
  EventName event = 0;
  bool visible = true;
};

template <typename Stepper>
class Expander {
public:
  Expander(const Stepper& stepper, const ObservedCut& observed, StateSetsCache& sets, const MonitorSet& monitors,
           bool keep_all_hits)
      : stepper_(stepper), packing_(stepper.packing()), observed_(observed), sets_(sets), monitors_(monitors),
        keep_all_hits_(keep_all_hits) {}

  // Appends the successors whose cuts are in [low, high) to `out`; null: no bound. Stops early if `stop` says so, which
  // is asked now and then; the result is then useless.
  template <typename Stop>
  void run(const Level& from, const std::uint64_t* low, const std::uint64_t* high, Fragment& out, Stop stop) {
    from_ = &from;
    layout_ = from.layout;
    out.nodes.layout = layout_;
    begin_streams(low);
    std::vector<std::uint64_t> key(words());
    for (std::uint64_t made = 0; smallest(key.data()); ++made) {
      if (high != nullptr && compare(key.data(), high) >= 0) break;
      if (made % 4096 == 4095 && stop(out)) break;
      groups_ = 0;
      for (std::uint32_t f = 0; f < streams_.size(); ++f) {
        while (compare(head(f), key.data()) == 0) {
          edge(streams_[f], f, key.data());
          ++out.edges;
          ++streams_[f];
          settle(f);
        }
      }
      for (std::size_t g = 0; g < groups_; ++g) emit(group_[g], key.data(), out);
    }
  }

private:
  struct Candidate {
    Strand strand;
    std::uint32_t distance = kDropped; // of the node it comes from; kDropped: none yet
  };
  struct GroupHit {
    std::uint32_t monitor;
    Candidate from;
  };
  // A node of the next level while its edges come in.
  struct Group {
    SetNumber set = kEmptySet;
    std::uint32_t distance = 0;
    std::vector<std::uint64_t> extra; // the model's words and the values
    std::vector<Candidate> candidates;
    std::vector<GroupHit> hits;
  };

  std::size_t words() const { return Stepper::kWords != 0 ? Stepper::kWords : layout_.cut_words; }
  int compare(const std::uint64_t* a, const std::uint64_t* b) const {
    if constexpr (Stepper::kWords == 1) return a[0] == b[0] ? 0 : a[0] < b[0] ? -1 : 1;
    return compare_words(a, b, words());
  }
  std::uint64_t* head(std::uint32_t field) { return heads_.data() + field * words(); }

  void make_head(std::uint32_t field, std::size_t node, std::uint64_t* key) const {
    const Packing::Field& place = packing_.field(field);
    std::memcpy(key, from_->record(node), words() * sizeof(std::uint64_t));
    key[place.word] += Packing::unit(place);
  }
  // Goes on to the next node that lets this thread move.
  void settle(std::uint32_t field) {
    std::size_t& node = streams_[field];
    const std::size_t size = from_->size();
    while (node < size && !stepper_.enabled(from_->record(node), field)) ++node;
    if (node < size) make_head(field, node, head(field));
    else std::memset(head(field), 0xff, words() * sizeof(std::uint64_t)); // behind every key: guards are 0 in keys
  }
  void begin_streams(const std::uint64_t* low) {
    streams_.assign(packing_.fields(), 0);
    heads_.assign(packing_.fields() * words(), 0);
    std::vector<std::uint64_t> key(words());
    for (std::uint32_t f = 0; f < streams_.size(); ++f) {
      if (low != nullptr) {
        std::size_t first = 0, last = from_->size();
        while (first < last) {
          const std::size_t middle = first + (last - first) / 2;
          make_head(f, middle, key.data());
          if (compare(key.data(), low) < 0) first = middle + 1;
          else last = middle;
        }
        streams_[f] = first;
      }
      settle(f);
    }
  }
  bool smallest(std::uint64_t* key) {
    if (streams_.empty()) return false;
    const std::uint64_t* best = head(0);
    for (std::uint32_t f = 1; f < streams_.size(); ++f)
      if (compare(head(f), best) < 0) best = head(f);
    if (best[0] == UINT64_MAX) return false;
    std::memcpy(key, best, words() * sizeof(std::uint64_t));
    return true;
  }

  Group& group_with(const std::vector<std::uint64_t>& extra, bool& fresh) {
    for (std::size_t g = 0; g < groups_; ++g) {
      if (Stepper::kCutDecides || group_[g].extra == extra) {
        fresh = false;
        return group_[g];
      }
    }
    if (groups_ == group_.size()) group_.emplace_back();
    Group& group = group_[groups_++];
    group.extra.assign(extra.begin(), extra.end());
    group.candidates.clear();
    group.hits.clear();
    fresh = true;
    return group;
  }

  void edge(std::size_t node, std::uint32_t field, const std::uint64_t*) {
    const std::uint64_t* record = from_->record(node);
    const std::size_t cut_words = words();
    extra_.assign(record + cut_words, record + layout_.words());
    const Taken taken = stepper_.take(record, field, extra_.data());
    const SetNumber set = from_->sets[node];
    const std::uint32_t distance = from_->distances[node];
    const Strand last{from_->first_strands[node], packing_.field(field).thread};
    bool fresh = false;
    if (!taken.visible) {
      Group& group = group_with(extra_, fresh);
      if (fresh) group.distance = next_distance(packing_, observed_, record, distance, field);
      const std::size_t size = sets_.size(set);
      merge(group, fresh, set, size, last, distance, [](std::size_t k) { return static_cast<std::uint32_t>(k); });
      return;
    }
    const Letter letter =
        monitors_.apply(taken.event, std::span(extra_).subspan(layout_.state_words, layout_.value_words));
    const Transition& transition = sets_.step(set, letter);
    Group& group = group_with(extra_, fresh);
    if (fresh) group.distance = next_distance(packing_, observed_, record, distance, field);
    for (const std::uint32_t k : transition.violated) {
      Strand failed = last;
      failed.parent += k;
      add_hit(group, sets_.monitor_of(set, k), {failed, distance});
    }
    merge(group, fresh, transition.target, transition.place.size(), last, distance,
          [&transition](std::size_t k) { return transition.place[k]; });
  }

  // Members of an edge's set join those that other edges brought; of several ways to the same member the one that comes
  // from nearest to the observed run is kept, the first of these.
  template <typename PlaceOf>
  void merge(Group& group, bool fresh, SetNumber set, std::size_t members, Strand last, std::uint32_t distance,
             PlaceOf place_of) {
    const std::uint32_t* moved = nullptr;
    if (fresh) {
      group.set = set;
      group.candidates.assign(sets_.size(set), {});
    } else if (group.set != set) {
      const Union& both = sets_.unite(group.set, set);
      united_.assign(sets_.size(both.target), {});
      for (std::size_t k = 0; k < group.candidates.size(); ++k) united_[both.left[k]] = group.candidates[k];
      group.candidates.swap(united_);
      group.set = both.target;
      moved = both.right.data();
    }
    for (std::size_t k = 0; k < members; ++k) {
      std::uint32_t place = place_of(k);
      if (place == kDropped) continue;
      if (moved != nullptr) place = moved[place];
      Candidate& best = group.candidates[place];
      if (best.distance <= distance && best.distance != kDropped) continue;
      best = {{last.parent + static_cast<std::uint32_t>(k), last.thread}, distance};
    }
  }

  void add_hit(Group& group, std::uint32_t monitor, Candidate from) {
    for (GroupHit& hit : group.hits) {
      if (hit.monitor != monitor) continue;
      if (from.distance < hit.from.distance) hit.from = from;
      return;
    }
    group.hits.push_back({monitor, from});
  }

  void emit(const Group& group, const std::uint64_t* key, Fragment& out) {
    ++out.made;
    for (const GroupHit& hit : group.hits) report(hit, group.distance, key, out);
    if (group.set == kEmptySet) return; // every run to here has failed: nothing is left to watch
    out.nodes.records.insert(out.nodes.records.end(), key, key + words());
    out.nodes.records.insert(out.nodes.records.end(), group.extra.begin(), group.extra.end());
    out.nodes.sets.push_back(group.set);
    out.nodes.distances.push_back(group.distance);
    out.nodes.first_strands.push_back(static_cast<std::uint32_t>(out.strands.size()));
    for (const Candidate& candidate : group.candidates) out.strands.push_back(candidate.strand);
  }

  void report(const GroupHit& hit, std::uint32_t distance, const std::uint64_t* key, Fragment& out) {
    const Hit found{hit.monitor, distance, hit.from.strand, out.hit_cuts.size()};
    if (!keep_all_hits_) {
      for (Hit& known : out.hits) {
        if (known.monitor != hit.monitor) continue;
        if (distance >= known.distance) return;
        std::copy_n(key, words(), out.hit_cuts.begin() + static_cast<std::ptrdiff_t>(known.cut));
        const std::size_t place = known.cut;
        known = found;
        known.cut = place;
        return;
      }
    }
    out.hits.push_back(found);
    out.hit_cuts.insert(out.hit_cuts.end(), key, key + words());
  }

  const Stepper& stepper_;
  const Packing& packing_;
  const ObservedCut& observed_;
  StateSetsCache& sets_;
  const MonitorSet& monitors_;
  const bool keep_all_hits_;

  const Level* from_ = nullptr;
  Layout layout_;
  std::vector<std::size_t> streams_; // by field: the node whose successor is next
  std::vector<std::uint64_t> heads_; // by field: that successor's cut
  std::vector<Group> group_;         // the first `groups_` are in use
  std::size_t groups_ = 0;
  std::vector<std::uint64_t> extra_;
  std::vector<Candidate> united_;
};

} // namespace sooth::explore
