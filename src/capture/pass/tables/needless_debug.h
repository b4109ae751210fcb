// Drops debug records that no name will come from, before the optimiser carries them along.
//
//     int i = 0; char* p = a;   `i` lives in a register: no access is named after it. `p` names *p
//
// Where: only where debug information is dropped anyway once names are taken from it (plugin.cc),
// and not at -O0, where each variable has a place in memory.
// Cost: a look at the users of each local variable of a number's type.
#pragma once

#include "llvm/IR/PassManager.h"

namespace sooth::pass {

struct DropNeedlessDebug : llvm::PassInfoMixin<DropNeedlessDebug> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

} // namespace sooth::pass
