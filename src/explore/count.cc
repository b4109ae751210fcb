#include "explore/count.h"

#include <chrono>
#include <map>
#include <utility>

#include <absl/container/flat_hash_map.h>

#include "base/budget.h"

namespace sooth::explore {

namespace {

using causality::Model;

// Cut, model state and values, one after the other.
using Words = std::vector<std::uint64_t>;

struct Node {
  BigNumber paths;
  std::map<std::pair<std::size_t, MonitorState>, BigNumber> good; // paths on which the monitor has not objected
};
using Nodes = absl::flat_hash_map<Words, Node>;

class Counter {
public:
  Counter(const Model& model, const MonitorSet& monitors, const Options& options)
      : model_(model), monitors_(monitors), options_(options), process_(0, options.process_bytes) {}

  RunCount run() {
    out_.violating.resize(monitors_.monitors());
    Nodes level;
    begin(level);
    std::uint64_t bytes = 0;
    while (!level.empty()) {
      out_.cuts += level.size();
      Nodes next;
      for (const auto& [words, node] : level) {
        expand(words, node, next);
        if (next.size() % 1024 == 0) bytes = next.size() * (words.size() * 8 + sizeof(Node) + 64);
        if (spent(bytes)) return std::move(out_);
      }
      level = std::move(next);
    }
    return std::move(out_);
  }

private:
  bool spent(std::uint64_t bytes) {
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - started_;
    if (options_.budget_seconds > 0 && time.count() > options_.budget_seconds) out_.end = End::OutOfTime;
    if (options_.memory_bytes != 0 && bytes > options_.memory_bytes) out_.end = End::OutOfMemory;
    if (process_.spent() != nullptr) out_.end = End::OutOfMemory;
    return out_.end != End::Complete;
  }

  void begin(Nodes& level) {
    Words words(model_.threads() + model_.state_words() + monitors_.value_words(), 0);
    model_.begin(std::span(words).subspan(model_.threads(), model_.state_words()));
    const Letter letter = monitors_.begin(std::span(words).subspan(model_.threads() + model_.state_words()));
    Node node;
    node.paths = 1;
    for (std::size_t m = 0; m < monitors_.monitors(); ++m) {
      const Move move = monitors_.start(m, letter);
      if (!move.violated) node.good[{m, move.state}] += 1;
    }
    level.emplace(std::move(words), std::move(node));
  }

  void expand(const Words& words, const Node& node, Nodes& next) {
    const std::vector<Count> cut(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(model_.threads()));
    const auto state = std::span(words).subspan(model_.threads(), model_.state_words());
    bool last = true;
    for (ThreadNumber t = 0; t < model_.threads(); ++t) {
      if (cut[t] >= model_.steps(t).size() || held_by_another(cut, t) || !model_.enabled(cut, state, t)) continue;
      last = false;
      take(words, node, cut, t, next);
    }
    if (!last) return;
    out_.runs += node.paths;
    for (std::size_t m = 0; m < monitors_.monitors(); ++m) {
      BigNumber bad = node.paths;
      for (const auto& [key, paths] : node.good)
        if (key.first == m) bad -= paths;
      out_.violating[m] += bad;
    }
  }

  bool held_by_another(const std::vector<Count>& cut, ThreadNumber thread) const {
    for (ThreadNumber t = 0; t < cut.size(); ++t) {
      const auto steps = model_.steps(t);
      if (t != thread && cut[t] > 0 && cut[t] < steps.size() && steps[cut[t] - 1].glued) return true;
    }
    return false;
  }

  void take(const Words& words, const Node& node, const std::vector<Count>& cut, ThreadNumber thread, Nodes& next) {
    Words after = words;
    const auto state = std::span(after).subspan(model_.threads(), model_.state_words());
    model_.advance(cut, state, thread);
    ++after[thread];
    const causality::ModelStep& step = model_.steps(thread)[cut[thread]];
    Letter letter = 0;
    if (step.visible)
      letter = monitors_.apply(step.event, std::span(after).subspan(model_.threads() + model_.state_words()));
    Node& target = next[std::move(after)];
    target.paths += node.paths;
    for (const auto& [key, paths] : node.good) {
      if (!step.visible) {
        target.good[key] += paths;
        continue;
      }
      const Move move = monitors_.step(key.first, key.second, letter);
      if (!move.violated) target.good[{key.first, move.state}] += paths;
    }
  }

  const Model& model_;
  const MonitorSet& monitors_;
  const Options options_;
  const Budget process_;
  const std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  RunCount out_;
};

} // namespace

RunCount count_runs(const Model& model, const MonitorSet& monitors, const Options& options) {
  return Counter(model, monitors, options).run();
}

} // namespace sooth::explore
