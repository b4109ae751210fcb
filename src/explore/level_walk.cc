#include "explore/level_walk.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace sooth::explore {

LevelWalk::LevelWalk(const MonitorSet& monitors, const Options& options)
    : monitors_(monitors), options_(options), process_(0, options.process_bytes), sets_(monitors),
      shares_(std::max(1u, options.workers)), batch_(std::max(1u, options.workers)), paths_(options.path_steps),
      pool_(std::max(1u, options.workers)) {
  for (unsigned w = 0; w < pool_.size(); ++w) benches_.push_back(std::make_unique<Workbench>(sets_));
}

void LevelWalk::begin(std::size_t cut_words, const std::vector<std::uint64_t>& state) {
  level_.layout = {cut_words, state.size(), monitors_.value_words()};
  level_.begin_parts(1);
  Part& only = level_.part(0);
  only.records.assign(cut_words, 0);
  only.records.insert(only.records.end(), state.begin(), state.end());
  std::vector<std::uint64_t> values(monitors_.value_words());
  const Transition start = sets_.start(monitors_.begin(values));
  only.records.insert(only.records.end(), values.begin(), values.end());
  result_.statistics = {.cuts = 1, .levels = 1, .widest = 1};
  for (const std::uint32_t monitor : start.violated) {
    result_.violations.push_back({.monitor = monitor});
    sets_.retire(monitor); // it failed in every run, at once
    if (options_.until == Until::First) return end(End::Found);
  }
  if (start.target == kEmptySet) return end(monitors_.monitors() == 0 ? End::Complete : End::Found);
  only.infos = {{start.target, 0, 0}};
  only.sum_up(0);
  level_.settle();
}

void LevelWalk::end(End end) {
  if (over_) return;
  over_ = true;
  result_.end = end;
  level_.clear();
}

std::uint64_t LevelWalk::bytes() const {
  return level_.bytes() + next_.bytes() + batch_.bytes() + paths_.bytes() + sets_.bytes();
}

std::size_t LevelWalk::levels_at_once(std::size_t most) const {
  // A single worker gains nothing; and bounds of a level's width have to be kept in each.
  if (pool_.size() == 1 || options_.max_width != 0) return 1;
  const std::size_t levels = std::min(most, Batch::levels_for(level_.size()));
  return levels < Batch::kFewest ? 1 : levels;
}

// A sweep that is due is an errand for another worker; at most as much again is appended until it
// is done.
void LevelWalk::sweep_paths() {
  if (!paths_.sweeping() && paths_.sweep_is_due()) {
    paths_.begin_sweep();
    pool_.send([](void* paths) { static_cast<Paths*>(paths)->sweep_begun(); }, &paths_);
  }
  if (paths_.sweeping() && (!pool_.errand_under_way() || paths_.sweep_is_due())) finish_sweep();
}

void LevelWalk::finish_sweep() {
  pool_.finish_errand();
  paths_.end_sweep();
}

void LevelWalk::find_borders() {
  // A level that takes one worker only some microseconds is done before the others have noticed.
  constexpr std::size_t kWorthSharing = 64;
  borders_.clear();
  if (pool_.size() == 1 || level_.size() < kWorthSharing) return shares_.deal_one();
  shares_.deal(level_.size(), begins_);
  set_borders();
}

void LevelWalk::divide_for_batch() {
  const std::size_t chains = batch_.chains_for(level_.size());
  begins_.clear();
  for (std::size_t c = 0; c < chains; ++c) begins_.push_back(level_.size() * c / chains);
  borders_.clear();
  set_borders();
}

void LevelWalk::set_borders() {
  const std::size_t words = level_.layout.cut_words;
  std::size_t before = 0; // nodes in front of `from`
  auto from = level_.begin();
  for (std::size_t part = 1; part < begins_.size(); ++part) {
    for (; begins_[part] - before >= from->size(); ++from) before += from->size();
    const std::uint64_t* cut = level_.record(*from, begins_[part] - before);
    borders_.insert(borders_.end(), cut, cut + words);
  }
}

