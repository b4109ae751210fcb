#include "predict/atomicity/unmarked_blocks.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include "predict/atomicity/block_set.h"
#include "predict/atomicity/critical_sections.h"
#include "predict/atomicity/interleavings.h"
#include "predict/atomicity/split_atomics.h"
#include "predict/atomicity/split_invariants.h"
#include "trace/contents.h"
#include "trace/place_names.h"
#include "trace/split_reads.h"
#include "trace/stack.h"

namespace sooth::predict {

namespace {

using witness::Role;
constexpr std::size_t kMaxOfLines = 8;     // stretches of the same read and write, in each thread
constexpr std::size_t kMaxQuestions = 256; // stretches that others may interrupt in some run

using SourceLine = std::pair<std::string_view, std::uint32_t>;
using Lines = std::tuple<std::string, SourceLine, SourceLine>; // function, read, write

SourceLine line_of(const trace::Site& site) { return {site.file, site.line}; }
Lines lines_of(const trace::Trace& trace, const Block& block) {
  const auto line = [&](std::uint32_t event) { return line_of(trace.sites[trace.events[event].site]); };
  return {block.name, line(block.begin), line(block.end)};
}
constexpr std::uint32_t kNoOther = 0xffffffff; // no event

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
    for (const causality::Step& step : computation.steps)
      for (std::uint32_t n = step.first_operation; n < step.first_operation + step.operations; ++n)
        if (const Operation& o = computation.operations[n];
            o.kind == OperationKind::Read && writers_[o.object] != kNobody && writers_[o.object] != kSeveral) {
          const auto [it, fresh] = checkers_.try_emplace({trace.events[step.event].site, o.object}, step.thread);
          if (!fresh && it->second != step.thread) it->second = kSeveral;
        }
  }

