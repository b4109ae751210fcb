#include "capture/pass/calls.h"

#include <fnmatch.h>

#include "capture/pass/tables/debug_types.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"

namespace sooth::pass {

using namespace llvm;

namespace {

constexpr StringRef kCallsMark = "sooth-calls";
constexpr StringRef kAnchor = "__sooth_called";

bool is_wanted(const Function& function, const std::vector<std::string>& names) {
  const DISubprogram* source = function.getSubprogram();
  if (!source) return false;
  StringRef name = source->getName();
  if (!name.starts_with("operator")) name = name.take_until([](char c) { return c == '<'; });
  return any_of(names, [&](const std::string& wanted) {
    return wanted == "*" ? !is_system_path(joined_path(source->getFile())) : name == wanted;
  });
}

// As `sooth check --atomic` does it.
bool fits(const Function& function, const std::vector<std::string>& globs) {
  if (globs.empty() || !function.getSubprogram()) return false;
  const std::string name = demangle(function.getName());
  const std::string bare = name.substr(0, name.find('('));
  return any_of(globs, [&](const std::string& glob) {
    return fnmatch(glob.c_str(), name.c_str(), 0) == 0 || fnmatch(glob.c_str(), bare.c_str(), 0) == 0;
  });
}

// A call of something unknown: the function has an effect, so no call of it is left out, merged
// with another or moved.
void put_anchor(Function& function) {
  Module& module = *function.getParent();
  IRBuilder<> at(&function.getEntryBlock(), function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  at.SetCurrentDebugLocation(DILocation::get(function.getContext(), 0, 0, function.getSubprogram()));
  FunctionCallee anchor = module.getOrInsertFunction(kAnchor, FunctionType::get(at.getVoidTy(), false));
  cast<Function>(anchor.getCallee())->setDoesNotThrow();
  at.CreateCall(anchor)->setNoSanitizeMetadata();
}

// `__attribute__((const))` and the like: the promise no longer holds.
void forget_promises(Function& function) {
  const auto forget = [](auto& it) {
    for (Attribute::AttrKind kind : {Attribute::Memory, Attribute::NoSync, Attribute::Speculatable})
      it.removeFnAttr(kind);
  };
  forget(function);
  for (User* user : function.users())
    if (auto* call = dyn_cast<CallBase>(user)) forget(*call);
}

} // namespace

bool mark_called(Module& module, const IgnoreList& ignored, const std::vector<std::string>& names,
                 const std::vector<std::string>& globs) {
  bool changed = false;
  for (Function& function : module) {
    if (function.isDeclaration() || ignored.is_ignored(function)) continue;
    if (!is_wanted(function, names) && !fits(function, globs)) continue;
    if (function.hasFnAttribute(Attribute::Naked)) continue;
    function.removeFnAttr(Attribute::AlwaysInline);
    function.addFnAttr(Attribute::NoInline);
    changed = true;
    if (ignored.cannot_be_instrumented(function) || function.isPresplitCoroutine()) continue;
    function.addFnAttr(kCallsMark);
    function.addFnAttr("disable-tail-calls", "true"); // a recursion stays one
    forget_promises(function);
    put_anchor(function);
  }
  return changed;
}

bool is_marked(const Function& function) { return function.hasFnAttribute(kCallsMark); }

void remove_anchor(Function& function) {
  for (Instruction& instruction : make_early_inc_range(instructions(function))) {
    auto* call = dyn_cast<CallInst>(&instruction);
    const Function* callee = call ? call->getCalledFunction() : nullptr;
    if (callee && callee->getName() == kAnchor) call->eraseFromParent();
  }
}

} // namespace sooth::pass
