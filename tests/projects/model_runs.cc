// What causal models say about a trace, in full: for random_programs_test.py, which knows what the program can really do.
//
//   model_runs TRACE SEED WALKS GROUP...
//
// A GROUP is `thread,thread,...:name,name,...`: threads of the trace that run together after all before them have ended, and the globals they share.
// One line of JSON for each
//   run        of a model: random steps of a group's threads, from where they begin to where nothing is allowed any more
//   finding    of an engine under a model: nothing is left out because another engine has it, too
//   candidate  under `sliced`: a race that this causality allows and `full` does not
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "causality/computation/computation.h"
#include "causality/models/model.h"
#include "predict/atomicity/atomicity.h"
#include "predict/deadlocks/deadlocks.h"
#include "predict/question/feasibility.h"
#include "predict/question/sliced_feasibility.h"
#include "predict/races/races.h"
#include "trace/objects.h"
#include "trace/reader.h"
#include "trace/trace.h"
#include "witness/check.h"

namespace {

using namespace sooth;
using causality::EventIndex;

struct Group {
  std::vector<std::uint32_t> threads;
  std::vector<std::string> names;
  bool has(std::uint32_t thread) const { return std::ranges::find(threads, thread) != threads.end(); }
};

std::vector<std::string> parts_of(const std::string& text, char separator) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) out.push_back(part);
  return out;
}

Group group_of(const std::string& text) {
  Group out;
  const std::size_t colon = text.find(':');
  for (const std::string& number : parts_of(text.substr(0, colon), ','))
    out.threads.push_back(static_cast<std::uint32_t>(std::stoul(number)));
  out.names = parts_of(text.substr(colon + 1), ',');
  return out;
}

class Walks {
public:
  Walks(const trace::Trace& trace, const causality::Computation& computation, const std::vector<Group>& groups,
        std::uint64_t seed)
      : trace_(trace), computation_(computation), groups_(groups), random_(seed) {}

  // `values`: the model must know what the writes of one global of each group write.
  void walk(std::string_view name, bool values) {
    causality::Relevance relevance;
    if (values) relevance = writes_of_one_global_each();
    auto model = causality::find_model(name)->make(trace_, computation_, relevance);
    if (!model) return;
    for (std::size_t g = 0; g < groups_.size(); ++g) walk(**model, g, relevance);
  }

private:
  causality::Relevance writes_of_one_global_each() {
    causality::Relevance out;
    for (const Group& group : groups_) {
      const std::string& name = group.names[random_() % group.names.size()];
      const auto global = std::ranges::find(trace_.globals, name, &trace::Global::name);
      if (global == trace_.globals.end()) continue;
      for (EventIndex i = 0; i < trace_.events.size(); ++i) {
        const trace::Event& e = trace_.events[i];
        if (trace::writes_memory(e.kind) && e.kind != trace::EventKind::ExternalWrite &&
            e.address - global->address < global->bytes)
          out.events.push_back(i);
      }
    }
    std::ranges::sort(out.events);
    return out;
  }

  struct Node {
    std::vector<causality::Count> cut;
    std::vector<std::uint64_t> state;
    std::vector<EventIndex> path;
  };
  static bool allows(const causality::Model& model, const Node& node, std::uint32_t thread) {
    return node.cut[thread] < model.steps(thread).size() && model.enabled(node.cut, node.state, thread);
  }
  static bool take(const causality::Model& model, Node& node, std::uint32_t thread) {
    const causality::ModelStep& step = model.steps(thread)[node.cut[thread]];
    node.path.push_back(step.event);
    model.advance(node.cut, node.state, thread);
    ++node.cut[thread];
    return step.glued;
  }

  // Whatever stands in the trace before the group's first event has happened as it was observed.
  bool come_to(const causality::Model& model, const Group& group, Node& node) const {
    EventIndex first = 0;
    while (first < trace_.events.size() && !group.has(trace_.events[first].thread)) ++first;
    for (;;) {
      std::uint32_t next = 0;
      EventIndex earliest = first;
      for (std::uint32_t t = 0; t < model.threads(); ++t)
        if (node.cut[t] < model.steps(t).size() && model.steps(t)[node.cut[t]].event < earliest) {
          next = t;
          earliest = model.steps(t)[node.cut[t]].event;
        }
      if (earliest == first) return true;
      if (!allows(model, node, next)) return false;
      take(model, node, next);
    }
  }

