#include "predict/atomicity/interleaved_runs.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "predict/atomicity/changed_runs.h"
#include "predict/question/witness_of.h"

namespace sooth::predict {

using witness::Finding;
using witness::Role;

bool InterleavedRuns::breaks(std::size_t b, const Between& way, std::vector<StepId> run, const char* tier,
                             const std::vector<StepId>& next) {
  const Block& block = set_.blocks[b];
  std::vector<std::uint32_t> standing;
  for (const StepId step : next) standing.push_back(c_.steps[step].thread);
  if (next.empty()) complete_blocks(set_, feasibility_.index(), run, standing, block.thread);
  if (judge(b, way, run, tier, next, false)) return true;
  const bool moved = complete_blocks(set_, feasibility_.index(), run, standing);
  if (!moved && next.empty()) return judge(b, way, run, tier, next, true);
  // On their way they may have restored what the block saw: then it goes on as it did.
  if (moved && !next.empty() && !sees_something_else(after(feasibility_.index(), run), next[0])) return false;
  return judge(b, way, run, tier, next, false) || judge(b, way, run, tier, next, true);
}

bool InterleavedRuns::judge(std::size_t b, const Between& way, const std::vector<StepId>& run, const char* tier,
                            std::vector<StepId> next, bool together) {
  const Block& block = set_.blocks[b];
  RunEvents events = set_.events_of(feasibility_.index(), run);
  std::vector<std::uint32_t> positions(c_.threads.size(), 0);
  for (const StepId step : run) ++positions[c_.steps[step].thread];
  Part part = BlockSet::part_of(block);
  if (next.empty() && positions[block.thread] < block.last) {
    // It stands before a read that would see something else; otherwise the block is not over, and
    // nobody knows how it will be.
    next = {set_.step(block, positions[block.thread])};
    Execution execution = after(feasibility_.index(), run);
    if (!set_.has(next[0], OperationKind::Read) || !sees_something_else(execution, next[0]) || !set_.nameable(next[0]))
      return false;
  }
  if (!next.empty()) events.diverge(next[0]);
  if (next.size() == 1) part.end = c_.steps[next[0]].place + 1;
  if (next.size() > 1) { // the block goes on to its end
    const std::vector<StepId> rest = rest_of(block, run, next[1]);
    if (rest.empty()) return false;
    for (const StepId step : rest) events.take(step);
    positions[block.thread] += static_cast<std::uint32_t>(rest.size());
  }
  std::vector<std::size_t> others;
  if (together) {
    others = overlapping(b, run, positions, next);
    if (others.empty()) return false;
  }
  const auto serial = [&](const std::vector<std::size_t>& some) {
    std::vector<Part> parts{part};
    for (const std::size_t other : some) parts.push_back(cut(set_.blocks[other], positions, next));
    return parts.size() > kMaxParts ? Truth::Undecided : set_.serial_in(events, parts);
  };
  Truth truth = serial(others);
  if (truth == Truth::No && !others.empty()) {
    // Those that are broken by themselves prove nothing about this one.
    std::erase_if(others, [&](std::size_t other) {
      return set_.serial_in(events, {cut(set_.blocks[other], positions, next)}) == Truth::No;
    });
    truth = others.empty() ? Truth::Yes : serial(others);
  }
  if (truth == Truth::Undecided) coverage_.undecided_because("the search for a serial order was given up");
  if (truth != Truth::No) return false;
  report(block, way, run, tier, next, fewest(others, 0, 1, serial));
  return true;
}

std::vector<StepId> InterleavedRuns::rest_of(const Block& block, const std::vector<StepId>& run, StepId from) const {
  Execution execution = after(feasibility_.index(), run);
  std::vector<StepId> rest;
  for (std::uint32_t place = c_.steps[from].place; place < block.last; ++place) {
    const StepId step = set_.step(block, place);
    if (!execution.allows(step, {}) || !execution.sees_what_it_saw(step)) return {};
    execution.take(step);
    rest.push_back(step);
  }
  return rest;
}

Part InterleavedRuns::cut(const Block& block, const std::vector<std::uint32_t>& positions,
                          const std::vector<StepId>& next) const {
  Part part = BlockSet::part_of(block);
  std::uint32_t end = positions[block.thread];
  if (!next.empty() && c_.steps[next[0]].thread == block.thread) ++end; // and the read that sees something else
  part.end = std::min(part.end, end);
  return part;
}

std::vector<std::size_t> InterleavedRuns::overlapping(std::size_t b, const std::vector<StepId>& run,
                                                      const std::vector<std::uint32_t>& positions,
                                                      const std::vector<StepId>& next) const {
  struct Span {
    std::size_t block;
    std::size_t begin, end; // in the run
  };
  std::map<std::size_t, Span> spans;
  const auto see = [&](StepId step, std::size_t at) {
    const std::size_t block = set_.block_of[step];
    if (block == BlockSet::kNoBlock) return;
    spans.try_emplace(block, Span{block, at, at}).first->second.end = at;
  };
  for (std::size_t i = 0; i < run.size(); ++i) see(run[i], i);
  for (std::size_t i = 0; i < next.size(); ++i) see(next[i], run.size() + i);
  const auto finished = [&](const Block& block) {
    const bool diverges = !next.empty() && c_.steps[next[0]].thread == block.thread;
    return positions[block.thread] >= block.last || diverges;
  };
  const std::size_t own = set_.block_of[set_.step(set_.blocks[b], set_.blocks[b].first)];
  std::set<std::size_t> in{own};
  for (bool grown = true; grown;) {
    grown = false;
    for (const auto& [block, span] : spans) {
      if (in.contains(block) || !finished(set_.blocks[block])) continue;
      const bool overlaps = std::ranges::any_of(in, [&, s = span](std::size_t other) {
        const auto it = spans.find(other);
        return it != spans.end() && s.begin < it->second.end && it->second.begin < s.end;
      });
      if (overlaps) grown |= in.insert(block).second;
    }
  }
  in.erase(own);
  return {in.begin(), in.end()};
}

void InterleavedRuns::report(const Block& block, const Between& way, const std::vector<StepId>& run, const char* tier,
                             const std::vector<StepId>& next, const std::vector<std::size_t>& others) {
  std::vector<const Block*> involved{&block};
  for (const std::size_t b : others) involved.push_back(&set_.blocks[b]);
  // If nobody comes into this block, it came into another one.
  StepId inside = kNoStep;
  for (std::size_t i = 0; i < involved.size() && inside == kNoStep; ++i) {
    std::swap(involved[0], involved[i]);
    inside = inside_of(*involved[0], way, run, next);
  }
  if (inside == kNoStep) return;
  Finding finding;
  finding.kind = witness::FindingKind::Atomicity;
  finding.engine = tier;
  finding.property = involved[0]->name;
  finding.places = {{involved[0]->begin, Role::BlockBegin},
                    {involved[0]->end, Role::BlockEnd},
                    {c_.steps[inside].event, Role::Interleaved}};
  const bool own = involved[0] == &block;
  if (const StepId access = own ? next.empty() ? way.after : next.back() : kNoStep; access != kNoStep)
    finding.places.push_back({c_.steps[access].event, Role::Access});
  std::string names = involved[0]->name;
  for (std::size_t i = 1; i < involved.size(); ++i) {
    names += ", " + involved[i]->name;
    finding.places.push_back({involved[i]->begin, Role::BlockBegin});
    finding.places.push_back({involved[i]->end, Role::BlockEnd});
  }
  if (!others.empty()) finding.note = "Each of these blocks can be in one piece, but not all at once: " + names + ".";
  std::vector<std::uint32_t> events;
  for (const StepId step : next) events.push_back(c_.steps[step].event);
  finding.witness = witness_of(c_, set_.trace, run, events);
  findings_.add(std::move(finding), c_.steps[inside].event);
}

StepId InterleavedRuns::inside_of(const Block& block, const Between& way, const std::vector<StepId>& run,
                                  const std::vector<StepId>& next) const {
  std::vector<StepId> inside;
  bool begun = false, over = false;
  const auto see = [&](StepId step) {
    if (c_.steps[step].thread == block.thread) {
      begun |= c_.steps[step].place >= block.first;
      over |= c_.steps[step].place + 1 >= block.last;
    } else if (begun && !over && set_.nameable(step) && set_.accesses_memory(step)) {
      inside.push_back(step);
    }
  };
  std::ranges::for_each(run, see);
  std::ranges::for_each(next, see);
  for (const StepId wanted : {way.last, way.first})
    if (std::ranges::find(inside, wanted) != inside.end()) return wanted;
  return inside.empty() ? kNoStep : inside.back();
}

bool InterleavedRuns::sees_something_else(const Execution& execution, StepId step) const {
  return std::ranges::any_of(c_.operations_of(step), [&](const Operation& o) {
    return o.kind == OperationKind::Read && !set_.is_unknown(o.object) && !execution.is_tainted(o.object) &&
           now(execution, o.object) != kAnyValue && now(execution, o.object) != o.value;
  });
}

std::uint32_t InterleavedRuns::now(const Execution& execution, std::uint32_t location) const {
  const std::uint32_t there = execution.memory(location);
  if (!feasibility_.index().reads_identity()) return there;
  if (there == kNoStep) return c_.locations[location].initial;
  for (const Operation& o : c_.operations_of(there))
    if (o.kind == OperationKind::Write && o.object == location) return o.value;
  return kAnyValue;
}

} // namespace sooth::predict
