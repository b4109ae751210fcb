#include "properties/lattice_picture.h"

#include <algorithm>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "causality/models/model.h"
#include "explore/lattice.h"
#include "explore/property_monitors.h"
#include "properties/lattice_graph.h"
#include "properties/recorded_run.h"
#include "properties/run_table.h"

namespace sooth::properties {

namespace {

using causality::EventIndex;
using causality::ThreadNumber;
using Cut = LatticeGraph::Cut;

// So many nodes are built to show some of them.
constexpr std::uint64_t kMostBuilt = 100'000;

// For labels in quotes.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

// Steps from one cut to the other, forwards or backwards.
std::uint64_t steps_between(Cut a, Cut b) {
  std::uint64_t sum = 0;
  for (std::size_t t = 0; t < a.size(); ++t) sum += a[t] > b[t] ? a[t] - b[t] : b[t] - a[t];
  return sum;
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
    order_is_known_ = !RecordedRun(trace_, computation, monitors_).unordered(events_.relevance().events);
    LatticeGraph graph(*model_, monitors_);
    if (const auto wrong = options_.window == 0 ? build_all(graph) : build_window(graph)) return *wrong;
    return text(graph);
  }

private:
  std::optional<Error> build_all(LatticeGraph& graph) const {
    if (graph.build(options_.max_cuts)) return std::nullopt;
    return Error{
        fmt::format("the lattice has more than {} cuts, which nobody can read. `--window N` shows the cuts within N "
                    "steps of the first violation; `--max-cuts N` allows more.",
                    options_.max_cuts)};
  }

  std::optional<Error> build_window(LatticeGraph& graph) {
    if (auto wrong = find_violation()) return wrong;
    const std::uint64_t most = std::max(kMostBuilt, options_.max_cuts);
    if (!graph.build(most)) {
      more_than_ = most;
      if (!graph.build(most, [this](Cut cut) { return is_near_run(cut); }))
        return Error{fmt::format("more than {} cuts are within {} steps of the run to the first violation; a smaller "
                                 "`--window` can be shown.",
                                 most, options_.window)};
    }
    const auto shown = std::ranges::count_if(graph.nodes(), [&](const auto& n) { return is_shown(graph, n.first); });
    if (static_cast<std::uint64_t>(shown) <= options_.max_cuts) return std::nullopt;
    return Error{fmt::format("{} cuts are within {} steps of the first violation, which nobody can read. A smaller "
                             "`--window` shows fewer; `--max-cuts N` allows more than {}.",
                             shown, options_.window, options_.max_cuts)};
  }

  std::optional<Error> find_violation() {
    const explore::Exploration found = explore::explore(*model_, monitors_, {});
    for (const explore::Violation& violation : found.violations) {
      if (!options_.around.empty() && monitors_.properties()[violation.monitor]->name != options_.around) continue;
      std::vector<std::uint64_t> cut(model_->threads(), 0);
      run_.push_back(cut);
      for (const explore::PathStep& step : violation.path) {
        ++cut[step.thread];
        run_.push_back(cut);
      }
      return std::nullopt;
    }
    return Error{options_.around.empty() ? "no run violates a property, so there is nothing to show around."
                                         : fmt::format("no run violates `{}`.", options_.around)};
  }
  // Cut c of the window is reached through the meets of c with the cuts of the run, each of which
  // lacks at most those events of the run that c lacks; and from there through cuts of the window.
  bool is_near_run(Cut cut) const {
    std::uint64_t level = 0;
    for (const std::uint64_t count : cut) level += count;
    const std::uint64_t last = std::min<std::uint64_t>(run_.size(), level + options_.window + 1);
    for (std::uint64_t k = level - std::min(level, options_.window); k < last; ++k)
      if (steps_between(cut, run_[k]) <= options_.window) return true;
    return false;
  }
  bool is_shown(const LatticeGraph& graph, const LatticeGraph::Key& key) const {
    return run_.empty() || steps_between(graph.cut_of(key), run_.back()) <= options_.window;
  }

  std::string text(const LatticeGraph& graph) const {
    std::string out = "digraph lattice {\n  rankdir=TB; fontname=\"sans-serif\"; fontsize=11;\n  node [shape=box, "
                      "style=rounded, fontname=\"sans-serif\", fontsize=11];\n"
                      "  edge [fontname=\"sans-serif\", fontsize=9, color=gray50];\n";
    std::uint64_t shown = 0;
    for (const auto& [key, node] : graph.nodes()) {
      if (!is_shown(graph, key)) continue;
      ++shown;
      std::string name;
      for (ThreadNumber t = 0; t < model_->threads(); ++t)
        if (!model_->steps(t).empty()) name += fmt::format("{}{}", name.empty() ? "" : ",", key[t]);
      const std::string state = table_.state_after(everything_, graph.path(node));
      out += fmt::format("  n{} [label=\"S {}\\n{}\"{}{}];\n", node.number, name, escaped(state),
                         node.fails ? ", color=red, fontcolor=red" : "", node.observed ? ", penwidth=2" : "");
    }
    for (const LatticeGraph::Edge& edge : graph.edges()) {
      if (!is_shown(graph, *edge.from) || !is_shown(graph, *edge.to)) continue;
      const LatticeGraph::Node &from = graph.nodes().at(*edge.from), &to = graph.nodes().at(*edge.to);
      const std::string what = edge.visible ? table_.step_after(everything_, graph.path(from), edge.event) : "";
      out += fmt::format("  n{} -> n{} [label=\" T{}: {}\"{}{}];\n", from.number, to.number, edge.thread, escaped(what),
                         edge.violating  ? ", color=red"
                         : edge.observed ? ", color=black"
                                         : "",
                         edge.observed ? ", penwidth=2.5" : "");
    }
    return out + fmt::format("  label=\"{}; thick: the observed run{}; red: runs that violate a property\";\n}}\n",
                             caption(shown, graph.nodes().size()),
                             order_is_known_ ? "" : ", in an order that the recording allows");
  }

  std::string caption(std::uint64_t shown, std::uint64_t built) const {
    if (run_.empty()) return fmt::format("{} cuts", shown);
    const std::string all = more_than_ == 0 ? fmt::format("{}", built) : fmt::format("more than {}", more_than_);
    return fmt::format("{} of {} cuts: those within {} step{} of the first violation", shown, all, options_.window,
                       options_.window == 1 ? "" : "s");
  }

  const trace::Trace& trace_;
  const PictureOptions& options_;
  const explore::PropertyEvents events_;
  const explore::PropertyMonitors monitors_;
  const RunTable table_;
  logic::Property everything_; // names all variables, for labels
  const causality::Model* model_ = nullptr;
  bool order_is_known_ = true;                  // of the observed run
  std::vector<std::vector<std::uint64_t>> run_; // the cuts of the violating run, if a window was asked for
  std::uint64_t more_than_ = 0;                 // cuts that the lattice has, if only those near the run were built
};

} // namespace

Result<std::string> lattice_picture(const trace::Trace& trace, const causality::Computation& computation,
                                    const logic::PropertyFile& file, std::string_view model,
                                    const PictureOptions& options) {
  return Picture(trace, file, options).draw(computation, model);
}

} // namespace sooth::properties
