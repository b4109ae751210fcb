#include "predict/atomicity/interleavings.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "predict/question/execution.h"
#include "predict/question/must_order.h"
#include "predict/question/witness_of.h"

namespace sooth::predict {
namespace {

using witness::Finding;
using witness::Role;

constexpr std::size_t kMaxAccesses = 64; // of a block that are paired

// Other threads' accesses that come after one access of the block and before another one.
struct Between {
  StepId before = kNoStep; // of the block
  StepId first = kNoStep;  // of the other thread, after it; conflicts with it
  StepId last = kNoStep;   // of the other thread, before `after`; conflicts with it. May be `first`
  StepId after = kNoStep;  // of the block
};

// The critical sections that each step is in.
class Sections {
public:
  struct Held {
    std::uint32_t lock = 0;
    StepId since = kNoStep;
    bool exclusive = false;
    friend bool operator==(const Held&, const Held&) = default;
  };

  explicit Sections(const Computation& c) : set_of_(c.steps.size(), 0), sets_(1) {
    std::vector<std::size_t> now(c.threads.size(), 0);
    for (StepId id = 0; id < c.steps.size(); ++id) {
      std::size_t& mine = now[c.steps[id].thread];
      set_of_[id] = mine;
      for (const Operation& o : c.operations_of(id)) {
        const bool begins = o.kind == OperationKind::Acquire || o.kind == OperationKind::AcquireShared;
        if (!begins && o.kind != OperationKind::Release && o.kind != OperationKind::ReleaseShared) continue;
        std::vector<Held> held = sets_[mine];
        std::erase_if(held, [&](const Held& h) { return h.lock == o.object; });
        if (begins) held.push_back({o.object, id, o.kind == OperationKind::Acquire});
        mine = held.empty() ? 0 : sets_.size();
        if (mine != 0) sets_.push_back(std::move(held));
      }
    }
  }
  const std::vector<Held>& at(StepId step) const { return sets_[set_of_[step]]; }
  bool has(StepId step, const Held& section) const { return std::ranges::find(at(step), section) != at(step).end(); }

private:
  std::vector<std::size_t> set_of_; // by step
  std::vector<std::vector<Held>> sets_;
};

class Interleavings {
public:
  Interleavings(const BlockSet& set, const Feasibility& feasibility, const Limits& limits,
                const std::vector<bool>& broken, bool suspects, BlockFindings& findings, Coverage& coverage)
      : suspects_(suspects), set_(set), c_(set.computation), feasibility_(feasibility), limits_(limits),
        broken_(broken), findings_(findings), coverage_(coverage), must_(set.trace, set.computation),
        held_(set.computation), questions_(set, coverage) {
    block_of_.assign(c_.steps.size(), kNoBlock);
    for (std::size_t b = 0; b < set.blocks.size(); ++b)
      if (set.blocks[b].outermost)
        for (std::uint32_t place = set.blocks[b].first; place < set.blocks[b].last; ++place)
          block_of_[set.step(set.blocks[b], place)] = b;
  }

  void run() {
    for (std::size_t b = 0; b < set_.blocks.size() && !exhausted_; ++b) look_at(b);
  }

private:
  static constexpr std::size_t kNoBlock = SIZE_MAX;

  void look_at(std::size_t b) {
    const Block& block = set_.blocks[b];
    if (!block.interruptible() || broken_[b]) return;
    looked_at_ = false;
    std::vector<StepId> accesses;
    for (std::uint32_t place = block.first; place < block.last; ++place)
      if (const StepId step = set_.step(block, place); touches_memory(step)) accesses.push_back(step);
    if (accesses.size() > kMaxAccesses) {
      coverage_.undecided_because("a block has more accesses than are looked at");
      accesses.resize(kMaxAccesses);
    }
    // Neighbours first: the shortest interleaving says most.
    for (std::size_t distance = 1; distance < accesses.size(); ++distance)
      for (std::size_t i = 0; i + distance < accesses.size(); ++i)
        if (!exhausted_ && !skipped()) between(b, accesses[i], accesses[i + distance]);
  }
  bool skipped() const { return looked_at_ && !may_look_at_; }

  bool touches_memory(StepId step) const {
    return std::ranges::any_of(c_.operations_of(step), [&](const Operation& o) {
      return (reads(o) || writes(o)) && !set_.is_unknown(o.object);
    });
  }
  static bool reads(const Operation& o) { return o.kind == OperationKind::Read; }
  static bool writes(const Operation& o) { return o.kind == OperationKind::Write; }

