#include "capture/pass/loop_ranges.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <optional>

#include "capture/abi.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

namespace sooth::pass {

using namespace llvm;

namespace {

constexpr std::size_t kMaxAccesses = 128; // of one loop; they are compared in pairs
constexpr std::size_t kMaxRanges = 8;     // of one loop; with more, hooks in it may well be cheaper
constexpr std::uint64_t kMaxDistance = 1U << 30;

// One access, in the order of the loop's blocks: `size` bytes at start + n * step in iteration n.
struct Walk {
  Instruction* access;
  std::uint32_t row;
  const SCEV* start;
  std::int64_t step; // 0: always the same place
  std::uint64_t size;
  std::int64_t offset = 0; // of `start`, from that of its group's first walk
};

bool is_write(const Walk& walk) { return isa<StoreInst>(walk.access); }

// Walks of one kind that go side by side: their starts differ by constants. In an iteration they
// touch [low, high), relative to the first one's start and without a hole; over all iterations this
// is one range.
struct Range {
  SmallVector<const Walk*, 4> walks;
  const SCEV* origin;
  std::int64_t low;
  std::int64_t high;
};

// The size of one access; where several sizes share the range, the largest that divides it evenly.
std::uint64_t element_of(const Range& range) {
  std::uint64_t element = static_cast<std::uint64_t>(range.high - range.low);
  for (const Walk* walk : range.walks)
    element = std::gcd(std::gcd(element, walk->size), static_cast<std::uint64_t>(std::abs(walk->step)));
  return element;
}

// The loop is left at its end only: code that runs in every iteration runs as often as the end is
// reached.
bool has_shape(const Loop& loop) {
  const BasicBlock* latch = loop.getLoopLatch();
  return loop.isInnermost() && latch && loop.getExitingBlock() == latch && loop.getExitBlock() &&
         isa<BranchInst>(latch->getTerminator());
}

// Nothing that another thread could notice or wait for, and nothing that ends the loop by itself.
bool is_quiet(const Instruction& instruction) {
  if (isa<LoadInst, StoreInst>(instruction)) return !instruction.isVolatile() && !instruction.isAtomic();
  if (const auto* call = dyn_cast<CallBase>(&instruction)) {
    const auto* intrinsic = dyn_cast<IntrinsicInst>(call);
    if (!intrinsic) return false;
    if (intrinsic->isAssumeLikeIntrinsic() || intrinsic->getIntrinsicID() == Intrinsic::prefetch) return true;
  }
  return !instruction.mayReadOrWriteMemory() && !instruction.mayHaveSideEffects();
}

bool is_global(const Value* address) {
  SmallVector<const Value*, 4> objects;
  getUnderlyingObjects(address, objects, nullptr, /*MaxLookup=*/0);
  return any_of(objects, [](const Value* object) {
    const auto* call = dyn_cast<IntrinsicInst>(object);
    return isa<GlobalValue>(object) || (call && call->getIntrinsicID() == Intrinsic::threadlocal_address);
  });
}

class LoopSurvey {
public:
  LoopSurvey(ModuleContext& context, Function& function, FunctionAnalysisManager& analyses,
             const DenseMap<const Instruction*, std::uint32_t>& hooked)
      : context_(context), hooked_(hooked), evolution_(analyses.getResult<ScalarEvolutionAnalysis>(function)),
        dominators_(analyses.getResult<DominatorTreeAnalysis>(function)),
        aliases_(analyses.getResult<AAManager>(function)) {}