  std::vector<Block> run() {
    for (std::uint32_t i = static_cast<std::uint32_t>(trace_.standing); i < trace_.events.size(); ++i) {
      const trace::Event& e = trace_.events[i];
      threads_[e.thread].calls.see(e);
      const StepId step = c_.step_of_event[i];
      if (step == kNoStep || c_.steps[step].event != i) continue;
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
    trace::ActivationStack::Nearest calls = {};
  };
  struct Thread {
    trace::ActivationStack calls;
    absl::flat_hash_map<std::uint32_t, trace::SplitReads<Read>> reads; // by location
    std::map<Lines, std::size_t> seen;
  };

  void see(StepId step, const Operation& o) {
    if (o.kind != OperationKind::Read && o.kind != OperationKind::Write) return;
    Thread& own = threads_[c_.steps[step].thread];
    const auto in_one = [&](const Read& before) { return in_one_section(before.step, step); };
    const auto known = own.reads.find(o.object);
    if (o.kind == OperationKind::Read) {
      const auto now = [&] { return Read{step, own.calls.nearest()}; };
      if (known == own.reads.end()) own.reads.try_emplace(o.object, now());
      else known->second.read(now, in_one);
      return;
    }
    if (known == own.reads.end()) return;
    const bool stays = known->second.write(
        in_one, [&](const Read& first, const Read& again) { return is_update(first, again, step); },
        [&](const Read& first) {
          const auto around = trace::ActivationStack::common(first.calls, own.calls.nearest());
          if (around && in_sections_of_one_lock(first.step, step)) add(own, first.step, step, around->site);
        });
    if (!stays) own.reads.erase(known);
  }
  // The section of the write does not look at the location: it reads it where it writes it, and not
  // where the first section did.
  bool is_update(const Read& first, const Read& again, StepId write) const {
    if (!in_one_section(again.step, write)) return false;
    const auto site = [&](StepId step) { return trace_.events[c_.steps[step].event].site; };
    const SourceLine read = line_of(trace_.sites[site(again.step)]), written = line_of(trace_.sites[site(write)]);
    return site(again.step) != site(first.step) && read == written;
  }

  bool is_written_by_others(StepId read) const {
    return std::ranges::any_of(c_.operations_of(read), [&](const Operation& o) {
      return o.kind == OperationKind::Read && writers_[o.object] != kNobody &&
             writers_[o.object] != c_.steps[read].thread;
    });
  }
  // By the same code, which may write in another run (SameCheck).
  bool is_checked_by_others(StepId read) const {
    const std::uint32_t site = trace_.events[c_.steps[read].event].site;
    return std::ranges::any_of(c_.operations_of(read), [&](const Operation& o) {
      const auto known = checkers_.find({site, o.object});
      return known != checkers_.end() && known->second == kSeveral;
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
    if (!is_written_by_others(read) && !is_checked_by_others(read)) return; // nothing of it can be lost
    const std::uint32_t from = trace_.events[first.event].site, to = trace_.events[last.event].site;
    // A function that was inlined has no activation, but its name is at the sites.
    const std::string_view shared = trace::common_function(trace_, from, to);
    const std::string function = shared.empty() ? trace_.sites[around].function : std::string(shared);
    const Lines lines{function, line_of(trace_.sites[from]), line_of(trace_.sites[to])};
    if (++own.seen[lines] > kMaxOfLines) return;
    blocks_.push_back({first.thread, first.event, last.event, first.place, last.place + 1, true, function});
  }

  const trace::Trace& trace_;
  const Computation& c_;
  const CriticalSections held_;
  std::vector<Thread> threads_;
  std::vector<std::uint32_t> writers_; // by location: the only thread that writes it
  // By site and location, of locations that one thread writes: the only thread that reads there.
  absl::flat_hash_map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> checkers_;
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

bool is_marked(const std::vector<Block>& marked, const Block& block) {
  return std::ranges::any_of(marked, [&](const Block& around) {
    return around.thread == block.thread && around.first <= block.first && block.last <= around.last;
  });
}

// Another thread that reads the same memory in the same line runs the same code. In this run it
// found nothing to do (the money was gone), in another one it may write between the two accesses.
// Only creation and joining keep it apart: values and locks may be others then.
class SameCheck {
public:
  SameCheck(const trace::Trace& trace, const std::vector<Block>& blocks) : trace_(trace) {
    absl::flat_hash_map<std::uint32_t, std::vector<const Block*>> by_site; // of those without one so far
    for (const Block& block : blocks) by_site[trace.events[block.begin].site].push_back(&block);
    for (std::uint32_t i = 0; i < trace.events.size(); ++i) {
      const auto some = by_site.find(trace.events[i].site);
      if (some == by_site.end()) continue;
      std::erase_if(some->second,
                    [&](const Block* block) { return is_same(i, *block) && common_.insert(block->begin).second; });
      if (some->second.empty()) by_site.erase(some);
    }
  }

  // Of another thread; kNoOther: there is none.
  std::uint32_t of(const Block& block) const {
    if (!common_.contains(block.begin)) return kNoOther;
    for (std::uint32_t i = block.begin; i < block.end; ++i)
      if (is_same(i, block)) return i;
    std::vector<bool> apart = only(block.thread);
    for (std::uint32_t i = block.end; i < trace_.events.size(); ++i) {
      const trace::Event& e = trace_.events[i];
      if (e.kind == trace::EventKind::Fork && apart[e.thread] && is_thread(e)) apart[e.value] = true;
      if (e.kind == trace::EventKind::Join && is_thread(e) && apart[e.value]) apart[e.thread] = true;
      if (!apart[e.thread] && is_same(i, block)) return i;
    }
    apart = only(block.thread);
    for (std::uint32_t i = block.begin; i-- > 0;) {
      const trace::Event& e = trace_.events[i];
      if (e.kind == trace::EventKind::Fork && is_thread(e) && apart[e.value]) apart[e.thread] = true;
      if (e.kind == trace::EventKind::Join && apart[e.thread] && is_thread(e)) apart[e.value] = true;
      if (!apart[e.thread] && is_same(i, block)) return i;
    }
    return kNoOther;
  }

private:
  std::vector<bool> only(std::uint32_t thread) const {
    std::vector<bool> out(trace_.threads.size());
    out[thread] = true;
    return out;
  }
  bool is_thread(const trace::Event& e) const { return !e.has(trace::kFailed) && e.value < trace_.threads.size(); }
  bool is_same(std::uint32_t event, const Block& block) const {
    const trace::Event &e = trace_.events[event], &read = trace_.events[block.begin];
    return e.thread != block.thread && e.site == read.site && trace::reads_memory(e.kind) && trace::overlap(e, read);
  }

  const trace::Trace& trace_;
  absl::flat_hash_set<std::uint32_t> common_; // first events of the blocks that some other thread reads, too
};

Suggestion suggestion(const Block& block, std::uint32_t between, const char* what) {
  return {{witness::FindingKind::Atomicity,
           {{block.begin, Role::BlockBegin}, {block.end, Role::BlockEnd}, {between, Role::Interleaved}},
           fmt::format("{}; is {} meant to be atomic? (SOOTH_ATOMIC, --atomic)", what,
                       block.name.empty() ? "this" : block.name)},
          block.name};
}

using Told = std::map<Lines, Suggestion>;

void tell_same_checks(const trace::Trace& trace, const std::vector<Block>& blocks, Told& told) {
  const SameCheck same(trace, blocks);
  for (const Block& block : blocks) {
    const Lines lines = lines_of(trace, block);
    if (told.contains(lines)) continue;
    if (const std::uint32_t other = same.of(block); other != kNoOther)
      told.emplace(lines, suggestion(block, other,
                                     "another thread makes the first access, too (the third), and may write between "
                                     "the first two, which are in different critical sections of one lock"));
  }
}

// Asks the model for runs in which another thread's write comes between. These are told instead of
// what is known.
void tell_interrupted(const trace::Trace& trace, const Computation& computation, const Feasibility& asked,
                      const Limits& limits, std::vector<Block> blocks, Told& told) {
  drop_overlapping(blocks);
  blocks.resize(std::min(blocks.size(), kMaxQuestions));
  if (blocks.empty()) return;
  const BlockSet set(trace, computation, std::move(blocks), AtomicityRule::View, asked.index());
  BlockFindings findings(trace);
  Coverage own;
  own.list = true;
  find_interleavings(set, asked, limits, std::vector<bool>(set.blocks.size(), false), true, findings, own);
  std::vector<std::vector<witness::Place>> broken;
  for (witness::Finding& finding : findings.take()) broken.push_back(std::move(finding.places));
  for (Candidate& candidate : own.listed) broken.push_back(std::move(candidate.places));
  std::set<Lines> interrupted;
  for (const std::vector<witness::Place>& places : broken) {
    const trace::Event& between = trace.events[places[2].event];
    if (!trace::writes_memory(between.kind) || !trace::overlap(between, trace.events[places[0].event])) continue;
    const Block& block = *std::ranges::find(set.blocks, places[0].event, &Block::begin);
    const Block whole{block.thread, places[0].event, places[1].event, block.first, block.last, true, block.name};
    const Lines lines = lines_of(trace, block);
    if (interrupted.insert(lines).second)
      told.insert_or_assign(lines, suggestion(whole, places[2].event,
                                              "the third, of another thread, may come between the first two, which "
                                              "are in different critical sections of one lock"));
  }
}

// Reads and later writes of one variable.
std::vector<Suggestion> suggest_updates(const trace::Trace& trace, const Computation& computation,
                                        const Feasibility& feasibility, const Limits& limits,
                                        const std::vector<Block>& marked, bool list) {
  std::vector<Block> blocks = Stretches(trace, computation).run();
  if (blocks.empty()) return {};
  std::erase_if(blocks, [&](const Block& block) { return is_marked(marked, block); });
  Told told;
  tell_same_checks(trace, blocks, told);
  const auto [known, unknown] = [&] {
    std::pair<std::vector<Block>, std::vector<Block>> out;
    for (const Block& block : blocks) (told.contains(lines_of(trace, block)) ? out.first : out.second).push_back(block);
    return out;
  }();
  if (!unknown.empty() || (list && !known.empty())) {
    const bool maximal = !feasibility.is_sliced() && feasibility.index().model == witness::Model::Maximal;
    const auto other = maximal ? nullptr : make_feasibility(computation, witness::Model::Maximal, limits);
    const Feasibility& asked = maximal ? feasibility : *other;
    tell_interrupted(trace, computation, asked, limits, unknown, told);
    if (list) tell_interrupted(trace, computation, asked, limits, known, told);
  }
  std::vector<Suggestion> out;
  for (auto& [lines, candidate] : told) out.push_back(std::move(candidate));
  std::ranges::sort(out, {}, [](const Candidate& candidate) { return candidate.places.front().event; });
  return out;
}

// Two variables that belong together.
void suggest_invariants(const trace::Trace& trace, const Computation& computation, const Feasibility& feasibility,
                        const std::vector<Block>& marked, std::vector<Suggestion>& out) {
  std::set<Lines> told;
  for (const SplitInvariant& split : find_split_invariants(trace, computation, feasibility)) {
    const Block& block = split.block;
    if (is_marked(marked, block)) continue;
    if (!told.insert(lines_of(trace, block)).second) continue;
    out.push_back(suggestion(block, split.other,
                             split.is_overwritten
                                 ? "another thread writes both variables, too (the third), and may come between the "
                                   "first two, which are in different critical sections of one lock"
                                 : "the third, of another thread, is in a critical section that has both variables, "
                                   "and may come between the first two, which are in different sections of that lock"));
  }
}

// Two operations on one atomic variable.
void suggest_atomics(const trace::Trace& trace, const Computation& computation, const Feasibility& feasibility,
                     const std::vector<Block>& marked, std::vector<Suggestion>& out) {
  std::set<Lines> told;
  for (const SplitAtomic& split : find_split_atomics(trace, computation, feasibility))
    if (!is_marked(marked, split.block) && told.insert(lines_of(trace, split.block)).second)
      out.push_back(suggestion(split.block, split.other,
                               "the third, of another thread, may come between the first two, which are atomic each "
                               "for itself, and is then overwritten"));
}

} // namespace

std::vector<Suggestion> suggest_blocks(const trace::Trace& trace, const Computation& computation,
                                       const Feasibility& feasibility, const Limits& limits,
                                       const std::vector<std::string>& functions, bool list) {
  const std::vector<Block> marked = collect_blocks(trace, computation, functions);
  std::vector<Suggestion> out = suggest_updates(trace, computation, feasibility, limits, marked, list);
  suggest_invariants(trace, computation, feasibility, marked, out);
  suggest_atomics(trace, computation, feasibility, marked, out);
  return out;
}

} // namespace sooth::predict
