#include "predict/atomicity/interleavings.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "predict/atomicity/changed_runs.h"
#include "predict/atomicity/critical_sections.h"
#include "predict/atomicity/interleaved_runs.h"
#include "predict/question/must_order.h"

namespace sooth::predict {
namespace {

using witness::Role;

constexpr std::size_t kMaxAccesses = 64; // of a block that are paired

class Interleavings {
public:
  Interleavings(const BlockSet& set, const Feasibility& feasibility, const Limits& limits,
                const std::vector<bool>& broken, bool suspects, BlockFindings& findings, Coverage& coverage)
      : suspects_(suspects), set_(set), c_(set.computation), feasibility_(feasibility), limits_(limits),
        broken_(broken), findings_(findings), coverage_(coverage), must_(set.trace, set.computation),
        held_(set.computation), questions_(set, coverage), runs_(set, feasibility, findings, coverage) {}

  void run() {
    for (std::size_t b = 0; b < set_.blocks.size() && !exhausted_; ++b) look_at(b);
  }

private:
  void look_at(std::size_t b) {
    const Block& block = set_.blocks[b];
    if (!block.interruptible() || broken_[b]) return;
    looked_at_ = false;
    std::vector<StepId> accesses;
    for (std::uint32_t place = block.first; place < block.last; ++place)
      if (const StepId step = set_.step(block, place); set_.accesses_memory(step)) accesses.push_back(step);
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

  static bool reads(const Operation& o) { return o.kind == OperationKind::Read; }
  static bool writes(const Operation& o) { return o.kind == OperationKind::Write; }

  // What other threads have that conflicts with both accesses, in their order or within one block.
  void between(std::size_t b, StepId before, StepId after) {
    for (std::uint32_t thread = 0; thread < c_.threads.size(); ++thread) {
      if (thread == set_.blocks[b].thread) continue;
      // What comes first must not come before `before` in every run; what comes last, not behind
      // `after`. A thread's steps that do stand at its beginning, or at its end.
      const Reach reach{places_in(thread, [&](StepId step) { return must_.precedes(step, before); }),
                        places_in(thread, [&](StepId step) { return !must_.precedes(after, step); })};
      if (!between(b, before, after, thread, reach)) return;
    }
  }
  struct Reach { // places of a thread
    std::uint32_t first = 0, last = 0;
  };
  // False if no more may be asked.
  bool between(std::size_t b, StepId before, StepId after, std::uint32_t thread, Reach reach) {
    const std::uint32_t none = static_cast<std::uint32_t>(c_.threads[thread].steps.size());
    const std::vector<StepId> begins = conflicting(before, thread, {reach.first, none});
    if (begins.empty()) return true;
    const std::uint32_t block_begin = begin_of_block(begins.front());
    for (const StepId end : conflicting(after, thread, {block_begin, reach.last})) {
      // The nearest one that does not come later, and any later one of the same block.
      const auto later = std::ranges::upper_bound(begins, end);
      if (later != begins.begin() && !ask(b, {before, *(later - 1), end, after})) return false;
      for (auto it = later; it != begins.end() && same_block(*it, end); ++it)
        if (!ask(b, {before, *it, end, after})) return false;
    }
    return true;
  }
  bool same_block(StepId one, StepId other) const {
    return set_.block_of[one] != BlockSet::kNoBlock && set_.block_of[one] == set_.block_of[other];
  }
  // The place of the step, or of the first one of its block.
  std::uint32_t begin_of_block(StepId step) const {
    const std::size_t block = set_.block_of[step];
    return block == BlockSet::kNoBlock ? c_.steps[step].place : set_.blocks[block].first;
  }
  // So many steps at the thread's beginning are like this, and none behind them is.
  template <typename F>
  std::uint32_t places_in(std::uint32_t thread, F&& like_this) const {
    const std::vector<StepId>& own = c_.threads[thread].steps;
    return static_cast<std::uint32_t>(std::partition_point(own.begin(), own.end(), like_this) - own.begin());
  }

  // Ascending: the thread's steps at these places that conflict with the step.
  std::vector<StepId> conflicting(StepId step, std::uint32_t thread, Reach reach) const {
    std::vector<StepId> out;
    const auto add = [&](std::span<const Access> all) {
      const auto place = [&](const Access& access) { return c_.steps[access.step].place; };
      for (auto it = std::ranges::lower_bound(all, reach.first, {}, place); it != all.end() && place(*it) < reach.last;
           ++it)
        out.push_back(it->step);
    };
    for (const Operation& o : c_.operations_of(step)) {
      if ((!reads(o) && !writes(o)) || set_.is_unknown(o.object)) continue;
      const auto others = set_.index.locations[o.object].threads;
      const auto own = std::ranges::find(others, thread, &ThreadAccesses::thread);
      if (own == others.end()) continue;
      add(own->writes);
      if (writes(o)) add(own->reads);
    }
    std::ranges::sort(out);
    out.erase(std::unique(out.begin(), out.end()), out.end());
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
    for (const CriticalSections::Held& own : held_.at(way.before)) {
      if (!held_.has(way.after, own)) continue;
      const auto needs = [&](StepId step) {
        return std::ranges::any_of(held_.at(step), [&](const CriticalSections::Held& other) {
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
    return runs_.breaks(b, way, run, answer.tier, {}) || runs_.breaks(b, way, short_of(run, question), answer.tier, {});
  }

  // The block comes to its second access, and reads something else.
  bool block_reads(std::size_t b, const Between& way, bool& possible) {
    if (!set_.has(way.after, OperationKind::Read)) return false;
    const Question question{{way.after}, {way.first, way.last}, {{way.before, way.first}}, {}};
    const Answer answer = put(question, b, way);
    if (answer.truth != Truth::Yes) return false;
    const std::vector<StepId> whole = answer.run;
    for (const std::vector<StepId>& run : {whole, without_restoring(whole, way), short_of(whole, question)}) {
      const Execution execution = after(feasibility_.index(), run);
      if (!runs_.sees_something_else(execution, way.after)) continue;
      possible = true;
      if (runs_.breaks(b, way, run, answer.tier, {way.after})) return true;
    }
    return false;
  }

  // The other thread comes to its access in the middle of the block, and reads something else.
  bool other_reads(std::size_t b, const Between& way, bool& possible) {
    if (!set_.has(way.last, OperationKind::Read) || way.first > way.last) return false;
    // A read-modify-write writes, too, and what comes after it is not known.
    if (set_.has(way.last, OperationKind::Write)) return false;
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
      for (const std::vector<StepId>& run : {whole, short_of(whole, some)}) {
        const Execution execution = after(feasibility_.index(), run);
        if (!runs_.sees_something_else(execution, way.last) || !execution.allows(way.after, {})) continue;
        possible = true;
        if (runs_.breaks(b, way, run, answer.tier, {way.last, way.after})) return true;
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

  // Other threads stop before they write again what the block reads next.
  std::vector<StepId> without_restoring(const std::vector<StepId>& run, const Between& way) const {
    return without_writes_after(feasibility_.index(), run, way.last, way.after, [&](StepId step) {
      return std::ranges::any_of(c_.operations_of(way.after), [&](const Operation& o) {
        return reads(o) && set_.accesses(step, o.object, OperationKind::Write);
      });
    });
  }
  std::vector<StepId> short_of(const std::vector<StepId>& run, const Question& question) const {
    return shortest(feasibility_.index(), run, question);
  }

  Answer put(const Question& question, std::size_t b, const Between& way) {
    ++coverage_.questions;
    const Answer answer = feasibility_.ask(question);
    if (answer.truth == Truth::Undecided) undecided(set_.blocks[b], way, answer.reason);
    return answer;
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
      const bool free = set_.block_of[id] != BlockSet::kNoBlock && !set_.has(id, OperationKind::Write);
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
  const CriticalSections held_;
  BlockQuestions questions_;
  InterleavedRuns runs_;
  bool looked_at_ = false, may_look_at_ = true; // the block under way
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
