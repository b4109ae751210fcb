// Goes through the lattice level by level: everything that does not depend on whether steps come
// from messages or from a model.
//
// Holds two levels, the paths that lead to the newer one, and the violations found. Divides the
// work of a level among workers by ranges of cuts (shares.h); keeps the limits of Options. The
// workers meet once for each level. Narrow levels are made several at a time (batch.h), and then
// they meet once for all of these. The work of a single worker at a meeting is proportional to the
// number of parts. One worker sweeps paths while the others go on.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/budget.h"
#include "explore/batch.h"
#include "explore/expand.h"
#include "explore/exploration.h"
#include "explore/level.h"
#include "explore/shares.h"
#include "explore/worker_pool.h"

namespace sooth::explore {

// The meaning of packed cuts and steps of paths; the owner of the packing knows it.
class CutMeaning {
public:
  virtual ~CutMeaning() = default;
  virtual std::vector<Count> unpack(const std::uint64_t* cut) const = 0; // by thread
  virtual EventName event_of(ThreadNumber thread, Count index) const = 0;
};

class LevelWalk {
public:
  LevelWalk(const MonitorSet& monitors, const Options& options);

  // The initial node: nothing has happened. `state` are the model's words.
  void begin(std::size_t cut_words, const std::vector<std::uint64_t>& state);
  // How many of the next levels it would make at once, if their events have all arrived: at most so
  // many.
  std::size_t levels_at_once(std::size_t most) const;
  // Makes as many levels as `observed` has steps, which is one or the result of levels_at_once, or
  // fewer; returns how many. The last of them replaces this one, unless there is nothing more to
  // do: then it is over, and result().end says why. No step within these levels may move a field in
  // front of `lead`.
  template <typename Stepper>
  std::size_t expand(const Stepper& stepper, const ObservedRun& observed, std::uint32_t lead,
                     const CutMeaning& meaning);

  // The owner may pack cuts anew, in this order, if records stay sorted.
  Level& level() { return level_; }
  const Level& level() const { return level_; }
  const Paths& paths() const { return paths_; }
  StateSets& sets() { return sets_; }
  Exploration& result() { return result_; }
  const Exploration& result() const { return result_; }
  bool over() const { return over_; }
  std::uint64_t bytes() const;
  // Ends the walk, if it is not over: no level follows.
  void end(End end);

private:
  // By a worker, at its bench.
  template <typename Stepper>
  void make_part(const Stepper& stepper, const ObservedCut& observed, Workbench& bench, const LevelView& from,
                 const std::uint64_t* low, const std::uint64_t* high, Part& out);
  template <typename Stepper>
  void make_next(const Stepper& stepper, const ObservedRun& observed);
  template <typename Stepper>
  void make_batch(const Stepper& stepper, const ObservedRun& observed, std::uint32_t lead);
  // Cuts that divide the level's successors into parts of about equal work, one after the other in
  // `borders_`.
  void find_borders();
  // The cuts of the nodes `begins_`, but for the first.
  void set_borders();
  std::size_t borders() const { return borders_.size() / level_.layout.cut_words; }
  const std::uint64_t* border(std::size_t index) const { return borders_.data() + index * level_.layout.cut_words; }
  void divide_for_batch();
  double rise_of_middle(const Packing& packing, std::uint32_t lead);
  void sweep_paths();
  void finish_sweep();
  bool within_budget(std::uint64_t new_bytes);
  bool out_of_budget(std::uint64_t more_bytes);
  bool finish(Level& made, const CutMeaning& meaning);
  std::size_t finish_batch(const CutMeaning& meaning);
  void count_level(std::uint64_t nodes, std::uint64_t edges);
  void collect(const Level& made, const CutMeaning& meaning);
  void add_violation(const Hit& hit, std::uint32_t parents_from, const std::uint64_t* cut, const CutMeaning& meaning);
  void keep_nearest();
  void drop_retired();
  template <typename Keep>
  void filter(Keep keep);

  const MonitorSet& monitors_;
  const Options options_;
  const Budget process_; // its memory
  const std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  StateSets sets_;
  std::vector<std::unique_ptr<Workbench>> benches_; // one for each worker
  Shares shares_;
  Batch batch_;
  Level level_;
  Level next_; // while it is made; otherwise memory for the level after this one
  Paths paths_;
  std::vector<std::size_t> begins_; // nodes of the level
  std::vector<std::uint64_t> borders_;
  std::uint64_t bytes_before_ = 0; // of this level and the paths, when the round began
  struct Middle {                  // where the last batch began
    ThreadNumber thread = 0;
    Count count = 0;
    std::uint64_t level = 0;
  } middle_;
  Exploration result_;
  bool over_ = false;
  bool newly_retired_ = false;   // monitors, by the level finished last
  std::atomic<int> stopped_ = 0; // End of a budget, as a number; 0: none
  WorkerPool pool_;              // goes first: no worker is at the rest any more
};

template <typename Stepper>
std::size_t LevelWalk::expand(const Stepper& stepper, const ObservedRun& observed, std::uint32_t lead,
                              const CutMeaning& meaning) {
  if (over_) return 0;
  sweep_paths();
  bytes_before_ = level_.bytes() + paths_.bytes();
  if (observed.steps.size() == 1) {
    make_next(stepper, observed);
    if (within_budget(next_.bytes())) finish(next_, meaning);
    return 1;
  }
  make_batch(stepper, observed, lead);
  if (!within_budget(batch_.bytes())) return 1;
  return finish_batch(meaning);
}

template <typename Stepper>
void LevelWalk::make_part(const Stepper& stepper, const ObservedCut& observed, Workbench& bench, const LevelView& from,
                          const std::uint64_t* low, const std::uint64_t* high, Part& out) {
  Expander<Stepper> expander(stepper, observed, bench, monitors_, options_.until == Until::All);
  const auto stop = [&](const Part& so_far) { return stopped_ != 0 || out_of_budget(so_far.bytes()); };
  expander.run(from, low, high, out, stop);
}

template <typename Stepper>
void LevelWalk::make_next(const Stepper& stepper, const ObservedRun& observed) {
  find_borders();
  const std::size_t parts = borders() + 1;
  next_.layout = level_.layout;
  next_.begin_parts(parts);
  const LevelView from = level_.view();
  auto work = [&](unsigned worker) {
    Workbench& bench = *benches_[worker];
    bench.observed = observed.begin;
    bench.observed.go_on(observed.steps[0]);
    while (const auto part = shares_.take(worker)) {
      if (stopped_ != 0) break;
      make_part(stepper, bench.observed, bench, from, *part == 0 ? nullptr : border(*part - 1),
                *part + 1 == parts ? nullptr : border(*part), next_.part(*part));
      next_.part(*part).summary.strands = Paths::Piece(bench.strands);
    }
  };
  if (parts == 1) work(0);
  else pool_.run(work);
}

template <typename Stepper>
void LevelWalk::make_batch(const Stepper& stepper, const ObservedRun& observed, std::uint32_t lead) {
  divide_for_batch();
  const double rise = rise_of_middle(stepper.packing(), lead);
  batch_.begin(level_, observed, borders_, stepper.packing().field(lead), rise);
  auto work = [&](unsigned worker) {
    batch_.work(worker, [&, this](const LevelView& from, const ObservedCut& at, const std::uint64_t* low,
                                  const std::uint64_t* high, Part& out) {
      make_part(stepper, at, *benches_[worker], from, low, high, out);
      return std::span<const Strand>(benches_[worker]->strands);
    });
  };
  pool_.run(work);
}

} // namespace sooth::explore
