#include "capture/pass/assembly/assembly.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/InlineAsm.h"

namespace sooth::pass {

using namespace llvm;

namespace {

bool touches_memory(const InlineAsm& assembly) {
  for (const InlineAsm::ConstraintInfo& constraint : assembly.ParseConstraints()) {
    if (constraint.isIndirect) return true;
    if (constraint.Type == InlineAsm::isClobber && is_contained(constraint.Codes, "{memory}")) return true;
  }
  return false;
}

// One instruction, in lower case; `rep` and `lock` are returned as instructions of their own.
bool is_harmless(StringRef instruction) {
  const StringRef word = instruction.take_until([](char c) { return isSpace(c); });
  for (const StringRef known :
       {"", "pause", "nop", "mfence", "lfence", "sfence", "rdtsc", "rdtscp", "cpuid", "int3", "ud2", "yield"})
    if (word == known) return true;
  return instruction == "rep" || instruction == "rep nop" || word.starts_with("prefetch");
}

} // namespace

bool is_opaque_assembly(const CallBase& call) {
  const auto* assembly = dyn_cast<InlineAsm>(call.getCalledOperand());
  if (!assembly || !touches_memory(*assembly)) return false;
  const std::string text = StringRef(assembly->getAsmString()).lower();
  SmallVector<StringRef, 4> instructions;
  SplitString(text, instructions, ";\n\t\r");
  return any_of(instructions, [](StringRef one) { return !is_harmless(one.trim()); });
}

void instrument_assembly(FunctionContext& function, Instruction& call) {
  Builder at(&call);
  function.context.call(at, "__sooth_assembly", function.context.void_type, {});
}

} // namespace sooth::pass
