// Atomicity on hand-made traces, in pairs; then random small ones against Definition 5, written down plainly.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "predict/atomicity/atomic_blocks.h"
#include "predict/atomicity/atomicity.h"
#include "predict/atomicity/unmarked_blocks.h"
#include "predict/question/execution.h"
#include "unit/predict_case.h"

namespace sooth::predict {
namespace {

using testing::Case;
using trace::EventKind;
using witness::Finding;
using witness::Role;
using witness::Status;

constexpr std::uint64_t X = 0x1000, Y = 0x2000, Lock = 0x3000;

class Blocks : public Case {
public:
  explicit Blocks(std::uint32_t threads) : Case(threads) {
    names = string("deposit");
    write(0, X, 4, 0);
    write(0, Y, 4, 0);
    for (std::uint32_t t = 1; t < threads; ++t) fork(0, t);
  }
  void begin(std::uint32_t thread) { add(thread, EventKind::AtomicBegin, names); }
  void end(std::uint32_t thread) { add(thread, EventKind::AtomicEnd, names); }
  std::vector<Finding> violations(AtomicityRule rule = AtomicityRule::View) {
    return find([&](auto&&... arguments) { return find_atomicity(arguments..., std::vector<std::string>{}, rule); });
  }
  std::uint64_t names = 0;
};

TEST(Atomicity, TwoReadsThatDifferAreNoPiece) {
  Blocks run(3);
  run.begin(1);
  run.read(1, X, 4, 0);
  run.write(2, X, 4, 1);
  const std::uint32_t other = run.last();
  run.read(1, X, 4, 1);
  run.end(1);
  const std::vector<Finding> found = run.violations();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, witness::FindingKind::Atomicity);
  EXPECT_EQ(found[0].status, Status::Observed);
  EXPECT_EQ(found[0].property, "deposit");
  EXPECT_EQ(found[0].engine, "linear");
  EXPECT_EQ(found[0].places[2], (witness::Place{other, Role::Interleaved}));
}

TEST(Atomicity, TwoReadsThatAgreeCouldBeOnePiece) {
  Blocks run(3);
  run.begin(1);
  run.read(1, X, 4, 0);
  run.write(2, X, 4, 0); // the same value
  run.read(1, X, 4, 0);
  run.end(1);
  for (const Finding& finding : run.violations()) EXPECT_EQ(finding.status, Status::Predicted);
}

TEST(Atomicity, AReadOfAnothersWriteAfterAnOwnOne) {
  Blocks run(3);
  run.begin(1);
  run.write(1, X, 4, 1);
  run.write(2, X, 4, 2);
  run.read(1, X, 4, 2);
  run.end(1);
  ASSERT_EQ(run.violations().size(), 1u);
}

TEST(Atomicity, TwoVariablesThatDoNotFitTogether) {
  const auto with = [](bool torn) {
    Blocks run(3);
    run.begin(1);
    run.read(1, X, 4, 0);
    if (!torn) run.read(1, Y, 4, 0);
    run.write(2, X, 4, 1);
    run.write(2, Y, 4, 1);
    if (torn) run.read(1, Y, 4, 1); // the old X and the new Y were never there together
    run.end(1);
    return run.violations();
  };
  const std::vector<Finding> torn = with(true);
  ASSERT_EQ(torn.size(), 1u);
  EXPECT_EQ(torn[0].status, Status::Observed);
  EXPECT_EQ(torn[0].engine, "search");

  const std::vector<Finding> whole = with(false);
  ASSERT_EQ(whole.size(), 1u) << "in another run it would see the torn state";
  EXPECT_EQ(whole[0].status, Status::Predicted);
  EXPECT_EQ(whole[0].witness.next.size(), 1u);
}

TEST(Atomicity, ALockAroundTheWholeBlockProtectsIt) {
  Blocks run(3);
  run.begin(1);
  run.lock(1, Lock);
  run.read(1, X, 4, 0);
  run.read(1, Y, 4, 0);
  run.unlock(1, Lock);
  run.end(1);
  run.lock(2, Lock);
  run.write(2, X, 4, 1);
  run.write(2, Y, 4, 1);
  run.unlock(2, Lock);
  EXPECT_TRUE(run.violations().empty());
}

TEST(Atomicity, TwoLockedSectionsInOneBlockDoNot) {
  Blocks run(3);
  run.begin(1);
  run.lock(1, Lock);
  run.read(1, X, 4, 0);
  run.unlock(1, Lock);
  run.lock(1, Lock);
  run.read(1, X, 4, 0);
  run.unlock(1, Lock);
  run.end(1);
  run.lock(2, Lock);
  run.write(2, X, 4, 1);
  run.unlock(2, Lock);
  const std::vector<Finding> found = run.violations();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].status, Status::Predicted);
}

