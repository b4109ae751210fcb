#include "capture/pass/frames.h"

#include "capture/pass/calls.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace sooth::pass {

using namespace llvm;

namespace {

// stack_top = top; if (top < stack_low) stack_low = top. The minimum is written in either case: a
// branch costs more.
void set_top(FunctionContext& function, Builder& at, Value* top) {
  function.store_field(at, kStackTop, top);
  Value* low = function.load_field(at, kStackLow);
  function.store_field(at, kStackLow, at.CreateSelect(at.CreateICmpULT(top, low), top, low));
}

} // namespace

void instrument_frame(FunctionContext& function, std::uint32_t row) {
  Function& f = function.function;
  if (f.isPresplitCoroutine()) return;
  ModuleContext& context = function.context;

  SmallVector<Instruction*, 8> leave;
  SmallVector<Instruction*, 8> repair;
  for (Instruction& instruction : instructions(f)) {
    if (auto* exit = dyn_cast<ReturnInst>(&instruction)) {
      // Nothing may stand between a musttail call and its return: the frame is left before the
      // call.
      CallInst* last = exit->getParent()->getTerminatingMustTailCall();
      leave.push_back(last ? static_cast<Instruction*>(last) : exit);
    } else if (isa<LandingPadInst>(instruction)) {
      repair.push_back(instruction.getNextNode());
    } else if (auto* call = dyn_cast<CallBase>(&instruction); call && call->hasFnAttr(Attribute::ReturnsTwice)) {
      if (auto* invoke = dyn_cast<InvokeInst>(call)) repair.push_back(&*invoke->getNormalDest()->getFirstInsertionPt());
      else repair.push_back(call->getNextNode());
    }
  }

  Builder at(&f.getEntryBlock(), function.entry_point_with_thread());
  if (DISubprogram* source = f.getSubprogram())
    at.SetCurrentDebugLocation(DILocation::get(f.getContext(), source->getScopeLine(), 0, source));
  Value* top = function.load_field(at, kStackTop);
  Value* above = at.CreateConstInBoundsGEP1_64(context.i64, top, 1);
  function.store_field(at, kStackTop, above);
  // No instrumented code calls main: the last call was one of a constructor's.
  Value* site = f.getName() == "main" ? ConstantInt::get(context.i32, 0) : function.load_field(at, kCallSite);
  Value* caller = at.CreateShl(at.CreateZExt(site, context.i64), 32);
  Value* own = at.CreateZExt(context.site_number(at, row), context.i64);
  at.CreateAlignedStore(at.CreateOr(caller, own), top, Align(8));
  const auto tell = [&](Builder& here) {
    if (is_marked(f)) context.call(here, "__sooth_called", context.void_type, {});
  };
  tell(at);

  for (Instruction* exit : leave) {
    Builder here(exit);
    set_top(function, here, top);
    tell(here);
  }
  for (Instruction* back : repair) {
    Builder here(back);
    set_top(function, here, above);
  }
}

bool is_real_call(const CallBase& call) {
  if (isa<IntrinsicInst>(call) || call.isInlineAsm()) return false;
  const Function* callee = call.getCalledFunction();
  return !callee || !callee->getName().starts_with("__sooth_");
}

bool is_annotation(const CallBase& call) {
  static constexpr StringRef kAnnotations[] = {
      "__sooth_atomic_begin", "__sooth_atomic_end",        "__sooth_internal", "__sooth_thread_name",
      "__sooth_user_event",   "__sooth_user_event_double", "__sooth_watch"};
  const Function* callee = call.getCalledFunction();
  return callee && is_contained(kAnnotations, callee->getName());
}

void instrument_call(FunctionContext& function, CallBase& call, std::uint32_t row) {
  Builder at(&call);
  function.store_field(at, kCallSite, function.context.site_number(at, row));
}

} // namespace sooth::pass
