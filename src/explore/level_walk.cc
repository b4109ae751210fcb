#include "explore/level_walk.h"

#include <algorithm>
#include <numeric>

namespace sooth::explore {

LevelWalk::LevelWalk(const MonitorSet& monitors, const Options& options)
    : monitors_(monitors), options_(options), sets_(monitors), pool_(std::max(1u, options.workers)),
      paths_(options.path_steps) {
  for (unsigned w = 0; w < pool_.size(); ++w) caches_.push_back(std::make_unique<StateSetsCache>(sets_));
}

void LevelWalk::begin(std::size_t cut_words, const std::vector<std::uint64_t>& state) {
  level_.layout = {cut_words, state.size(), monitors_.value_words()};
  level_.records.assign(cut_words, 0);
  level_.records.insert(level_.records.end(), state.begin(), state.end());
  std::vector<std::uint64_t> values(monitors_.value_words());
  const Transition start = sets_.start(monitors_.begin(values));
  level_.records.insert(level_.records.end(), values.begin(), values.end());
  result_.statistics = {.cuts = 1, .levels = 1, .widest = 1};
  for (const std::uint32_t monitor : start.violated) {
    result_.violations.push_back({.monitor = monitor});
    sets_.retire(monitor); // it failed in every run, at once
    if (options_.until == Until::First) return end(End::Found);
  }
  if (start.target == kEmptySet) return end(monitors_.monitors() == 0 ? End::Complete : End::Found);
  level_.sets = {start.target};
  level_.distances = {0};
  level_.first_strands = {0};
}

void LevelWalk::end(End end) {
  if (over_) return;
  over_ = true;
  result_.end = end;
  level_.clear();
}

std::uint64_t LevelWalk::bytes() const {
  std::uint64_t sum = level_.bytes() + paths_.bytes() + sets_.bytes();
  for (const Fragment& fragment : fragments_) sum += fragment.bytes();
  return sum;
}

std::vector<std::vector<std::uint64_t>> LevelWalk::borders(std::size_t parts) const {
  std::vector<std::vector<std::uint64_t>> out;
  for (std::size_t part = 1; part < parts; ++part) {
    const std::uint64_t* cut = level_.record(level_.size() * part / parts);
    std::vector<std::uint64_t> border(cut, cut + level_.layout.cut_words);
    if (out.empty() || out.back() < border) out.push_back(std::move(border));
  }
  return out;
}

// Workers ask this; `more_bytes` are those of the part that the worker is making.
bool LevelWalk::out_of_budget(std::uint64_t more_bytes) {
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - started_;
  if (options_.budget_seconds > 0 && spent.count() > options_.budget_seconds)
    stopped_ = static_cast<int>(End::OutOfTime);
  if (options_.memory_bytes != 0 && level_.bytes() + paths_.bytes() + more_bytes > options_.memory_bytes)
    stopped_ = static_cast<int>(End::OutOfMemory);
  return stopped_ != 0;
}

bool LevelWalk::finish(std::size_t parts, const CutMeaning& meaning) {
  result_.statistics.peak_bytes = std::max(result_.statistics.peak_bytes, bytes());
  if (stopped_ != 0 || out_of_budget(0)) {
    end(static_cast<End>(stopped_.load()));
    return false;
  }
  std::uint64_t made = 0;
  for (std::size_t part = 0; part < parts; ++part) {
    made += fragments_[part].made;
    result_.statistics.edges += fragments_[part].edges;
  }
  if (made == 0) {
    end(End::Complete);
    return false;
  }
  result_.statistics.cuts += made;
  ++result_.statistics.levels;
  result_.statistics.widest = std::max(result_.statistics.widest, made);
  collect(parts, meaning);
  if (over_) return false;
  std::vector<Strand> strands;
  assemble(parts, strands);
  if (newly_retired_) drop_retired(strands);
  if (options_.max_width != 0 && level_.size() > options_.max_width) keep_nearest(strands);
  paths_.append(std::move(strands));
  // Either every run has failed by now, or all monitors have said what they were asked for.
  if (level_.size() == 0) end(options_.until == Until::All ? End::Complete : End::Found);
  return !over_;
}

// Hits become violations as Options::until asks.
void LevelWalk::collect(std::size_t parts, const CutMeaning& meaning) {
  struct Found {
    const Hit* hit;
    const std::uint64_t* cut;
  };
  std::vector<Found> found; // in the order of cuts
  for (std::size_t part = 0; part < parts; ++part)
    for (const Hit& hit : fragments_[part].hits) found.push_back({&hit, fragments_[part].hit_cuts.data() + hit.cut});
  if (found.empty()) return;
  if (options_.until == Until::All) {
    for (const Found& f : found) add_violation(*f.hit, f.cut, meaning);
    return;
  }
  // The nearest to the observed run first; among equals the first cut.
  std::vector<std::size_t> order(found.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t k) { return std::pair(found[k].hit->distance, k); });
  for (const std::size_t k : order) {
    const Found& f = found[k];
    if (sets_.retired(f.hit->monitor)) continue;
    add_violation(*f.hit, f.cut, meaning);
    if (options_.until == Until::First) return end(End::Found);
    sets_.retire(f.hit->monitor);
    newly_retired_ = true;
  }
}

