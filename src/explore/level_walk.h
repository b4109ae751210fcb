// Goes through the lattice level by level: what is the same whether steps come from messages or from a model.
//
// Holds two levels, the paths that lead to the newer one, and what was found. Divides the work of a level among
// workers by ranges of cuts (shares.h); keeps the limits of Options. The workers meet once for each level; what one of them
// does alone is proportional to the number of parts, but for sweeping the paths, and the others work meanwhile.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/budget.h"
#include "explore/expand.h"
#include "explore/exploration.h"
#include "explore/level.h"
#include "explore/shares.h"
#include "explore/worker_pool.h"

namespace sooth::explore {

// What packed cuts and steps of paths mean; the owner of the packing knows.
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
  // The next level takes the place of this one. False if there is nothing more to do; result().end says why.
  template <typename Stepper>
  bool expand(const Stepper& stepper, const ObservedCut& observed, const CutMeaning& meaning);

  // The owner may pack cuts anew, in this order, if records stay sorted.
  Level& level() { return level_; }
  const Level& level() const { return level_; }
  const Paths& paths() const { return paths_; }
  Exploration& result() { return result_; }
  const Exploration& result() const { return result_; }
  bool over() const { return over_; }
  std::uint64_t bytes() const;
  // Ends the walk, if it is not over: no level follows.
  void end(End end);

private:
  // Cuts that divide the level's successors into parts of about equal work, one after the other in `borders_`.
  void find_borders();
  std::size_t borders() const { return borders_.size() / level_.layout.cut_words; }
  const std::uint64_t* border(std::size_t index) const { return borders_.data() + index * level_.layout.cut_words; }
  bool out_of_budget(std::uint64_t more_bytes);
  bool finish(const CutMeaning& meaning);
  void collect(const CutMeaning& meaning);
  void add_violation(const Hit& hit, const std::uint64_t* cut, const CutMeaning& meaning);
  void keep_nearest();
  void drop_retired();
  template <typename Keep>
  void filter(Keep keep);

  const MonitorSet& monitors_;
  const Options options_;
  const Budget process_; // its memory
  const std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  StateSets sets_;
  WorkerPool pool_;
  std::vector<std::unique_ptr<Workbench>> benches_; // one for each worker
  Shares shares_;
  Level level_;
  Level next_; // while it is made; otherwise memory for the level after this one
  Paths paths_;
  std::vector<std::size_t> begins_; // nodes of the level
  std::vector<std::uint64_t> borders_;
  std::uint64_t bytes_before_ = 0; // of this level and the paths, when the round began
  Exploration result_;
  bool over_ = false;
  bool newly_retired_ = false;
  std::atomic<int> stopped_ = 0; // End of a budget, as a number; 0: none
};

template <typename Stepper>
bool LevelWalk::expand(const Stepper& stepper, const ObservedCut& observed, const CutMeaning& meaning) {
  if (over_) return false;
  find_borders();
  const std::size_t parts = borders() + 1;
  next_.layout = level_.layout;
  next_.begin_parts(parts);
  bytes_before_ = level_.bytes() + paths_.bytes();
  std::atomic<bool> sweep = paths_.sweep_is_due();
  auto work = [&](unsigned worker) {
    if (sweep.load(std::memory_order_relaxed) && sweep.exchange(false)) paths_.sweep();
    Expander<Stepper> expander(stepper, observed, *benches_[worker], monitors_, options_.until == Until::All);
    while (const auto part = shares_.take(worker)) {
      if (stopped_ != 0) break;
      Part& out = next_.part(*part);
      const auto stop = [&](const Part& so_far) { return stopped_ != 0 || out_of_budget(so_far.bytes()); };
      expander.run(level_, *part == 0 ? nullptr : border(*part - 1), *part + 1 == parts ? nullptr : border(*part), out,
                   stop);
    }
  };
  if (parts == 1) work(0);
  else pool_.run(work);
  return finish(meaning);
}

} // namespace sooth::explore
