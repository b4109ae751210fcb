#include "predict/question/thread_chains.h"

#include <algorithm>
#include <utility>

namespace sooth::predict {

using causality::StepId;
using trace::Event;
using trace::EventKind;

namespace {

constexpr std::uint32_t kNoChain = 0xffffffff;

} // namespace

std::vector<std::uint32_t> thread_chains(const trace::Trace& trace, const causality::Computation& computation) {
  const std::size_t threads = computation.threads.size();
  std::vector<std::uint32_t> chain(threads, kNoChain);
  std::vector<std::vector<std::uint32_t>> over(
      threads); // by thread: chains of those that it joined, and of whom they had joined
  std::vector<bool> joined(threads, false);
  std::uint32_t chains = 0;
  const auto ordered = [&](StepId first, StepId second) {
    const auto less = [](const causality::Order& a, const causality::Order& b) {
      return a.second != b.second ? a.second < b.second : a.first < b.first;
    };
    return first < second && std::ranges::binary_search(computation.orders, causality::Order{first, second}, less);
  };
  const auto starts = [&](StepId step) {
    return trace.events[computation.steps[step].event].kind == EventKind::ThreadStart;
  };
  for (StepId id = 0; id < computation.steps.size(); ++id) {
    const causality::Step& step = computation.steps[id];
    if (chain[step.thread] == kNoChain) chain[step.thread] = chains++;
    const Event& e = trace.events[step.event];
    if (e.has(trace::kFailed) || e.value >= threads || e.value == e.thread) continue;
    const auto other = static_cast<std::uint32_t>(e.value);
    const std::vector<StepId>& its = computation.threads[other].steps;
    std::vector<std::uint32_t>& mine = over[e.thread];
    if (e.kind == EventKind::Fork && chain[other] == kNoChain && !mine.empty() && !its.empty() && starts(its.front()) &&
        ordered(id, its.front())) {
      chain[other] = mine.back();
      mine.pop_back();
    }
    if (e.kind == EventKind::Join && !joined[other] && !its.empty() && ordered(its.back(), id)) {
      joined[other] = true;
      mine.push_back(chain[other]);
      std::vector<std::uint32_t> more = std::exchange(over[other], {});
      if (more.size() > mine.size()) more.swap(mine);
      mine.insert(mine.end(), more.begin(), more.end());
    }
  }
  for (std::uint32_t& none : chain)
    if (none == kNoChain) none = chains++; // a thread without steps
  return chain;
}

} // namespace sooth::predict
