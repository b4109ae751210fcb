#include "predict/sliced_feasibility.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <optional>

#include "causality/sliced_graph.h"

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
    const auto location = common_location(question);
    if (!location || !question.sequence.empty() || !question.waived.empty())
      return {Truth::Undecided, "sliced", {}, "the model sliced says nothing about it"};
    const std::uint32_t a = node_of(question.before[0]), b = node_of(question.before[1]);
    const std::vector<Clock>& clocks = clocks_of(*location);
    if (clocks[a].covers(clocks[b]) || clocks[b].covers(clocks[a]) || share_a_lock(a, b))
      return {Truth::No, "sliced", {}, {}};
    Answer answer = full_->ask(question);
    if (answer.truth == Truth::No) {
      ++unreal_;
      answer.reason = "sliced causality allows it, but no run of `full` has it";
    }
    return answer;
  }

  std::uint64_t unreal() const override { return unreal_; }
  const Index& index() const override { return full_->index(); }

private:
  std::uint32_t node_of(StepId step) const { return graph_.node_of_event[c_.steps[step].event]; }

  std::optional<std::uint32_t> common_location(const Question& question) const {
    if (question.before.size() != 2) return {};
    const auto& a = graph_.nodes[node_of(question.before[0])].variables;
    const auto& b = graph_.nodes[node_of(question.before[1])].variables;
    for (const std::uint32_t location : a)
      if (std::ranges::find(b, location) != b.end()) return location;
    return {};
  }

  bool share_a_lock(std::uint32_t a, std::uint32_t b) const {
    for (const std::uint32_t x : graph_.locks_of_event[event_of_node_[a]])
      for (const std::uint32_t y : graph_.locks_of_event[event_of_node_[b]]) {
        const trace::Event &first = trace_.events[event_of_node_[x]], &second = trace_.events[event_of_node_[y]];
        const bool shared = first.kind == EventKind::AcquireShared && second.kind == EventKind::AcquireShared;
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
