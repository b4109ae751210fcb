#include "capture/pass/checks.h"

#include <algorithm>
#include <optional>

#include "trace/check_words.h"
#include "trace/format.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

namespace sooth::pass {

using namespace llvm;
using trace::CheckOperation;

namespace {

constexpr unsigned kMaxBlocks = 16, kMaxDepth = 4, kMaxLoads = 4, kMaxTree = 24;
constexpr unsigned kMaxWindow = 256; // instructions before the branch

const Function* callee_of(const CallBase& call) {
  return dyn_cast<Function>(call.getCalledOperand()->stripPointerCasts());
}

bool is_failing_name(StringRef name) {
  static constexpr StringRef kNames[] = {"abort",    "__assert_fail",   "__assert_perror_fail",
                                         "__assert", "_ZSt9terminatev", "_ZSt21__glibcxx_assert_failPKciS0_S0_"};
  return is_contained(kNames, name);
}

// The first argument is the status that the program ends with.
bool is_exit(StringRef name) {
  static constexpr StringRef kNames[] = {"exit", "_exit", "_Exit", "quick_exit", "err", "errx", "verr", "verrx"};
  return is_contained(kNames, name);
}

// They return, whatever their arguments and the rest of the program are.
bool always_returns(StringRef name) {
  static constexpr StringRef kNames[] = {"pthread_mutex_unlock", "pthread_rwlock_unlock", "pthread_spin_unlock",
                                         "mtx_unlock"};
  return is_contained(kNames, name) || name.starts_with("__sooth_");
}
// So do these; but what they print could block, so they count only on the failing side.
bool is_output(StringRef name) {
  static constexpr StringRef kNames[] = {"printf",  "fprintf", "puts",     "fputs",  "fwrite", "fputc",
                                         "putchar", "perror",  "vfprintf", "fflush", "write",  "dprintf"};
  return is_contained(kNames, name) || name.starts_with("_ZNSo") || name.starts_with("_ZStls") ||
         name.starts_with("_ZSt16__ostream_insert") || name.starts_with("_ZSt4endl");
}

// How the program fails.
struct Failure {
  std::string name;    // of the function that it calls; empty: it may not fail
  unsigned status = 0; // that it exits with; 0: it dies

  bool is_certain() const { return !name.empty(); }
};

// What is behind a place: does every way come back, or end in a failing call?
class Ways {
public:
  explicit Ways(const DenseSet<const Function*>& marked) : marked_(marked) {}

  // A failing call that every way from here makes, or others; not certain if some way may avoid
  // them.
  Failure failing(const BasicBlock& block, unsigned depth = 0) {
    SmallPtrSet<const BasicBlock*, 8> open;
    return failing(block, depth, open);
  }

  bool comes_back(const CallBase& call, unsigned depth = 0) {
    if (isa<DbgInfoIntrinsic>(call)) return true;
    if (call.doesNotReturn() || call.isInlineAsm() || isa<CallBrInst>(call)) return false;
    if (isa<IntrinsicInst>(call)) return true;
    const Function* callee = callee_of(call);
    if (!callee) return false;
    if (callee->isDeclaration() || callee->isInterposable()) return always_returns(callee->getName());
    if (depth == kMaxDepth) return false;
    SmallPtrSet<const BasicBlock*, 8> open;
    return comes_back(callee->getEntryBlock(), depth + 1, open);
  }

private:
  using Open = SmallPtrSet<const BasicBlock*, 8>;