TEST(Atomicity, ALostUpdateBetweenTwoBlocks) {
  Blocks run(3);
  run.begin(1);
  run.read(1, X, 4, 0);
  run.begin(2);
  run.read(2, X, 4, 0);
  run.write(2, X, 4, 1);
  run.end(2);
  run.write(1, X, 4, 1);
  run.end(1);
  const std::vector<Finding> found = run.violations();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].status, Status::Observed);
  EXPECT_NE(found[0].note.find("not all at once"), std::string::npos);
  EXPECT_EQ(std::ranges::count(found[0].places, Role::BlockBegin, &witness::Place::role), 2);
}

TEST(Atomicity, AnUpdateThatIsOverwrittenIsLost) {
  Blocks run(3);
  run.begin(1);
  run.read(1, X, 4, 0);
  run.write(2, X, 4, 7);
  const std::uint32_t lost = run.last();
  run.write(1, X, 4, 1);
  run.end(1);
  const std::vector<Finding> found = run.violations();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].status, Status::Observed);
  EXPECT_EQ(found[0].places[2], (witness::Place{lost, Role::Interleaved}));
  // By the letter of Definition 5 a run may leave it out, as it is in no block.
  EXPECT_TRUE(run.violations(AtomicityRule::Definition5).empty());
}

TEST(Atomicity, AnUpdateOfTheSameValueIsNotMissed) {
  Blocks run(3);
  run.begin(1);
  run.read(1, X, 4, 0);
  run.write(2, X, 4, 0);
  run.write(1, X, 4, 1);
  run.end(1);
  EXPECT_TRUE(run.violations().empty());
}

// The four interleavings of one variable that are not serial. `kinds`: of the block's two accesses with the other's between.
// `inside`: as recorded; else it comes after the block, and only another run has it inside.
std::vector<Finding> one_variable(std::string_view kinds, bool inside, bool locked = false) {
  Blocks run(3);
  std::uint64_t value = 0;
  const auto access = [&](std::uint32_t thread, char kind, std::uint64_t written) {
    if (kind == 'r') run.read(thread, X, 4, value);
    else run.write(thread, X, 4, value = written);
  };
  const auto other = [&] {
    if (locked) run.lock(2, Lock);
    access(2, kinds[1], 7);
    if (locked) run.unlock(2, Lock);
  };
  if (locked) run.lock(1, Lock);
  run.begin(1);
  access(1, kinds[0], 1);
  if (inside) other();
  access(1, kinds[2], 2);
  run.end(1);
  if (locked) run.unlock(1, Lock);
  if (!inside) other();
  return run.violations();
}

TEST(Atomicity, AllFourInterleavingsOfOneVariable) {
  for (const char* kinds : {"rwr", "wwr", "rww", "wrw"}) {
    SCOPED_TRACE(kinds);
    const std::vector<Finding> observed = one_variable(kinds, true);
    ASSERT_EQ(observed.size(), 1u);
    EXPECT_EQ(observed[0].status, Status::Observed);
    const std::vector<Finding> predicted = one_variable(kinds, false);
    ASSERT_EQ(predicted.size(), 1u);
    EXPECT_EQ(predicted[0].status, Status::Predicted);
    EXPECT_TRUE(one_variable(kinds, false, true).empty()) << "a lock keeps the other one out";
  }
  // The other interleavings are serial.
  for (const char* kinds : {"rrr", "rrw", "wrr", "www"}) {
    EXPECT_TRUE(one_variable(kinds, true).empty()) << kinds;
    EXPECT_TRUE(one_variable(kinds, false).empty()) << kinds;
  }
}

