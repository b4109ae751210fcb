#include "capture/pass/tables/global_table.h"

#include "capture/pass/tables/debug_types.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/Support/Path.h"

namespace sooth::pass {

using namespace llvm;

namespace {

std::string table_name(const GlobalVariable& variable, const DIGlobalVariable& source) {
  const std::string name = qualified_name(scope_of(source), source.getName());
  if (!variable.hasLocalLinkage() || is_in_function(source.getScope())) return name;
  return sys::path::filename(source.getFile() ? source.getFile()->getFilename() : "").str() + ":" + name;
}

bool belongs_in_table(const GlobalVariable& variable) {
  if (variable.isDeclarationForLinker() || variable.isConstant() || variable.isThreadLocal()) return false;
  if (variable.getAddressSpace() != 0 || variable.getName().starts_with("llvm.")) return false;
  // A local symbol in a section group may be dropped by the linker, and a reference to it would not
  // link.
  return !(variable.hasLocalLinkage() && variable.hasComdat());
}

} // namespace

std::vector<GlobalEntry> collect_globals(Module& module) {
  std::vector<GlobalEntry> entries;
  const DataLayout& layout = module.getDataLayout();
  for (GlobalVariable& variable : module.globals()) {
    if (!belongs_in_table(variable)) continue;
    SmallVector<DIGlobalVariableExpression*, 1> expressions;
    variable.getDebugInfo(expressions);
    if (expressions.empty()) continue;
    const DIGlobalVariable& source = *expressions.front()->getVariable();
    std::string name = table_name(variable, source);
    const DIType* type = source.getType();
    // A structure that the optimiser took apart: the piece has the name of its member.
    if (auto piece = expressions.front()->getExpression()->getFragmentInfo()) {
      const Member member = find_member(type, piece->OffsetInBits / 8, piece->SizeInBits / 8, {});
      name += member.path;
      type = member.type;
    }
    if (source.getName().empty()) continue;
    const std::uint64_t bytes = layout.getTypeAllocSize(variable.getValueType()).getFixedValue();
    // An int of which only one bit is used may have become a bool: it cannot be read as the source
    // declares it.
    const bool as_declared = bytes_of(type) == bytes;
    entries.push_back({&variable, bytes, std::move(name), type_name(type), joined_path(source.getFile()),
                       source.getLine(), as_declared ? type : nullptr});
  }
  return entries;
}

std::vector<std::string> thread_local_names(const Module& module) {
  std::vector<std::string> names;
  for (const GlobalVariable& variable : module.globals()) {
    SmallVector<DIGlobalVariableExpression*, 1> expressions;
    variable.getDebugInfo(expressions);
    if (!variable.isThreadLocal() || expressions.empty()) continue;
    const DIGlobalVariable& source = *expressions.front()->getVariable();
    if (!source.getName().empty()) names.push_back(table_name(variable, source));
  }
  return names;
}

} // namespace sooth::pass
