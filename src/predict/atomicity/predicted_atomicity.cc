#include "predict/atomicity/predicted_atomicity.h"

#include <algorithm>
#include <map>
#include <span>
#include <tuple>

#include "predict/atomicity/changed_runs.h"
#include "predict/question/must_order.h"

namespace sooth::predict {
namespace {

using witness::Finding;
using witness::Role;

constexpr std::size_t kMaxTogether = 500; // searches for a serial order of several blocks

class Predicted {
public:
  Predicted(const BlockSet& set, const Feasibility& feasibility, const std::vector<bool>& broken,
            BlockFindings& findings, Coverage& coverage)
      : set_(set), c_(set.computation), feasibility_(feasibility), broken_(broken), findings_(findings),
        coverage_(coverage), must_(set.trace, set.computation), questions_(set, coverage) {}

  void run() {
    for (std::size_t b = 0; b < set_.blocks.size(); ++b) look_at(b);
  }

private:
  void look_at(std::size_t b) {
    const Block& block = set_.blocks[b];
    if (!block.interruptible() || broken_[b] || !questions_.may_look_at(block)) return;
    for (std::uint32_t place = block.first + 1; place < block.last; ++place)
      for (const Operation& o : c_.operations_of(set_.step(block, place)))
        if (o.kind == OperationKind::Read && !set_.is_unknown(o.object)) interrupt(block, place, o);
  }

  // Lets writes of other threads come before the read at `place`, after the block's first step.
  void interrupt(const Block& block, std::uint32_t place, const Operation& read) {
    const StepId first = set_.step(block, block.first), reader = set_.step(block, place);
    for (const ThreadAccesses& other : set_.index.locations[read.object].threads) {
      if (other.thread == block.thread) continue;
      for (const Access& write : other.writes) {
        if (write.value == read.value || !set_.nameable(write.step)) continue;
        if (must_.precedes(write.step, first) || must_.precedes(reader, write.step)) continue;
        if (!interrupt(block, place, read, write.step)) return;
      }
    }
  }

  // False if the budget is used up.
  bool interrupt(const Block& block, std::uint32_t place, const Operation& read, StepId write) {
    const BlockQuestions::Key key = questions_.key_of(block, set_.step(block, place), write);
    if (found_.contains(key)) return true;
    const BlockQuestions::May may = questions_.ask(key);
    if (may != BlockQuestions::May::Ask) return may == BlockQuestions::May::NotThis;
    ++coverage_.candidates;
    // After the block's last access of the location, the write is sure to be seen as an
    // interruption. Before it, the write may still reveal a value that does not fit other
    // locations.
    const StepId first = set_.step(block, block.first);
    const auto or_first = [&](StepId own) { return own == kNoStep ? first : own; };
    const StepId access = or_first(set_.last_access(block, place, read.object, false));
    const StepId earliest = or_first(set_.last_access(block, place, read.object, true));
    if (tears(block, place, read, write, access) || (earliest != access && tears(block, place, read, write, earliest)))
      found_.insert(key);
    return true;
  }

  // Whether a run with the write after `since`, a step of the block, tears the block.
  bool tears(const Block& block, std::uint32_t place, const Operation& read, StepId write, StepId since) {
    const StepId reader = set_.step(block, place);
    ++coverage_.questions;
    const Answer answer = feasibility_.ask({{reader}, {write}, {{since, write}}, {}});
    if (answer.truth == Truth::Undecided)
      coverage_.undecided_about(witness::FindingKind::Atomicity,
                                {{block.begin, Role::BlockBegin},
                                 {block.end, Role::BlockEnd},
                                 {c_.steps[write].event, Role::Interleaved},
                                 {c_.steps[reader].event, Role::Access}},
                                answer.reason);
    if (answer.truth != Truth::Yes) return false;
    std::vector<StepId> run = answer.run;
    if (last_write(run, read.object).first == read.value)
      run = without_writes_after(feasibility_.index(), run, write, reader,
                                 [&](StepId step) { return set_.accesses(step, read.object, OperationKind::Write); });
    return breaks_alone(block, place, read, write, run, answer.tier) ||
           breaks_together(block, place, read, write, std::move(run), answer.tier);
  }

  bool breaks_alone(const Block& block, std::uint32_t place, const Operation& read, StepId write,
                    const std::vector<StepId>& run, const char* tier) {
    const std::uint32_t seen = last_write(run, read.object).first;
    if (seen == read.value || seen == causality::kUnknownValue) return false;
    const Part part = cut(block, place, read, seen);
    if (set_.touches_unknown(part)) return false;
    const bool plain = contradiction(c_, part).has_value();
    const Truth serial = plain ? Truth::No : set_.serial({part});
    if (serial == Truth::Undecided) coverage_.undecided_because("the search for a serial order was given up");
    if (serial != Truth::No) return false;
    report(block, set_.step(block, place), write, read.object, run, tier, {});
    return true;
  }

