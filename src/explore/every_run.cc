#include "explore/every_run.h"

#include <set>
#include <span>
#include <vector>

#include <absl/container/flat_hash_map.h>

namespace sooth::explore {

namespace {

using causality::Count;
using causality::ThreadNumber;
using NodeWords = std::vector<std::uint64_t>; // cut, model state, values
using AliveStates = absl::flat_hash_map<NodeWords, std::set<MonitorState>>;

class EveryRun {
public:
  EveryRun(const causality::Model& model, const MonitorSet& monitors, std::size_t monitor)
      : model_(model), monitors_(monitors), monitor_(monitor) {}

  bool fails(const EveryRunLimits& limits) {
    AliveStates level = first();
    std::uint64_t more = 0;
    while (!level.empty()) {
      more += level.size() - 1;
      if (level.size() > limits.nodes_of_a_level || more > limits.more_nodes) return false;
      AliveStates next;
      for (const auto& [words, states] : level)
        if (!expand(words, states, next)) return false;
      level = std::move(next);
    }
    return true;
  }

private:
  std::span<std::uint64_t> state_of(NodeWords& words) const {
    return std::span(words).subspan(model_.threads(), model_.state_words());
  }
  std::span<std::uint64_t> values_of(NodeWords& words) const {
    return std::span(words).subspan(model_.threads() + model_.state_words());
  }

  AliveStates first() const {
    NodeWords words(model_.threads() + model_.state_words() + monitors_.value_words(), 0);
    model_.begin(state_of(words));
    const Move move = monitors_.start(monitor_, monitors_.begin(values_of(words)));
    AliveStates out;
    if (!move.violated) out[std::move(words)].insert(move.state);
    return out;
  }

  // False if a run ends here without a failure.
  bool expand(const NodeWords& words, const std::set<MonitorState>& states, AliveStates& next) const {
    const std::vector<Count> cut(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(model_.threads()));
    const auto state = std::span(words).subspan(model_.threads(), model_.state_words());
    bool goes_on = false;
    for (ThreadNumber t = 0; t < model_.threads(); ++t) {
      if (cut[t] >= model_.steps(t).size() || !model_.enabled(cut, state, t)) continue;
      goes_on = true;
      NodeWords after = words;
      model_.advance(cut, state_of(after), t);
      ++after[t];
      const Letter letter = monitors_.apply(model_.steps(t)[cut[t]].event, values_of(after));
      std::set<MonitorState> alive;
      for (const MonitorState from : states) {
        const Move move = monitors_.step(monitor_, from, letter);
        if (!move.violated) alive.insert(move.state);
      }
      if (!alive.empty()) next[std::move(after)].merge(alive);
    }
    return goes_on;
  }

  const causality::Model& model_;
  const MonitorSet& monitors_;
  const std::size_t monitor_;
};

} // namespace

bool fails_in_every_run(const causality::Model& model, const MonitorSet& monitors, std::size_t monitor,
                        const EveryRunLimits& limits) {
  return EveryRun(model, monitors, monitor).fails(limits);
}

} // namespace sooth::explore
