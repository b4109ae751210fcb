// The common base of the models beyond `hb`: a walk over the computation's steps in which locks
// only exclude.
//
//     observed: T1 write x = 1, T3 read x = 1, T2 write x = 1
//     ObservedOrder   only this order
//     SameWriter      the read after T1's write; T2's write not between them
//     SameValue       the read after either write
//     Free            the read anywhere, if no decision depends on it
//
// Question: may this thread's next step follow, given how far the threads have come and the
//   contents of memory?
// Source: maximal models, Theorems 4 to 7. Models differ only in how they treat reads (ReadRule).
//   All share the orders of other primitives, locks, and the four rules of docs/trace_format.md.
// Where we differ: conditions are asked of each step when it is to be added, so every prefix of a
//   run is a run; and neighbouring events that other threads cannot distinguish are not steps.
// Conditions: the node has half a word for each thread that ever waits. It says whether the thread
// waits, and which signals are left for it. Semaphores' counts follow from the cut.
// Cost: a step costs as much as it has operations, times the threads. Models other than hb-locks
//   carry half a word for each location that is still to be read, so nodes are much larger and more
//   than those of `hb`.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "causality/computation/blocks.h"
#include "causality/computation/wait_queue.h"
#include "causality/dependence/taint_bits.h"
#include "causality/models/model.h"

namespace sooth::causality {

enum class ReadRule : std::uint8_t {
  ObservedOrder, // conflicting accesses come in the observed order
  SameWriter,    // a read sees the write that it saw
  SameValue,     // a read sees the value that it saw
  Free,          // ... if something depends on it that decides; other reads see anything (docs/sliced.md)
};

class StepModel : public Model {
public:
  StepModel(std::string_view name, ReadRule rule, const trace::Trace& trace, const Computation& computation,
            const Relevance& relevance);

  std::string_view name() const override { return name_; }
  std::size_t threads() const override { return steps_.size(); }
  std::span<const ModelStep> steps(ThreadNumber thread) const override { return steps_[thread]; }
  std::size_t state_words() const override { return location_words() + (taint_ ? (taint_->bits() + 63) / 64 : 0); }
  void begin(MutableModelState state) const override;
  bool enabled(Cut cut, ModelState state, ThreadNumber thread) const override;
  void advance(Cut cut, MutableModelState state, ThreadNumber thread) const override;
  std::vector<EventIndex> run_along(std::span<const EventIndex> path) const override;
  std::span<const std::string> limits() const override { return limits_; }

private:
  static constexpr std::uint32_t kNone = 0xffffffff;

  struct Need {
    ThreadNumber thread = 0;
    Count count = 0;
  };
  struct Act { // what a block does, and what must have happened before it
    std::uint32_t block = 0;
    std::vector<Need> needs;
    std::vector<Operation> operations; // without ends of holds
    std::vector<std::uint32_t> saw;    // for each read: what must be in its location
    std::vector<std::uint32_t> leaves; // for each write: what it leaves there
    bool never = false;                // it, or what it depends on, is not known well enough
  };
  struct Held {
    std::uint32_t lock = 0;
    bool exclusive = false;
    friend auto operator<=>(const Held&, const Held&) = default;
  };
  struct Interval { // a thread holds a location when it has taken more than `after` steps and at most `until`
    ThreadNumber thread = 0;
    Count after = 0;
    Count until = 0;
    bool write = false;
  };

  void make_steps(const Relevance& relevance);
  void make_acts();
  void read_operations(Act& act, StepId step);
  void follow_holds(const Block& block, ThreadNumber thread, Count first);
  void follow_locks();
  void track_reads();
  void follow_counts();
  bool counts_allow(Cut cut, ModelState state, ThreadNumber thread, const Operation& operation) const;
  WaitQueue queue(Cut cut, ModelState state, std::uint32_t condition) const;
  void follow_queue(Cut cut, MutableModelState state, ThreadNumber thread, const Operation& operation) const;
  bool locks_allow(Cut cut, ThreadNumber thread, const Operation& operation) const;
  bool holds_allow(Cut cut, ThreadNumber thread, const Operation& operation) const;
  bool read_later(Cut cut, std::uint32_t location) const;
  void follow_taint(const Relevance& relevance);
  bool sees_something_else(const Act& act, ModelState state) const;
  std::size_t location_words() const { return (tracked_ + 1) / 2; }

  std::uint32_t get(ModelState state, std::uint32_t slot) const {
    return static_cast<std::uint32_t>(state[slot / 2] >> (slot % 2 * 32));
  }
  static void set(MutableModelState state, std::uint32_t slot, std::uint32_t value) {
    const unsigned shift = slot % 2 * 32;
    state[slot / 2] = (state[slot / 2] & ~(std::uint64_t{0xffffffff} << shift)) | std::uint64_t{value} << shift;
  }

  const std::string_view name_;
  const ReadRule rule_;
  const trace::Trace& trace_;
  const Computation& computation_;
  const Blocks blocks_;
  std::vector<std::vector<ModelStep>> steps_;      // by thread
  std::vector<std::vector<std::uint32_t>> act_of_; // by thread and step: its act; kNone inside a block
  std::vector<Act> acts_;
  std::vector<std::uint32_t> first_step_;            // by block: index of its first step; kNone if it has none
  std::vector<std::uint32_t> last_step_;             // by block
  std::vector<std::vector<std::vector<Held>>> held_; // by thread and steps taken; empty for threads without locks
  std::vector<std::vector<Interval>> intervals_;     // by location
  std::vector<std::uint32_t> slot_;                  // by location: where the state has it; kNone: nowhere
  std::vector<std::vector<Need>> last_reads_;        // by location: of each thread its last read, as a count of steps
  struct Counts {                                    // of one semaphore by one thread: after how many steps
    ThreadNumber thread = 0;
    std::vector<Count> posts, takes;
  };
  std::vector<std::vector<Counts>> counts_; // by semaphore
  std::vector<std::uint32_t> wait_slot_;    // by thread: where the state has how it waits; kNone: it never does
  std::vector<std::vector<std::uint32_t>> waits_on_; // by thread and steps taken: the condition, or kNone
  std::uint32_t tracked_ = 0;
  std::unique_ptr<TaintBits> taint_; // ReadRule::Free
  std::vector<std::string> limits_;

  // While acts are made.
  struct Seen {
    std::uint32_t writer = 0; // 1 + its step; 0: initial
    std::uint32_t value = 0;
    Need write;
    std::vector<Need> reads; // since the last write
  };
  std::vector<Seen> seen_; // by location
};

// The lock that is never released, as a sentence; empty if all are.
std::string never_released(const Computation& computation);

} // namespace sooth::causality
