#include "causality/computation/barrier_orders.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <set>
#include <utility>

namespace sooth::causality {
namespace {

using trace::Event;
using trace::EventKind;

struct Round {
  std::vector<std::uint32_t> arrivals, leaves; // events
};

// Since its initialisation.
struct Barrier {
  std::uint64_t needed = 0; // 0: unknown
  std::vector<Round> rounds = {};
};

class BarrierOrders {
public:
  BarrierOrders(const trace::Trace& trace, Effects& effects)
      : trace_(trace), effects_(effects), inside_(trace.threads.size()) {}

  void run() {
    for (std::uint32_t i = 0; i < trace_.events.size(); ++i) {
      const Event& e = trace_.events[i];
      if (e.kind == EventKind::BarrierInit) {
        now_[e.address] = all_.size();
        all_.push_back({e.value >> 32 != 0 ? 0 : e.value});
      } else if (e.kind == EventKind::BarrierArrive) {
        arrive(e, i);
      } else if (e.kind == EventKind::BarrierLeave) {
        leave(e, i);
      }
    }
    for (const Barrier& barrier : all_)
      if (same_threads_meet(barrier)) meet(barrier);
      else keep_order(barrier);
  }

private:
  struct Inside {
    std::uint64_t address;
    std::size_t barrier, round;
  };

  void arrive(const Event& e, std::uint32_t i) {
    const auto [it, fresh] = now_.try_emplace(e.address, all_.size());
    if (fresh) all_.push_back({});
    Barrier& barrier = all_[it->second];
    if (barrier.rounds.empty() || (barrier.needed != 0 && barrier.rounds.back().arrivals.size() == barrier.needed))
      barrier.rounds.emplace_back();
    barrier.rounds.back().arrivals.push_back(i);
    inside_[e.thread].push_back({e.address, it->second, barrier.rounds.size() - 1});
  }

  void leave(const Event& e, std::uint32_t i) {
    auto& mine = inside_[e.thread];
    const auto it = std::find_if(mine.rbegin(), mine.rend(), [&](const Inside& in) { return in.address == e.address; });
    if (it == mine.rend()) return;
    Barrier& barrier = all_[it->barrier];
    Round& round = barrier.rounds[it->round];
    if (barrier.needed == 0 && !round.arrivals.empty()) // all who have arrived so far may have been needed
      effects_.order(round.arrivals.back(), i, true);
    else round.leaves.push_back(i);
    mine.erase(std::prev(it.base()));
  }

  // The same threads in every round, all of them in all but the last.
  bool same_threads_meet(const Barrier& barrier) const {
    if (barrier.needed == 0 || barrier.needed > kLargestRound) return false;
    std::set<std::uint32_t> first;
    for (const Round& round : barrier.rounds) {
      std::set<std::uint32_t> threads;
      for (const std::uint32_t event : round.arrivals) threads.insert(trace_.events[event].thread);
      if (threads.size() != round.arrivals.size()) return false;
      if (first.empty()) first = std::move(threads);
      else if (!std::ranges::includes(first, threads)) return false;
    }
    return true;
  }

  void meet(const Barrier& barrier) {
    for (const Round& round : barrier.rounds)
      for (const std::uint32_t leave : round.leaves)
        for (const std::uint32_t arrival : round.arrivals)
          if (trace_.events[arrival].thread != trace_.events[leave].thread) effects_.order(arrival, leave);
  }

  void keep_order(const Barrier& barrier) {
    std::uint32_t last = kNoEvent;
    for (const Round& round : barrier.rounds) {
      for (const std::uint32_t arrival : round.arrivals)
        if (const std::uint32_t before = std::exchange(last, arrival); before != kNoEvent)
          effects_.order(before, arrival, true);
      for (const std::uint32_t leave : round.leaves) effects_.order(round.arrivals.back(), leave);
    }
  }

  const trace::Trace& trace_;
  Effects& effects_;
  std::vector<Barrier> all_;
  absl::flat_hash_map<std::uint64_t, std::size_t> now_; // by address: its present life
  std::vector<std::vector<Inside>> inside_;             // by thread: arrived, not left
};

} // namespace

void add_barrier_orders(const trace::Trace& trace, Effects& effects) { BarrierOrders(trace, effects).run(); }

} // namespace sooth::causality
