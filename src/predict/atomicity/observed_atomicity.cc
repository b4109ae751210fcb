#include "predict/atomicity/observed_atomicity.h"

#include <algorithm>
#include <map>
#include <optional>

#include "causality/computation/effects.h"
#include "predict/atomicity/conflict_graph.h"

namespace sooth::predict {
namespace {

using causality::kNoEvent;
using witness::Finding;
using witness::Role;

class Observed {
public:
  Observed(const BlockSet& set, BlockFindings& findings, Coverage& coverage)
      : set_(set), blocks_(set.blocks), findings_(findings), coverage_(coverage), broken_(set.blocks.size(), false) {}

  std::vector<bool> run() {
    for (const Entangled& entangled : entangled_blocks(set_.computation, blocks_)) {
      bool local = false;
      for (const std::size_t outer : entangled.blocks) local |= look_into(outer, entangled);
      if (!local && !serialisable_) together(entangled);
    }
    return std::move(broken_);
  }

private:
  // The block, and those inside it. True if one of them is not atomic.
  bool look_into(std::size_t outer, const Entangled& entangled) {
    bool found = false;
    for (std::size_t b = outer; b < blocks_.size() && blocks_[b].begin <= blocks_[outer].end; ++b)
      if (blocks_[b].thread == blocks_[outer].thread && blocks_[b].interruptible()) found |= look_at(b, entangled);
    return found;
  }

  bool look_at(std::size_t b, const Entangled& entangled) {
    const Block& block = blocks_[b];
    if (++looked_[block.name] > kMaxBlocks) {
      coverage_.undecided_because("more blocks of one name are entangled than are looked at");
      return false;
    }
    ++coverage_.candidates;
    const Part part = BlockSet::part_of(block);
    if (!by_view() && set_.touches_unknown(part)) {
      coverage_.undecided_because("a block touches contents that were not recorded");
      return false;
    }
    const auto place = set_.touches_unknown(part) ? std::nullopt : contradiction(set_.computation, part);
    if (!place && by_view() && !set_.touches_unknown(part) && set_.serial_within(entangled.steps, {part})) return false;
    const Truth serial = place ? Truth::No : set_.serial({part});
    if (serial == Truth::Undecided) coverage_.undecided_because("the search for a serial order was given up");
    if (serial != Truth::No) return false;
    broken_[b] = true;
    const std::uint32_t inside = interleaved(block, place.value_or(block.last));
    if (inside == kNoEvent) return true;
    Finding finding = observed(block, place ? "linear" : "search", inside);
    finding.note = by_view()
                       ? "No order of the recorded steps, with what they read and leave, has the block in one piece."
                       : "No order of the recorded steps has the block in one piece.";
    findings_.add(std::move(finding), inside);
    return true;
  }

  // Blocks that are atomic one by one: first those of the cycle, at last all, as the definition
  // says.
  void together(const Entangled& entangled) {
    const std::vector<std::size_t> all = outermost();
    if (all.size() < 2) return;
    ++coverage_.candidates;
    const auto serial = [&](const std::vector<std::size_t>& some) {
      std::vector<Part> parts;
      parts.reserve(some.size());
      for (const std::size_t b : some) parts.push_back(BlockSet::part_of(blocks_[b]));
      return set_.serial(parts);
    };
    if (by_view() && serial_within(entangled)) return;
    for (const std::vector<std::size_t>& some : {entangled.circle, entangled.blocks, all}) {
      if (some.size() < 2) continue;
      const Truth truth = serial(some);
      if (truth == Truth::No) return report_together(fewest(some, 0, 2, serial), entangled);
      serialisable_ = truth == Truth::Yes && some.size() == all.size();
      if (serialisable_) return;
    }
    coverage_.undecided_because("the search for a serial order of all blocks was given up");
  }

  bool by_view() const { return set_.rule == AtomicityRule::View; }
  // All blocks of the circle, with nothing else moved: what is not entangled stays where it is.
  bool serial_within(const Entangled& entangled) const {
    std::vector<Part> parts;
    for (const std::size_t b : entangled.blocks) parts.push_back(BlockSet::part_of(blocks_[b]));
    if (std::ranges::any_of(parts, [&](const Part& part) { return set_.touches_unknown(part); })) return false;
    return set_.serial_within(entangled.steps, parts);
  }

