#include "predict/atomicity.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "predict/blocks.h"
#include "predict/conflict_graph.h"
#include "predict/execution.h"
#include "predict/index.h"
#include "predict/must_order.h"
#include "predict/serial_search.h"
#include "predict/witness_of.h"

namespace sooth::predict {
namespace {

using trace::Event;
using witness::Finding;
using witness::Role;

constexpr std::size_t kStates = 100'000;    // of one search
constexpr std::size_t kMaxBlocks = 64;      // of one name that are looked at
constexpr std::size_t kMaxQuestions = 2000; // about other runs
constexpr std::size_t kMaxTries = 4;        // for one read, one write and one block, by site
constexpr std::size_t kMaxParts = 64;       // blocks that are looked at together
constexpr std::size_t kMaxMinimised = 12;   // blocks of which the superfluous ones are looked for

class Atomicity {
public:
  Atomicity(const trace::Trace& trace, const Computation& computation, const Feasibility& feasibility,
            Coverage& coverage, std::vector<Block> blocks)
      : trace_(trace), computation_(computation), feasibility_(feasibility), coverage_(coverage),
        blocks_(std::move(blocks)), index_(computation, witness::Model::Maximal), must_(trace, computation),
        violated_(blocks_.size(), false) {
    find_unknown();
  }

  std::vector<Finding> run() {
    for (const Entangled& entangled : entangled_blocks(computation_, blocks_)) {
      bool local = false;
      for (const std::size_t outer : entangled.blocks) local |= look_into(outer);
      if (!local && !serialisable_) together(entangled);
    }
    for (std::size_t b = 0; b < blocks_.size(); ++b) predict(b);
    return std::move(findings_);
  }

private:
  // --- the recorded run ---------------------------------------------------------------------------------------

  // The block, and those inside it. True if one of them is not atomic.
  bool look_into(std::size_t outer) {
    bool found = false;
    for (std::size_t b = outer; b < blocks_.size() && blocks_[b].begin <= blocks_[outer].end; ++b)
      if (blocks_[b].thread == blocks_[outer].thread && blocks_[b].interruptible()) found |= look_at(b);
    return found;
  }

  bool look_at(std::size_t b) {
    const Block& block = blocks_[b];
    if (++looked_[block.name] > kMaxBlocks) {
      coverage_.undecided_because("more blocks of one name are entangled than are looked at");
      return false;
    }
    ++coverage_.candidates;
    const Part part = part_of(block);
    if (touches_unknown(part)) {
      coverage_.undecided_because("a block touches contents that were not recorded");
      return false;
    }
    const auto place = contradiction(computation_, part);
    const Truth serial = place ? Truth::No : serial_run_exists(computation_, {part}, kStates);
    if (serial == Truth::Undecided) coverage_.undecided_because("the search for a serial order was given up");
    if (serial != Truth::No) return false;
    violated_[b] = true;
    const std::uint32_t inside = interleaved(block, place.value_or(block.last));
    if (inside == kNone) return true;
    Finding finding = observed(block, place ? "linear" : "search", inside);
    finding.note = "No order of the recorded steps has the block in one piece.";
    add(std::move(finding), inside);
    return true;
  }

  // Blocks that are atomic one by one: first those of the circle, at last all, as the definition says.
  void together(const Entangled& entangled) {
    std::vector<std::size_t> all;
    for (std::size_t b = 0; b < blocks_.size(); ++b)
      if (blocks_[b].outermost && blocks_[b].first < blocks_[b].last) all.push_back(b); // also those of a single step
    if (all.size() < 2) return;
    ++coverage_.candidates;
    for (const std::vector<std::size_t>& some : {entangled.circle, entangled.blocks, all}) {
      if (some.size() < 2) continue;
      const Truth truth = serial(some);
      if (truth == Truth::No) return report_together(fewest(some), entangled);
      serialisable_ = truth == Truth::Yes && some.size() == all.size();
      if (serialisable_) return;
    }
    coverage_.undecided_because("the search for a serial order of all blocks was given up");
  }

  Truth serial(const std::vector<std::size_t>& some) const {
    if (some.size() > kMaxParts) return Truth::Undecided;
    std::vector<Part> parts;
    parts.reserve(some.size());
    for (const std::size_t b : some) parts.push_back(part_of(blocks_[b]));
    if (std::any_of(parts.begin(), parts.end(), [&](const Part& part) { return touches_unknown(part); }))
      return Truth::Undecided;
    return serial_run_exists(computation_, parts, kStates);
  }

