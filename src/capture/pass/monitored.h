// The question: which accesses can a formula of this property file see? Used by `--monitor FILE`, which instruments only them.
// Source: the text of the file. It is not parsed here: every word in it may be the name of a variable or of a function, so
// that too much may be instrumented, never too little; the runtime knows the addresses and looks at each access again.
// Where we differ: an ordinary build keeps every access. Here an access that cannot be of a named variable has no hook, any
// other a comparison of its address with the range that holds them all (abi.h).
// Cost: two loads, a subtraction and a comparison for each access that is left.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "capture/pass/module_context.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/Instructions.h"

namespace sooth::pass {

class MonitorText {
public:
  // Nothing if the file cannot be read.
  static std::optional<MonitorText> read(const std::string& path);
  explicit MonitorText(llvm::StringRef text);

  bool mentions(llvm::StringRef word) const { return words_.contains(word); }
  // Knowledge may travel through all memory (`over *`, and a block's atomicity without `over`).
  bool is_about_all_memory() const { return all_memory_; }
  // Some thread may be named by its start function: `at writer`, `@reader(y)`.
  bool names_threads() const { return names_threads_; }

private:
  llvm::StringSet<> words_;
  bool names_threads_ = false;
  bool all_memory_ = false;
};

// Variables of this module that no formula names and nobody but direct accesses can reach.
class OutOfSight {
public:
  explicit OutOfSight(const MonitorText& text) : text_(text) {}
  bool contains(const llvm::Value* address);

private:
  bool decide(const llvm::GlobalVariable& variable) const;

  const MonitorText& text_;
  llvm::DenseMap<const llvm::GlobalVariable*, bool> known_;
};

// Accesses up to this size that reach into the range are seen by looking at where they begin.
bool is_in_reach(std::uint64_t size);
// i1: an access at this address may be of a named variable.
llvm::Value* emit_near(ModuleContext& context, Builder& at, llvm::Value* address);
// The end of a block that runs only if it is, before `before`.
llvm::Instruction* emit_if_near(ModuleContext& context, llvm::Instruction* before, llvm::Value* address);

// Loads and stores of 1, 2, 4 and 8 bytes: made by the hook if they may be of a named variable. False: not such a type.
bool instrument_monitored_load(FunctionContext& function, llvm::LoadInst& load, std::uint32_t row);
bool instrument_monitored_store(FunctionContext& function, llvm::StoreInst& store, std::uint32_t row);

// At the function's entry, as long as the runtime wants to know where the thread starts.
void instrument_start(FunctionContext& function, std::uint32_t row);

} // namespace sooth::pass