  // Announces the loop's ranges if that is possible, and adds what they replace.
  void visit(Loop& loop, DenseSet<const Instruction*>& replaced) {
    std::optional<std::vector<Walk>> walks = walks_of(loop);
    if (!walks || walks->empty()) return;
    std::vector<Range> ranges;
    if (!join(*walks, ranges)) return;
    if (!announce(loop, ranges)) return;
    for (const Walk& walk : *walks) replaced.insert(walk.access);
    // The sizes of the ranges show how often the loop runs.
    replaced.insert(loop.getLoopLatch()->getTerminator());
  }

private:
  // All accesses that have hooks, if each of them is a walk.
  std::optional<std::vector<Walk>> walks_of(const Loop& loop) {
    std::vector<Walk> walks;
    if (!loop.getLoopPreheader() || !loop.hasDedicatedExits()) return std::nullopt;
    for (BasicBlock* block : loop.blocks())
      for (Instruction& instruction : *block) {
        if (!is_quiet(instruction)) return std::nullopt;
        const auto hook = hooked_.find(&instruction);
        if (hook == hooked_.end() || &instruction == loop.getLoopLatch()->getTerminator()) continue;
        // A hooked branch inside: its way must be recorded in each iteration.
        if (instruction.isTerminator() || !dominators_.dominates(block, loop.getLoopLatch())) return std::nullopt;
        std::optional<Walk> walk = walk_of(loop, instruction, hook->second);
        if (!walk || walks.size() == kMaxAccesses) return std::nullopt;
        walks.push_back(*walk);
      }
    const SCEV* times = evolution_.getBackedgeTakenCount(&loop);
    if (isa<SCEVCouldNotCompute>(times) || evolution_.getTypeSizeInBits(times->getType()) > 64) return std::nullopt;
    return walks;
  }

  std::optional<Walk> walk_of(const Loop& loop, Instruction& access, std::uint32_t row) {
    Value* address = getLoadStorePointerOperand(&access);
    const bool write = isa<StoreInst>(access);
    const TypeSize size = context_.layout.getTypeStoreSize(getLoadStoreType(&access));
    if (!address || size.isScalable() || size.isZero() || (write && is_global(address))) return std::nullopt;
    const SCEV* place = evolution_.getSCEV(address);
    Walk walk{&access, row, place, 0, size.getFixedValue()};
    if (!evolution_.isLoopInvariant(place, &loop)) {
      const auto* recurrence = dyn_cast<SCEVAddRecExpr>(place);
      if (!recurrence || recurrence->getLoop() != &loop || !recurrence->isAffine()) return std::nullopt;
      const auto* step = dyn_cast<SCEVConstant>(recurrence->getStepRecurrence(evolution_));
      if (!step || step->getAPInt().abs().ugt(kMaxDistance)) return std::nullopt;
      walk.start = recurrence->getStart();
      walk.step = step->getAPInt().getSExtValue();
    } else if (write) {
      return std::nullopt; // only the last of these writes is still there afterwards
    }
    const auto* base = dyn_cast<SCEVUnknown>(evolution_.getPointerBase(walk.start));
    if (!base || (write && is_global(base->getValue()))) return std::nullopt;
    return walk;
  }

  // Sorts the walks into ranges; false if one of them has holes.
  bool join(std::vector<Walk>& walks, std::vector<Range>& ranges) {
    std::vector<std::vector<Walk*>> groups;
    for (Walk& walk : walks) add_to_group(walk, groups);
    for (std::vector<Walk*>& group : groups) {
      const Walk& origin = *group.front();
      std::sort(group.begin(), group.end(), [](const Walk* a, const Walk* b) { return a->offset < b->offset; });
      const std::size_t first = ranges.size();
      for (const Walk* walk : group) {
        if (ranges.size() == first || ranges.back().high < walk->offset)
          ranges.push_back({{}, origin.start, walk->offset, walk->offset});
        ranges.back().high = std::max(ranges.back().high, walk->offset + static_cast<std::int64_t>(walk->size));
        ranges.back().walks.push_back(walk);
      }
      for (std::size_t i = first; i < ranges.size(); ++i)
        if (ranges[i].high - ranges[i].low < std::abs(origin.step)) return false;
    }
    for (Range& range : ranges) std::sort(range.walks.begin(), range.walks.end()); // back in the order of the loop
    std::sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) {
      const bool writes = is_write(*a.walks.front());
      return writes != is_write(*b.walks.front()) ? !writes : a.walks.front() < b.walks.front();
    });
    return ranges.size() <= kMaxRanges;
  }

