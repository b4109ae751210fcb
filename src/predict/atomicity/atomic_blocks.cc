#include "predict/atomicity/atomic_blocks.h"

#include <fnmatch.h>

#include <algorithm>

#include <absl/container/flat_hash_map.h>

namespace sooth::predict {
namespace {

using trace::Event;
using trace::EventKind;

struct OpenBlock {
  std::uint32_t begin;
  bool marked;         // by atomic-begin; otherwise a call
  std::uint64_t depth; // of a call: activations below it
};

class BlockCollector {
public:
  BlockCollector(const trace::Trace& trace, const causality::Computation& computation,
                 const std::vector<std::string>& functions)
      : trace_(trace), computation_(computation), functions_(functions), open_(trace.threads.size()),
        depth_(trace.threads.size()) {}

  std::vector<Block> run() {
    for (std::uint32_t i = 0; i < trace_.events.size(); ++i) step(i);
    std::sort(blocks_.begin(), blocks_.end(), [](const Block& a, const Block& b) { return a.begin < b.begin; });
    return std::move(blocks_);
  }

private:
  void step(std::uint32_t i) {
    const Event& e = trace_.events[i];
    std::vector<OpenBlock>& open = open_[e.thread];
    switch (e.kind) {
    case EventKind::AtomicBegin: open.push_back({i, true, 0}); return;
    case EventKind::AtomicEnd:
      while (!open.empty() && !open.back().marked) open.pop_back(); // a call that was left without an exit
      if (!open.empty()) close(e.thread, i);
      return;
    case EventKind::Enter:
      if (!functions_.empty() && named(e.site)) open.push_back({i, false, depth_[e.thread]});
      ++depth_[e.thread];
      return;
    case EventKind::Exit:
      depth_[e.thread] = e.value;
      while (!open.empty() && !open.back().marked && open.back().depth >= e.value) close(e.thread, i);
      return;
    default: return;
    }
  }

  void close(std::uint32_t thread, std::uint32_t end) {
    const OpenBlock opened = open_[thread].back();
    open_[thread].pop_back();
    if (opened.begin < trace_.standing) return; // nobody knows all of it
    const auto& own = computation_.threads[thread].steps;
    const auto place_of = [&](std::uint32_t event) {
      const auto it = std::lower_bound(own.begin(), own.end(), event, [&](causality::StepId s, std::uint32_t limit) {
        return computation_.steps[s].event < limit;
      });
      return static_cast<std::uint32_t>(it - own.begin());
    };
    Block block{thread, opened.begin, end, place_of(opened.begin), place_of(end), open_[thread].empty(), {}};
    // The begin itself is not a step, unless it happens to be the first event of its thread.
    if (block.first < own.size() && computation_.steps[own[block.first]].event == opened.begin &&
        computation_.steps[own[block.first]].operations == 0)
      ++block.first;
    block.last = std::max(block.last, block.first);
    const Event& e = trace_.events[opened.begin];
    if (!opened.marked) block.name = trace_.sites[e.site].function;
    else if (e.address < trace_.strings.size()) block.name = trace_.strings[e.address];
    blocks_.push_back(std::move(block));
  }

  bool named(std::uint32_t site) {
    const auto [it, unknown] = matches_.try_emplace(site, false);
    if (unknown) {
      it->second = std::any_of(functions_.begin(), functions_.end(), [&](const std::string& pattern) {
        return is_named(trace_.sites[site].function, pattern);
      });
    }
    return it->second;
  }

  const trace::Trace& trace_;
  const causality::Computation& computation_;
  const std::vector<std::string>& functions_;
  std::vector<std::vector<OpenBlock>> open_;         // by thread
  std::vector<std::uint64_t> depth_;                 // by thread: activations
  absl::flat_hash_map<std::uint32_t, bool> matches_; // by site of a function
  std::vector<Block> blocks_;
};

} // namespace

bool is_named(const std::string& function, const std::string& pattern) {
  const std::string bare = function.substr(0, function.find('('));
  return fnmatch(pattern.c_str(), function.c_str(), 0) == 0 || fnmatch(pattern.c_str(), bare.c_str(), 0) == 0;
}

std::vector<Block> collect_blocks(const trace::Trace& trace, const causality::Computation& computation,
                                  const std::vector<std::string>& functions) {
  return BlockCollector(trace, computation, functions).run();
}

} // namespace sooth::predict
