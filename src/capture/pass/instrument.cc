#include "capture/pass/instrument.h"

#include <optional>

#include "capture/pass/assembly/assembly.h"
#include "capture/pass/assembly/known_assembly.h"
#include "capture/pass/atomics.h"
#include "capture/pass/branches.h"
#include "capture/pass/calls.h"
#include "capture/pass/checks.h"
#include "capture/pass/facts/only_looks.h"
#include "capture/pass/facts/static_facts.h"
#include "capture/pass/frames.h"
#include "capture/pass/library_orders.h"
#include "capture/pass/loads_ahead.h"
#include "capture/pass/loop_ranges.h"
#include "capture/pass/monitored.h"
#include "capture/pass/plain_accesses.h"
#include "capture/pass/private_memory.h"
#include "capture/pass/tables/source_name.h"
#include "capture/pass/target_vectors.h"
#include "capture/plain_note.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"

namespace sooth::pass {

using namespace llvm;

namespace {

constexpr StringRef kDone = "sooth.instrumented";

enum class HookKind { Load, Store, Transfer, Masked, Atomic, ByValue, Call, Annotation, Assembly, Branch, Decision };

struct Hook {
  HookKind kind;
  Instruction* instruction;
  std::uint32_t row;
  std::uint32_t second_row = 0; // Transfer: of the source
  TransferPlan plan = {};       // Transfer
  unsigned argument = 0;        // ByValue
  bool decision = false;        // Call: an event goes before it
  bool is_hot = false;          // runs often: its check is inlined
};

// Memory of tools that count things for themselves; and libc's word for "no thread was created
// yet", which the code of std::shared_ptr reads. Creation changes it in the same way in every run.
bool belongs_to_tool_or_libc(const Value* address) {
  const auto* global = dyn_cast<GlobalVariable>(address->stripInBoundsOffsets());
  if (!global) return false;
  const StringRef name = global->getName();
  return name.starts_with("__llvm") || name.starts_with("__prof") || name.starts_with("__sancov") ||
         name.starts_with("__sooth_") || name == "__libc_single_threaded";
}

// std::ctype<char> looks into tables that libstdc++ fills when they are first needed, in code
// without hooks. All threads fill in the same.
bool looks_into_filled_table(const LoadInst& load) {
  const DILocation* place = load.getDebugLoc().get();
  const DISubprogram* source = place ? place->getScope()->getSubprogram() : nullptr;
  return source && (source->getName() == "widen" || source->getName() == "narrow") &&
         source->getFilename().ends_with("bits/locale_facets.h");
}

// Decides, in source order, where hooks go; nothing is changed while it looks.
class Survey {
public:
  Survey(ModuleContext& context, Function& function, const DenseSet<const GlobalVariable*>& thread_locals,
         const LoopInfo& loops)
      : context_(context), function_(function), loops_(loops), names_(function),
        memory_(thread_locals, context.options.facts) {
    if (!context.options.monitor) find_loads_of_checks();
    for (Instruction& instruction : instructions(function)) visit(instruction);
    add_checks();
    if (!context.options.branches) return;
    for (Instruction* terminator :
         context.options.facts ? all_branches(function) : dependent_branches(function, memory_, recorded_))
      add({HookKind::Branch, terminator, context_.sites.add(names_.branch(*terminator))});
  }

  // Adds the function's facts to the table, and the hooks that go with them.
  void find_facts(CallEffects& effects, FunctionAnalysisManager& analyses, FactTable& table) {
    HookRows rows = hook_rows();
    FunctionFacts facts(function_, memory_, rows, effects, analyses);
    for (Instruction* trap : facts.traps()) {
      const std::uint32_t row = context_.sites.add(names_.place_of(*trap));
      rows.decision[trap] = row;
      add({HookKind::Decision, trap, row});
    }
    for (Hook& hook : hooks_)
      if (hook.kind == HookKind::Call) hook.decision = facts.is_decision(cast<CallBase>(*hook.instruction));
    SmallVector<unsigned, 2> announced;
    for (const auto& [argument, row] : shared_arguments()) announced.push_back(argument->getArgNo());
    if (!hooks_.empty() || !announced.empty() || is_marked(function_)) facts.add_to(table, function_row(), announced);
  }