  // What other threads have that conflicts with both accesses, in their order or within one block.
  void between(std::size_t b, StepId before, StepId after) {
    std::map<std::uint32_t, std::vector<StepId>> first = conflicting(before), last = conflicting(after);
    for (auto& [thread, ends] : last) {
      const auto begins = first.find(thread);
      if (begins == first.end()) continue;
      for (const StepId end : ends) {
        if (must_.precedes(after, end)) continue;
        // The nearest one that does not come later, and any later one of the same block.
        const auto later = std::ranges::upper_bound(begins->second, end);
        if (later != begins->second.begin() && !ask(b, {before, *(later - 1), end, after})) return;
        for (auto it = later; it != begins->second.end() && same_block(*it, end); ++it)
          if (!ask(b, {before, *it, end, after})) return;
      }
    }
  }
  bool same_block(StepId one, StepId other) const {
    return block_of_[one] != kNoBlock && block_of_[one] == block_of_[other];
  }

  // By thread, ascending: steps of others that conflict with this one.
  std::map<std::uint32_t, std::vector<StepId>> conflicting(StepId step) const {
    std::map<std::uint32_t, std::vector<StepId>> out;
    for (const Operation& o : c_.operations_of(step)) {
      if ((!reads(o) && !writes(o)) || set_.is_unknown(o.object)) continue;
      for (const ThreadAccesses& other : set_.index.locations[o.object].threads) {
        if (other.thread == c_.steps[step].thread) continue;
        std::vector<StepId>& steps = out[other.thread];
        for (const Access& access : other.writes) steps.push_back(access.step);
        if (writes(o))
          for (const Access& access : other.reads) steps.push_back(access.step);
      }
    }
    for (auto& [thread, steps] : out) {
      std::ranges::sort(steps);
      steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
    }
    return out;
  }

  // False if no more may be asked.
  bool ask(std::size_t b, const Between& way) {
    if (!set_.nameable(way.first) || !set_.nameable(way.last) || !set_.nameable(way.after)) return true;
    if (must_.precedes(way.first, way.before) || must_.precedes(way.after, way.last) || excluded(way)) return true;
    const Block& block = set_.blocks[b];
    const BlockQuestions::Key key = questions_.key_of(block, way.after, way.last);
    if (found_.contains(key) || findings_.has(block, c_.steps[way.last].event)) return true;
    if (!looked_at_) may_look_at_ = questions_.may_look_at(block);
    looked_at_ = true;
    if (!may_look_at_) return false;
    const BlockQuestions::May may = questions_.ask(key, questions_.key_of(block, way.before, way.first));
    exhausted_ = may == BlockQuestions::May::NoMore;
    if (may != BlockQuestions::May::Ask) return !exhausted_;
    ++coverage_.candidates;
    bool possible = false;
    const bool found = as_recorded(b, way, possible) || block_reads(b, way, possible) || other_reads(b, way, possible);
    if (found) found_.insert(key);
    else if (!possible) suspect(block, way, key);
    return true;
  }

  // The block has a lock all the time that the others need in between.
  bool excluded(const Between& way) const {
    for (const Sections::Held& own : held_.at(way.before)) {
      if (!held_.has(way.after, own)) continue;
      const auto needs = [&](StepId step) {
        return std::ranges::any_of(held_.at(step), [&](const Sections::Held& other) {
          const bool excludes = other.lock == own.lock && (other.exclusive || own.exclusive);
          // Around the block, it may be taken twice.
          return excludes && (way.first <= way.last || (held_.has(way.first, other) && held_.has(way.last, other)));
        });
      };
      if (needs(way.first) || needs(way.last)) return true;
    }
    return false;
  }

  std::vector<causality::Order> sequence(const Between& way) const {
    return {{way.before, way.first}, {way.last, way.after}};
  }

  // Everything happens as it did, but for the order; under `full` with values that nobody knows.
  bool as_recorded(std::size_t b, const Between& way, bool& possible) {
    const Question question{{}, {way.first, way.last, way.after}, sequence(way), {}};
    const Answer answer = put(question, b, way);
    if (answer.truth != Truth::Yes) return false;
    possible = true;
    std::vector<StepId> run = answer.run;
    return breaks(b, way, run, answer.tier, {}) || breaks(b, way, shortest(run, question), answer.tier, {});
  }

