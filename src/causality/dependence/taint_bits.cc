#include "causality/dependence/taint_bits.h"

#include <algorithm>

namespace sooth::causality {

TaintBits::TaintBits(const Computation& computation, std::span<const TaintAct> acts)
    : computation_(computation), dependence_(computation.dependence), parts_(acts.size()),
      act_of_(dependence_.nodes.size(), kNoBit), number_of_(dependence_.nodes.size(), 0),
      bit_of_(dependence_.nodes.size(), kNoBit) {
  for (const TaintAct& act : acts) step_of_act_.push_back(act.step);
  place_nodes(acts);
  share_bits(acts);
}

// A node is evaluated with the last act that its step does not precede: by then all reads that it
// depends on have happened. A decision in a step that is not an act of its own decides whether its
// thread's next act follows.
void TaintBits::place_nodes(std::span<const TaintAct> acts) {
  std::vector<std::vector<std::uint32_t>> of_thread(computation_.threads.size());
  for (std::uint32_t a = 0; a < acts.size(); ++a) {
    of_thread[acts[a].thread].push_back(a);
    parts_[a].decides = acts[a].looked_at;
  }
  for (std::size_t t = 0; t < of_thread.size(); ++t) {
    std::size_t next = 0; // act
    for (const StepId id : computation_.threads[t].steps) {
      while (next < of_thread[t].size() && acts[of_thread[t][next]].first_event < computation_.steps[id].event) ++next;
      const bool acts_itself = next < of_thread[t].size() && acts[of_thread[t][next]].step == id;
      if (acts_itself) ++next;
      const StepDependence::Row& row = dependence_.steps[id];
      if (next != 0)
        for (DependenceNode n = row.first_node; n < row.first_node + row.nodes; ++n) {
          act_of_[n] = of_thread[t][next - 1];
          number_of_[n] = static_cast<std::uint32_t>(parts_[act_of_[n]].nodes.size());
          parts_[act_of_[n]].nodes.push_back(n);
        }
      const std::size_t decided = acts_itself ? next - 1 : next;
      if (decided == of_thread[t].size()) continue;
      std::vector<DependenceNode>& decides = parts_[of_thread[t][decided]].decides;
      decides.insert(decides.end(), dependence_.of(row.decides).begin(), dependence_.of(row.decides).end());
    }
  }
}

void TaintBits::share_bits(std::span<const TaintAct> acts) {
  std::vector<std::uint32_t> last_use(dependence_.nodes.size(), kNoBit); // act of the same thread
  const auto use = [&](DependenceNode node, std::uint32_t act) { last_use[node] = act; };
  for (std::uint32_t a = 0; a < acts.size(); ++a) {
    for (const DependenceNode node : parts_[a].nodes)
      for (const DependenceNode child : dependence_.of(dependence_.nodes[node].children)) use(child, a);
    for (const DependenceNode node : parts_[a].decides) use(node, a);
    if (acts[a].step != kNoStep)
      for (const DependenceNode node : dependence_.of(dependence_.steps[acts[a].step].writes)) use(node, a);
  }
  for (DependenceNode node = 0; node < last_use.size(); ++node)
    if (last_use[node] != kNoBit && act_of_[node] != kNoBit && last_use[node] != act_of_[node])
      parts_[last_use[node]].dying.push_back(node);
  std::vector<std::vector<std::uint32_t>> free(computation_.threads.size()); // a bit is one thread's
  for (std::uint32_t a = 0; a < acts.size(); ++a) {
    std::vector<std::uint32_t>& mine = free[acts[a].thread];
    for (const DependenceNode node : parts_[a].dying) mine.push_back(bit_of_[node]);
    for (const DependenceNode node : parts_[a].nodes) {
      if (last_use[node] == kNoBit || last_use[node] == a) continue;
      if (mine.empty()) mine.push_back(bits_++);
      bit_of_[node] = mine.back();
      mine.pop_back();
    }
  }
}

bool TaintBits::tainted(std::uint32_t act, const std::vector<bool>& made, DependenceNode node,
                        std::span<const std::uint64_t> words) const {
  if (act_of_[node] == kNoBit) return false;
  if (act_of_[node] == act) return made[number_of_[node]];
  return bit_of_[node] != kNoBit && (words[bit_of_[node] / 64] >> (bit_of_[node] % 64) & 1) != 0;
}

std::vector<bool> TaintBits::evaluate(std::uint32_t act, bool reads_tainted,
                                      std::span<const std::uint64_t> words) const {
  const Part& part = parts_[act];
  std::vector<bool> made(part.nodes.size());
  for (std::size_t i = 0; i < part.nodes.size(); ++i) {
    const StepDependence::Node& node = dependence_.nodes[part.nodes[i]];
    if (node.reads) {
      made[i] = reads_tainted && dependence_.step_of_node[part.nodes[i]] == step_of_act_[act];
      continue;
    }
    made[i] = std::ranges::any_of(dependence_.of(node.children),
                                  [&](DependenceNode child) { return tainted(act, made, child, words); });
  }
  return made;
}

bool TaintBits::allows(std::uint32_t act, bool reads_tainted, std::span<const std::uint64_t> words) const {
  const std::vector<bool> made = evaluate(act, reads_tainted, words);
  return std::ranges::none_of(parts_[act].decides,
                              [&](DependenceNode node) { return tainted(act, made, node, words); });
}

bool TaintBits::advance(std::uint32_t act, bool reads_tainted, std::span<std::uint64_t> words) const {
  const Part& part = parts_[act];
  const std::vector<bool> made = evaluate(act, reads_tainted, words);
  bool writes = false;
  if (step_of_act_[act] != kNoStep)
    for (const DependenceNode node : dependence_.of(dependence_.steps[step_of_act_[act]].writes))
      writes = writes || tainted(act, made, node, words);
  const auto set = [&](DependenceNode node, bool value) {
    const std::uint32_t bit = bit_of_[node];
    if (bit == kNoBit) return;
    const std::uint64_t mask = std::uint64_t{1} << bit % 64;
    words[bit / 64] = value ? words[bit / 64] | mask : words[bit / 64] & ~mask;
  };
  for (const DependenceNode node : part.dying) set(node, false);
  for (std::size_t i = 0; i < part.nodes.size(); ++i) set(part.nodes[i], made[i]);
  return writes;
}

} // namespace sooth::causality