  // The same with all blocks that the run has completed, after those that other threads are in have
  // reached their ends.
  bool breaks_together(const Block& block, std::uint32_t place, const Operation& read, StepId write,
                       std::vector<StepId> run, const char* tier) {
    complete_blocks(set_, feasibility_.index(), run, std::span(&block.thread, 1));
    const std::uint32_t seen = last_write(run, read.object).first;
    if (seen == read.value || seen == causality::kUnknownValue) return false;
    std::vector<std::size_t> others = completed(run, block);
    if (others.empty()) return false;
    if (together_++ >= kMaxTogether) {
      coverage_.undecided_because("the budget of searches for serial orders was used up");
      return false;
    }
    const Part part = cut(block, place, read, seen);
    const auto serial = [&](const std::vector<std::size_t>& some) {
      std::vector<Part> parts{part};
      for (const std::size_t b : some) parts.push_back(BlockSet::part_of(set_.blocks[b]));
      return set_.serial(parts);
    };
    const Truth truth = serial(others);
    if (truth == Truth::Undecided)
      coverage_.undecided_because("the search for a serial order of several blocks was given up");
    if (truth != Truth::No) return false;
    report(block, set_.step(block, place), write, read.object, run, tier, fewest(others, 0, 1, serial));
    return true;
  }

  static Part cut(const Block& block, std::uint32_t place, const Operation& read, std::uint32_t seen) {
    Part part = BlockSet::part_of(block);
    part.end = place;
    part.last_read = Part::Read{read.object, seen};
    return part;
  }

  // Outermost blocks that are in the run, whole, without the one that is torn.
  std::vector<std::size_t> completed(const std::vector<StepId>& run, const Block& torn) const {
    std::vector<std::uint32_t> positions(c_.threads.size(), 0);
    for (const StepId step : run) ++positions[c_.steps[step].thread];
    std::vector<std::size_t> out;
    for (std::size_t b = 0; b < set_.blocks.size(); ++b) {
      const Block& block = set_.blocks[b];
      const bool apart = block.thread != torn.thread || block.last <= torn.first;
      if (block.outermost && block.first < block.last && apart && positions[block.thread] >= block.last)
        out.push_back(b);
    }
    return out;
  }

  void report(const Block& block, StepId reader, StepId write, std::uint32_t location, const std::vector<StepId>& run,
              const char* tier, const std::vector<std::size_t>& others) {
    // The last write shows best what happened, if it is inside the block; the one that was asked
    // for is.
    const StepId first = set_.step(block, block.first), writer = last_write(run, location).second;
    const bool last_inside = writer != kNoStep && set_.nameable(writer) && comes_after(run, writer, first) &&
                             c_.steps[writer].thread != block.thread;
    const StepId inside = last_inside ? writer : write;
    Finding finding = predicted_finding(set_, block, reader, inside, run, tier);
    std::string names = block.name;
    for (const std::size_t b : others) {
      names += ", " + set_.blocks[b].name;
      finding.places.push_back({set_.blocks[b].begin, Role::BlockBegin});
      finding.places.push_back({set_.blocks[b].end, Role::BlockEnd});
    }
    if (!others.empty())
      finding.note = "Each of these blocks can be in one piece, but not all in the same run: " + names + ".";
    findings_.add(std::move(finding), c_.steps[inside].event);
  }

  // The value of the location after the run, and its writer.
  std::pair<std::uint32_t, StepId> last_write(const std::vector<StepId>& run, std::uint32_t location) const {
    for (auto step = run.rbegin(); step != run.rend(); ++step)
      for (const Operation& o : c_.operations_of(*step))
        if (o.kind == OperationKind::Write && o.object == location) return {o.value, *step};
    return {c_.locations[location].initial, kNoStep};
  }
  static bool comes_after(const std::vector<StepId>& run, StepId late, StepId early) {
    return std::find(std::find(run.begin(), run.end(), early), run.end(), late) != run.end();
  }

  const BlockSet& set_;
  const Computation& c_;
  const Feasibility& feasibility_;
  const std::vector<bool>& broken_;
  BlockFindings& findings_;
  Coverage& coverage_;
  const MustOrder must_;
  BlockQuestions questions_;
  std::set<BlockQuestions::Key> found_;
  std::size_t together_ = 0;
};

} // namespace

void predict_broken_blocks(const BlockSet& set, const Feasibility& feasibility, const std::vector<bool>& broken,
                           BlockFindings& findings, Coverage& coverage) {
  Predicted(set, feasibility, broken, findings, coverage).run();
}

} // namespace sooth::predict