// Two blocks, each of which reads a balance in one critical section and writes it in the next.
Blocks two_deposits(bool one_section) {
  Blocks run(3);
  for (const std::uint32_t t : {1u, 2u}) {
    run.begin(t);
    run.lock(t, Lock);
    run.read(t, X, 4, t - 1);
    if (!one_section) run.unlock(t, Lock);
    if (!one_section) run.lock(t, Lock);
    run.write(t, X, 4, t);
    run.unlock(t, Lock);
    run.end(t);
  }
  return run;
}

TEST(Atomicity, ALostUpdateThatNoValueProvesIsUndecided) {
  Blocks torn = two_deposits(false);
  EXPECT_TRUE(torn.violations().empty()) << "what the second one writes after another read is not known";
  EXPECT_NE(torn.coverage.undecided, 0u);
  Blocks whole = two_deposits(true);
  EXPECT_TRUE(whole.violations().empty());
  EXPECT_EQ(whole.coverage.undecided, 0u);
}

TEST(Atomicity, TwoVariablesChangedInTwoSections) {
  const auto with = [](bool inside) {
    Blocks run(3);
    const auto write = [&](std::uint64_t address) {
      run.lock(1, Lock);
      run.write(1, address, 4, 1);
      run.unlock(1, Lock);
    };
    const auto look = [&](std::uint64_t x, std::uint64_t y) {
      run.lock(2, Lock);
      run.read(2, X, 4, x);
      run.read(2, Y, 4, y);
      run.unlock(2, Lock);
    };
    run.begin(1);
    write(X);
    if (inside) look(1, 0);
    write(Y);
    run.end(1);
    return run.violations();
  };
  const std::vector<Finding> found = with(true);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].status, Status::Observed);
  EXPECT_TRUE(with(false).empty()) << "nobody looks";
}

TEST(Atomicity, TwoBlocksThatWriteOneAndReadTheOther) {
  const auto with = [](bool locked) {
    Blocks run(3);
    const auto block = [&](std::uint32_t thread, std::uint64_t mine, std::uint64_t other, std::uint64_t seen) {
      run.begin(thread);
      if (locked) run.lock(thread, Lock);
      run.write(thread, mine, 4, 1);
      run.read(thread, other, 4, seen);
      if (locked) run.unlock(thread, Lock);
      run.end(thread);
    };
    block(1, X, Y, 0);
    block(2, Y, X, 1);
    return run.violations();
  };
  const std::vector<Finding> found = with(false);
  ASSERT_FALSE(found.empty()) << "if both read 1, neither was first";
  EXPECT_EQ(found[0].status, Status::Predicted);
  EXPECT_NE(found[0].note.find("not all at once"), std::string::npos);
  EXPECT_EQ(std::ranges::count(found[0].places, Role::BlockBegin, &witness::Place::role), 2);
  EXPECT_TRUE(with(true).empty());
}

TEST(Atomicity, ABlockWithoutAStepMustBeReachedToo) {
  Blocks run(3);
  run.begin(1);
  run.write(1, X, 4, 1);
  run.read(2, X, 4, 1); // only in the middle of the other block; without it, its own block is never begun
  run.write(1, X, 4, 2);
  run.begin(2);
  run.end(2);
  run.end(1);
  ASSERT_EQ(run.violations().size(), 1u) << "a dirty read";
  const std::vector<Finding> found = run.violations(AtomicityRule::Definition5);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].status, Status::Observed);
  EXPECT_EQ(found[0].places.size(), 5u); // both blocks, and the read
}

