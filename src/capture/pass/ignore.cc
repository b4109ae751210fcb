#include "capture/pass/ignore.h"

#include "capture/pass/debug_types.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/GlobalIFunc.h"
#include "llvm/Support/VirtualFileSystem.h"

namespace sooth::pass {

using namespace llvm;

namespace {

constexpr StringRef kAnnotation = "sooth_no_record"; // what SOOTH_NO_RECORD of <sooth/sooth.h> expands to
constexpr StringRef kSection = "sooth";

// llvm.global.annotations is an array of { what, text, file, line, arguments }.
DenseSet<const Function*> annotated_functions(const Module& module) {
  DenseSet<const Function*> found;
  const GlobalVariable* all = module.getNamedGlobal("llvm.global.annotations");
  const auto* rows = all && all->hasInitializer() ? dyn_cast<ConstantArray>(all->getInitializer()) : nullptr;
  if (!rows) return found;
  for (const Use& row : rows->operands()) {
    const auto* fields = dyn_cast<ConstantStruct>(row.get());
    if (!fields || fields->getNumOperands() < 2) continue;
    const auto* function = dyn_cast<Function>(fields->getOperand(0)->stripPointerCasts());
    const auto* text = dyn_cast<GlobalVariable>(fields->getOperand(1)->stripPointerCasts());
    if (!function || !text || !text->hasInitializer()) continue;
    const auto* bytes = dyn_cast<ConstantDataSequential>(text->getInitializer());
    if (bytes && bytes->isCString() && bytes->getAsCString() == kAnnotation) found.insert(function);
  }
  return found;
}

} // namespace

IgnoreList::IgnoreList(const Module& module, const std::vector<std::string>& files)
    : annotated_(annotated_functions(module)) {
  for (const GlobalIFunc& indirect : module.ifuncs())
    if (const Function* resolver = indirect.getResolverFunction()) resolvers_.insert(resolver);
  if (files.empty()) return;
  std::string error;
  list_ = SpecialCaseList::create(files, *vfs::getRealFileSystem(), error);
  if (!list_) {
    module.getContext().emitError("sooth: " + error);
    return;
  }
  whole_module_ = matches_source(module.getSourceFileName());
  for (const DICompileUnit* unit : module.debug_compile_units())
    whole_module_ |= matches_source(joined_path(unit->getFile()));
}

bool IgnoreList::matches_source(StringRef path) const {
  return list_ && !path.empty() && list_->inSection(kSection, "src", path);
}

bool IgnoreList::is_ignored(const Function& function) const {
  if (whole_module_ || annotated_.contains(&function)) return true;
  if (function.hasFnAttribute(Attribute::DisableSanitizerInstrumentation)) return true;
  if (!list_) return false;
  // Clang matches mangled names; people write what they see, so the demangled one counts too.
  if (list_->inSection(kSection, "fun", function.getName())) return true;
  if (list_->inSection(kSection, "fun", demangle(function.getName()))) return true;
  const DISubprogram* source = function.getSubprogram();
  return source && (matches_source(joined_path(source->getFile())) || matches_source(source->getFilename()));
}

bool IgnoreList::cannot_be_instrumented(const Function& function) const {
  return function.isDeclarationForLinker() || function.hasFnAttribute(Attribute::Naked) ||
         resolvers_.contains(&function) || function.getName().starts_with("__sooth_") ||
         function.getName().starts_with("llvm.");
}

} // namespace sooth::pass