  void add_to_group(Walk& walk, std::vector<std::vector<Walk*>>& groups) {
    for (std::vector<Walk*>& group : groups) {
      const Walk& first = *group.front();
      if (is_write(first) != is_write(walk) || first.step != walk.step) continue;
      const auto* distance = dyn_cast<SCEVConstant>(evolution_.getMinusSCEV(walk.start, first.start));
      if (!distance || distance->getAPInt().abs().ugt(kMaxDistance)) continue;
      walk.offset = distance->getAPInt().getSExtValue();
      group.push_back(&walk);
      return;
    }
    groups.push_back({&walk});
  }

  const SCEV* number(std::int64_t n) {
    return evolution_.getConstant(context_.i64, static_cast<std::uint64_t>(n), /*isSigned=*/true);
  }

  // (times the loop goes on) * step, as 64 bits. It cannot overflow: that many bytes are touched.
  const SCEV* way(const Loop& loop, std::int64_t step) {
    const SCEV* times = evolution_.getNoopOrZeroExtend(evolution_.getBackedgeTakenCount(&loop), context_.i64);
    return evolution_.getMulExpr(times, number(step));
  }

  bool announce(Loop& loop, const std::vector<Range>& ranges) {
    Instruction* before = loop.getLoopPreheader()->getTerminator();
    SCEVExpander expander(evolution_, context_.layout, "sooth.loop", /*PreserveLCSSA=*/false);
    SmallVector<std::pair<const SCEV*, const SCEV*>, 4> extents; // address and size
    for (const Range& range : ranges) {
      const std::int64_t step = range.walks.front()->step;
      const SCEV* low = evolution_.getAddExpr(range.origin, number(range.low));
      if (step < 0) low = evolution_.getAddExpr(low, way(loop, step)); // the last iteration is the lowest
      const SCEV* size = evolution_.getAddExpr(way(loop, std::abs(step)), number(range.high - range.low));
      if (!expander.isSafeToExpandAt(low, before) || !expander.isSafeToExpandAt(size, before)) return false;
      extents.push_back({low, size});
    }
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      Value* address = expander.expandCodeFor(extents[i].first, context_.pointer, before);
      Value* size = expander.expandCodeFor(extents[i].second, context_.i64, before);
      const Walk& first = *ranges[i].walks.front();
      std::uint32_t what = i + 1 < ranges.size() ? kLoopGlued : 0;
      if (is_write(first)) what |= kLoopWrite;
      else if (may_be_written(loop, ranges[i])) what |= kLoopOpaque;
      call(is_write(first) ? end_of_exit_calls(loop) : before, ranges[i], address, size, what);
    }
    if (context_.options.own &&
        !is_write(*ranges.back().walks.front())) { // only reads, and they are over when the loop is
      Builder at(&*loop.getExitBlock()->getFirstInsertionPt());
      context_.end_store(at, at.CreateThreadLocalAddress(context_.thread));
    }
    return true;
  }

  // Where the calls after the loop go: each after those that are there.
  Instruction* end_of_exit_calls(const Loop& loop) {
    Instruction*& place = exits_[&loop];
    if (!place) place = &*loop.getExitBlock()->getFirstInsertionPt();
    return place;
  }

  void call(Instruction* before, const Range& range, Value* address, Value* size, std::uint32_t what) {
    const Walk& first = *range.walks.front();
    Builder at(before);
    at.SetCurrentDebugLocation(first.access->getDebugLoc());
    auto small = [&](std::uint64_t n) { return ConstantInt::get(context_.i32, n); };
    context_.call(at, "__sooth_loop", context_.void_type,
                  {address, size, small(element_of(range)), context_.site_number(at, first.row), small(what)});
  }

  bool may_be_written(const Loop& loop, const Range& range) {
    // Promises about scopes that begin within the loop hold for one iteration only.
    bool has_scopes = false;
    for (const BasicBlock* block : loop.blocks())
      for (const Instruction& instruction : *block) has_scopes |= isa<NoAliasScopeDeclInst>(instruction);
    for (BasicBlock* block : loop.blocks())
      for (Instruction& store : *block) {
        if (!isa<StoreInst>(store)) continue;
        const MemoryLocation written = anywhere_near(loop, store, has_scopes);
        for (const Walk* walk : range.walks)
          if (aliases_.alias(anywhere_near(loop, *walk->access, has_scopes), written) != AliasResult::NoAlias)
            return true;
      }
    return false;
  }

  // The object that the access lies in. Its base, if known: the base is the same in all iterations,
  // while a comparison of two addresses is about one iteration.
  MemoryLocation anywhere_near(const Loop& loop, Instruction& access, bool has_scopes) {
    const Value* address = getLoadStorePointerOperand(&access);
    if (const auto* base =
            dyn_cast<SCEVUnknown>(evolution_.getPointerBase(evolution_.getSCEV(getLoadStorePointerOperand(&access))));
        base && loop.isLoopInvariant(base->getValue()))
      address = base->getValue();
    AAMDNodes promises = access.getAAMetadata();
    if (has_scopes) promises.Scope = promises.NoAlias = nullptr;
    return MemoryLocation::getBeforeOrAfter(address, promises);
  }

  ModuleContext& context_;
  const DenseMap<const Instruction*, std::uint32_t>& hooked_;
  ScalarEvolution& evolution_;
  DominatorTree& dominators_;
  AAResults& aliases_;
  DenseMap<const Loop*, Instruction*> exits_;
};

} // namespace

