// Checks: branches that end the program if what was just loaded is wrong.
//
//     v = x ; pthread_mutex_unlock(&m) ; if (v != 1) abort();
//
// Question: which loads alone decide that the program fails?
// Answer: a conditional branch, such that
//   - on exactly one of its sides every way ends in a failing call: abort, a failed assertion,
//     std::terminate, a trap, an exit with a failing status (1 to 127; more is said of signals), a
//     function that is marked as failing, or one of this module that cannot avoid one;
//   - its condition is computed, by integer operations, from constants and loads that are recorded;
//   - from the first of these loads to the branch there is one way, without another branch. Between
//     the loads nothing is called and nothing shared is written, and their addresses depend on
//     nothing that is loaded there. Behind them only what always returns is called: unlocking, and
//     functions of this module without loops that call nothing else.
// So a thread that stands before the first load goes on to the failing call whenever memory holds
// values for which the condition says so. Variables that live on the stack at -O0 are looked
// through.
// Where we differ: this is about single branches. A value that goes through memory that is shared,
//   a call's result, a loop or a second condition is not followed; then nothing is said.
// Cost: one walk back from each branch before a failing call.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Instructions.h"

namespace sooth::pass {

struct FoundCheck {
  std::string fails;                           // the failing function
  llvm::SmallVector<llvm::LoadInst*, 2> loads; // in their order
  std::vector<std::uint32_t> condition;        // words (trace/format.h, kFactChecks;
                                               // trace/check_words.h); 1: it fails
};

// What SOOTH_FAILS of <sooth/sooth.h> expands to.
inline constexpr llvm::StringLiteral kFailsAnnotation = "sooth_fails";

// `marked`: functions that the user calls failing.
std::vector<FoundCheck> find_checks(llvm::Function& function, const llvm::DenseSet<const llvm::Function*>& marked,
                                    llvm::function_ref<bool(const llvm::LoadInst&)> is_recorded);

} // namespace sooth::pass
