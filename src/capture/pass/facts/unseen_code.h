// Code without hooks that a module leads to, and memory that such code cannot read.
//
//     static int hits; ++hits; library();    library() cannot reach hits: nobody takes its address
//     int shared; library(&shared);          it may look at shared, and decide by it
//
// Question: may code without hooks read the memory that a thread has written?
// Source: escape analysis for variables of one module; for everything else the names of what is
//   called, which the reader compares with all modules of the program
//   (trace/program/value_flows.h).
// Cost: one walk over the module's functions and over the uses of its static variables.
#pragma once

#include <cstdint>
#include <vector>

#include "capture/pass/ignore.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/Module.h"

namespace sooth::pass {

struct SeenCode {
  std::vector<std::uint64_t> defined;              // names of functions with hooks that other modules can call
  std::vector<std::uint64_t> called;               // names of functions without a body here that may read any memory
  bool has_unseen = false;                         // some code of the module itself has no hooks
  bool has_main = false;                           // it defines main
  bool redirects = false;                          // it may redirect the standard streams
  llvm::DenseSet<const llvm::Function*> only_look; // the user says that they only print what they are given
  llvm::DenseSet<const llvm::GlobalVariable*> out_of_reach; // only hooked code of this module reads them
};

// Before the hooks are put in.
SeenCode seen_code(const llvm::Module& module, const std::vector<llvm::Function*>& with_hooks,
                   const IgnoreList& ignored);

} // namespace sooth::pass