  Failure failing_call(const CallBase& call, unsigned depth) {
    if (const auto* intrinsic = dyn_cast<IntrinsicInst>(&call))
      return {intrinsic->getIntrinsicID() == Intrinsic::trap ? "__builtin_trap" : "", 0};
    const Function* callee = callee_of(call);
    if (!callee) return {};
    const StringRef name = callee->getName();
    if (is_failing_name(name) || marked_.contains(callee)) return {demangle(name), 0};
    if (callee->isDeclaration() && is_exit(name)) {
      const unsigned status = failing_status(call);
      return status == 0 ? Failure{} : Failure{demangle(name), status};
    }
    if (callee->isDeclaration() || callee->isInterposable() || depth == kMaxDepth) return {};
    const Failure inside = failing(callee->getEntryBlock(), depth + 1);
    return inside.is_certain() ? Failure{demangle(name), inside.status} : Failure{};
  }
  // 0: it is not known, or no failure. Shells say 128 and more of a program that a signal ended.
  static unsigned failing_status(const CallBase& call) {
    const auto* status = call.arg_empty() ? nullptr : dyn_cast<ConstantInt>(call.getArgOperand(0));
    return status && status->getValue().ult(128) ? static_cast<unsigned>(status->getZExtValue()) : 0;
  }

  Failure failing(const BasicBlock& block, unsigned depth, Open& open) {
    if (open.size() == kMaxBlocks || !open.insert(&block).second) return {}; // too far, or a loop
    Failure found = failing_here(block, depth);
    if (!found.is_certain() && comes_to_end(block, depth)) found = failing_behind(block, depth, open);
    open.erase(&block);
    return found;
  }
  // One way that exits is enough: then it is an exit.
  Failure failing_behind(const BasicBlock& block, unsigned depth, Open& open) {
    if (const auto* invoke = dyn_cast<InvokeInst>(block.getTerminator())) // which throws nothing
      return failing(*invoke->getNormalDest(), depth, open);
    Failure all;
    for (const BasicBlock* next : successors(&block)) {
      Failure found = failing(*next, depth, open);
      if (!found.is_certain()) return {};
      if (!all.is_certain() || found.status != 0) all = std::move(found);
    }
    return all;
  }
  // The block itself ends in a failing call.
  Failure failing_here(const BasicBlock& block, unsigned depth) {
    for (const Instruction& i : block) {
      const auto* call = dyn_cast<CallBase>(&i);
      if (!call) continue;
      if (Failure found = failing_call(*call, depth); found.is_certain()) return found;
      if (!comes_back_or_prints(*call, depth)) return {};
    }
    return {};
  }
  bool comes_to_end(const BasicBlock& block, unsigned depth) {
    return isa<BranchInst, SwitchInst, InvokeInst>(block.getTerminator()) && all_of(block, [&](const Instruction& i) {
             const auto* call = dyn_cast<CallBase>(&i);
             return !call || comes_back_or_prints(*call, depth);
           });
  }
  bool comes_back_or_prints(const CallBase& call, unsigned depth) {
    const Function* callee = callee_of(call);
    return comes_back(call, depth) || (callee && is_output(callee->getName()));
  }

  bool comes_back(const BasicBlock& block, unsigned depth, Open& open) {
    if (open.size() == kMaxBlocks || !open.insert(&block).second) return false;
    const Instruction& end = *block.getTerminator();
    bool all = isa<ReturnInst, BranchInst, SwitchInst, InvokeInst>(end) && all_of(block, [&](const Instruction& i) {
                 const auto* call = dyn_cast<CallBase>(&i);
                 return !call || comes_back(*call, depth);
               });
    // What comes back throws nothing.
    if (const auto* invoke = dyn_cast<InvokeInst>(&end)) all = all && comes_back(*invoke->getNormalDest(), depth, open);
    else
      for (const BasicBlock* next : successors(&block)) all = all && comes_back(*next, depth, open);
    open.erase(&block);
    return all;
  }

