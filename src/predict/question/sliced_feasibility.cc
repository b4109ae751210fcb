#include "predict/question/sliced_feasibility.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <optional>

#include "causality/dependence/sliced_graph.h"

namespace sooth::predict {
namespace {

using causality::Clock;
using causality::Looked;
using causality::StepId;
using trace::EventKind;

class SlicedFeasibility final : public Feasibility {
public:
  SlicedFeasibility(const trace::Trace& trace, const causality::Computation& computation, const Limits& limits)
      : trace_(trace), c_(computation), graph_(causality::sliced_graph(trace, computation)),
        event_of_node_(graph_.nodes.size(), 0), full_(make_feasibility(computation, witness::Model::Full, limits)) {
    for (std::uint32_t i = 0; i < graph_.node_of_event.size(); ++i) event_of_node_[graph_.node_of_event[i]] = i;
  }

  Answer ask(const Question& question) const override {
    const bool torn = question.before.size() == 1 && question.done.size() == 1 && question.sequence.size() == 1;
    const std::optional<bool> allowed = !question.waived.empty()    ? std::nullopt
                                        : torn                      ? comes_between(question)
                                        : question.sequence.empty() ? stand_together(question)
                                                                    : std::nullopt;
    if (!allowed) return {Truth::Undecided, "sliced", {}, "the model sliced says nothing about it"};
    if (!*allowed) return {Truth::No, "sliced", {}, {}};
    Answer answer = full_->ask(question);
    if (answer.truth == Truth::No) {
      ++unreal_;
      answer.reason = "sliced causality allows it, but no run of `full` has it";
    }
    return answer;
  }

  bool is_sliced() const override { return true; }
  std::uint64_t unreal() const override { return unreal_; }
  const Index& index() const override { return full_->index(); }

private:
  std::uint32_t node_of(StepId step) const { return graph_.node_of_event[c_.steps[step].event]; }

  // A race: two threads stand before accesses of a location, neither of which depends on the other.
  std::optional<bool> stand_together(const Question& question) const {
    if (question.before.size() != 2) return {};
    const std::uint32_t a = node_of(question.before[0]), b = node_of(question.before[1]);
    const auto location = common_location(a, b);
    if (!location) return {};
    const std::vector<Clock>& clocks = clocks_of(*location);
    return !clocks[a].covers(clocks[b]) && !clocks[b].covers(clocks[a]) && !share_a_lock(a, b);
  }

  // A block: the write comes after one access of its location and before the other, and the block
  // holds no lock from one to the other that the write needs as well (lock-atomicity).
  std::optional<bool> comes_between(const Question& question) const {
    const std::uint32_t first = node_of(question.sequence[0].first), write = node_of(question.sequence[0].second);
    const std::uint32_t last = node_of(question.before[0]);
    const auto location = common_location(first, write);
    if (!location || question.done[0] != question.sequence[0].second) return {};
    const std::vector<Clock>& clocks = clocks_of(*location);
    if (clocks[first].covers(clocks[write]) || clocks[write].covers(clocks[last])) return false;
    std::vector<std::uint32_t> held; // from the one access to the other
    for (const std::uint32_t acquire : graph_.locks_of_event[event_of_node_[first]])
      if (std::ranges::find(graph_.locks_of_event[event_of_node_[last]], acquire) !=
          graph_.locks_of_event[event_of_node_[last]].end())
        held.push_back(acquire);
    return !exclude(held, graph_.locks_of_event[event_of_node_[write]]);
  }

  std::optional<std::uint32_t> common_location(std::uint32_t first, std::uint32_t second) const {
    const auto &a = graph_.nodes[first].variables, &b = graph_.nodes[second].variables;
    for (const std::uint32_t location : a)
      if (std::ranges::find(b, location) != b.end()) return location;
    return {};
  }

  bool share_a_lock(std::uint32_t a, std::uint32_t b) const {
    return exclude(graph_.locks_of_event[event_of_node_[a]], graph_.locks_of_event[event_of_node_[b]]);
  }
  static bool is_shared(EventKind kind) { return does_to(trace::ObjectKind::Lock, kind, trace::act::kShares); }
  bool exclude(const std::vector<std::uint32_t>& acquires, const std::vector<std::uint32_t>& others) const {
    for (const std::uint32_t x : acquires)
      for (const std::uint32_t y : others) {
        const trace::Event &first = trace_.events[event_of_node_[x]], &second = trace_.events[event_of_node_[y]];
        const bool shared = is_shared(first.kind) && is_shared(second.kind);
        if (first.address == second.address && !shared) return true;
      }
    return false;
  }

  const std::vector<Clock>& clocks_of(std::uint32_t location) const {
    const std::lock_guard lock(mutex_);
    const auto [found, fresh] = clocks_.try_emplace(location);
    if (!fresh) return found->second;
    std::vector<Looked> looked(graph_.nodes.size(), Looked::Away);
    for (std::size_t n = 0; n < looked.size(); ++n)
      if (std::ranges::find(graph_.nodes[n].variables, location) != graph_.nodes[n].variables.end())
        looked[n] = Looked::There;
    found->second = causality::sliced_clocks_offline(graph_.nodes, looked).clocks;
    return found->second;
  }

  const trace::Trace& trace_;
  const causality::Computation& c_;
  const causality::SlicedGraph graph_;
  std::vector<std::uint32_t> event_of_node_;
  const std::unique_ptr<Feasibility> full_;
  mutable std::mutex mutex_;
  mutable std::map<std::uint32_t, std::vector<Clock>> clocks_; // by location
  mutable std::atomic<std::uint64_t> unreal_ = 0;
};

} // namespace

std::unique_ptr<Feasibility> make_sliced_feasibility(const trace::Trace& trace,
                                                     const causality::Computation& computation, const Limits& limits) {
  return std::make_unique<SlicedFeasibility>(trace, computation, limits);
}

} // namespace sooth::predict