  // Leaves out what is not needed for the contradiction.
  std::vector<std::size_t> fewest(std::vector<std::size_t> some) const {
    for (std::size_t i = 0; i < some.size() && some.size() > 2 && some.size() <= kMaxMinimised;) {
      std::vector<std::size_t> fewer = some;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      if (serial(fewer) == Truth::No) some = std::move(fewer);
      else ++i;
    }
    return some;
  }

  void report_together(const std::vector<std::size_t>& circle, const Entangled& entangled) {
    std::size_t torn = circle.front();
    std::uint32_t inside = kNone;
    for (const std::size_t b : circle)
      for (const std::size_t other : circle)
        if (inside == kNone && blocks_[other].thread != blocks_[b].thread) {
          inside = first_of(blocks_[other], blocks_[b]);
          if (inside != kNone) torn = b;
        }
    // What is between may also be a step outside of all blocks.
    for (const std::vector<std::size_t>& some : {circle, entangled.blocks})
      for (const std::size_t b : some)
        if (inside == kNone) {
          inside = interleaved(blocks_[b], blocks_[b].last);
          if (inside != kNone) torn = b;
        }
    for (const std::size_t b : circle) violated_[b] = true;
    if (inside == kNone) return;
    Finding finding = observed(blocks_[torn], "search", inside);
    std::string names = blocks_[torn].name;
    for (const std::size_t other : circle) {
      if (other == torn) continue;
      names += ", " + blocks_[other].name;
      finding.places.push_back({blocks_[other].begin, Role::BlockBegin});
      finding.places.push_back({blocks_[other].end, Role::BlockEnd});
      finding.witness.observed = std::max(finding.witness.observed, std::size_t{blocks_[other].end} + 1);
    }
    finding.note = "Each of these blocks can be in one piece, but not all in the same run: " + names + ".";
    add(std::move(finding), inside);
  }

  Finding observed(const Block& block, const char* engine, std::uint32_t inside) const {
    Finding finding;
    finding.kind = witness::FindingKind::Atomicity;
    finding.status = witness::Status::Observed;
    finding.engine = engine;
    finding.property = block.name;
    finding.places = {{block.begin, Role::BlockBegin}, {block.end, Role::BlockEnd}, {inside, Role::Interleaved}};
    finding.witness.observed = std::size_t{block.end} + 1;
    return finding;
  }

  // Another thread's event inside the block: the last write of what is read at `place`, or the first that acts at all.
  std::uint32_t interleaved(const Block& block, std::uint32_t place) const {
    const std::vector<StepId>& own = computation_.threads[block.thread].steps;
    const StepId from = own[block.first], to = own[std::min(place, block.last - 1)];
    std::uint32_t any = kNone;
    for (StepId id = to; id-- > from;) {
      const causality::Step& step = computation_.steps[id];
      if (step.thread == block.thread || !nameable(id) || step.operations == 0) continue;
      any = step.event;
      for (const Operation& o : computation_.operations_of(id))
        if (o.kind == OperationKind::Write && place < block.last && accesses(to, o.object, OperationKind::Read))
          return step.event;
    }
    return any;
  }
  // The first event of one block inside the other.
  std::uint32_t first_of(const Block& block, const Block& inside) const {
    const std::vector<StepId>& own = computation_.threads[block.thread].steps;
    for (std::uint32_t place = block.first; place < block.last; ++place) {
      const std::uint32_t event = computation_.steps[own[place]].event;
      if (event > inside.begin && event < inside.end && nameable(own[place])) return event;
    }
    return kNone;
  }

  // --- other runs ---------------------------------------------------------------------------------------------

  void predict(std::size_t b) {
    const Block& block = blocks_[b];
    if (!block.interruptible() || violated_[b]) return;
    if (++predicted_[block.name] > kMaxBlocks)
      return coverage_.undecided_because("more blocks of one name can be interrupted than are looked at");
    const std::vector<StepId>& own = computation_.threads[block.thread].steps;
    for (std::uint32_t place = block.first + 1; place < block.last; ++place)
      for (const Operation& o : computation_.operations_of(own[place]))
        if (o.kind == OperationKind::Read && unknown_.count(o.object) == 0) interrupt(block, place, o);
  }

  // Lets writes of other threads come before the read at `place`, after the block's first step.
  void interrupt(const Block& block, std::uint32_t place, const Operation& read) {
    const StepId first = computation_.threads[block.thread].steps[block.first];
    const StepId reader = computation_.threads[block.thread].steps[place];
    for (const ThreadAccesses& other : index_.locations[read.object].threads) {
      if (other.thread == block.thread) continue;
      for (const Access& write : other.writes) {
        if (write.value == read.value || !nameable(write.step)) continue;
        if (must_.precedes(write.step, first) || must_.precedes(reader, write.step)) continue;
        if (!interrupt(block, place, read, write.step)) return;
      }
    }
  }