  const DenseSet<const Function*>& marked_;
};

std::optional<CheckOperation> operation_of(const BinaryOperator& binary) {
  switch (binary.getOpcode()) {
  case Instruction::Add: return CheckOperation::Add;
  case Instruction::Sub: return CheckOperation::Subtract;
  case Instruction::Mul: return CheckOperation::Multiply;
  case Instruction::And: return CheckOperation::And;
  case Instruction::Or: return CheckOperation::Or;
  case Instruction::Xor: return CheckOperation::Xor;
  case Instruction::Shl: return CheckOperation::ShiftLeft;
  case Instruction::LShr: return CheckOperation::ShiftRight;
  case Instruction::AShr: return CheckOperation::ShiftRightSigned;
  default: return std::nullopt;
  }
}

std::optional<CheckOperation> operation_of(CmpInst::Predicate predicate) {
  switch (predicate) {
  case CmpInst::ICMP_EQ: return CheckOperation::Equal;
  case CmpInst::ICMP_NE: return CheckOperation::NotEqual;
  case CmpInst::ICMP_UGT: return CheckOperation::Above;
  case CmpInst::ICMP_UGE: return CheckOperation::AboveEqual;
  case CmpInst::ICMP_ULT: return CheckOperation::Below;
  case CmpInst::ICMP_ULE: return CheckOperation::BelowEqual;
  case CmpInst::ICMP_SGT: return CheckOperation::Greater;
  case CmpInst::ICMP_SGE: return CheckOperation::GreaterEqual;
  case CmpInst::ICMP_SLT: return CheckOperation::Less;
  case CmpInst::ICMP_SLE: return CheckOperation::LessEqual;
  default: return std::nullopt;
  }
}

// One branch, and the only way to it.
class Window {
public:
  Window(BranchInst& branch, Ways& ways, function_ref<bool(const LoadInst&)> is_recorded)
      : layout_(branch.getModule()->getDataLayout()), ways_(ways), is_recorded_(is_recorded) {
    SmallVector<Instruction*, 64> back;
    BasicBlock* block = branch.getParent();
    for (Instruction* i = branch.getPrevNode();;) {
      for (; i && back.size() < kMaxWindow; i = i->getPrevNode()) back.push_back(i);
      BasicBlock* before = block->getSinglePredecessor();
      if (back.size() >= kMaxWindow || !before || !before->getUniqueSuccessor() || before == branch.getParent()) break;
      if (!isa<BranchInst>(before->getTerminator())) break;
      i = before->getTerminator();
      block = before;
    }
    instructions_.assign(back.rbegin(), back.rend());
    for (unsigned at = 0; at < instructions_.size(); ++at) places_[instructions_[at]] = at;
  }

  std::optional<FoundCheck> check(Value& condition, bool fails_if, const Failure& failure) {
    if (!add(&condition, 0) || loads_.empty() || loads_.size() > kMaxLoads) return std::nullopt;
    if (!fails_if) {
      put_constant(1, 1);
      put(CheckOperation::Xor, 1);
    }
    if (!is_undisturbed()) return std::nullopt;
    FoundCheck found{failure.name, sorted(), in_order()};
    if (failure.status != 0) found.condition.insert(found.condition.begin(), trace::kExits | failure.status << 16);
    return found;
  }

private:
  void put(CheckOperation operation, unsigned bits, unsigned index = 0) {
    words_.push_back(static_cast<std::uint32_t>(operation) | bits << 8 | index << 16);
  }
  void put_constant(std::uint64_t value, unsigned bits) {
    put(CheckOperation::Constant, bits);
    words_.push_back(static_cast<std::uint32_t>(value));
    words_.push_back(static_cast<std::uint32_t>(value >> 32));
  }
  // 0: not a number that is followed.
  unsigned bits_of(const Value& value) const {
    const Type* type = value.getType();
    if (!type->isIntegerTy() && !(type->isPointerTy() && type->getPointerAddressSpace() == 0)) return 0;
    const std::uint64_t bits = layout_.getTypeSizeInBits(value.getType()).getFixedValue();
    return bits <= 64 ? static_cast<unsigned>(bits) : 0;
  }