// A range whose place was found by a division (`table[hash % size]`) could not be announced: scalar
// evolution would divide again, and cannot know that this is safe. Behind a `freeze`, the quotient
// is a value like any other.
static bool hide_divisions(Function& function) {
  SmallVector<Instruction*, 8> divisions;
  for (Instruction& instruction : instructions(function))
    if (instruction.isIntDivRem() && !isa<Constant>(instruction.getOperand(1)) && !instruction.getType()->isVectorTy())
      divisions.push_back(&instruction);
  for (Instruction* division : divisions) {
    auto* frozen = new FreezeInst(division, "", division->getNextNode()->getIterator());
    division->replaceUsesWithIf(frozen, [&](const Use& use) { return use.getUser() != frozen; });
  }
  return !divisions.empty();
}

void prepare_loops(Function& function, FunctionAnalysisManager& analyses) {
  if (function.hasOptNone()) return;
  LoopInfo& loops = analyses.getResult<LoopAnalysis>(function);
  DominatorTree& dominators = analyses.getResult<DominatorTreeAnalysis>(function);
  const auto in_order = loops.getLoopsInPreorder();
  bool changed = any_of(in_order, [](const Loop* loop) { return has_shape(*loop); }) && hide_divisions(function);
  for (Loop* loop : in_order) {
    if (!has_shape(*loop)) continue;
    if (!loop->getLoopPreheader())
      changed |= InsertPreheaderForLoop(loop, &dominators, &loops, nullptr, /*PreserveLCSSA=*/false) != nullptr;
    changed |= formDedicatedExitBlocks(loop, &dominators, &loops, nullptr, /*PreserveLCSSA=*/false);
  }
  if (changed) analyses.invalidate(function, PreservedAnalyses::none());
}

DenseSet<const Instruction*> announce_loops(ModuleContext& context, Function& function,
                                            FunctionAnalysisManager& analyses,
                                            const DenseMap<const Instruction*, std::uint32_t>& hooked) {
  DenseSet<const Instruction*> replaced;
  if (function.hasOptNone()) return replaced;
  LoopInfo& loops = analyses.getResult<LoopAnalysis>(function);
  if (loops.empty()) return replaced;
  LoopSurvey survey(context, function, analyses, hooked);
  for (Loop* loop : loops.getLoopsInPreorder())
    if (has_shape(*loop)) survey.visit(*loop, replaced);
  // Hooks follow that the analyses do not know of.
  analyses.invalidate(function, PreservedAnalyses::none());
  return replaced;
}

} // namespace sooth::pass