  // False if the budget is used up.
  bool interrupt(const Block& block, std::uint32_t place, const Operation& read, StepId write) {
    const StepId reader = computation_.threads[block.thread].steps[place];
    const auto key = std::tuple(block.name, name(reader), name(write));
    if (found_.contains(key)) return true;
    if (tries_[key]++ >= kMaxTries) {
      coverage_.undecided_because("more reads and writes at one place than are tried");
      return true;
    }
    if (questions_++ >= kMaxQuestions) {
      coverage_.undecided_because("the budget of questions about blocks was used up");
      return false;
    }
    ++coverage_.candidates;
    // After the block's last access of the location the write is sure to be seen as an interruption; before it, it may
    // still show what other locations do not fit to.
    const StepId access = own_access_before(block, place, read.object, false);
    const StepId earliest = own_access_before(block, place, read.object, true);
    if (tears(block, place, read, write, access) || (earliest != access && tears(block, place, read, write, earliest)))
      found_.insert(key);
    return true;
  }

  // Whether a run with the write after `since`, a step of the block, tears the block.
  bool tears(const Block& block, std::uint32_t place, const Operation& read, StepId write, StepId since) {
    const StepId first = computation_.threads[block.thread].steps[block.first];
    const StepId reader = computation_.threads[block.thread].steps[place];
    ++coverage_.questions;
    const Answer answer = feasibility_.ask({{reader}, {write}, {{since, write}}, {}});
    if (answer.truth == Truth::Undecided) coverage_.undecided_because(answer.reason);
    if (answer.truth != Truth::Yes) return false;
    std::vector<StepId> run = answer.run;
    if (last_write(run, read.object).first == read.value) run = without_writes_after(run, write, read.object, reader);
    const auto [seen, writer] = last_write(run, read.object);
    if (seen == read.value || seen == causality::kUnknownValue) return false;
    Part part = part_of(block);
    part.end = place;
    part.last_read = Part::Read{read.object, seen};
    if (touches_unknown(part)) return false;
    const bool plain = contradiction(computation_, part).has_value();
    const Truth serial = plain ? Truth::No : serial_run_exists(computation_, {part}, kStates);
    if (serial == Truth::Undecided) coverage_.undecided_because("the search for a serial order was given up");
    if (serial != Truth::No) return false;

    // The last write shows best what happened, if it is inside the block; the one that was asked for is.
    const bool last_inside = writer != kNoStep && nameable(writer) && comes_after(run, writer, first);
    const std::uint32_t inside = computation_.steps[last_inside ? writer : write].event;
    Finding finding;
    finding.kind = witness::FindingKind::Atomicity;
    finding.engine = answer.tier;
    finding.property = block.name;
    finding.places = {{block.begin, Role::BlockBegin},
                      {block.end, Role::BlockEnd},
                      {inside, Role::Interleaved},
                      {computation_.steps[reader].event, Role::Access}};
    finding.witness = witness_of(computation_, trace_, run, {computation_.steps[reader].event});
    add(std::move(finding), inside);
    return true;
  }

  // The block's last step before `place` that accesses (or, if asked, writes) the location; its first if there is none.
  StepId own_access_before(const Block& block, std::uint32_t place, std::uint32_t location, bool writing) const {
    const std::vector<StepId>& own = computation_.threads[block.thread].steps;
    while (place-- > block.first) {
      if (accesses(own[place], location, OperationKind::Write)) return own[place];
      if (!writing && accesses(own[place], location, OperationKind::Read)) return own[place];
    }
    return own[block.first];
  }

  // The same run, in which threads stop before they write the location again; as it is if the reader needs them.
  std::vector<StepId> without_writes_after(const std::vector<StepId>& run, StepId write, std::uint32_t location,
                                           StepId reader) const {
    const std::uint32_t thread = computation_.steps[reader].thread;
    std::vector<bool> stopped(computation_.threads.size(), false);
    std::vector<StepId> out;
    Execution execution(index_);
    for (const StepId step : run) {
      const std::uint32_t t = computation_.steps[step].thread;
      if (t != thread && execution.done(write) && accesses(step, location, OperationKind::Write)) stopped[t] = true;
      if (stopped[t]) continue;
      if (!execution.allows(step, {})) {
        if (t == thread) return run;
        stopped[t] = true;
        continue;
      }
      execution.take(step);
      out.push_back(step);
    }
    return execution.next(thread) == reader ? out : run;
  }