TEST(Atomicity, CallsOfNamedFunctionsAreBlocks) {
  const auto with = [](const char* pattern) {
    Blocks run(3);
    const std::uint32_t function = run.site("a.c", 3, "account::move(int)", "", trace::kSiteFunction);
    run.add(1, EventKind::Enter).site = function;
    run.read(1, X, 4, 0);
    run.write(2, X, 4, 1);
    run.read(1, X, 4, 1);
    run.add(1, EventKind::Exit, 0, 0);
    return run.find(
        [&](const auto& trace, const auto& computation, const auto& feasibility, const auto& limits, auto& coverage) {
          return find_atomicity(trace, computation, feasibility, limits, coverage, {pattern});
        });
  };
  ASSERT_EQ(with("account::*").size(), 1u);
  EXPECT_EQ(with("account::move")[0].property, "account::move(int)");
  EXPECT_TRUE(with("bank::*").empty());
}

TEST(Atomicity, ABlockThatDoesNotEndIsNone) {
  Blocks run(3);
  run.begin(1);
  run.read(1, X, 4, 0);
  run.write(2, X, 4, 1);
  run.read(1, X, 4, 1);
  EXPECT_TRUE(run.violations().empty());
}

// --- Definition 5, plainly -----------------------------------------------------------------------------------------

// All runs of the maximal model, with the moment at which each step was taken.
class AllRuns {
public:
  AllRuns(const Computation& computation, const std::vector<Block>& blocks)
      : index_(computation, witness::Model::Maximal), blocks_(blocks) {
    std::vector<StepId> run;
    extend(Execution(index_), run);
  }
  std::set<std::size_t> pieces; // blocks that some run has in one piece
  bool all = false;             // some run has all of them
  // (block, place, location, value) that some run reaches with a write of another thread in between ...
  using Seen = std::tuple<std::size_t, std::uint32_t, std::uint32_t, std::uint32_t>;
  std::set<Seen> interrupted;
  std::set<Seen> uninterrupted; // ... or with nobody in between
  // The same with the blocks (bits) that the run has completed ...
  std::set<std::pair<Seen, std::uint64_t>> interrupted_with;
  // ... or has in one piece, and the block up to `place`, too.
  std::set<std::pair<Seen, std::uint64_t>> uninterrupted_with;

  // No run has the block up to that read, with that value, and all of `others` in one piece.
  bool torn(const Seen& seen, std::uint64_t others) const {
    return std::none_of(uninterrupted_with.begin(), uninterrupted_with.end(),
                        [&](const auto& serial) { return serial.first == seen && (others & ~serial.second) == 0; });
  }

private:
  void extend(const Execution& execution, std::vector<StepId>& run) {
    judge(execution, run);
    for (std::uint32_t t = 0; t < index_.computation.threads.size(); ++t)
      if (is_preparation(execution, t)) return take(execution, execution.next(t), run);
    for (std::uint32_t t = 0; t < index_.computation.threads.size(); ++t) {
      const StepId next = execution.next(t);
      if (next != kNoStep && execution.allows(next, {})) take(execution, next, run);
    }
  }
  void take(const Execution& execution, StepId next, std::vector<StepId>& run) {
    Execution further = execution;
    further.take(next);
    run.push_back(next);
    extend(further, run);
    run.pop_back();
  }

  // Thread 0 only initialises and creates the others, whose first step is their start. Where these steps stand among steps of others
  // makes no difference to any block, so runs in which they come first stand for all.
  bool is_preparation(const Execution& execution, std::uint32_t thread) const {
    const StepId next = execution.next(thread);
    return next != kNoStep && (thread == 0 || execution.position(thread) == 0) && execution.allows(next, {});
  }

  // Whether the block's steps up to `place` are neighbours in the run.
  bool in_one_piece(const Block& block, std::uint32_t place, const std::vector<StepId>& run) const {
    const auto& own = index_.computation.threads[block.thread].steps;
    const auto first = std::find(run.begin(), run.end(), own[block.first]);
    for (std::uint32_t p = block.first; p < place; ++p) {
      const auto at = first + (p - block.first);
      if (run.end() - first <= p - block.first || *at != own[p]) return false;
    }
    return true;
  }

