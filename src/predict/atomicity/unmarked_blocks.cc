#include "predict/atomicity/unmarked_blocks.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <absl/container/flat_hash_map.h>

#include "predict/atomicity/block_set.h"
#include "predict/atomicity/critical_sections.h"
#include "predict/atomicity/interleavings.h"
#include "trace/contents.h"
#include "trace/stack.h"

namespace sooth::predict {

namespace {

using witness::Role;
using Sites = std::tuple<std::string, std::uint32_t, std::uint32_t>; // function, read, write

constexpr std::size_t kMaxOfSites = 8; // stretches of the same read and write, in each thread
constexpr std::size_t kMaxStretches = 256;

// Walks along the trace, and keeps for each thread what it has read under locks.
class Stretches {
public:
  Stretches(const trace::Trace& trace, const Computation& computation)
      : trace_(trace), c_(computation), held_(computation), threads_(trace.threads.size()),
        writers_(computation.locations.size(), kNobody) {
    for (const causality::Step& step : computation.steps)
      for (std::uint32_t n = step.first_operation; n < step.first_operation + step.operations; ++n)
        if (const Operation& o = computation.operations[n]; o.kind == OperationKind::Write) {
          std::uint32_t& writer = writers_[o.object];
          writer = writer == kNobody || writer == step.thread ? step.thread : kSeveral;
        }
  }

  std::vector<Block> run() {
    for (std::uint32_t i = static_cast<std::uint32_t>(trace_.standing); i < trace_.events.size(); ++i) {
      const trace::Event& e = trace_.events[i];
      threads_[e.thread].calls.see(e);
      const StepId step = c_.step_of_event[i];
      if (step == kNoStep || c_.steps[step].event != i || blocks_.size() == kMaxStretches) continue;
      if (held_.at(step).empty() || (c_.steps[step].flags & causality::kAtomicStep) != 0) continue;
      for (const Operation& o : c_.operations_of(step)) see(step, o);
    }
    std::ranges::sort(blocks_, {}, &Block::begin);
    return std::move(blocks_);
  }

private:
  static constexpr std::uint32_t kNobody = 0xffffffff, kSeveral = kNobody - 1;
  struct Read {
    StepId step = kNoStep;
    trace::ActivationStack::Nearest calls;
  };
  struct Thread {
    trace::ActivationStack calls;
    absl::flat_hash_map<std::uint32_t, Read> reads; // by location: the first one of the last section that read it
    std::map<Sites, std::size_t> seen;
  };

  void see(StepId step, const Operation& o) {
    if (o.kind != OperationKind::Read && o.kind != OperationKind::Write) return;
    Thread& own = threads_[c_.steps[step].thread];
    const auto known = own.reads.find(o.object);
    const bool same = known != own.reads.end() && in_one_section(known->second.step, step);
    if (o.kind == OperationKind::Read) {
      if (!same) own.reads[o.object] = {step, own.calls.nearest()};
      return;
    }
    if (known == own.reads.end() || same) return;
    const auto around = trace::ActivationStack::common(known->second.calls, own.calls.nearest());
    if (around && in_sections_of_one_lock(known->second.step, step)) add(own, known->second.step, step, around->site);
    own.reads.erase(known); // from now on it knows what it has written
  }

  bool is_written_by_others(StepId read) const {
    return std::ranges::any_of(c_.operations_of(read), [&](const Operation& o) {
      return o.kind == OperationKind::Read && writers_[o.object] != kNobody &&
             writers_[o.object] != c_.steps[read].thread;
    });
  }

  bool in_one_section(StepId one, StepId other) const {
    return std::ranges::any_of(held_.at(one), [&](const auto& held) { return held_.has(other, held); });
  }
  bool in_sections_of_one_lock(StepId read, StepId write) const {
    return std::ranges::any_of(held_.at(read), [&](const auto& before) {
      return std::ranges::any_of(held_.at(write), [&](const auto& now) {
        return now.lock == before.lock && now.since != before.since && now.exclusive;
      });
    });
  }