void LevelWalk::add_violation(const Hit& hit, const std::uint64_t* cut, const CutMeaning& meaning) {
  if (result_.violations.size() >= options_.max_violations) {
    ++result_.statistics.violations_left_out;
    return;
  }
  Violation violation{.monitor = hit.monitor, .cut = meaning.unpack(cut)};
  std::vector<ThreadNumber> threads = paths_.path(hit.strand.parent, violation.path_begins);
  threads.push_back(hit.strand.thread);
  // Counts before the first step that is known.
  std::vector<Count> counts = violation.cut;
  for (const ThreadNumber thread : threads) --counts[thread];
  violation.path.reserve(threads.size());
  for (const ThreadNumber thread : threads) {
    const Count index = counts[thread]++;
    violation.path.push_back({thread, index, meaning.event_of(thread, index)});
  }
  result_.violations.push_back(std::move(violation));
}

void LevelWalk::assemble(std::size_t parts, std::vector<Strand>& strands) {
  if (parts == 1) {
    std::swap(level_, fragments_[0].nodes);
    strands.assign(fragments_[0].strands.begin(), fragments_[0].strands.end());
    return;
  }
  struct Place {
    std::size_t node = 0, strand = 0;
  };
  std::vector<Place> places(parts + 1);
  for (std::size_t p = 0; p < parts; ++p)
    places[p + 1] = {places[p].node + fragments_[p].nodes.size(), places[p].strand + fragments_[p].strands.size()};
  const std::size_t words = level_.layout.words(), nodes = places[parts].node;
  level_.records.resize(nodes * words);
  level_.sets.resize(nodes);
  level_.distances.resize(nodes);
  level_.first_strands.resize(nodes);
  strands.resize(places[parts].strand);
  std::atomic<std::size_t> next = 0;
  pool_.run([&](unsigned) {
    for (std::size_t p = next++; p < parts; p = next++) {
      const Level& from = fragments_[p].nodes;
      const auto at = [&](auto& vector, std::size_t index) {
        return vector.begin() + static_cast<std::ptrdiff_t>(index);
      };
      std::ranges::copy(from.records, at(level_.records, places[p].node * words));
      std::ranges::copy(from.sets, at(level_.sets, places[p].node));
      std::ranges::copy(from.distances, at(level_.distances, places[p].node));
      std::ranges::transform(from.first_strands, at(level_.first_strands, places[p].node),
                             [&](std::uint32_t first) { return first + static_cast<std::uint32_t>(places[p].strand); });
      std::ranges::copy(fragments_[p].strands, at(strands, places[p].strand));
    }
  });
}

// Nodes for which keep(node, set, places) is true stay, with the set and the members' places that it gives.
template <typename Keep>
void LevelWalk::filter(std::vector<Strand>& strands, Keep keep) {
  Level kept;
  kept.layout = level_.layout;
  std::vector<Strand> kept_strands;
  for (std::size_t node = 0; node < level_.size(); ++node) {
    SetNumber set = level_.sets[node];
    const std::size_t members = sets_.size(set);
    const std::vector<std::uint32_t>* places = nullptr;
    if (!keep(node, set, places)) continue;
    const std::uint64_t* record = level_.record(node);
    kept.records.insert(kept.records.end(), record, record + kept.layout.words());
    kept.sets.push_back(set);
    kept.distances.push_back(level_.distances[node]);
    kept.first_strands.push_back(static_cast<std::uint32_t>(kept_strands.size()));
    for (std::size_t k = 0; k < members; ++k)
      if (places == nullptr || (*places)[k] != kDropped)
        kept_strands.push_back(strands[level_.first_strands[node] + k]);
  }
  level_ = std::move(kept);
  strands = std::move(kept_strands);
}

void LevelWalk::drop_retired(std::vector<Strand>& strands) {
  newly_retired_ = false;
  absl::flat_hash_map<SetNumber, Transition> known;
  filter(strands, [&](std::size_t, SetNumber& set, const std::vector<std::uint32_t>*& places) {
    const auto [entry, fresh] = known.try_emplace(set);
    if (fresh) entry->second = sets_.without_retired(set);
    places = &entry->second.place; // members keep their order
    set = entry->second.target;
    return set != kEmptySet;
  });
}

// The measure of --max-width: a node is the more probable, the fewer steps its threads are ahead of or behind the
// observed run. Ties go to the smaller cut, so the answer is always the same.
void LevelWalk::keep_nearest(std::vector<Strand>& strands) {
  std::vector<std::uint32_t> order(level_.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto nearer = [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(level_.distances[a], a) < std::pair(level_.distances[b], b);
  };
  std::ranges::nth_element(order, order.begin() + static_cast<std::ptrdiff_t>(options_.max_width), nearer);
  std::vector<bool> chosen(level_.size(), false);
  for (std::size_t k = 0; k < options_.max_width; ++k) chosen[order[k]] = true;
  result_.statistics.cuts_left_out += level_.size() - options_.max_width;
  filter(strands, [&](std::size_t node, SetNumber&, const std::vector<std::uint32_t>*&) { return chosen[node]; });
}

} // namespace sooth::explore