  std::uint32_t value_after(const std::vector<StepId>& run, StepId last, std::uint32_t location) const {
    std::uint32_t value = index_.computation.locations[location].initial;
    for (const StepId step : run) {
      for (const Operation& o : index_.computation.operations_of(step))
        if (o.kind == OperationKind::Write && o.object == location) value = o.value;
      if (step == last) break;
    }
    return value;
  }

  void judge(const Execution& execution, const std::vector<StepId>& run) {
    bool every = true;
    std::uint64_t complete = 0, whole = 0; // outermost blocks
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      if (!blocks_[b].outermost || execution.position(blocks_[b].thread) < blocks_[b].last) continue;
      complete |= std::uint64_t{1} << b;
      if (in_one_piece(blocks_[b], blocks_[b].last, run)) whole |= std::uint64_t{1} << b;
    }
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      const Block& block = blocks_[b];
      const std::uint32_t at = execution.position(block.thread);
      const bool piece = at >= block.last && in_one_piece(block, block.last, run);
      if (piece) pieces.insert(b);
      every &= piece;
      if (at <= block.first || at >= block.last) continue;
      const auto& own = index_.computation.threads[block.thread].steps;
      for (const Operation& o : index_.computation.operations_of(own[at])) {
        const std::uint32_t value = o.kind == OperationKind::Read ? execution.memory(o.object) : o.value;
        if (o.kind != OperationKind::Read) continue;
        // Others may have gone on since: what counts is the value right after the piece.
        if (in_one_piece(block, at, run))
          uninterrupted_with.insert({Seen{b, at, o.object, value_after(run, own[at - 1], o.object)}, whole});
        if (value == o.value) continue;
        const Seen seen{b, at, o.object, value};
        // The block's steps stand at the end of the run if nobody came after its first one.
        const bool undisturbed = in_one_piece(block, at, run) && run.back() == own[at - 1];
        if (undisturbed) uninterrupted.insert(seen);
        const auto first = std::find(run.begin(), run.end(), own[block.first]);
        for (auto step = first; step != run.end(); ++step)
          if (index_.computation.steps[*step].thread != block.thread)
            for (const Operation& w : index_.computation.operations_of(*step))
              if (w.kind == OperationKind::Write && w.object == o.object) {
                interrupted.insert(seen);
                interrupted_with.insert({seen, complete});
              }
      }
    }
    all |= every;
  }

  const Index index_;
  const std::vector<Block>& blocks_;
};

// A legal run of two or three threads over two variables, a lock and blocks.
Blocks random_run(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&](std::uint32_t limit) { return static_cast<std::uint32_t>(random() % limit); };
  const std::uint32_t threads = 2 + below(2);
  Blocks run(threads + 1);
  std::vector<bool> in_block(threads + 1, false), has_lock(threads + 1, false);
  std::uint64_t memory[2] = {0, 0};
  bool locked = false;
  const std::uint32_t length = 5 + below(threads == 2 ? 6 : 4);
  for (std::uint32_t i = 0; i < length; ++i) {
    const std::uint32_t t = 1 + below(threads), variable = below(2);
    if (!in_block[t] && below(2) == 0) {
      run.begin(t);
      in_block[t] = true;
    }
    switch (below(8)) {
    case 0:
    case 1:
    case 2: run.read(t, variable == 0 ? X : Y, 4, memory[variable]); break;
    case 3:
    case 4:
    case 5:
      memory[variable] = below(2);
      run.write(t, variable == 0 ? X : Y, 4, memory[variable]);
      break;
    case 6:
      if (has_lock[t]) run.unlock(t, Lock);
      else if (!locked) run.lock(t, Lock);
      else break;
      has_lock[t] = locked = !has_lock[t];
      break;
    default:
      if (in_block[t]) run.end(t);
      in_block[t] = false;
    }
  }
  for (std::uint32_t t = 1; t <= threads; ++t)
    if (in_block[t]) run.end(t);
  return run;
}

