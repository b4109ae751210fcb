// The global variables that other threads can see: what a property may name.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Module.h"

namespace sooth::pass {

struct GlobalEntry {
  llvm::GlobalVariable* variable;
  std::uint64_t bytes;
  std::string name; // `net::state`, `file.cpp:counter` for statics of a file, `f()::counter` for those of a function
  std::string type;
  std::string file;
  std::uint32_t line;
  const llvm::DIType* layout; // what lies there; null if the optimiser made something else of it
};

// All variables defined in the module that can change and have debug information. Not thread-local
// ones.
std::vector<GlobalEntry> collect_globals(llvm::Module& module);
// The thread-local ones, by the same kind of name.
std::vector<std::string> thread_local_names(const llvm::Module& module);

} // namespace sooth::pass