  // The block comes to its second access, and reads something else.
  bool block_reads(std::size_t b, const Between& way, bool& possible) {
    if (!has(way.after, OperationKind::Read)) return false;
    const Question question{{way.after}, {way.first, way.last}, {{way.before, way.first}}, {}};
    const Answer answer = put(question, b, way);
    if (answer.truth != Truth::Yes) return false;
    const std::vector<StepId> whole = answer.run;
    for (const std::vector<StepId>& run : {whole, without_writes_after(whole, way), shortest(whole, question)}) {
      Execution execution(feasibility_.index());
      for (const StepId step : run) execution.take(step);
      if (!sees_something_else(execution, way.after)) continue;
      possible = true;
      if (breaks(b, way, run, answer.tier, {way.after})) return true;
    }
    return false;
  }

  // The other thread comes to its access in the middle of the block, and reads something else.
  bool other_reads(std::size_t b, const Between& way, bool& possible) {
    if (!has(way.last, OperationKind::Read) || way.first > way.last) return false;
    // A read-modify-write writes, too, and what comes after it is not known.
    if (has(way.last, OperationKind::Write)) return false;
    Question question{{way.last, way.after}, {way.before}, {}, {}};
    if (way.first != way.last) question.sequence.push_back({way.before, way.first});
    std::vector<Question> questions;
    // What the block has left is still there: the other thread's own writes came before.
    if (const StepId own = last_write_before(way.last, way.before); own != kNoStep && own < way.first) {
      questions.push_back(question);
      questions.back().sequence.push_back({own, way.before});
    }
    questions.push_back(question);
    for (const Question& some : questions) {
      const Answer answer = put(some, b, way);
      if (answer.truth != Truth::Yes) continue;
      const std::vector<StepId> whole = answer.run;
      for (const std::vector<StepId>& run : {whole, shortest(whole, some)}) {
        Execution execution(feasibility_.index());
        for (const StepId step : run) execution.take(step);
        if (!sees_something_else(execution, way.last) || !execution.allows(way.after, {})) continue;
        possible = true;
        if (breaks(b, way, run, answer.tier, {way.last, way.after})) return true;
      }
    }
    return false;
  }
  // The reader's thread's last write before it of something that the other step writes, too.
  StepId last_write_before(StepId reader, StepId other) const {
    const std::vector<StepId>& own = c_.threads[c_.steps[reader].thread].steps;
    for (std::uint32_t place = c_.steps[reader].place; place-- > 0;)
      for (const Operation& o : c_.operations_of(own[place]))
        if (writes(o) && set_.accesses(other, o.object, OperationKind::Write)) return own[place];
    return kNoStep;
  }

  Answer put(const Question& question, std::size_t b, const Between& way) {
    ++coverage_.questions;
    const Answer answer = feasibility_.ask(question);
    if (answer.truth == Truth::Undecided) undecided(set_.blocks[b], way, answer.reason);
    return answer;
  }

  bool has(StepId step, OperationKind kind) const {
    return std::ranges::any_of(c_.operations_of(step), [&](const Operation& o) { return o.kind == kind; });
  }
  bool sees_something_else(const Execution& execution, StepId step) const {
    return std::ranges::any_of(c_.operations_of(step), [&](const Operation& o) {
      return reads(o) && !set_.is_unknown(o.object) && !execution.is_tainted(o.object) &&
             now(execution, o.object) != kAnyValue && now(execution, o.object) != o.value;
    });
  }
  // The location's value, also under models that tell writes apart.
  std::uint32_t now(const Execution& execution, std::uint32_t location) const {
    const std::uint32_t there = execution.memory(location);
    if (!feasibility_.index().reads_identity()) return there;
    if (there == kNoStep) return c_.locations[location].initial;
    for (const Operation& o : c_.operations_of(there))
      if (writes(o) && o.object == location) return o.value;
    return kAnyValue;
  }

  // Judges a run after which the threads of `next` stand before these steps, and do them, in this
  // order: all but the block's own with other values than they saw.
  bool breaks(std::size_t b, const Between& way, std::vector<StepId> run, const char* tier,
              const std::vector<StepId>& next) {
    const Block& block = set_.blocks[b];
    std::vector<std::uint32_t> standing;
    for (const StepId step : next) standing.push_back(c_.steps[step].thread);
    if (next.empty()) go_on(run, standing, block.thread);
    if (judge(b, way, run, tier, next, false)) return true;
    if (!go_on(run, standing, kAllThreads) && next.empty()) return judge(b, way, run, tier, next, true);
    return judge(b, way, run, tier, next, false) || judge(b, way, run, tier, next, true);
  }