  // `around`: the site of the function that both are in, or that calls what they are in.
  void add(Thread& own, StepId read, StepId write, std::uint32_t around) {
    const causality::Step& first = c_.steps[read];
    const causality::Step& last = c_.steps[write];
    if ((first.flags & causality::kMergedStep) != 0 || (last.flags & causality::kMergedStep) != 0) return;
    if (!is_written_by_others(read)) return; // nothing of it can be lost
    const std::uint32_t from = trace_.events[first.event].site, to = trace_.events[last.event].site;
    // A function that was inlined has no activation, but its name is at the sites.
    const bool in_one = trace_.sites[from].function == trace_.sites[to].function;
    const std::string& function = trace_.sites[in_one ? to : around].function;
    if (++own.seen[{function, from, to}] > kMaxOfSites) return;
    blocks_.push_back({first.thread, first.event, last.event, first.place, last.place + 1, true, function});
  }

  const trace::Trace& trace_;
  const Computation& c_;
  const CriticalSections held_;
  std::vector<Thread> threads_;
  std::vector<std::uint32_t> writers_; // by location: the only thread that writes it
  std::vector<Block> blocks_;
};

// Blocks that overlap would be looked at as if they were inside each other.
void drop_overlapping(std::vector<Block>& blocks) {
  std::map<std::uint32_t, std::uint32_t> ends; // by thread
  std::erase_if(blocks, [&](const Block& block) {
    std::uint32_t& end = ends[block.thread];
    if (block.first < end) return true;
    end = block.last;
    return false;
  });
}

void drop_marked(const std::vector<Block>& marked, std::vector<Block>& blocks) {
  std::erase_if(blocks, [&](const Block& block) {
    return std::ranges::any_of(marked, [&](const Block& around) {
      return around.thread == block.thread && around.first <= block.first && block.last <= around.last;
    });
  });
}

} // namespace

std::vector<Candidate> suggest_blocks(const trace::Trace& trace, const Computation& computation,
                                      const Feasibility& feasibility, const Limits& limits,
                                      const std::vector<std::string>& functions) {
  std::vector<Block> blocks = Stretches(trace, computation).run();
  drop_overlapping(blocks);
  if (blocks.empty()) return {};
  drop_marked(collect_blocks(trace, computation, functions), blocks);
  if (blocks.empty()) return {};
  const bool maximal = !feasibility.is_sliced() && feasibility.index().model == witness::Model::Maximal;
  const auto other = maximal ? nullptr : make_feasibility(computation, witness::Model::Maximal, limits);
  const Feasibility& asked = maximal ? feasibility : *other;
  const BlockSet set(trace, computation, std::move(blocks), AtomicityRule::View, asked.index());
  BlockFindings findings(trace);
  Coverage own;
  own.list = true;
  find_interleavings(set, asked, limits, std::vector<bool>(set.blocks.size(), false), true, findings, own);
  std::vector<std::vector<witness::Place>> broken;
  for (witness::Finding& finding : findings.take()) broken.push_back(std::move(finding.places));
  for (Candidate& candidate : own.listed) broken.push_back(std::move(candidate.places));
  std::vector<Candidate> out;
  std::set<Sites> told;
  for (const std::vector<witness::Place>& places : broken) {
    const trace::Event& read = trace.events[places[0].event];
    const trace::Event& write = trace.events[places[1].event];
    const trace::Event& between = trace.events[places[2].event];
    if (!trace::writes_memory(between.kind) || !trace::overlap(between, read)) continue;
    const std::string name = std::ranges::find(set.blocks, places[0].event, &Block::begin)->name;
    if (!told.insert({name, read.site, write.site}).second) continue;
    out.push_back(
        {witness::FindingKind::Atomicity,
         {{places[0].event, Role::BlockBegin}, {places[1].event, Role::BlockEnd}, {places[2].event, Role::Interleaved}},
         "the third, of another thread, may come between the first two, which are in different critical "
         "sections of one lock; is " +
             (name.empty() ? "this" : name) + " meant to be atomic? (SOOTH_ATOMIC, --atomic)"});
  }
  return out;
}

} // namespace sooth::predict
