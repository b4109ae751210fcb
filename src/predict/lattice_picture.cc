#include "predict/lattice_picture.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "causality/model.h"
#include "explore/lattice.h"
#include "explore/property_monitors.h"
#include "predict/run_table.h"

namespace sooth::predict {

namespace {

using causality::Count;
using causality::EventIndex;
using causality::ThreadNumber;

// For labels in quotes.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

class Picture {
public:
  Picture(const trace::Trace& trace, const logic::PropertyFile& file, const PictureOptions& options)
      : trace_(trace), options_(options), events_(explore::property_events(file, trace)), monitors_(file, events_),
        table_(file, events_, trace) {
    for (std::uint32_t v = 0; v < file.variables.size(); ++v) everything_.variables.push_back(v);
  }

  Result<std::string> draw(const causality::Computation& computation, std::string_view name) {
    const causality::ModelRow* row = causality::find_model(name);
    if (row == nullptr) return Error{fmt::format("there is no model `{}`.", name)};
    auto model = row->make(trace_, computation, events_.relevance());
    if (!model) return model.error();
    model_ = model.value().get();
    if (options_.window != 0)
      if (auto wrong = choose_window()) return *wrong;
    if (!build())
      return Error{
          fmt::format("the lattice has more than {} cuts, which nobody can read. `--window N` shows the cuts within N "
                      "steps of the first violation; `--max-cuts N` allows more.",
                      options_.max_cuts)};
    mark_observed();
    mark_violating();
    return text();
  }

private:
  using Key = std::vector<std::uint64_t>; // cut, model state, values
  struct Node {
    std::size_t number = 0;
    std::uint64_t level = 0;
    std::vector<EventIndex> path;                                     // one way to get here, visible steps only
    std::set<std::pair<std::uint32_t, explore::MonitorState>> states; // monitors that have not objected
    bool fails = false, observed = false;
  };
  struct Edge {
    const Key *from, *to;
    EventIndex event;
    ThreadNumber thread;
    bool visible, observed = false, violating = false;
  };
  // What a step does to a monitor: from one state to another, or to a violation.
  struct MonitorEdge {
    std::size_t edge;
    std::uint32_t monitor;
    explore::MonitorState from, to;
    bool violated;
  };

  std::optional<Error> choose_window() {
    const explore::Exploration found = explore::explore(*model_, monitors_, {});
    for (const explore::Violation& violation : found.violations) {
      if (!options_.around.empty() && monitors_.properties()[violation.monitor]->name != options_.around) continue;
      std::vector<Count> cut(model_->threads(), 0);
      near_.push_back(cut);
      for (const explore::PathStep& step : violation.path) {
        ++cut[step.thread];
        near_.push_back(cut);
      }
      return std::nullopt;
    }
    return Error{options_.around.empty() ? "no run violates a property, so there is nothing to show around."
                                         : fmt::format("no run violates `{}`.", options_.around)};
  }
  // Outside the window only the way to it is followed.
  bool inside(const Key& key, std::uint64_t level) const {
    if (near_.empty()) return true;
    if (level >= near_.size()) return false;
    std::uint64_t distance = 0;
    for (ThreadNumber t = 0; t < model_->threads(); ++t)
      distance += key[t] > near_[level][t] ? key[t] - near_[level][t] : near_[level][t] - key[t];
    return near_.size() - 1 - level <= options_.window ? distance <= options_.window : distance == 0;
  }
  bool shown(const Node& node) const { return near_.empty() || near_.size() - 1 - node.level <= options_.window; }

  bool build() {
    Key first(model_->threads() + model_->state_words() + monitors_.value_words(), 0);
    model_->begin(std::span(first).subspan(model_->threads(), model_->state_words()));
    const explore::Letter letter = monitors_.begin(std::span(first).subspan(model_->threads() + model_->state_words()));
    Node start;
    for (std::uint32_t m = 0; m < monitors_.monitors(); ++m) {
      const explore::Move move = monitors_.start(m, letter);
      if (move.violated) start.fails = true;
      else start.states.emplace(m, move.state);
    }
    std::vector<const Key*> level = {&nodes_.emplace(std::move(first), std::move(start)).first->first};
    while (!level.empty()) {
      std::vector<const Key*> next;
      for (const Key* key : level)
        if (!expand(*key, next)) return false;
      level = std::move(next);
    }
    return true;
  }