  bool judge(std::size_t b, const Between& way, const std::vector<StepId>& run, const char* tier,
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
      Execution execution(feasibility_.index());
      for (const StepId step : run) execution.take(step);
      if (!has(next[0], OperationKind::Read) || !sees_something_else(execution, next[0]) || !set_.nameable(next[0]))
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

  // The block's steps from this one on, which is next after the run; nothing if they do not happen
  // as they did.
  std::vector<StepId> rest_of(const Block& block, const std::vector<StepId>& run, StepId from) const {
    Execution execution(feasibility_.index());
    for (const StepId step : run) execution.take(step);
    std::vector<StepId> rest;
    for (std::uint32_t place = c_.steps[from].place; place < block.last; ++place) {
      const StepId step = set_.step(block, place);
      if (!execution.allows(step, {}) || !execution.sees_what_it_saw(step)) return {};
      execution.take(step);
      rest.push_back(step);
    }
    return rest;
  }

  // Up to the last step that it has made.
  Part cut(const Block& block, const std::vector<std::uint32_t>& positions, const std::vector<StepId>& next) const {
    Part part = BlockSet::part_of(block);
    std::uint32_t end = positions[block.thread];
    if (!next.empty() && c_.steps[next[0]].thread == block.thread) ++end; // and the read that sees something else
    part.end = std::min(part.end, end);
    return part;
  }

  static constexpr std::uint32_t kAllThreads = 0xffffffff;

  // Threads that are inside blocks go on to their ends, in the observed order, as far as they can;
  // those that stand do not. True if somebody moved.
  bool go_on(std::vector<StepId>& run, const std::vector<std::uint32_t>& standing, std::uint32_t only) const {
    Execution execution(feasibility_.index());
    for (const StepId step : run) execution.take(step);
    const auto inside = [&](std::uint32_t thread) {
      const StepId next = execution.next(thread);
      return next != kNoStep && block_of_[next] != kNoBlock &&
             execution.position(thread) > set_.blocks[block_of_[next]].first;
    };
    bool moved = false;
    for (;;) {
      StepId best = kNoStep;
      for (std::uint32_t t = 0; t < c_.threads.size(); ++t) {
        if ((only != kAllThreads && t != only) || std::ranges::find(standing, t) != standing.end() || !inside(t))
          continue;
        const StepId next = execution.next(t);
        if (next < best && execution.allows(next, {})) best = next;
      }
      if (best == kNoStep) return moved;
      execution.take(best);
      run.push_back(best);
      moved = true;
    }
  }

  // Outermost blocks of the run, over or ended by a read that sees something else, that are
  // entangled with this one: their steps and its, or those of other such blocks, alternate.
  std::vector<std::size_t> overlapping(std::size_t b, const std::vector<StepId>& run,
                                       const std::vector<std::uint32_t>& positions,
                                       const std::vector<StepId>& next) const {
    struct Span {
      std::size_t block;
      std::size_t begin, end; // in the run
    };
    std::map<std::size_t, Span> spans;
    const auto see = [&](StepId step, std::size_t at) {
      const std::size_t block = block_of_[step];
      if (block == kNoBlock) return;
      spans.try_emplace(block, Span{block, at, at}).first->second.end = at;
    };
    for (std::size_t i = 0; i < run.size(); ++i) see(run[i], i);
    for (std::size_t i = 0; i < next.size(); ++i) see(next[i], run.size() + i);
    const auto finished = [&](const Block& block) {
      const bool diverges = !next.empty() && c_.steps[next[0]].thread == block.thread;
      return positions[block.thread] >= block.last || diverges;
    };
    const std::size_t own = block_of_[set_.step(set_.blocks[b], set_.blocks[b].first)];
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

  void report(const Block& block, const Between& way, const std::vector<StepId>& run, const char* tier,
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

  // Another thread's access inside the block: one of those that were asked for, or any.
  StepId inside_of(const Block& block, const Between& way, const std::vector<StepId>& run,
                   const std::vector<StepId>& next) const {
    std::vector<StepId> inside;
    bool begun = false, over = false;
    const auto see = [&](StepId step) {
      if (c_.steps[step].thread == block.thread) {
        begun |= c_.steps[step].place >= block.first;
        over |= c_.steps[step].place + 1 >= block.last;
      } else if (begun && !over && set_.nameable(step) && touches_memory(step)) {
        inside.push_back(step);
      }
    };
    std::ranges::for_each(run, see);
    std::ranges::for_each(next, see);
    for (const StepId wanted : {way.last, way.first})
      if (std::ranges::find(inside, wanted) != inside.end()) return wanted;
    return inside.empty() ? kNoStep : inside.back();
  }

  // The same run, in which other threads stop before they write again what the block reads next; as
  // it is if the block needs them.
  std::vector<StepId> without_writes_after(const std::vector<StepId>& run, const Between& way) const {
    const std::uint32_t thread = c_.steps[way.after].thread;
    std::vector<bool> stopped(c_.threads.size(), false);
    std::vector<StepId> out;
    Execution execution(feasibility_.index());
    const auto restores = [&](StepId step) {
      return std::ranges::any_of(c_.operations_of(way.after), [&](const Operation& o) {
        return reads(o) && set_.accesses(step, o.object, OperationKind::Write);
      });
    };
    for (const StepId step : run) {
      const std::uint32_t t = c_.steps[step].thread;
      if (t != thread && execution.done(way.last) && restores(step)) stopped[t] = true;
      if (stopped[t]) continue;
      if (!execution.allows(step, {})) {
        if (t == thread) return run;
        stopped[t] = true;
        continue;
      }
      execution.take(step);
      out.push_back(step);
    }
    return execution.next(thread) == way.after ? out : run;
  }

  // The same run without what others do that neither the block nor the other access needs: the
  // fewer events, the fewer orders.
  std::vector<StepId> shortest(std::vector<StepId> run, const Question& question) const {
    for (std::uint32_t t = 0; t < c_.threads.size(); ++t) {
      std::vector<bool> stopped(c_.threads.size(), false);
      stopped[t] = true;
      std::vector<StepId> fewer;
      Execution execution(feasibility_.index());
      for (const StepId step : run) {
        const std::uint32_t thread = c_.steps[step].thread;
        if (stopped[thread]) continue;
        if (!execution.allows(step, question)) {
          stopped[thread] = true;
          continue;
        }
        execution.take(step);
        fewer.push_back(step);
      }
      if (satisfies(c_, question, execution.positions())) run = std::move(fewer);
    }
    return run;
  }

  // No run of the model has it. If only the values that blocks read of each other keep it away, the
  // program may do it all the same.
  void suspect(const Block& block, const Between& way, const BlockQuestions::Key& key) {
    if (!suspects_ || suspected_.contains(key)) return;
    if (!loose_) {
      free_ = with_free_reads();
      loose_ = make_feasibility(free_, witness::Model::Maximal, limits_);
    }
    ++coverage_.questions;
    const Answer answer = loose_->ask({{}, {way.first, way.last, way.after}, sequence(way), {}});
    if (answer.truth == Truth::No) return;
    suspected_.insert(key);
    undecided(block, way,
              answer.truth == Truth::Undecided ? answer.reason
                                               : "what a block does after it reads something else is not known");
  }

  // Reads inside of blocks, of what others write, see anything. A read-modify-write does not: what
  // it has read is what it changes.
  Computation with_free_reads() const {
    Computation out = c_;
    out.operations.clear();
    for (StepId id = 0; id < out.steps.size(); ++id) {
      const bool free = block_of_[id] != kNoBlock && !has(id, OperationKind::Write);
      out.steps[id].first_operation = static_cast<std::uint32_t>(out.operations.size());
      for (const Operation& o : c_.operations_of(id))
        if (!free || !reads(o)) out.operations.push_back(o);
      out.steps[id].operations = static_cast<std::uint32_t>(out.operations.size()) - out.steps[id].first_operation;
    }
    return out;
  }

  void undecided(const Block& block, const Between& way, const std::string& reason) {
    coverage_.undecided_about(witness::FindingKind::Atomicity,
                              {{block.begin, Role::BlockBegin},
                               {block.end, Role::BlockEnd},
                               {c_.steps[way.last].event, Role::Interleaved},
                               {c_.steps[way.after].event, Role::Access}},
                              reason);
  }

  const bool suspects_;
  const BlockSet& set_;
  const Computation& c_;
  const Feasibility& feasibility_;
  const Limits& limits_;
  const std::vector<bool>& broken_;
  BlockFindings& findings_;
  Coverage& coverage_;
  const MustOrder must_;
  const Sections held_;
  BlockQuestions questions_;
  bool looked_at_ = false, may_look_at_ = true; // the block under way
  std::vector<std::size_t> block_of_;           // by step: the outermost block that it is in
  std::set<BlockQuestions::Key> found_, suspected_;
  bool exhausted_ = false;
  Computation free_;                   // see with_free_reads
  std::unique_ptr<Feasibility> loose_; // about it
};

} // namespace

void find_interleavings(const BlockSet& set, const Feasibility& feasibility, const Limits& limits,
                        const std::vector<bool>& broken, bool suspects, BlockFindings& findings, Coverage& coverage) {
  Interleavings(set, feasibility, limits, broken, suspects, findings, coverage).run();
}

} // namespace sooth::predict
