#include "capture/pass/tables/debug_variables.h"

#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

namespace sooth::pass {

using namespace llvm;

DebugVariables::DebugVariables(Function& function) {
  auto note = [](Map& map, const Value* key, const DILocalVariable* variable) {
    if (!key || isa<UndefValue>(key) || !variable) return;
    Variables& known = map[key];
    if (!is_contained(known, variable)) known.push_back(variable);
  };
  // Clang 19 has two forms of the same facts: records beside instructions, and intrinsic calls.
  auto read = [&](auto& fact) {
    if (fact.hasArgList()) return;
    const DIExpression* expression = fact.getExpression();
    if (!expression) return;
    // The value is a pointer to the variable: so optimised code says where a variable lives.
    const bool points_to_it =
        !fact.isAddressOfVariable() && expression->getNumElements() == 1 && expression->startsWithDeref();
    if (expression->getNumElements() != 0 && !points_to_it) return; // it is something computed from the value
    note(fact.isAddressOfVariable() || points_to_it ? by_address_ : by_value_, fact.getVariableLocationOp(0),
         fact.getVariable());
  };
  for (Instruction& instruction : instructions(function)) {
    for (DbgVariableRecord& record : filterDbgVars(instruction.getDbgRecordRange())) {
      read(record);
      if (record.isDbgAssign() && record.getAddressExpression()->getNumElements() == 0)
        note(by_address_, record.getAddress(), record.getVariable());
    }
    if (auto* intrinsic = dyn_cast<DbgVariableIntrinsic>(&instruction)) {
      read(*intrinsic);
      if (auto* assign = dyn_cast<DbgAssignIntrinsic>(intrinsic);
          assign && assign->getAddressExpression()->getNumElements() == 0)
        note(by_address_, assign->getAddress(), assign->getVariable());
    }
  }
}

const DILocalVariable* DebugVariables::choose(const Map& map, const Value* key, const DISubprogram* preferred) {
  const auto found = map.find(key);
  if (found == map.end()) return nullptr;
  for (const DILocalVariable* variable : found->second)
    if (variable->getScope() && variable->getScope()->getSubprogram() == preferred && !variable->getName().empty())
      return variable;
  for (const DILocalVariable* variable : found->second)
    if (!variable->getName().empty()) return variable;
  return nullptr;
}

const DILocalVariable* DebugVariables::with_value(const Value* value, const DISubprogram* preferred) const {
  return choose(by_value_, value, preferred);
}

const DILocalVariable* DebugVariables::at_address(const Value* address, const DISubprogram* preferred) const {
  return choose(by_address_, address, preferred);
}

} // namespace sooth::pass
