// Code that the user wants left out: annotated functions, entries of ignorelist files, matches of
// --skip, and non-matches of --only.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/GlobPattern.h"
#include "llvm/Support/SpecialCaseList.h"

namespace sooth::pass {

struct Selection {
  std::vector<std::string> ignorelists; // files
  std::vector<std::string> only;        // globs over names of functions and of source files; empty: all
  std::vector<std::string> skip;        // the same; stronger than `only`
};

// Functions that the source annotates with this text.
llvm::DenseSet<const llvm::Function*> annotated_functions(const llvm::Module& module, llvm::StringRef annotation);

class IgnoreList {
public:
  // Reads the files. Errors in them are reported through the module's context, as errors of the
  // compilation.
  IgnoreList(const llvm::Module& module, const Selection& selection);

  // The user asked for it: SOOTH_NO_RECORD, the compiler's attribute against instrumentation, an
  // ignorelist entry.
  bool is_ignored(const llvm::Function& function) const;
  // An ignorelist says `looks:NAME`: it only prints what it is given (facts/only_looks.h).
  bool only_looks(const llvm::Function& function) const;
  // Code that hooks would break: naked functions, resolvers of indirect functions (they run before
  // relocation).
  bool cannot_be_instrumented(const llvm::Function& function) const;

private:
  using Globs = std::vector<llvm::GlobPattern>;
  bool matches_source(llvm::StringRef path) const;
  static bool matches(const Globs& globs, const llvm::Function& function);

  Globs only_;
  Globs skip_;
  std::unique_ptr<llvm::SpecialCaseList> list_;
  llvm::DenseSet<const llvm::Function*> annotated_;
  llvm::DenseSet<const llvm::Function*> resolvers_;
  bool whole_module_ = false;
};

} // namespace sooth::pass