  Function& function() { return function_; }
  std::vector<Hook>& hooks() { return hooks_; }
  PrivateMemory& memory() { return memory_; }
  std::uint32_t function_row() {
    if (!function_row_) function_row_ = context_.sites.add(names_.function_row());
    return *function_row_;
  }
  // Parameters passed by value that other code gets to see.
  SmallVector<std::pair<Argument*, std::uint32_t>, 2> shared_arguments() {
    SmallVector<std::pair<Argument*, std::uint32_t>, 2> found;
    for (Argument& argument : function_.args())
      if (argument.hasByValAttr() && !memory_.is_private(&argument) && !argument.use_empty())
        found.push_back({&argument, function_row()});
    return found;
  }

private:
  HookRows hook_rows() const {
    HookRows rows;
    for (const Hook& hook : hooks_) {
      const auto* call = dyn_cast<CallBase>(hook.instruction);
      switch (hook.kind) {
      case HookKind::Call: rows.call[call] = hook.row; break;
      case HookKind::ByValue: rows.by_value[{call, hook.argument}] = hook.row; break;
      case HookKind::Annotation:
      case HookKind::Assembly: break;
      case HookKind::Branch:
      case HookKind::Decision: rows.decision[hook.instruction] = hook.row; break;
      case HookKind::Transfer:
        if (hook.plan.writes) rows.access[hook.instruction] = hook.row;
        if (hook.plan.reads) rows.copied_from[hook.instruction] = hook.second_row;
        break;
      default: rows.access[hook.instruction] = hook.row; break;
      }
    }
    return rows;
  }

  // Their rows say so, because other loads at the same place decide something else, or nothing.
  void find_loads_of_checks() {
    checks_ = find_checks(function_, context_.failing, [&](const LoadInst& load) {
      return !load.hasMetadata(LLVMContext::MD_nosanitize) && !load.hasMetadata(LLVMContext::MD_invariant_load) &&
             !left_out(load.getPointerOperand(), load.getType(), false, load.isAtomic());
    });
    for (std::size_t i = 0; i < checks_.size(); ++i)
      for (unsigned k = 0; k < checks_[i].loads.size(); ++k)
        check_of_.try_emplace(checks_[i].loads[k], static_cast<unsigned>(i), k);
  }
  std::string key_of_check(const Instruction& load) const {
    const auto known = check_of_.find(&load);
    if (known == check_of_.end()) return {};
    const FoundCheck& check = checks_[known->second.first];
    std::string key = check.fails + ' ' + std::to_string(known->second.second);
    for (const std::uint32_t word : check.condition) key += ' ' + std::to_string(word);
    return key;
  }
  void add_checks() {
    DenseMap<const Instruction*, std::uint32_t> rows;
    for (const Hook& hook : hooks_)
      if (hook.kind == HookKind::Load || hook.kind == HookKind::Atomic) rows[hook.instruction] = hook.row;
    for (std::size_t i = 0; i < checks_.size(); ++i) {
      std::vector<std::uint32_t> loads;
      for (const LoadInst* load : checks_[i].loads)
        if (rows.contains(load) && check_of_.lookup(load).first == i) loads.push_back(rows.lookup(load));
      if (loads.size() == checks_[i].loads.size())
        context_.sites.add_check(loads, checks_[i].fails, checks_[i].condition);
    }
  }

  void add(Hook hook) {
    hook.is_hot = is_hot(*hook.instruction->getParent());
    hooks_.push_back(hook);
    if (hook.kind != HookKind::Call) recorded_.insert(hook.instruction);
  }

