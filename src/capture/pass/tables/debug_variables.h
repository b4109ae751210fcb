// The source variable that a value of a function stands for, from the debug records.
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Function.h"

namespace sooth::pass {

class DebugVariables {
public:
  explicit DebugVariables(llvm::Function& function);

  // The variable whose value this is / that lives at this address. If several do (after inlining),
  // one of the function that the access belongs to. Null if none is known.
  const llvm::DILocalVariable* with_value(const llvm::Value* value, const llvm::DISubprogram* preferred) const;
  const llvm::DILocalVariable* at_address(const llvm::Value* address, const llvm::DISubprogram* preferred) const;

private:
  using Variables = llvm::SmallVector<const llvm::DILocalVariable*, 2>;
  using Map = llvm::DenseMap<const llvm::Value*, Variables>;
  static const llvm::DILocalVariable* choose(const Map& map, const llvm::Value* key,
                                             const llvm::DISubprogram* preferred);

  Map by_value_;
  Map by_address_;
};

} // namespace sooth::pass