TEST(Atomicity, SaysWhatDefinition5Says) {
  int local = 0, global = 0, predicted = 0, predicted_together = 0, none = 0;
  for (std::uint32_t seed = 0; seed < 1500; ++seed) {
    SCOPED_TRACE(seed);
    Blocks run = random_run(seed);
    const Computation computation = causality::compute(run.trace);
    std::vector<Block> blocks = collect_blocks(run.trace, computation, {});
    // A block of one step is always in one piece, but a run that has all blocks has it, too.
    std::erase_if(blocks, [](const Block& block) { return block.first == block.last; });
    const AllRuns runs(computation, blocks);
    const std::vector<Finding> found = run.violations(AtomicityRule::Definition5);
    ASSERT_EQ(run.coverage.undecided, 0u);

    std::set<std::uint32_t> observed_blocks, predicted_blocks, torn_alone; // their begins
    bool together = false;
    for (const Finding& finding : found) {
      if (finding.status == Status::Predicted) {
        predicted_blocks.insert(finding.places[0].event);
        if (finding.note.empty()) torn_alone.insert(finding.places[0].event);
      } else if (finding.note.starts_with("Each of these blocks")) together = true;
      else observed_blocks.insert(finding.places[0].event);
    }
    std::set<std::uint32_t> broken, can_be_torn, can_be_torn_with_others;
    for (const auto& [seen, others] : runs.interrupted_with)
      if (runs.torn(seen, others)) can_be_torn_with_others.insert(blocks[std::get<0>(seen)].begin);
    for (std::size_t b = 0; b < blocks.size(); ++b)
      if (!runs.pieces.contains(b)) broken.insert(blocks[b].begin);
    for (const auto& seen : runs.interrupted)
      if (!runs.uninterrupted.contains(seen)) can_be_torn.insert(blocks[std::get<0>(seen)].begin);

    ASSERT_EQ(observed_blocks, broken);
    if (broken.empty()) {
      ASSERT_EQ(together, !runs.all && !blocks.empty());
    }
    ASSERT_TRUE(std::ranges::includes(can_be_torn, torn_alone));
    ASSERT_TRUE(std::ranges::includes(can_be_torn_with_others, predicted_blocks));
    // A block that is broken already, alone or together with others, is not predicted to be.
    if (broken.empty() && !together) {
      ASSERT_EQ(torn_alone, can_be_torn);
      ASSERT_EQ(predicted_blocks, can_be_torn_with_others);
    }
    predicted_together += predicted_blocks != torn_alone;
    local += !broken.empty();
    global += together;
    predicted += !predicted_blocks.empty();
    none += found.empty();
  }
  // All sorts of runs were among them.
  EXPECT_GT(local, 50);
  EXPECT_GT(global, 10);
  EXPECT_GT(predicted, 50);
  EXPECT_GT(predicted_together, 0);
  EXPECT_GT(none, 200);
}

// --- blocks that nobody marked ---

struct Deposits {
  bool one_section = false; // the update is not split
  bool reads_again = false; // before it writes
  bool updates = false;     // the second section reads where it writes
  bool other_lock = false;  // the second section is of another lock
  bool other_writes = true; // the second thread makes a deposit, too
  bool same_code = false;   // if it does not: it reads in the same line as the first thread
  bool one_call = true;     // else read and write are in calls that have nothing to do with each other
  bool ordered = false;     // the second thread is created behind
  bool inlined = false; // the accesses are in functions that the compiler inlined into deposit, which it inlined, too
};