  // Also those of a single step. Of those without a step, a run has to come to the last one of its
  // thread.
  std::vector<std::size_t> outermost() const {
    std::vector<std::size_t> found;
    std::map<std::uint32_t, std::size_t> last; // by thread
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      if (!blocks_[b].outermost) continue;
      last[blocks_[b].thread] = b;
      if (blocks_[b].first < blocks_[b].last) found.push_back(b);
    }
    for (const auto& [thread, b] : last)
      if (blocks_[b].first == blocks_[b].last) found.push_back(b);
    return found;
  }

  void report_together(const std::vector<std::size_t>& circle, const Entangled& entangled) {
    std::size_t torn = circle.front();
    std::uint32_t inside = kNoEvent;
    for (const std::size_t b : circle)
      for (const std::size_t other : circle)
        if (inside == kNoEvent && blocks_[other].thread != blocks_[b].thread) {
          inside = first_of(blocks_[other], blocks_[b]);
          if (inside != kNoEvent) torn = b;
        }
    // The step in between may also be outside of all blocks.
    for (const std::vector<std::size_t>& some : {circle, entangled.blocks})
      for (const std::size_t b : some)
        if (inside == kNoEvent) {
          inside = interleaved(blocks_[b], blocks_[b].last);
          if (inside != kNoEvent) torn = b;
        }
    for (const std::size_t b : circle) broken_[b] = true;
    if (inside == kNoEvent) return;
    Finding finding = observed(blocks_[torn], "search", inside);
    std::string names = blocks_[torn].name;
    for (const std::size_t other : circle) {
      if (other == torn) continue;
      names += ", " + blocks_[other].name;
      finding.places.push_back({blocks_[other].begin, Role::BlockBegin});
      finding.places.push_back({blocks_[other].end, Role::BlockEnd});
      finding.witness.observed = std::max(finding.witness.observed, std::size_t{blocks_[other].end} + 1);
    }
    finding.note = "Each of these blocks can be in one piece, but not all " +
                   std::string(by_view() ? "at once: " : "in the same run: ") + names + ".";
    findings_.add(std::move(finding), inside);
  }

  static Finding observed(const Block& block, const char* engine, std::uint32_t inside) {
    Finding finding;
    finding.kind = witness::FindingKind::Atomicity;
    finding.status = witness::Status::Observed;
    finding.engine = engine;
    finding.property = block.name;
    finding.places = {{block.begin, Role::BlockBegin}, {block.end, Role::BlockEnd}, {inside, Role::Interleaved}};
    finding.witness.observed = std::size_t{block.end} + 1;
    return finding;
  }

  // Another thread's event inside the block: the last write of the location read at `place`, or the
  // first event that acts at all.
  std::uint32_t interleaved(const Block& block, std::uint32_t place) const {
    const StepId from = set_.step(block, block.first), to = set_.step(block, std::min(place, block.last - 1));
    std::uint32_t any = kNoEvent;
    for (StepId id = to; id-- > from;) {
      const causality::Step& step = set_.computation.steps[id];
      if (step.thread == block.thread || !set_.nameable(id) || step.operations == 0) continue;
      any = step.event;
      for (const Operation& o : set_.computation.operations_of(id))
        if (o.kind == OperationKind::Write && place < block.last && set_.accesses(to, o.object, OperationKind::Read))
          return step.event;
    }
    return any;
  }
  // The first event of one block inside the other.
  std::uint32_t first_of(const Block& block, const Block& inside) const {
    for (std::uint32_t place = block.first; place < block.last; ++place) {
      const StepId step = set_.step(block, place);
      const std::uint32_t event = set_.computation.steps[step].event;
      if (event > inside.begin && event < inside.end && set_.nameable(step)) return event;
    }
    return kNoEvent;
  }

  const BlockSet& set_;
  const std::vector<Block>& blocks_;
  BlockFindings& findings_;
  Coverage& coverage_;
  std::vector<bool> broken_;                  // by block
  bool serialisable_ = false;                 // all blocks together
  std::map<std::string, std::size_t> looked_; // by name: blocks so far
};

} // namespace

std::vector<bool> find_broken_blocks(const BlockSet& set, BlockFindings& findings, Coverage& coverage) {
  return Observed(set, findings, coverage).run();
}

} // namespace sooth::predict