// By how many of the leading thread's steps the middle of the level has lately gone up with each
// level.
double LevelWalk::rise_of_middle(const Packing& packing, std::uint32_t lead) {
  const std::size_t parts = borders() + 1;
  if (parts == 1) return 0;
  const Packing::Field& field = packing.field(lead);
  const Middle now{field.thread, packing.get(border((parts - 1) / 2), field), result_.statistics.levels};
  const Middle before = std::exchange(middle_, now);
  constexpr std::uint64_t kLately = 4 * Batch::kMost;
  if (before.thread != now.thread || before.count > now.count || before.level == 0 || before.level == now.level ||
      now.level - before.level > kLately)
    return 1.0 / static_cast<double>(packing.fields() - lead);
  return std::min(1.0, static_cast<double>(now.count - before.count) / static_cast<double>(now.level - before.level));
}

// Workers ask this; `more_bytes` are those of the part that the worker is making.
bool LevelWalk::out_of_budget(std::uint64_t more_bytes) {
  if (options_.budget_seconds > 0) {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - started_;
    if (spent.count() > options_.budget_seconds) stopped_ = static_cast<int>(End::OutOfTime);
  }
  if (options_.memory_bytes != 0 && bytes_before_ + more_bytes > options_.memory_bytes)
    stopped_ = static_cast<int>(End::OutOfMemory);
  if (process_.spent() != nullptr) stopped_ = static_cast<int>(End::OutOfMemory);
  return stopped_ != 0;
}

// After levels of so many bytes were made.
bool LevelWalk::within_budget(std::uint64_t new_bytes) {
  bytes_before_ = level_.bytes() + paths_.bytes(); // which have been swept, perhaps
  result_.statistics.peak_bytes = std::max(result_.statistics.peak_bytes, bytes_before_ + new_bytes + sets_.bytes());
  if (stopped_ == 0 && !out_of_budget(new_bytes)) return true;
  end(static_cast<End>(stopped_.load()));
  return false;
}

// `made` takes the place of the level. False if nothing follows.
bool LevelWalk::finish(Level& made, const CutMeaning& meaning) {
  newly_retired_ = false;
  std::uint64_t nodes = 0, edges = 0;
  for (const Part& part : made) {
    nodes += part.summary.made;
    edges += part.summary.edges;
  }
  if (nodes == 0) {
    end(End::Complete);
    return false;
  }
  count_level(nodes, edges);
  collect(made, meaning);
  if (over_) return false;
  made.settle();
  std::swap(level_, made);
  made.clear();
  if (newly_retired_) drop_retired();
  if (options_.max_width != 0 && level_.size() > options_.max_width) keep_nearest();
  Paths::Pieces strands;
  for (Part& part : level_) strands.push_back(std::move(part.summary.strands));
  paths_.append(std::move(strands));
  // Either every run has failed by now, or all monitors have said what they were asked for.
  if (level_.size() == 0) end(options_.until == Until::All ? End::Complete : End::Found);
  return !over_;
}

void LevelWalk::count_level(std::uint64_t nodes, std::uint64_t edges) {
  result_.statistics.cuts += nodes;
  result_.statistics.edges += edges;
  ++result_.statistics.levels;
  result_.statistics.widest = std::max(result_.statistics.widest, nodes);
}

// Looks only at levels in which something happens, and at the last one. Returns how many there
// were.
std::size_t LevelWalk::finish_batch(const CutMeaning& meaning) {
  const std::size_t levels = batch_.levels();
  for (std::size_t k = 0; k < levels; ++k) {
    const Batch::Sum sum = batch_.sum(k);
    if (k + 1 == levels || sum.any_hits || sum.nodes == 0) {
      // The levels after one that retired monitors were made with these, and do not count.
      if (!finish(batch_.level(k), meaning) || newly_retired_) return k + 1;
    } else {
      count_level(sum.made, sum.edges);
      paths_.append(batch_.take_strands(k));
    }
  }
  return levels;
}