  void walk(const causality::Model& model, std::size_t number, const causality::Relevance& relevance) {
    const Group& group = groups_[number];
    Node node{std::vector<causality::Count>(model.threads()), std::vector<std::uint64_t>(model.state_words()), {}};
    model.begin(node.state);
    if (!come_to(model, group, node)) return;
    for (;;) {
      std::vector<std::uint32_t> free;
      for (const std::uint32_t t : group.threads)
        if (allows(model, node, t)) free.push_back(t);
      if (free.empty()) break;
      const std::uint32_t thread = free[random_() % free.size()];
      while (take(model, node, thread) && allows(model, node, thread)) {
      }
    }
    nlohmann::json line = {{"what", "run"}, {"model", model.name()}, {"group", number}};
    line["events"] = nlohmann::json::array();
    for (const EventIndex event : model.run_along(node.path))
      if (group.has(trace_.events[event].thread)) line["events"].push_back(event);
    line["looked_at"] = nlohmann::json::array();
    for (const EventIndex event : relevance.events)
      if (group.has(trace_.events[event].thread)) line["looked_at"].push_back(event);
    std::cout << line.dump() << '\n';
  }

  const trace::Trace& trace_;
  const causality::Computation& computation_;
  const std::vector<Group>& groups_;
  std::mt19937_64 random_;
};

struct Engines {
  const trace::Trace& trace;
  const trace::ObjectTable& objects;
  const causality::Computation& computation;

  void run(std::string_view name, witness::Model model) const {
    predict::Limits limits;
    limits.jobs = 1;
    const auto feasibility = model == witness::Model::Sliced
                                 ? predict::make_sliced_feasibility(trace, computation, limits)
                                 : predict::make_feasibility(computation, model, limits);
    predict::Coverage coverage;
    coverage.list = model == witness::Model::Sliced;
    tell(name, "race", model, predict::find_races(trace, computation, *feasibility, model, limits, coverage));
    for (const predict::Candidate& candidate : coverage.listed) {
      nlohmann::json line = {{"what", "candidate"}, {"model", name}, {"reason", candidate.reason}};
      line["places"] = places_of(candidate.places);
      std::cout << line.dump() << '\n';
    }
    tell(name, "atomicity", model, predict::find_atomicity(trace, computation, *feasibility, limits, coverage));
    if (model != witness::Model::Sliced)
      tell(name, "deadlock", model, predict::find_deadlocks(trace, computation, *feasibility, limits, coverage));
    std::cout << nlohmann::json{{"what", "undecided"}, {"model", name}, {"count", coverage.undecided}}.dump() << '\n';
  }

private:
  static nlohmann::json places_of(const std::vector<witness::Place>& places) {
    nlohmann::json out = nlohmann::json::array();
    for (const witness::Place& place : places)
      out.push_back({{"event", place.event}, {"role", static_cast<int>(place.role)}});
    return out;
  }

  void tell(std::string_view name, std::string_view kind, witness::Model model,
            std::vector<witness::Finding> findings) const {
    witness::Checker checker(trace, &objects);
    for (witness::Finding& finding : findings) {
      if (finding.status == witness::Status::Predicted) finding.model = model;
      nlohmann::json line = {{"what", "finding"}, {"model", name}, {"kind", kind}};
      line["observed"] = finding.witness.observed;
      line["steps"] = finding.witness.steps;
      line["next"] = finding.witness.next;
      line["places"] = places_of(finding.places);
      line["predicted"] = finding.status == witness::Status::Predicted;
      line["note"] = finding.note;
      line["objection"] = checker.objection(finding).value_or("");
      std::cout << line.dump() << '\n';
    }
  }
};

} // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fputs("usage: model_runs TRACE SEED WALKS GROUP...\n", stderr);
    return 2;
  }
  auto trace = trace::read_trace(argv[1]);
  if (!trace) {
    std::fprintf(stderr, "%s\n", trace.error().text().c_str());
    return 2;
  }
  std::vector<Group> groups;
  for (int i = 4; i < argc; ++i) groups.push_back(group_of(argv[i]));
  const trace::ObjectTable objects = trace::separate_objects(*trace);
  const causality::Computation computation = causality::compute(*trace);
  Walks walks(*trace, computation, groups, std::strtoull(argv[2], nullptr, 10));
  for (int i = 0; i < std::atoi(argv[3]); ++i) {
    walks.walk("full", false);
    walks.walk("full", true);
    walks.walk("maximal", true);
    walks.walk("sliced", true);
  }
  const Engines engines{*trace, objects, computation};
  engines.run("hb-locks", witness::Model::HappensBeforeLocks);
  engines.run("maximal", witness::Model::Maximal);
  engines.run("full", witness::Model::Full);
  if (trace->is_fit_for_dependence()) engines.run("sliced", witness::Model::Sliced);
}
