// Goes through the lattice level by level: what is the same whether steps come from messages or from a model.
//
// Holds two levels, the paths that lead to the newer one, and what was found. Divides the work of a level among
// workers by ranges of cuts; keeps the limits of Options.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "explore/expand.h"
#include "explore/exploration.h"
#include "explore/level.h"
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
  // Cuts that divide the level's successors into parts of about equal work.
  std::vector<std::vector<std::uint64_t>> borders(std::size_t parts) const;
  bool out_of_budget(std::uint64_t more_bytes);
  bool finish(std::size_t parts, const CutMeaning& meaning);
  void collect(std::size_t parts, const CutMeaning& meaning);
  void add_violation(const Hit& hit, const std::uint64_t* cut, const CutMeaning& meaning);
  void assemble(std::size_t parts, std::vector<Strand>& strands);
  void keep_nearest(std::vector<Strand>& strands);
  void drop_retired(std::vector<Strand>& strands);
  template <typename Keep>
  void filter(std::vector<Strand>& strands, Keep keep);

  const MonitorSet& monitors_;
  const Options options_;
  const std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  StateSets sets_;
  std::vector<std::unique_ptr<StateSetsCache>> caches_; // one for each worker
  WorkerPool pool_;
  Level level_;
  Paths paths_;
  std::vector<Fragment> fragments_;
  Exploration result_;
  bool over_ = false;
  bool newly_retired_ = false;
  std::atomic<int> stopped_ = 0; // End of a budget, as a number; 0: none
};

template <typename Stepper>
bool LevelWalk::expand(const Stepper& stepper, const ObservedCut& observed, const CutMeaning& meaning) {
  // Small parts, because whoever has finished waits for the last one.
  constexpr std::size_t kWorthSharing = 1024, kNodesPerPart = 128, kPartsPerWorker = 16;
  if (over_) return false;
  const std::size_t wanted = pool_.size() > 1 && level_.size() >= kWorthSharing
                                 ? std::min(level_.size() / kNodesPerPart, pool_.size() * kPartsPerWorker)
                                 : 1;
  const auto border = borders(wanted);
  const std::size_t parts = border.size() + 1;
  if (fragments_.size() < parts) fragments_.resize(parts);
  std::atomic<std::size_t> next = 0;
  const auto work = [&](unsigned worker) {
    Expander<Stepper> expander(stepper, observed, *caches_[worker], monitors_, options_.until == Until::All);
    for (std::size_t part = next++; part < parts && stopped_ == 0; part = next++) {
      Fragment& out = fragments_[part];
      out.clear();
      const auto stop = [&](const Fragment& so_far) { return stopped_ != 0 || out_of_budget(so_far.bytes()); };
      expander.run(level_, part == 0 ? nullptr : border[part - 1].data(),
                   part + 1 == parts ? nullptr : border[part].data(), out, stop);
    }
  };
  if (parts == 1) work(0);
  else pool_.run(work);
  return finish(parts, meaning);
}

} // namespace sooth::explore