  bool expand(const Key& key, std::vector<const Key*>& next) {
    const std::vector<Count> cut(key.begin(), key.begin() + static_cast<std::ptrdiff_t>(model_->threads()));
    const Node& node = nodes_.at(key);
    for (ThreadNumber t = 0; t < cut.size(); ++t) {
      if (cut[t] >= model_->steps(t).size() || held_by_another(cut, t)) continue;
      if (!model_->enabled(cut, std::span(key).subspan(cut.size(), model_->state_words()), t)) continue;
      const causality::ModelStep& step = model_->steps(t)[cut[t]];
      Key after = key;
      model_->advance(cut, std::span(after).subspan(cut.size(), model_->state_words()), t);
      ++after[t];
      explore::Letter letter = 0;
      if (step.visible)
        letter = monitors_.apply(step.event, std::span(after).subspan(cut.size() + model_->state_words()));
      if (!inside(after, node.level + 1)) continue;
      const auto [target, fresh] = nodes_.try_emplace(std::move(after));
      if (fresh) {
        if (nodes_.size() > options_.max_cuts && near_.empty()) return false;
        target->second.number = nodes_.size() - 1;
        target->second.level = node.level + 1;
        target->second.path = node.path;
        if (step.visible) target->second.path.push_back(step.event);
        next.push_back(&target->first);
      }
      edges_.push_back({&key, &target->first, step.event, t, step.visible});
      for (const auto& [monitor, state] : node.states) {
        const explore::Move move = step.visible ? monitors_.step(monitor, state, letter) : explore::Move{state, false};
        moves_.push_back({edges_.size() - 1, monitor, state, move.state, move.violated});
        if (move.violated) target->second.fails = true;
        else target->second.states.emplace(monitor, move.state);
      }
    }
    return true;
  }
  bool held_by_another(const std::vector<Count>& cut, ThreadNumber thread) const {
    for (ThreadNumber t = 0; t < cut.size(); ++t) {
      const auto steps = model_->steps(t);
      if (t != thread && cut[t] > 0 && cut[t] < steps.size() && steps[cut[t] - 1].glued) return true;
    }
    return false;
  }

  void mark_observed() {
    std::vector<std::pair<EventIndex, ThreadNumber>> order;
    for (ThreadNumber t = 0; t < model_->threads(); ++t)
      for (const causality::ModelStep& step : model_->steps(t)) order.emplace_back(step.event, t);
    std::ranges::sort(order);
    std::vector<std::uint64_t> cut(model_->threads(), 0);
    std::set<std::vector<std::uint64_t>> cuts = {cut};
    for (const auto& [event, thread] : order) {
      ++cut[thread];
      cuts.insert(cut);
    }
    const auto on_it = [&](const Key& key) {
      return cuts.contains({key.begin(), key.begin() + static_cast<std::ptrdiff_t>(model_->threads())});
    };
    for (auto& [key, node] : nodes_) node.observed = on_it(key);
    for (Edge& edge : edges_) edge.observed = on_it(*edge.from) && on_it(*edge.to);
  }

  // An edge is on a violating run if some monitor's state goes over it and objects then or later.
  void mark_violating() {
    std::set<std::tuple<const Key*, std::uint32_t, explore::MonitorState>>
        leads;                                      // states from which a violation follows
    for (std::size_t k = moves_.size(); k-- > 0;) { // edges ascend by level
      const MonitorEdge& move = moves_[k];
      Edge& edge = edges_[move.edge];
      if (!move.violated && !leads.contains({edge.to, move.monitor, move.to})) continue;
      leads.emplace(edge.from, move.monitor, move.from);
      edge.violating = true;
    }
  }

  std::string text() const {
    std::string out = "digraph lattice {\n  rankdir=TB; fontname=\"sans-serif\"; fontsize=11;\n  node [shape=box, "
                      "style=rounded, fontname=\"sans-serif\", fontsize=11];\n"
                      "  edge [fontname=\"sans-serif\", fontsize=9, color=gray50];\n";
    for (const auto& [key, node] : nodes_) {
      if (!shown(node)) continue;
      std::string name;
      for (ThreadNumber t = 0; t < model_->threads(); ++t)
        if (!model_->steps(t).empty()) name += fmt::format("{}{}", name.empty() ? "" : ",", key[t]);
      const std::string state = table_.state_after(everything_, node.path);
      out += fmt::format("  n{} [label=\"S {}\\n{}\"{}{}];\n", node.number, name, escaped(state),
                         node.fails ? ", color=red, fontcolor=red" : "", node.observed ? ", penwidth=2" : "");
    }
    for (const Edge& edge : edges_) {
      const Node &from = nodes_.at(*edge.from), &to = nodes_.at(*edge.to);
      if (!shown(from)) continue;
      const std::string what = edge.visible ? table_.step_after(everything_, from.path, edge.event) : "";
      out += fmt::format("  n{} -> n{} [label=\" T{}: {}\"{}{}];\n", from.number, to.number, edge.thread, escaped(what),
                         edge.violating  ? ", color=red"
                         : edge.observed ? ", color=black"
                                         : "",
                         edge.observed ? ", penwidth=2.5" : "");
    }
    return out + fmt::format("  label=\"{} cuts; thick: the observed run; red: runs that violate a property\";\n}}\n",
                             nodes_.size());
  }

  const trace::Trace& trace_;
  const PictureOptions& options_;
  const explore::PropertyEvents events_;
  const explore::PropertyMonitors monitors_;
  const RunTable table_;
  logic::Property everything_; // names all variables, for labels
  const causality::Model* model_ = nullptr;
  std::vector<std::vector<Count>> near_; // the cuts of the violating run, if a window was asked for
  std::map<Key, Node> nodes_;
  std::vector<Edge> edges_;
  std::vector<MonitorEdge> moves_;
};

} // namespace

Result<std::string> lattice_picture(const trace::Trace& trace, const causality::Computation& computation,
                                    const logic::PropertyFile& file, std::string_view model,
                                    const PictureOptions& options) {
  return Picture(trace, file, options).draw(computation, model);
}

} // namespace sooth::predict