  bool add(Value* value, unsigned depth) {
    const unsigned bits = bits_of(*value);
    if (bits == 0 || depth > kMaxTree) return false;
    if (const auto* number = dyn_cast<ConstantInt>(value)) return put_constant(number->getZExtValue(), bits), true;
    if (isa<ConstantPointerNull>(value)) return put_constant(0, bits), true;
    auto* instruction = dyn_cast<Instruction>(value);
    if (!instruction || !places_.contains(instruction)) return false;
    if (auto* load = dyn_cast<LoadInst>(instruction)) return add_load(*load, bits, depth);
    if (const auto* comparison = dyn_cast<ICmpInst>(instruction)) {
      const auto operation = operation_of(comparison->getPredicate());
      return operation && add_operands(*instruction, *operation, 1, depth);
    }
    if (const auto* binary = dyn_cast<BinaryOperator>(instruction)) {
      const auto operation = operation_of(*binary);
      return operation && add_operands(*instruction, *operation, bits, depth);
    }
    if (isa<ZExtInst>(instruction)) return add_operands(*instruction, CheckOperation::ZeroExtend, bits, depth);
    if (isa<SExtInst>(instruction)) return add_operands(*instruction, CheckOperation::SignExtend, bits, depth);
    if (isa<TruncInst>(instruction)) return add_operands(*instruction, CheckOperation::Truncate, bits, depth);
    if (isa<SelectInst>(instruction)) return add_operands(*instruction, CheckOperation::Select, bits, depth);
    if (isa<FreezeInst>(instruction)) return add(instruction->getOperand(0), depth + 1);
    if (const auto* intrinsic = dyn_cast<IntrinsicInst>(instruction);
        intrinsic && intrinsic->getIntrinsicID() == Intrinsic::expect)
      return add(intrinsic->getArgOperand(0), depth + 1);
    return false;
  }
  bool add_operands(Instruction& instruction, CheckOperation operation, unsigned bits, unsigned depth) {
    for (Value* operand : instruction.operand_values())
      if (!add(operand, depth + 1)) return false;
    put(operation, bits);
    return true;
  }

  bool add_load(LoadInst& load, unsigned bits, unsigned depth) {
    if (auto* slot = dyn_cast<AllocaInst>(load.getPointerOperand()); slot && isAllocaPromotable(slot)) {
      StoreInst* stored = last_store(*slot, places_.lookup(&load));
      return stored && stored->getValueOperand()->getType() == load.getType() &&
             add(stored->getValueOperand(), depth + 1);
    }
    if (bits % 8 != 0 || !is_recorded_(load)) return false;
    const auto known = find(loads_, &load);
    put(CheckOperation::Load, bits, static_cast<unsigned>(known - loads_.begin()));
    if (known == loads_.end()) loads_.push_back(&load);
    return true;
  }
  StoreInst* last_store(const AllocaInst& slot, unsigned before) const {
    for (unsigned at = before; at-- > 0;)
      if (auto* store = dyn_cast<StoreInst>(instructions_[at]); store && store->getPointerOperand() == &slot)
        return store;
    return nullptr;
  }

  unsigned first() const {
    unsigned out = kMaxWindow;
    for (const LoadInst* load : loads_) out = std::min(out, places_.lookup(load));
    return out;
  }
  unsigned last() const {
    unsigned out = 0;
    for (const LoadInst* load : loads_) out = std::max(out, places_.lookup(load));
    return out;
  }

  static bool is_own_store(const Instruction& i) {
    const auto* store = dyn_cast<StoreInst>(&i);
    const auto* slot = store ? dyn_cast<AllocaInst>(store->getPointerOperand()) : nullptr;
    return slot && isAllocaPromotable(slot);
  }