  // In an innermost loop that makes no calls: where calls are made anyway, one more for a check
  // does not matter much.
  bool is_hot(const BasicBlock& block) {
    const Loop* loop = loops_.getLoopFor(&block);
    if (!loop || !loop->isInnermost()) return false;
    const auto [entry, fresh] = hot_loops_.try_emplace(loop, false);
    if (fresh)
      entry->second = none_of(loop->blocks(), [](const BasicBlock* part) {
        return any_of(*part, [](const Instruction& i) {
          const auto* call = dyn_cast<CallBase>(&i);
          return call && is_real_call(*call);
        });
      });
    return entry->second;
  }

  std::uint64_t size_of(Type* type) const { return context_.layout.getTypeStoreSize(type).getFixedValue(); }

  std::uint32_t access_row(const Instruction& instruction, const Value* address, std::uint64_t size, const Type* type) {
    SiteTable::Row row = names_.access(instruction, address, size, type, instruction.isVolatile());
    // A coroutine's variables move to the heap when it is split.
    if (!function_.isPresplitCoroutine() && PrivateMemory::is_own_frame(address)) row.flags |= trace::kSiteOwnFrame;
    row.check = key_of_check(instruction);
    return context_.sites.add(std::move(row));
  }

  bool is_unseen(const Value* address) const { return context_.sight && context_.sight->is_unseen(address); }

  bool left_out(const Value* address, Type* type, bool is_write, bool is_atomic = false) {
    if (address->getType()->getScalarType()->getPointerAddressSpace() != 0 || address->isSwiftError()) return true;
    if (type && type->isScalableTy()) return true;
    if (address->getType()->isVectorTy()) return false;
    if (belongs_to_tool_or_libc(address) || memory_.is_private(address)) return true;
    // An atomic is synchronisation, whatever its name.
    if (!is_atomic && is_unseen(address)) return true;
    return !is_write && PrivateMemory::is_constant(address);
  }

  void visit(Instruction& instruction) {
    if (instruction.hasMetadata(LLVMContext::MD_nosanitize)) return;
    if (instruction.isAtomic()) visit_atomic(instruction);
    else if (auto* load = dyn_cast<LoadInst>(&instruction)) visit_load(*load);
    else if (auto* store = dyn_cast<StoreInst>(&instruction)) visit_store(*store);
    else if (auto* transfer = dyn_cast<MemIntrinsic>(&instruction)) visit_transfer(*transfer);
    else if (is_masked_access(instruction)) visit_masked(cast<IntrinsicInst>(instruction));
    else if (auto* call = dyn_cast<CallBase>(&instruction); call && is_real_call(*call)) visit_call(*call);
    else if (call && is_annotation(*call)) visit_annotation(*call);
    else if (call && !context_.options.monitor && is_opaque_assembly(*call))
      hooks_.push_back({HookKind::Assembly, call, 0});
  }

  void visit_atomic(Instruction& instruction) {
    if (!is_followed_atomic(context_, instruction)) return;
    Type* type = atomic_type(instruction);
    if (!type) {
      add({HookKind::Atomic, &instruction, context_.sites.add(names_.place_of(instruction))});
      return;
    }
    const Value* address = atomic_address(instruction);
    if (!left_out(address, type, true, /*is_atomic=*/true))
      add({HookKind::Atomic, &instruction, access_row(instruction, address, size_of(type), type)});
  }

  void visit_load(LoadInst& load) {
    if (load.hasMetadata(LLVMContext::MD_invariant_load) || looks_into_filled_table(load) ||
        left_out(load.getPointerOperand(), load.getType(), false))
      return;
    add({HookKind::Load, &load, access_row(load, load.getPointerOperand(), size_of(load.getType()), load.getType())});
  }

  void visit_store(StoreInst& store) {
    Type* type = store.getValueOperand()->getType();
    if (left_out(store.getPointerOperand(), type, true)) return;
    add({HookKind::Store, &store, access_row(store, store.getPointerOperand(), size_of(type), type)});
  }

