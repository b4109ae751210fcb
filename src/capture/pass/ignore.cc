#include "capture/pass/ignore.h"

#include "capture/pass/tables/debug_types.h"
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

} // namespace

// llvm.global.annotations is an array of { what, text, file, line, arguments }.
DenseSet<const Function*> annotated_functions(const Module& module, StringRef annotation) {
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
    if (bytes && bytes->isCString() && bytes->getAsCString() == annotation) found.insert(function);
  }
  return found;
}

IgnoreList::IgnoreList(const Module& module, const Selection& selection)
    : annotated_(annotated_functions(module, kAnnotation)) {
  const auto add_globs = [&](const std::vector<std::string>& texts, Globs& globs) {
    for (const std::string& text : texts) {
      if (Expected<GlobPattern> glob = GlobPattern::create(text)) globs.push_back(std::move(*glob));
      else module.getContext().emitError("sooth: " + text + ": " + toString(glob.takeError()));
    }
  };
  add_globs(selection.only, only_);
  add_globs(selection.skip, skip_);
  const std::vector<std::string>& files = selection.ignorelists;
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

bool IgnoreList::matches(const Globs& globs, const Function& function) {
  if (globs.empty()) return false;
  std::vector<std::string> names = {function.getName().str(), demangle(function.getName())};
  if (const DISubprogram* source = function.getSubprogram()) {
    names.push_back(source->getFilename().str());
    names.push_back(joined_path(source->getFile()));
  } else {
    names.push_back(function.getParent()->getSourceFileName());
  }
  // `net::send` means all that is called so, whatever its parameters.
  if (const std::size_t parameters = names[1].find('('); parameters != std::string::npos)
    names.push_back(names[1].substr(0, parameters));
  return any_of(globs, [&](const GlobPattern& glob) {
    return any_of(names, [&](const std::string& name) { return glob.match(name); });
  });
}

bool IgnoreList::is_ignored(const Function& function) const {
  if (matches(skip_, function) || (!only_.empty() && !matches(only_, function))) return true;
  if (whole_module_ || annotated_.contains(&function)) return true;
  if (function.hasFnAttribute(Attribute::DisableSanitizerInstrumentation)) return true;
  if (!list_) return false;
  // Clang matches mangled names; people write what they see, so the demangled one counts too.
  if (list_->inSection(kSection, "fun", function.getName())) return true;
  if (list_->inSection(kSection, "fun", demangle(function.getName()))) return true;
  const DISubprogram* source = function.getSubprogram();
  return source && (matches_source(joined_path(source->getFile())) || matches_source(source->getFilename()));
}

bool IgnoreList::only_looks(const Function& function) const {
  if (!list_) return false;
  const std::string name = demangle(function.getName());
  return list_->inSection(kSection, "looks", function.getName()) || list_->inSection(kSection, "looks", name) ||
         list_->inSection(kSection, "looks", StringRef(name).split('(').first);
}

bool IgnoreList::cannot_be_instrumented(const Function& function) const {
  return function.isDeclarationForLinker() || function.hasFnAttribute(Attribute::Naked) ||
         resolvers_.contains(&function) || function.getName().starts_with("__sooth_") ||
         function.getName().starts_with("llvm.");
}

} // namespace sooth::pass
