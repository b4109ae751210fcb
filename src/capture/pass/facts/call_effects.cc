#include "capture/pass/facts/call_effects.h"

#include <string_view>

#include "llvm/ADT/StringMap.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

namespace sooth::pass {

using namespace llvm;

namespace {

constexpr StringRef kTerminates = "sooth.terminates";

struct LibraryFunction {
  trace::CallEffect effect;
  bool quiet;
};

const StringMap<LibraryFunction>& library_functions() {
  static const StringMap<LibraryFunction> functions = [] {
    StringMap<LibraryFunction> table;
#define SOOTH_LIBC_FUNCTION(name, effect, quiet) table.insert({#name, {trace::CallEffect::effect, quiet}});
#include "capture/pass/libc_functions.def"
#undef SOOTH_LIBC_FUNCTION
    return table;
  }();
  return functions;
}

std::optional<LibraryFunction> library_function(const CallBase& call) {
  const Function* callee = call.getCalledFunction();
  if (!callee || !callee->isDeclaration()) return std::nullopt;
  const auto known = library_functions().find(callee->getName());
  if (known == library_functions().end()) return std::nullopt;
  return known->second;
}

bool is_marked_finite(const Loop& loop) {
  const MDNode* id = loop.getLoopID();
  return id && any_of(drop_begin(id->operands()), [](const MDOperand& operand) {
           const auto* node = dyn_cast_or_null<MDNode>(operand.get());
           const auto* name = node && node->getNumOperands() == 1 ? dyn_cast<MDString>(node->getOperand(0)) : nullptr;
           return name && name->getString() == kTerminates;
         });
}

void mark(Loop& loop) {
  LLVMContext& context = loop.getHeader()->getContext();
  SmallVector<Metadata*, 4> operands = {nullptr};
  if (const MDNode* id = loop.getLoopID()) operands.append(id->op_begin() + 1, id->op_end());
  operands.push_back(MDNode::get(context, MDString::get(context, kTerminates)));
  MDNode* id = MDNode::getDistinct(context, operands);
  id->replaceOperandWith(0, id);
  loop.setLoopID(id);
}

} // namespace

bool has_library_name(const Function& function) { return library_functions().contains(function.getName()); }

bool is_library_function(const Function& function) {
  return function.isDeclarationForLinker() && has_library_name(function);
}

// Only if nothing else can replace it when the program is linked or loaded.
const Function* CallEffects::body_of(const CallBase& call) const {
  const Function* callee = call.getCalledFunction();
  if (!callee || callee->isDeclaration() || callee->isInterposable()) return nullptr;
  return callee;
}

trace::CallEffect CallEffects::effect_of(const CallBase& call) const {
  if (call.isInlineAsm() || call.isMustTailCall()) return trace::CallEffect::Other;
  if (const Function* body = body_of(call); body && instrumented_.contains(body)) return trace::CallEffect::Defined;
  if (const auto known = library_function(call)) return known->effect;
  // A function outside of this module may have hooks all the same: `pure` and `const` say what its
  // source means.
  if (call.doesNotAccessMemory()) return trace::CallEffect::None;
  return call.onlyReadsMemory() ? trace::CallEffect::Reads : trace::CallEffect::Other;
}

bool CallEffects::returns(const CallBase& call) {
  if (const auto* intrinsic = dyn_cast<IntrinsicInst>(&call)) return !intrinsic->doesNotReturn();
  if (call.isInlineAsm()) return true;
  if (library_function(call)) return true;
  if (call.hasFnAttr(Attribute::WillReturn) && call.doesNotThrow()) return true;
  const Function* body = body_of(call);
  return body && body_returns(*body);
}

bool CallEffects::body_returns(const Function& function) {
  const auto [known, fresh] = returns_.try_emplace(&function, false); // a call of itself: not known to
  if (!fresh) return known->second;
  auto& changeable = const_cast<Function&>(function);
  const LoopInfo& loops = analyses_.getResult<LoopAnalysis>(changeable);
  SmallVector<std::pair<const BasicBlock*, const BasicBlock*>, 8> back;
  FindFunctionBackedges(function, back);
  const bool loops_end = all_of(back, [&](const auto& edge) {
    const Loop* loop = loops.getLoopFor(edge.second);
    return loop && loop->getHeader() == edge.second && loop->contains(edge.first) && ends(*loop);
  });
  bool all = loops_end;
  for (const Instruction& instruction : instructions(function)) {
    if (!all) break;
    if (isa<ResumeInst, UnreachableInst>(instruction)) all = false;
    else if (const auto* call = dyn_cast<CallBase>(&instruction)) all = returns(*call);
  }
  returns_[&function] = all;
  return all;
}

bool CallEffects::is_quiet(const CallBase& call) {
  if (const auto* intrinsic = dyn_cast<IntrinsicInst>(&call)) {
    if (const auto* memory = dyn_cast<AnyMemIntrinsic>(intrinsic)) return !memory->isVolatile();
    return intrinsic->isAssumeLikeIntrinsic() || intrinsic->doesNotAccessMemory() || intrinsic->onlyAccessesArgMemory();
  }
  if (call.isInlineAsm()) return false;
  if (const auto known = library_function(call)) return known->quiet;
  if (call.onlyReadsMemory() && call.hasFnAttr(Attribute::NoSync)) return true;
  const Function* body = body_of(call);
  return body && body_is_quiet(*body);
}

bool CallEffects::is_quiet(const Instruction& instruction) {
  if (instruction.isAtomic() || instruction.isVolatile()) return false;
  const auto* call = dyn_cast<CallBase>(&instruction);
  return !call || is_quiet(*call);
}

bool CallEffects::body_is_quiet(const Function& function) {
  // During the walk, a call of itself counts as loud: results about others stay right.
  const auto [known, fresh] = quiet_.try_emplace(&function, false);
  if (!fresh) return known->second;
  const bool all = all_of(instructions(function), [&](const Instruction& each) { return is_quiet(each); });
  quiet_[&function] = all;
  return all;
}

bool CallEffects::ends(const Loop& loop) {
  if (const auto known = ends_.find(&loop); known != ends_.end()) return known->second;
  auto& function = *loop.getHeader()->getParent();
  bool result = is_marked_finite(loop) || isFinite(&loop);
  if (!result) {
    auto& evolution = analyses_.getResult<ScalarEvolutionAnalysis>(function);
    result = !isa<SCEVCouldNotCompute>(evolution.getSymbolicMaxBackedgeTakenCount(&loop));
  }
  if (!result && isMustProgress(&loop)) {
    result = all_of(loop.blocks(), [&](const BasicBlock* block) {
      return all_of(*block, [&](const Instruction& each) { return is_quiet(each); });
    });
  }
  ends_[&loop] = result;
  return result;
}

bool mark_terminating_loops(Module& module) {
  Function* annotation = module.getFunction("__sooth_terminates");
  if (!annotation) return false;
  DenseMap<Function*, SmallVector<CallBase*, 4>> calls;
  for (User* user : annotation->users())
    if (auto* call = dyn_cast<CallBase>(user); call && call->getCalledFunction() == annotation)
      calls[call->getFunction()].push_back(call);
  for (auto& [function, inside] : calls) {
    DominatorTree dominators(*function);
    LoopInfo loops(dominators);
    for (CallBase* call : inside) {
      if (Loop* loop = loops.getLoopFor(call->getParent()); loop && !is_marked_finite(*loop)) mark(*loop);
      if (isa<CallInst>(call)) call->eraseFromParent(); // it cannot throw, so it is never an invoke
    }
  }
  return !calls.empty();
}

} // namespace sooth::pass