std::vector<Suggestion> suggested(const Deposits& how) {
  constexpr std::uint64_t kBalance = 0x100, kLock = 0x1000, kOther = 0x2000;
  Case c(3);
  const std::uint32_t function = c.site("a.c", 1, "deposit", ""), read = c.site("a.c", 2, "deposit", "balance"),
                      write = c.site("a.c", 3, "deposit", "balance"), update = c.site("a.c", 3, "deposit", "balance"),
                      look = c.site("a.c", 9, "show", "balance");
  if (how.inlined) {
    const trace::InlinedCall deposits{"a.c", 20, 3, "work"};
    c.trace.inlined_calls = {{}, deposits, {"a.c", 12, 3, "deposit", 0, 1}, {"a.c", 13, 3, "deposit", 0, 1}};
    c.trace.sites[function].function = "work";
    c.trace.sites[read].function = "balance";
    c.trace.sites[read].inlined_at = 2;
    c.trace.sites[write].function = "set_balance";
    c.trace.sites[write].inlined_at = 3;
  }
  const auto enter = [&](std::uint32_t thread) { c.add(thread, trace::EventKind::Enter).site = function; };
  const auto exit = [&](std::uint32_t thread) { c.add(thread, trace::EventKind::Exit); };
  std::uint32_t balance = 0;
  const auto deposit = [&](std::uint32_t thread, std::uint32_t amount) {
    enter(thread);
    c.lock(thread, kLock);
    const bool looks = thread == 2 && !how.other_writes && !how.same_code;
    c.read(thread, kBalance, 4, balance).site = looks ? look : read;
    const std::uint64_t second = how.other_lock ? kOther : kLock;
    if (!how.one_section) {
      c.unlock(thread, kLock);
      if (!how.one_call) exit(thread);
      if (!how.one_call) enter(thread);
      c.lock(thread, second);
    }
    if (how.updates) c.read(thread, kBalance, 4, balance).site = update;
    if (how.reads_again) c.read(thread, kBalance, 4, balance).site = looks ? look : read;
    if (thread == 1 || how.other_writes) c.write(thread, kBalance, 4, balance += amount).site = write;
    c.unlock(thread, how.one_section ? kLock : second);
    exit(thread);
  };
  c.fork(0, 1);
  if (!how.ordered) c.fork(0, 2);
  deposit(1, 10);
  c.join(0, 1);
  if (how.ordered) c.fork(0, 2);
  deposit(2, 20);
  EXPECT_TRUE(trace::verify(c.trace).legal());
  const causality::Computation computation = causality::compute(c.trace);
  const auto feasibility = make_feasibility(computation, witness::Model::Maximal, Limits());
  return suggest_blocks(c.trace, computation, *feasibility, Limits(), {});
}

TEST(UnmarkedBlocks, ASplitUpdateIsSuggestedOnce) {
  const auto found = suggested({});
  ASSERT_EQ(found.size(), 1u); // both threads run the same code
  EXPECT_EQ(found[0].kind, witness::FindingKind::Atomicity);
  ASSERT_EQ(found[0].places.size(), 3u);
  EXPECT_NE(found[0].reason.find("is deposit meant to be atomic?"), std::string::npos);
  EXPECT_EQ(found[0].function, "deposit");
}

TEST(UnmarkedBlocks, TheFunctionIsTheInnermostOneWithBothAccessesAlsoIfItWasInlined) {
  const auto found = suggested({.inlined = true});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].function, "deposit"); // and not work, which alone has an activation
}

// if (balance() >= n) withdraw(n); where withdraw only says balance -= n
TEST(UnmarkedBlocks, CheckThenActIsSuggested) {
  EXPECT_EQ(suggested({.updates = true}).size(), 1u);
  EXPECT_TRUE(suggested({.one_section = true, .updates = true}).empty());
  EXPECT_TRUE(suggested({.updates = true, .other_writes = false}).empty());
  EXPECT_EQ(suggested({.updates = true, .other_writes = false, .same_code = true}).size(), 1u);
  EXPECT_TRUE(suggested({.updates = true, .other_writes = false, .same_code = true, .ordered = true}).empty());
}

TEST(UnmarkedBlocks, WhatNobodyCanDisturbIsNot) {
  EXPECT_TRUE(suggested({.one_section = true}).empty());
  EXPECT_TRUE(suggested({.reads_again = true}).empty());
  EXPECT_TRUE(suggested({.other_lock = true}).empty());
  EXPECT_TRUE(suggested({.other_writes = false}).empty());
  EXPECT_TRUE(suggested({.ordered = true}).empty());
  EXPECT_TRUE(suggested({.one_call = false}).empty());
}

} // namespace
} // namespace sooth::predict
