// Shared by all parts of the pass while they work on one module: types, hooks and the thread's
// record.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "capture/pass/facts/value_flows.h"
#include "capture/pass/tables/site_table.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace sooth::pass {

class Sight; // monitored.h

// What monitors need hooks for; logic/monitor_needs.h reads it from the property file.
struct MonitorNeeds {
  bool all_memory = false;
  // Names, without scopes and parts.
  llvm::StringSet<> variables;
  llvm::StringSet<> start_functions; // that threads may be named by
};

struct Options {
  bool branches = true;
  bool loops = true;                        // one call for a range instead of hooks in a loop
  bool own = false;                         // checks whether a thread has memory to itself (abi.h, Owners)
  bool classes = false;                     // what becomes of values that are read (facts/value_flows.h)
  bool facts = false;                       // static facts for dependence, and whatever hooks they need
  bool strip_debug = false;                 // the user wants no debug information; the pass has used it
  bool verify = false;                      // run LLVM's verifier over the result; for our own tests
  std::optional<MonitorNeeds> monitor = {}; // only what monitors can see
  std::vector<std::string> calls = {};      // functions of which every call is an event (calls.h)
  std::vector<std::string> atomic = {};     // globs of functions of which every call is an event, too (calls.h)
};

// Marks every instruction it inserts as ours (`!nosanitize`), so that no other tool instruments the
// instrumentation.
class MarkingInserter final : public llvm::IRBuilderDefaultInserter {
public:
  void InsertHelper(llvm::Instruction* instruction, const llvm::Twine& name,
                    llvm::BasicBlock::iterator where) const override;
};
using Builder = llvm::IRBuilder<llvm::ConstantFolder, MarkingInserter>;

// Offsets in SoothThreadAbi (abi.h); checked there by static assertions.
enum ThreadField : std::uint64_t {
  kCellMask = 8,
  kEpoch = 16,
  kStackTop = 24,
  kStackLow = 32,
  kCells = 40,
  kCallSite = 48,
  kBranches = 52,
  kOwners = 56,
  kOwnerMask = 64,
  kMine = 72,
  kStoring = 80,
};

class ModuleContext {
public:
  ModuleContext(llvm::Module& module, const Options& options);

  llvm::Module& module;
  const llvm::DataLayout& layout;
  const Options options;
  SiteTable sites;
  std::vector<std::uint32_t> dependence; // section of static facts, if they are wanted
  ValueFlows flows;                      // otherwise
  std::uint32_t functions_left_out = 0;  // because the user asked for it
  const Sight* sight = nullptr;          // with monitors
  // The user says so (SOOTH_FAILS).
  const llvm::DenseSet<const llvm::Function*> failing;

  llvm::Type* const void_type;
  llvm::IntegerType* const i8;
  llvm::IntegerType* const i32;
  llvm::IntegerType* const i64;
  llvm::PointerType* const pointer;
  llvm::GlobalVariable* const thread; // __sooth_thread
  llvm::GlobalVariable* const base;   // the module's own: number of its first site

  // A hook by its name in abi.h. Hooks never unwind.
  llvm::FunctionCallee hook(llvm::StringRef name, llvm::Type* result, llvm::ArrayRef<llvm::Type*> parameters);
  // A hook with the preserve_most convention; the call must say so too: see call_preserving.
  llvm::CallInst* call_preserving(Builder& at, llvm::StringRef name, llvm::Type* result,
                                  llvm::ArrayRef<llvm::Value*> arguments);
  llvm::CallInst* call(Builder& at, llvm::StringRef name, llvm::Type* result, llvm::ArrayRef<llvm::Value*> arguments);

  // The store, transfer or loop before this place is over (abi.h, Owners). `record`: the thread's.
  void end_store(Builder& at, llvm::Value* record);

  // The number of a site, at run time.
  llvm::Value* site_number(Builder& at, std::uint32_t row);
  llvm::Value* site_number(Builder& at, llvm::Value* row);
  llvm::MDNode* unlikely() const { return unlikely_; }
  llvm::MDNode* likely() const { return likely_; }

private:
  llvm::MDNode* unlikely_;
  llvm::MDNode* likely_;
};

// The same for one function.
class FunctionContext {
public:
  FunctionContext(ModuleContext& context, llvm::Function& function);

  ModuleContext& context;
  llvm::Function& function;
  bool is_hot = true; // the hook that is being put in may run often: it gets its check inlined

  // The address of the thread's record. Computed once at the function's entry. A coroutine that is
  // not split yet may go on in another thread after each suspension, so there it is computed at
  // every use.
  llvm::Value* thread(Builder& at);
  llvm::Value* load_field(Builder& at, ThreadField field);
  void store_field(Builder& at, ThreadField field, llvm::Value* value);
  // A check and its store begin; the store is over (abi.h, Owners).
  void begin_store(Builder& at);
  void end_store(llvm::Instruction* after);
  // Room in the frame for `bytes` bytes, shared by all spills of the function.
  llvm::AllocaInst* spill_room(std::uint64_t bytes, llvm::Align align);
  // Where code of the function's entry goes: after the static allocas.
  llvm::BasicBlock::iterator entry_point() const;
  // The same for code that needs the thread's record, which is computed before it. Not for
  // coroutines that are not split yet.
  llvm::BasicBlock::iterator entry_point_with_thread();

private:
  llvm::Value* field_address(Builder& at, ThreadField field);

  llvm::Value* thread_ = nullptr;
  llvm::AllocaInst* spill_ = nullptr;
};

} // namespace sooth::pass