  void visit_transfer(MemIntrinsic& transfer) {
    if (transfer.getDestAddressSpace() != 0) return;
    const auto* copy = dyn_cast<MemTransferInst>(&transfer);
    if (copy && copy->getSourceAddressSpace() != 0) return;
    const auto* length = dyn_cast<ConstantInt>(transfer.getLength());
    const std::uint64_t size = length ? length->getZExtValue() : 0;
    Hook hook{HookKind::Transfer, &transfer, 0};
    hook.plan = plan_transfer(memory_, transfer);
    hook.plan.writes = hook.plan.writes && !is_unseen(transfer.getRawDest());
    hook.plan.reads = hook.plan.reads && !is_unseen(copy->getRawSource());
    if (hook.plan.writes) hook.row = access_row(transfer, transfer.getRawDest(), size, nullptr);
    if (hook.plan.reads) hook.second_row = access_row(transfer, copy->getRawSource(), size, nullptr);
    add(hook);
  }

  void visit_masked(IntrinsicInst& access) {
    const bool load = !access.getType()->isVoidTy();
    const Value* address = access.getArgOperand(load ? 0 : 1);
    auto* type = cast<FixedVectorType>(load ? access.getType() : access.getArgOperand(0)->getType())->getElementType();
    if (left_out(address, type, !load)) return;
    const bool scattered = address->getType()->isVectorTy();
    const std::uint32_t row =
        scattered ? context_.sites.add(names_.place_of(access)) : access_row(access, address, size_of(type), type);
    add({HookKind::Masked, &access, row});
  }

  void visit_call(CallBase& call) {
    // Monitors need the call sites of primitives; functions of this module do not count.
    const Function* callee = call.getCalledFunction();
    if (!context_.options.monitor || !callee || callee->isDeclaration() || is_in_public_header(*callee))
      add({HookKind::Call, &call, context_.sites.add(names_.call(call))});
    for (unsigned i = 0; i < call.arg_size(); ++i) {
      if (!call.isByValArgument(i) || left_out(call.getArgOperand(i), nullptr, false)) continue;
      const std::uint64_t size = size_of(call.getParamByValType(i));
      add({HookKind::ByValue, &call, access_row(call, call.getArgOperand(i), size, nullptr), 0, {}, i});
    }
  }

  void visit_annotation(CallBase& call) {
    SiteTable::Row row = names_.call(call);
    // In a function of the header itself: its caller has stored the call site.
    if ((row.flags & trace::kSiteSystem) == 0)
      hooks_.push_back({HookKind::Annotation, &call, context_.sites.add(std::move(row))});
  }