  bool is_undisturbed() {
    const unsigned begin = first(), end = last();
    for (unsigned at = begin + 1; at < instructions_.size(); ++at) {
      const Instruction& i = *instructions_[at];
      const auto* call = dyn_cast<CallBase>(&i);
      if (call && !ways_.comes_back(*call)) return false;
      if (at < end && !stays_between_loads(i)) return false;
    }
    return all_of(loads_, [&](const LoadInst* load) {
      return places_.lookup(load) == begin || is_fixed(*load->getPointerOperand(), begin, 0);
    });
  }
  static bool stays_between_loads(const Instruction& i) {
    if (isa<LoadInst>(i) || is_own_store(i)) return true;
    const auto* call = dyn_cast<CallBase>(&i);
    if (call && !isa<IntrinsicInst>(call)) return false;
    return !i.mayWriteToMemory() || (call && is_marker(*call));
  }
  // Says something to the compiler, and does nothing.
  static bool is_marker(const CallBase& call) {
    const auto* intrinsic = dyn_cast<IntrinsicInst>(&call);
    return intrinsic && (intrinsic->isLifetimeStartOrEnd() || isa<DbgInfoIntrinsic>(intrinsic) ||
                         intrinsic->getIntrinsicID() == Intrinsic::assume);
  }

  // The address does not depend on what is loaded behind the first load.
  bool is_fixed(const Value& address, unsigned begin, unsigned depth) const {
    const auto* instruction = dyn_cast<Instruction>(&address);
    if (!instruction) return true;
    const auto place = places_.find(instruction);
    if (place == places_.end() || place->second < begin) return true;
    if (depth > kMaxTree) return false;
    if (const auto* load = dyn_cast<LoadInst>(instruction)) {
      const auto* slot = dyn_cast<AllocaInst>(load->getPointerOperand());
      if (!slot || !isAllocaPromotable(slot)) return false;
      const StoreInst* stored = last_store(*slot, place->second);
      return !stored || is_fixed(*stored->getValueOperand(), begin, depth + 1);
    }
    if (!isa<GetElementPtrInst, CastInst, BinaryOperator>(instruction)) return false;
    return all_of(instruction->operand_values(),
                  [&](const Value* operand) { return is_fixed(*operand, begin, depth + 1); });
  }

  SmallVector<LoadInst*, 2> sorted() const {
    SmallVector<LoadInst*, 2> out(loads_.begin(), loads_.end());
    llvm::sort(out, [&](const LoadInst* a, const LoadInst* b) { return places_.lookup(a) < places_.lookup(b); });
    return out;
  }
  // The words, with the loads numbered as they happen.
  std::vector<std::uint32_t> in_order() const {
    const auto order = sorted();
    std::vector<std::uint32_t> out = words_;
    for (std::size_t at = 0; at < out.size(); ++at) {
      const auto operation = static_cast<CheckOperation>(out[at] & 0xff);
      if (operation == CheckOperation::Constant) at += 2;
      if (operation != CheckOperation::Load) continue;
      const auto* place = find(order, loads_[out[at] >> 16]);
      out[at] = (out[at] & 0xffff) | static_cast<std::uint32_t>(place - order.begin()) << 16;
    }
    return out;
  }

  const DataLayout& layout_;
  Ways& ways_;
  function_ref<bool(const LoadInst&)> is_recorded_;
  std::vector<Instruction*> instructions_; // before the branch, in their order
  DenseMap<const Instruction*, unsigned> places_;
  SmallVector<LoadInst*, 4> loads_;
  std::vector<std::uint32_t> words_;
};

} // namespace

std::vector<FoundCheck> find_checks(Function& function, const DenseSet<const Function*>& marked,
                                    function_ref<bool(const LoadInst&)> is_recorded) {
  std::vector<FoundCheck> found;
  if (function.isPresplitCoroutine()) return found;
  Ways ways(marked);
  for (BasicBlock& block : function) {
    auto* branch = dyn_cast_or_null<BranchInst>(block.getTerminator());
    if (!branch || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1)) continue;
    const Failure first = ways.failing(*branch->getSuccessor(0)), second = ways.failing(*branch->getSuccessor(1));
    if (first.is_certain() == second.is_certain()) continue;
    auto check = Window(*branch, ways, is_recorded)
                     .check(*branch->getCondition(), first.is_certain(), first.is_certain() ? first : second);
    if (check) found.push_back(std::move(*check));
  }
  return found;
}

} // namespace sooth::pass