// Hits become violations as Options::until asks.
void LevelWalk::collect(const Level& made, const CutMeaning& meaning) {
  struct Found {
    const Hit* hit;
    std::uint32_t parents_from;
    const std::uint64_t* cut;
  };
  std::vector<Found> found; // in the order of cuts
  for (const Part& part : made) {
    if (!part.summary.any_hits) continue;
    for (const Hit& hit : part.hits)
      found.push_back({&hit, part.summary.strands.parents_from, part.hit_cuts.data() + hit.cut});
  }
  if (found.empty()) return;
  if (options_.until == Until::All) {
    for (const Found& f : found) add_violation(*f.hit, f.parents_from, f.cut, meaning);
    return;
  }
  // The nearest to the observed run first; among equals the first cut.
  std::vector<std::size_t> order(found.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t k) { return std::pair(found[k].hit->distance, k); });
  for (const std::size_t k : order) {
    const Found& f = found[k];
    if (sets_.retired(f.hit->monitor)) continue;
    add_violation(*f.hit, f.parents_from, f.cut, meaning);
    if (options_.until == Until::First) return end(End::Found);
    sets_.retire(f.hit->monitor);
    newly_retired_ = true;
  }
}

void LevelWalk::add_violation(const Hit& hit, std::uint32_t parents_from, const std::uint64_t* cut,
                              const CutMeaning& meaning) {
  if (result_.violations.size() >= options_.max_violations) {
    ++result_.statistics.violations_left_out;
    return;
  }
  Violation violation{.monitor = hit.monitor, .cut = meaning.unpack(cut)};
  if (paths_.sweeping()) finish_sweep();
  std::vector<ThreadNumber> threads = paths_.path(hit.strand.parent + parents_from, violation.path_begins);
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

// Keeps the nodes for which keep(set, places) is true, in their order, with the set and the
// members' places that it gives.
template <typename Keep>
void LevelWalk::filter(Keep keep) {
  Level kept;
  kept.layout = level_.layout;
  kept.begin_parts(1);
  Part& to = kept.part(0);
  std::vector<Strand> strands;
  for (const Part& from : level_) {
    for (std::size_t node = 0; node < from.size(); ++node) {
      const NodeInfo& info = from.infos[node];
      SetNumber set = info.set;
      const std::size_t members = sets_.size(set);
      const std::vector<std::uint32_t>* places = nullptr;
      if (!keep(set, places)) continue;
      const std::uint64_t* record = level_.record(from, node);
      to.records.insert(to.records.end(), record, record + kept.layout.words());
      to.infos.push_back({set, info.distance, static_cast<std::uint32_t>(strands.size())});
      for (std::size_t k = 0; k < members; ++k)
        if (places == nullptr || (*places)[k] != kDropped) {
          const Strand& strand = from.summary.strands.strands()[info.first_strand + k];
          strands.push_back({strand.parent + from.summary.strands.parents_from, strand.thread});
        }
    }
  }
  to.sum_up(strands.size());
  to.summary.strands = Paths::Piece(strands);
  kept.settle();
  level_ = std::move(kept);
}

void LevelWalk::drop_retired() {
  absl::flat_hash_map<SetNumber, Transition> known;
  filter([&](SetNumber& set, const std::vector<std::uint32_t>*& places) {
    const auto [entry, fresh] = known.try_emplace(set);
    if (fresh) entry->second = sets_.without_retired(set);
    places = &entry->second.place; // members keep their order
    set = entry->second.target;
    return set != kEmptySet;
  });
}

// The measure of --max-width (JMPaX, section 3.3, end): a node is the more probable, the fewer
// steps its threads are ahead of or behind the observed run. Ties go to the smaller cut, so the
// answer is always the same.
void LevelWalk::keep_nearest() {
  std::vector<std::uint32_t> distances;
  distances.reserve(level_.size());
  for (const Part& part : level_)
    for (const NodeInfo& info : part.infos) distances.push_back(info.distance);
  std::vector<std::uint32_t> order(level_.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto nearer = [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(distances[a], a) < std::pair(distances[b], b);
  };
  std::ranges::nth_element(order, order.begin() + static_cast<std::ptrdiff_t>(options_.max_width), nearer);
  std::vector<bool> chosen(level_.size(), false);
  for (std::size_t k = 0; k < options_.max_width; ++k) chosen[order[k]] = true;
  result_.statistics.cuts_left_out += level_.size() - options_.max_width;
  std::size_t asked = 0; // nodes are asked for in their order
  filter([&](SetNumber&, const std::vector<std::uint32_t>*&) { return chosen[asked++]; });
}

} // namespace sooth::explore