  ModuleContext& context_;
  Function& function_;
  const LoopInfo& loops_; // only while it looks
  SourceNames names_;
  PrivateMemory memory_;
  std::vector<Hook> hooks_;
  DenseSet<const Instruction*> recorded_;
  DenseMap<const Loop*, bool> hot_loops_;
  std::vector<FoundCheck> checks_;
  DenseMap<const Instruction*, std::pair<unsigned, unsigned>> check_of_; // load: its check, its number there
  std::optional<std::uint32_t> function_row_;
};

// For some functions code generation has instructions of its own if the size is small and known.
// Their reads would go unseen: the runtime records them only if it is called.
void keep_as_call(CallBase& call) {
  static constexpr StringRef kExpanded[] = {"bcmp",   "memchr", "memcmp", "mempcpy", "stpcpy",
                                            "strcmp", "strcpy", "strlen", "strnlen"};
  const Function* callee = call.getCalledFunction();
  if (callee && callee->isDeclaration() && is_contained(kExpanded, callee->getName()))
    call.addFnAttr(Attribute::NoBuiltin);
}

void emit(FunctionContext& function, const Hook& hook) {
  switch (hook.kind) {
  case HookKind::Load: return instrument_load(function, cast<LoadInst>(*hook.instruction), hook.row);
  case HookKind::Store: return instrument_store(function, cast<StoreInst>(*hook.instruction), hook.row);
  case HookKind::Transfer:
    return instrument_transfer(function, cast<MemIntrinsic>(*hook.instruction), hook.plan, hook.row, hook.second_row);
  case HookKind::Masked: return instrument_masked(function, cast<IntrinsicInst>(*hook.instruction), hook.row);
  case HookKind::Atomic: return instrument_atomic(function, *hook.instruction, hook.row);
  case HookKind::Annotation: return instrument_call(function, cast<CallBase>(*hook.instruction), hook.row);
  case HookKind::Assembly: return instrument_assembly(function, *hook.instruction);
  case HookKind::ByValue:
    return instrument_by_value(function, cast<CallBase>(*hook.instruction), hook.argument, hook.row);
  case HookKind::Call:
    instrument_call(function, cast<CallBase>(*hook.instruction), hook.row);
    keep_as_call(cast<CallBase>(*hook.instruction));
    // Last before the call: if the next event is an `enter`, it is the callee's
    // (trace/static_facts.h).
    if (hook.decision) instrument_decision(function, *hook.instruction, hook.row);
    return;
  case HookKind::Decision: return instrument_decision(function, *hook.instruction, hook.row);
  case HookKind::Branch: return instrument_branch(function, *hook.instruction, hook.row);
  }
}

// The hooks write memory and call out: what was known of the function's effects no longer holds.
void forget_effects(Function& function) {
  for (Attribute::AttrKind kind : {Attribute::Memory, Attribute::NoSync, Attribute::Speculatable})
    function.removeFnAttr(kind);
}

void forget_effects_of_calls(Module& module) {
  for (Function& function : module)
    if (!function.isIntrinsic() && function.isDeclaration() && !function.getName().starts_with("__sooth_"))
      forget_effects(function);
  for (Function& function : module)
    for (Instruction& instruction : instructions(function))
      if (auto* call = dyn_cast<CallBase>(&instruction); call && is_real_call(*call))
        for (Attribute::AttrKind kind : {Attribute::Memory, Attribute::NoSync}) call->removeFnAttr(kind);
}

// What the function does with the values that it reads (facts/value_flows.h). `replaced`: hooks
// that were taken out of loops.
void note_flows(ModuleContext& context, const Function& function, ArrayRef<Hook> hooks, PrivateMemory& memory,
                const std::vector<std::uint32_t>& replaced) {
  HookedValues values;
  values.others = replaced;
  for (const Hook& hook : hooks) {
    switch (hook.kind) {
    case HookKind::Load: values.loads[hook.instruction] = hook.row; break;
    case HookKind::Store: values.stores[hook.instruction] = hook.row; break;
    case HookKind::Atomic: values.atomics[hook.instruction] = hook.row; break;
    case HookKind::Call: values.calls[hook.instruction] = hook.row; break;
    default:
      values.others.push_back(hook.row);
      if (hook.kind == HookKind::Transfer) values.others.push_back(hook.second_row);
    }
  }
  context.flows.add_function(function, values, memory);
}

// Takes the hooks out of loops that are recorded as ranges. Returns their rows.
std::vector<std::uint32_t> hoist_from_loops(ModuleContext& context, Function& function,
                                            FunctionAnalysisManager& analyses, std::vector<Hook>& hooks) {
  DenseMap<const Instruction*, std::uint32_t> hooked;
  for (const Hook& hook : hooks) hooked[hook.instruction] = hook.row;
  const auto replaced = announce_loops(context, function, analyses, hooked);
  std::vector<std::uint32_t> rows;
  for (const Hook& hook : hooks)
    if (replaced.contains(hook.instruction)) rows.push_back(hook.row);
  erase_if(hooks, [&](const Hook& hook) { return replaced.contains(hook.instruction); });
  return rows;
}

void emit_hooks(ModuleContext& context, Survey& survey, FunctionAnalysisManager& analyses) {
  Function& function = survey.function();
  std::vector<Hook>& hooks = survey.hooks();
  const auto arguments = survey.shared_arguments();
  const bool tells_start = context.options.monitor && !context.options.monitor->start_functions.empty();
  const bool needs_none = hooks.empty() && arguments.empty() && !is_marked(function) && !tells_start;
  std::vector<std::uint32_t> replaced;
  if (!needs_none && context.options.loops) replaced = hoist_from_loops(context, function, analyses, hooks);
  if (context.options.classes) note_flows(context, function, hooks, survey.memory(), replaced);
  if (needs_none) return;
  const std::uint32_t row = survey.function_row();
  FunctionContext here(context, function);
  // The last first: each split then moves only what lies between two hooks.
  for (auto hook = hooks.rbegin(); hook != hooks.rend(); ++hook) {
    here.is_hot = hook->is_hot;
    emit(here, *hook);
  }
  for (const auto& [argument, argument_row] : arguments) announce_by_value(here, *argument, argument_row);
  if (!context.options.monitor) instrument_frame(here, row);
  else if (tells_start) instrument_start(here, row);
  forget_effects(function);
}

void instrument_functions(ModuleContext& context, const std::vector<Function*>& functions,
                          FunctionAnalysisManager& analyses) {
  const DenseSet<const GlobalVariable*> thread_locals = private_thread_locals(context.module);
  for (Function* function : functions) {
    if (is_marked(*function)) remove_anchor(*function);
    if (context.options.loops) prepare_loops(*function, analyses);
    Survey survey(context, *function, thread_locals, analyses.getResult<LoopAnalysis>(*function));
    emit_hooks(context, survey, analyses);
  }
}

// With static facts. They describe the code without hooks, also that of callees: all are found
// before the first hook is put in.
void instrument_with_facts(ModuleContext& context, const std::vector<Function*>& functions,
                           FunctionAnalysisManager& analyses) {
  const DenseSet<const GlobalVariable*>
      none; // what a thread-local variable holds comes from other activations: it is recorded
  const DenseSet<const Function*> instrumented(functions.begin(), functions.end());
  CallEffects effects(analyses, instrumented);
  FactTable table;
  for (Function* function : functions) {
    if (is_marked(*function)) remove_anchor(*function);
    promote_variables(*function, analyses);
  }
  std::vector<std::unique_ptr<Survey>> surveys;
  for (Function* function : functions) {
    surveys.push_back(std::make_unique<Survey>(context, *function, none, analyses.getResult<LoopAnalysis>(*function)));
    surveys.back()->find_facts(effects, analyses, table);
  }
  context.dependence = table.words();
  for (const auto& survey : surveys) emit_hooks(context, *survey, analyses);
}

// Marks the object as one with hooks, for the compilers when they link.
void identify(Module& module) {
  LLVMContext& context = module.getContext();
  module.getOrInsertNamedMetadata("llvm.ident")
      ->addOperand(MDNode::get(context, MDString::get(context, capture::kIdentification)));
}

} // namespace

bool instrument_module(Module& module, const Options& options, const Selection& selection,
                       FunctionAnalysisManager& analyses) {
  if (module.getNamedMetadata(kDone)) return false;
  const IgnoreList ignored(module, selection);
  ModuleContext context(module, options);
  std::vector<Function*> functions;
  for (Function& function : module) {
    if (sink_chosen_loads(function)) analyses.invalidate(function, PreservedAnalyses::none());
    if (ignored.cannot_be_instrumented(function)) continue;
    if (ignored.is_ignored(function)) ++context.functions_left_out;
    else functions.push_back(&function);
  }
  for (Function* function : functions)
    if (replace_target_vectors(*function)) analyses.invalidate(*function, PreservedAnalyses::none());

  std::optional<Sight> sight;
  if (options.monitor) context.sight = &sight.emplace(module, *options.monitor);
  module.getOrInsertNamedMetadata(kDone);
  if (options.classes) context.flows.begin(seen_code(module, functions, ignored), module);
  if (options.facts) instrument_with_facts(context, functions, analyses);
  else instrument_functions(context, functions, analyses);
  forget_effects_of_calls(module);
  for (Function& function : module) allow_loads_ahead(function); // the optimiser has done its work
  emit_module_tables(context);
  identify(module);
  if (options.strip_debug) StripDebugInfo(module);
  // At once: code generation would fall over it.
  if (options.verify && verifyModule(module, &errs()))
    report_fatal_error("sooth: the instrumented module is not valid", /*gen_crash_diag=*/false);
  return true;
}

// A thread that monitors name by this function: it has to be seen where it begins, also if others
// call it.
static bool may_be_start(const Function& function, const Options& options) {
  const DISubprogram* source = function.getSubprogram();
  return options.monitor && source && options.monitor->start_functions.contains(source->getName().split('<').first);
}

// Whether the call can stay instead of being replaced by its function's body. Headers of intrinsics
// (without debug information) and functions that are compiled for another processor rely on being
// inlined.
static bool can_stay_a_call(const CallBase& call, const Function& callee) {
  if (!callee.hasFnAttribute(Attribute::AlwaysInline)) return true;
  constexpr StringRef kFeatures = "target-features";
  return callee.getSubprogram() && callee.getFnAttribute(kFeatures) == call.getFunction()->getFnAttribute(kFeatures);
}

// Code that is left out and code that is recorded stay in separate functions: after the optimiser a
// function is one or the other.
static bool keep_apart(Function& function, const DenseSet<const Function*>& left_out) {
  bool changed = false;
  const bool is_left_out = left_out.contains(&function);
  for (Instruction& i : instructions(function)) {
    auto* call = dyn_cast<CallBase>(&i);
    if (!call || isa<IntrinsicInst>(call) || call->isInlineAsm() || call->hasFnAttr(Attribute::NoInline)) continue;
    const auto* callee = dyn_cast<Function>(call->getCalledOperand()->stripPointerCasts());
    // A pointer may turn out to be one that is recorded.
    const bool apart = callee ? !callee->isDeclaration() && left_out.contains(callee) != is_left_out : is_left_out;
    if (!apart || (callee && !can_stay_a_call(*call, *callee))) continue;
    call->removeFnAttr(Attribute::AlwaysInline); // of the statement
    call->addFnAttr(Attribute::NoInline);
    changed = true;
  }
  return changed;
}

bool prepare_module(Module& module, const Options& options, const Selection& selection) {
  if (module.getNamedMetadata(kDone)) return false;
  const IgnoreList ignored(module, selection);
  DenseSet<const Function*> left_out;
  for (const Function& function : module)
    if (!function.isDeclaration() && ignored.is_ignored(function)) left_out.insert(&function);
  bool changed = mark_terminating_loops(module);
  if (options.classes || options.facts) changed |= keep_printers_apart(module);
  if (!options.calls.empty() || !options.atomic.empty())
    changed |= mark_called(module, ignored, options.calls, options.atomic);
  for (Function& function : module) {
    if (function.isDeclaration()) continue;
    changed |= forbid_loads_ahead(function);
    changed |= keep_string_comparisons(function);
    changed |= strengthen_library_orders(function);
    if (!left_out.contains(&function)) changed |= replace_known_assembly(function);
    if (!left_out.empty()) changed |= keep_apart(function, left_out);
    if (!left_out.contains(&function) && !may_be_start(function, options)) continue;
    if (function.hasFnAttribute(Attribute::AlwaysInline) || function.hasFnAttribute(Attribute::NoInline)) continue;
    function.addFnAttr(Attribute::NoInline);
  }
  return changed;
}

} // namespace sooth::pass
