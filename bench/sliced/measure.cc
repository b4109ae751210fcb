// The phases of jPredictor's Table 2 on one recorded trace; prints one line of JSON.
//
//   measure TRACE            everything
//   measure TRACE clocks     only up to the clocks
//
// before: reading the trace, telling objects apart, computing what can be reordered and what depends on what.
// clocks: the graph of sliced causality and the vector clocks for one variable, the one with the most accesses.
// check:  all questions about races under sliced causality, and each yes of it asked of `full`.
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "causality/dependence/sliced_clocks.h"
#include "causality/dependence/sliced_graph.h"
#include "predict/question/sliced_feasibility.h"
#include "predict/races/races.h"
#include "trace/objects.h"
#include "trace/reader.h"

using namespace sooth;

namespace {

// One thread is at work, so its processor time is what an idle machine would take.
double now() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Of each node, whether it is an access of the location that has most of them.
std::vector<causality::Looked> accesses_of_one(const causality::SlicedGraph& graph) {
  std::vector<std::size_t> accesses;
  for (const causality::SlicedNode& node : graph.nodes)
    for (const std::uint32_t variable : node.variables) {
      if (variable >= accesses.size()) accesses.resize(variable + 1, 0);
      ++accesses[variable];
    }
  std::vector<causality::Looked> looked(graph.nodes.size(), causality::Looked::Away);
  if (accesses.empty()) return looked;
  const auto most = static_cast<std::uint32_t>(std::ranges::max_element(accesses) - accesses.begin());
  for (std::size_t n = 0; n < looked.size(); ++n)
    if (std::ranges::find(graph.nodes[n].variables, most) != graph.nodes[n].variables.end())
      looked[n] = causality::Looked::There;
  return looked;
}

void measure(const std::string& file, bool all) {
  const double start = now();
  auto read = trace::read_trace(file);
  if (!read) {
    std::fprintf(stderr, "%s\n", read.error().text().c_str());
    std::exit(1);
  }
  trace::Trace& t = *read;
  trace::separate_objects(t);
  const causality::Computation c = causality::compute(t);
  const double computed = now();
  const causality::SlicedGraph graph = causality::sliced_graph(t, c);
  const double drawn = now();
  const auto looked = accesses_of_one(graph);
  const double chosen = now();
  const auto clocks = causality::sliced_clocks_offline(graph.nodes, looked);
  const double clocked = now();
  std::printf("{\"events\": %zu, \"nodes\": %zu, \"before_s\": %.6f, \"graph_s\": %.6f, \"clocks_s\": %.6f",
              t.events.size(), graph.nodes.size(), computed - start, drawn - computed, clocked - chosen);
  if (all) {
    const double before_online = now();
    const auto online = causality::sliced_clocks_online(graph.nodes, looked);
    const double after_online = now();
    predict::Limits limits;
    limits.jobs = 1;
    const auto feasibility = predict::make_sliced_feasibility(t, c, limits);
    predict::Coverage coverage;
    const auto found = predict::find_races(t, c, *feasibility, witness::Model::Sliced, limits, coverage);
    std::printf(", \"online_s\": %.6f, \"went_back\": %llu, \"same_clocks\": %s, \"check_s\": %.6f, \"pairs\": %zu",
                after_online - before_online, static_cast<unsigned long long>(online.went_back),
                online.clocks == clocks.clocks ? "true" : "false", now() - after_online, found.size());
  }
  std::printf("}\n");
}

} // namespace

int main(int count, char** words) {
  if (count != 2 && !(count == 3 && std::string(words[2]) == "clocks"))
    return std::fprintf(stderr, "see the head of bench/sliced/measure.cc\n"), 2;
  measure(words[1], count == 2);
  return 0;
}