  // What the location has after the run, and who wrote it.
  std::pair<std::uint32_t, StepId> last_write(const std::vector<StepId>& run, std::uint32_t location) const {
    for (auto step = run.rbegin(); step != run.rend(); ++step)
      for (const Operation& o : computation_.operations_of(*step))
        if (o.kind == OperationKind::Write && o.object == location) return {o.value, *step};
    return {computation_.locations[location].initial, kNoStep};
  }
  static bool comes_after(const std::vector<StepId>& run, StepId late, StepId early) {
    return std::find(std::find(run.begin(), run.end(), early), run.end(), late) != run.end();
  }

  // --- both ---------------------------------------------------------------------------------------------------

  static constexpr std::uint32_t kNone = 0xffffffff;

  static Part part_of(const Block& block) { return {block.thread, block.first, block.last, {}}; }

  bool accesses(StepId step, std::uint32_t location, OperationKind kind) const {
    return std::ranges::any_of(computation_.operations_of(step),
                               [&](const Operation& o) { return o.kind == kind && o.object == location; });
  }
  // A merged write is no event of a finding.
  bool nameable(StepId step) const { return (computation_.steps[step].flags & causality::kMergedStep) == 0; }

  // Contents that were not kept count as a value of their own, although they may equal another one: nothing that
  // touches such locations is proved to be impossible.
  void find_unknown() {
    for (std::uint32_t i = 0; i < trace_.events.size(); ++i)
      if (trace_.events[i].has(trace::kOpaque) && computation_.step_of_event[i] != kNoStep)
        for (const Operation& o : computation_.operations_of(computation_.step_of_event[i]))
          if (o.kind == OperationKind::Read || o.kind == OperationKind::Write) unknown_.insert(o.object);
  }
  bool touches_unknown(const Part& part) const {
    if (unknown_.empty()) return false;
    for (std::uint32_t place = part.first; place < part.end; ++place)
      for (const Operation& o : computation_.operations_of(computation_.threads[part.thread].steps[place]))
        if ((o.kind == OperationKind::Read || o.kind == OperationKind::Write) && unknown_.count(o.object) != 0)
          return true;
    return false;
  }

  std::pair<std::uint32_t, std::uint32_t> name(StepId step) const {
    const std::uint32_t event = computation_.steps[step].event;
    const std::uint32_t site = trace_.events[event].site;
    return {site, site == 0 ? event : 0};
  }

  // One finding for each block (by its begin's site), status and site of what came between.
  void add(Finding finding, std::uint32_t inside) {
    const Event& begin = trace_.events[finding.places[0].event];
    const Event& other = trace_.events[inside];
    const auto key = std::tuple(finding.status, finding.property, begin.site, other.site, other.site == 0 ? inside : 0);
    const auto [it, is_new] = known_.try_emplace(key, findings_.size());
    if (is_new) findings_.push_back(std::move(finding));
    else ++findings_[it->second].count;
  }

  const trace::Trace& trace_;
  const Computation& computation_;
  const Feasibility& feasibility_;
  Coverage& coverage_;
  const std::vector<Block> blocks_; // by their begins
  const Index index_;
  const MustOrder must_;
  std::vector<bool> violated_; // by block: observed
  bool serialisable_ = false;  // all blocks together
  std::set<std::uint32_t> unknown_;
  std::map<std::string, std::size_t> looked_, predicted_; // by name: blocks so far
  using Key = std::tuple<std::string, std::pair<std::uint32_t, std::uint32_t>, std::pair<std::uint32_t, std::uint32_t>>;
  std::map<Key, std::size_t> tries_;
  std::set<Key> found_;
  std::size_t questions_ = 0;
  std::map<std::tuple<witness::Status, std::string, std::uint32_t, std::uint32_t, std::uint32_t>, std::size_t> known_;
  std::vector<Finding> findings_;
};

} // namespace

std::vector<Finding> find_atomicity(const trace::Trace& trace, const Computation& computation,
                                    const Feasibility& feasibility, const Limits&, Coverage& coverage,
                                    const std::vector<std::string>& functions) {
  std::vector<Block> blocks = collect_blocks(trace, computation, functions);
  if (blocks.empty()) return {};
  return Atomicity(trace, computation, feasibility, coverage, std::move(blocks)).run();
}

} // namespace sooth::predict
