// From one level of the lattice to the next: a merge of sorted lists.
//
//     level 1: (0,1) (1,0)
//     steps of T1: (1,1) (2,0)      steps of T2: (0,2) (1,1)
//     level 2, merged: (0,2) (1,1) (2,0)      (1,1) is reached by two edges
//
// Question: which nodes follow those of this level, with which monitor states, and by which steps?
// Source: JMPaX, section 3.3 (createState, addToSet, monitorAll).
// Where we differ: JMPaX looks each new state up in a set. Here the steps of one thread, taken from
//   all nodes of a sorted level, give a sorted list of successors (packing.h), and the next level
//   is the merge of these lists, one for each thread. Equal cuts meet at the same moment, so
//   nothing is looked up, memory is read and written in order, and the result does not depend on
//   how the work was divided.
// Cost: for each node and thread one test and one comparison, for each edge one step of the monitor
//   set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "explore/level.h"
#include "explore/monitor_set.h"
#include "explore/observed_cut.h"
#include "explore/state_sets.h"
#include "explore/workbench.h"

namespace sooth::explore {

// The distance of the successor by `field`, from that of the node.
inline std::uint32_t next_distance(const Packing& packing, const ObservedCut& observed, const std::uint64_t* record,
                                   std::uint32_t distance, std::uint32_t field) {
  if (field == observed.next.field) return distance;
  distance += packing.get(record, packing.field(field)) >= observed.counts[field] ? 1 : -1;
  if (observed.next.is_behind) return distance - 1;
  if (observed.next.field == Packing::kNoField) return distance;
  const std::uint32_t next = observed.next.field;
  const bool ahead = packing.get(record, packing.field(next)) > observed.counts[next];
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
  // `observed` is the worker's own copy.
  Expander(const Stepper& stepper, const ObservedCut& observed, Workbench& bench, const MonitorSet& monitors,
           bool keep_all_hits)
      : stepper_(stepper), packing_(stepper.packing()), observed_(observed), bench_(bench), sets_(bench.sets),
        monitors_(monitors), keep_all_hits_(keep_all_hits) {}

  // Makes `out` of the successors whose cuts are in [low, high); null: no bound. Leaves their
  // strands on the workbench. Stops early if `stop` says so, which is asked now and then; the
  // result is then useless.
  template <typename Stop>
  void run(const LevelView& from, const std::uint64_t* low, const std::uint64_t* high, Part& out, Stop stop) {
    from_ = &from;
    layout_ = from.layout;
    stride_ = layout_.words();
    extra_words_ = stride_ - words();
    bench_.extra.resize(extra_words_);
    last_part_ = from.parts + from.count - 1;
    out.clear();
    bench_.strands.clear();
    if (from.count == 0) return out.sum_up(0);
    begin_streams(low);
    const auto fields = static_cast<std::uint32_t>(packing_.fields());
    std::uint64_t* const key = bench_.key.data();
    for (std::uint64_t made = 0; smallest(key); ++made) {
      if (high != nullptr && compare(key, high) >= 0) break;
      if (made % 4096 == 4095 && stop(out)) break;
      groups_ = 0;
      for (std::uint32_t f = 0; f < fields; ++f) {
        while (compare(head(f), key) == 0) {
          Stream& stream = streams_[f];
          edge(stream, f);
          ++out.edges;
          ++stream.node;
          stream.record += stride_;
          settle(stream, f);
        }
      }
      for (std::size_t g = 0; g < groups_; ++g) emit(bench_.groups[g], key, out);
    }
    out.sum_up(bench_.strands.size());
  }

private:
  using Candidate = Workbench::Candidate;
  using GroupHit = Workbench::GroupHit;
  using Group = Workbench::Group;
  using Stream = Workbench::Stream;

  std::size_t words() const { return Stepper::kWords != 0 ? Stepper::kWords : layout_.cut_words; }
  int compare(const std::uint64_t* a, const std::uint64_t* b) const {
    if constexpr (Stepper::kWords == 1) return a[0] == b[0] ? 0 : a[0] < b[0] ? -1 : 1;
    return compare_words(a, b, words());
  }
  std::uint64_t* head(std::uint32_t field) { return heads_ + field * words(); }

  void make_head(std::uint32_t field, const std::uint64_t* record, std::uint64_t* key) const {
    const Packing::Field& place = packing_.field(field);
    std::memcpy(key, record, words() * sizeof(std::uint64_t));
    key[place.word] += Packing::unit(place);
  }
  void open(Stream& stream, const PartView* part) const {
    stream = {part, 0, part->records, part->records + part->size * stride_};
  }
  // Goes on to the next node that lets this thread move.
  void settle(Stream& stream, std::uint32_t field) {
    for (;;) {
      for (; stream.record != stream.end; stream.record += stride_, ++stream.node)
        if (stepper_.enabled(stream.record, field)) return make_head(field, stream.record, head(field));
      if (stream.part == last_part_) break;
      open(stream, stream.part + 1);
    }
    std::memset(head(field), 0xff, words() * sizeof(std::uint64_t)); // behind every key: guards are 0 in keys
  }
  void begin_streams(const std::uint64_t* low) {
    const auto fields = static_cast<std::uint32_t>(packing_.fields());
    bench_.streams.resize(fields);
    bench_.heads.resize(fields * words());
    bench_.key.resize(words());
    streams_ = bench_.streams.data();
    heads_ = bench_.heads.data();
    for (std::uint32_t f = 0; f < fields; ++f) {
      Stream& stream = streams_[f];
      if (low == nullptr) open(stream, from_->parts);
      else seek(stream, f, low);
      settle(stream, f);
    }
  }
  // To the first node whose successor is not below `low`.
  void seek(Stream& stream, std::uint32_t field, const std::uint64_t* low) {
    std::uint64_t* const key = bench_.key.data();
    // It is in the last part that begins below, or is the first node of the part behind that.
    std::size_t first = 0, last = from_->count;
    while (last - first > 1) {
      const std::size_t middle = first + (last - first) / 2;
      make_head(field, from_->first_cuts + middle * words(), key);
      if (compare(key, low) < 0) first = middle;
      else last = middle;
    }
    open(stream, from_->parts + first);
    std::size_t begin = 0, end = stream.part->size;
    // Mostly at its end, if it is a neighbour's part: all of it would have to come from another
    // worker's cache.
    for (std::size_t step = 1; step <= end; step *= 2) {
      make_head(field, stream.record + (end - step) * stride_, key);
      if (compare(key, low) < 0) {
        begin = end - step + 1;
        break;
      }
      end -= step;
    }
    while (begin < end) {
      const std::size_t middle = begin + (end - begin) / 2;
      make_head(field, stream.record + middle * stride_, key);
      if (compare(key, low) < 0) begin = middle + 1;
      else end = middle;
    }
    stream.node = begin;
    stream.record += begin * stride_;
  }
  bool smallest(std::uint64_t* key) {
    const std::size_t fields = packing_.fields();
    if (fields == 0) return false;
    const std::uint64_t* best = head(0);
    for (std::uint32_t f = 1; f < fields; ++f)
      if (compare(head(f), best) < 0) best = head(f);
    if (best[0] == UINT64_MAX) return false;
    std::memcpy(key, best, words() * sizeof(std::uint64_t));
    return true;
  }

  Group& group_with(const std::uint64_t* extra, bool& fresh) {
    for (std::size_t g = 0; g < groups_; ++g) {
      Group& group = bench_.groups[g];
      if (Stepper::kCutDecides || compare_words(group.extra.data(), extra, extra_words_) == 0) {
        fresh = false;
        return group;
      }
    }
    if (groups_ == bench_.groups.size()) bench_.groups.emplace_back();
    Group& group = bench_.groups[groups_++];
    group.extra.resize(extra_words_);
    copy_words(extra, extra_words_, group.extra.data());
    group.hits.clear();
    fresh = true;
    return group;
  }
  // Records are a few words, for which a call of memcpy would cost more than the copying.
  static void copy_words(const std::uint64_t* from, std::size_t count, std::uint64_t* to) {
    for (std::size_t w = 0; w < count; ++w) to[w] = from[w];
  }

  void edge(const Stream& stream, std::uint32_t field) {
    const std::uint64_t* record = stream.record;
    const PartView& part = *stream.part;
    std::uint64_t* const extra = bench_.extra.data();
    copy_words(record + words(), extra_words_, extra);
    const Taken taken = stepper_.take(record, field, extra);
    const NodeInfo& info = part.infos[stream.node];
    const SetNumber set = info.set;
    const std::uint32_t distance = info.distance;
    const Strand last{part.strands_before + info.first_strand, packing_.field(field).thread};
    bool fresh = false;
    if (!taken.visible) {
      Group& group = group_with(extra, fresh);
      if (fresh) group.distance = next_distance(packing_, observed_, record, distance, field);
      const std::size_t size = sets_.size(set);
      merge(group, fresh, set, size, last, distance, [](std::size_t k) { return static_cast<std::uint32_t>(k); });
      return;
    }
    const Letter letter = monitors_.apply(taken.event, std::span(extra + layout_.state_words, layout_.value_words));
    const Transition& transition = sets_.step(set, letter);
    Group& group = group_with(extra, fresh);
    if (fresh) group.distance = next_distance(packing_, observed_, record, distance, field);
    for (const std::uint32_t k : transition.violated) {
      Strand failed = last;
      failed.parent += k;
      add_hit(group, sets_.monitor_of(set, k), {failed, distance});
    }
    merge(group, fresh, transition.target, transition.place.size(), last, distance,
          [&transition](std::size_t k) { return transition.place[k]; });
  }

  // Members of an edge's set join those that other edges brought. Of several ways to the same
  // member, the one from nearest to the observed run is kept; among equals, the first.
  template <typename PlaceOf>
  void merge(Group& group, bool fresh, SetNumber set, std::size_t members, Strand last, std::uint32_t distance,
             PlaceOf place_of) {
    const std::uint32_t* moved = nullptr;
    if (fresh) {
      group.set = set;
      group.candidates.resize(sets_.size(set));
      for (Candidate& candidate : group.candidates) candidate = {};
    } else if (group.set != set) {
      const Union& both = sets_.unite(group.set, set);
      bench_.united.assign(sets_.size(both.target), {});
      for (std::size_t k = 0; k < group.candidates.size(); ++k) bench_.united[both.left[k]] = group.candidates[k];
      group.candidates.swap(bench_.united);
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

  void emit(const Group& group, const std::uint64_t* key, Part& out) {
    ++out.made;
    for (const GroupHit& hit : group.hits) report(hit, group.distance, key, out);
    if (group.set == kEmptySet) return; // every run to here has failed: nothing is left to watch
    for (std::size_t w = 0; w < words(); ++w) out.records.push_back(key[w]);
    for (std::size_t w = 0; w < extra_words_; ++w) out.records.push_back(group.extra[w]);
    out.infos.push_back({group.set, group.distance, static_cast<std::uint32_t>(bench_.strands.size())});
    for (const Candidate& candidate : group.candidates) bench_.strands.push_back(candidate.strand);
  }

  void report(const GroupHit& hit, std::uint32_t distance, const std::uint64_t* key, Part& out) {
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

  const Stepper stepper_; // a copy: the caller's is on the stack of a worker
  const Packing& packing_;
  const ObservedCut& observed_;
  Workbench& bench_;
  StateSetsCache& sets_;
  const MonitorSet& monitors_;
  const bool keep_all_hits_;

  const LevelView* from_ = nullptr;
  Layout layout_;
  const PartView* last_part_ = nullptr;
  std::size_t stride_ = 0;      // words of a record
  std::size_t extra_words_ = 0; // those behind the cut
  Stream* streams_ = nullptr;   // of the workbench
  std::uint64_t* heads_ = nullptr;
  std::size_t groups_ = 0; // of the workbench, in use
};

} // namespace sooth::explore
