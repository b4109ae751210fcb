#include "capture/pass/tables/needless_debug.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

namespace sooth::pass {

using namespace llvm;

PreservedAnalyses DropNeedlessDebug::run(Function& function, FunctionAnalysisManager&) {
  SmallVector<AllocaInst*> needless;
  for (Instruction& instruction : function.getEntryBlock())
    // Pointers name what they point at, also in a register.
    if (auto* variable = dyn_cast<AllocaInst>(&instruction);
        variable && variable->getAllocatedType()->isSingleValueType() &&
        !variable->getAllocatedType()->isPtrOrPtrVectorTy() && isAllocaPromotable(variable))
      needless.push_back(variable);
  for (AllocaInst* variable : needless) {
    for (DbgDeclareInst* call : findDbgDeclares(variable)) call->eraseFromParent();
    for (DbgVariableRecord* record : findDVRDeclares(variable)) record->eraseFromParent();
  }
  return needless.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

} // namespace sooth::pass
