// The blocks of a trace, and the questions that both halves of the search for broken ones ask about
// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_set.h>

#include "predict/atomicity/atomic_blocks.h"
#include "predict/atomicity/run_events.h"
#include "predict/atomicity/serial_search.h"
#include "predict/question/coverage.h"
#include "predict/question/index.h"
#include "trace/trace.h"
#include "witness/finding.h"

namespace sooth::predict {

// When a run breaks a block (atomicity.h).
enum class AtomicityRule : std::uint8_t {
  View,        // no order of all its events, with the same values, has the block in one piece
  Definition5, // no run at all has: what disturbs may be left out
};

class BlockSet {
public:
  // `known`: an index of the computation, which is used if it is under the maximal model.
  BlockSet(const trace::Trace& trace, const Computation& computation, std::vector<Block> blocks, AtomicityRule rule,
           const Index& known);

  const trace::Trace& trace;
  const Computation& computation;
  const std::vector<Block> blocks; // by their begins
private:
  const std::unique_ptr<const Index> own_index_;

public:
  const Index& index; // under the maximal model, of which Definition 5 speaks
  const AtomicityRule rule;
  static constexpr std::size_t kNoBlock = SIZE_MAX;
  std::vector<std::size_t> block_of; // by step: the outermost block that it is in

  static Part part_of(const Block& block) { return {block.thread, block.first, block.last, {}}; }
  StepId step(const Block& block, std::uint32_t place) const { return computation.threads[block.thread].steps[place]; }
  bool accesses(StepId step, std::uint32_t location, OperationKind kind) const;
  bool has(StepId step, OperationKind kind) const;
  // Reads or writes memory whose contents are known.
  bool accesses_memory(StepId step) const;
  // The block's last step before `place` that accesses (or, if asked, writes) the location; kNoStep
  // if there is none.
  StepId last_access(const Block& block, std::uint32_t place, std::uint32_t location, bool writing) const;
  // A merged write is never an event of a finding.
  bool nameable(StepId step) const { return (computation.steps[step].flags & causality::kMergedStep) == 0; }
  // Contents that were not kept count as a value of their own, although they may equal another one:
  // nothing that touches such locations is proved to be impossible.
  bool is_unknown(std::uint32_t location) const { return known_.doubtful.contains(location); }
  bool touches_unknown(const Part& part) const;

  // Whether some run, or by the rule `View` an order of the recorded one, has all of these parts,
  // each in one piece. Undecided if that takes too long to find out.
  Truth serial(const std::vector<Part>& parts) const;
  // Rule `View`: the same, where only these steps (ascending) change places; all others stay. A yes
  //   is one, a no says nothing.
  bool serial_within(const std::vector<StepId>& steps, const std::vector<Part>& parts) const;
  // Rule `View`: the same of another run.
  Truth serial_in(const RunEvents& run, const std::vector<Part>& parts) const;
  RunEvents events_of(const Index& model, std::span<const StepId> run) const {
    return RunEvents::replayed(model, run, known_);
  }

private:
  void look_up_initial_values();
  bool leaves(StepId step, const causality::Location& location, std::span<const std::uint8_t> bytes) const;

  KnownMemory known_;
  RunEvents recorded_;
};

// A run in which the block reaches the read, which sees another value, after `inside` of another
// thread.
witness::Finding predicted_finding(const BlockSet& set, const Block& block, StepId reader, StepId inside,
                                   const std::vector<StepId>& run, const char* tier);

// One finding for each block (by its begin's site), status and site of what came between.
class BlockFindings {
public:
  explicit BlockFindings(const trace::Trace& trace) : trace_(trace) {}
  void add(witness::Finding finding, std::uint32_t inside);
  // Whether a run is known in which this event comes between.
  bool has(const Block& block, std::uint32_t inside) const;
  std::vector<witness::Finding> take() { return std::move(findings_); }

private:
  using Key = std::tuple<witness::Status, std::string, std::uint32_t, std::uint32_t, std::uint32_t>;
  Key key_of(witness::Status status, const std::string& block, std::uint32_t begin, std::uint32_t inside) const;

  const trace::Trace& trace_;
  std::map<Key, std::size_t> known_;
  std::vector<witness::Finding> findings_;
};

// Limits of the questions about other runs in which an event comes between a block's accesses: so
// many blocks of one name, so many questions for each block, read and write, by site, and so many
// in all. The rest counts as undecided.
class BlockQuestions {
public:
  BlockQuestions(const BlockSet& set, Coverage& coverage) : set_(set), coverage_(coverage) {}

  bool may_look_at(const Block& block);

  using Site = std::pair<std::uint32_t, std::uint32_t>; // or, where it is not known, the event
  using Key = std::tuple<std::string, Site, Site>;
  Key key_of(const Block& block, StepId reader, StepId write) const;
  enum class May : std::uint8_t { Ask, NotThis, NoMore };
  May ask(const Key& key) { return ask(key, {}); }
  May ask(const Key& key, const Key& more); // of two reads and writes

private:
  const BlockSet& set_;
  Coverage& coverage_;
  std::map<std::string, std::size_t> looked_; // by name: blocks so far
  std::map<std::pair<Key, Key>, std::size_t> tries_;
  std::size_t questions_ = 0;
};

inline constexpr std::size_t kMaxBlocks = 64;    // of one name that are looked at
inline constexpr std::size_t kMaxParts = 64;     // blocks that are looked at together
inline constexpr std::size_t kMaxMinimised = 12; // blocks of which the superfluous ones are looked for

// Leaves out what is not needed for the contradiction; the first `kept` stay.
template <typename T, typename Serial>
std::vector<T> fewest(std::vector<T> some, std::size_t kept, std::size_t least, Serial&& serial) {
  for (std::size_t i = kept; i < some.size() && some.size() > least && some.size() <= kMaxMinimised;) {
    std::vector<T> fewer = some;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    if (serial(fewer) == Truth::No) some = std::move(fewer);
    else ++i;
  }
  return some;
}

} // namespace sooth::predict
