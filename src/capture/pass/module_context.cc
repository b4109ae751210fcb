#include "capture/pass/module_context.h"

#include <algorithm>
#include <cstddef>

#include "capture/abi.h"
#include "capture/pass/checks.h"
#include "capture/pass/ignore.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"

namespace sooth::pass {

using namespace llvm;

static_assert(offsetof(SoothThreadAbi, cells) == kCells);
static_assert(offsetof(SoothThreadAbi, cell_mask) == kCellMask);
static_assert(offsetof(SoothThreadAbi, epoch) == kEpoch);
static_assert(offsetof(SoothThreadAbi, stack_top) == kStackTop);
static_assert(offsetof(SoothThreadAbi, stack_low) == kStackLow);
static_assert(offsetof(SoothThreadAbi, call_site) == kCallSite);
static_assert(offsetof(SoothThreadAbi, branches) == kBranches);
static_assert(offsetof(SoothThreadAbi, owners) == kOwners);
static_assert(offsetof(SoothThreadAbi, owner_mask) == kOwnerMask);
static_assert(offsetof(SoothThreadAbi, mine) == kMine);
static_assert(offsetof(SoothThreadAbi, storing) == kStoring);

void MarkingInserter::InsertHelper(Instruction* instruction, const Twine& name, BasicBlock::iterator where) const {
  IRBuilderDefaultInserter::InsertHelper(instruction, name, where);
  instruction->setNoSanitizeMetadata();
}

namespace {

GlobalVariable* thread_record(Module& module) {
  if (GlobalVariable* known = module.getNamedGlobal("__sooth_thread")) return known;
  // An array of bytes: the fields are reached by offset. Initial-exec, as the runtime is there from
  // the start.
  auto* type = ArrayType::get(Type::getInt8Ty(module.getContext()), sizeof(SoothThreadAbi));
  auto* record = new GlobalVariable(module, type, false, GlobalValue::ExternalLinkage, nullptr, "__sooth_thread",
                                    nullptr, GlobalValue::InitialExecTLSModel);
  record->setAlignment(Align(8));
  return record;
}

GlobalVariable* module_base(Module& module) {
  // Alone in its cache line: every hook reads it, and the program's own variables beside it may
  // change all the time.
  constexpr unsigned kLine = 64;
  auto* type = ArrayType::get(Type::getInt32Ty(module.getContext()), kLine / 4);
  auto* base = new GlobalVariable(module, type, false, GlobalValue::InternalLinkage, ConstantAggregateZero::get(type),
                                  "__sooth_base");
  base->setAlignment(Align(kLine));
  return base;
}

} // namespace

ModuleContext::ModuleContext(Module& m, const Options& o)
    : module(m), layout(m.getDataLayout()), options(o), sites(o.facts),
      failing(annotated_functions(m, kFailsAnnotation)), void_type(Type::getVoidTy(m.getContext())),
      i8(Type::getInt8Ty(m.getContext())), i32(Type::getInt32Ty(m.getContext())), i64(Type::getInt64Ty(m.getContext())),
      pointer(PointerType::getUnqual(m.getContext())), thread(thread_record(m)), base(module_base(m)) {
  MDBuilder weights(m.getContext());
  // Also functions of ours that the program itself calls (sooth.h). Slots that are bound lazily lie
  // beside the program's variables, and come to a core with them.
  for (Function& function : module)
    if (function.isDeclaration() && function.getName().starts_with("__sooth_"))
      function.addFnAttr(Attribute::NonLazyBind);
  unlikely_ = weights.createBranchWeights(1, (1U << 20) - 1);
  likely_ = weights.createBranchWeights((1U << 20) - 1, 1);
}

FunctionCallee ModuleContext::hook(StringRef name, Type* result, ArrayRef<Type*> parameters) {
  FunctionCallee callee = module.getOrInsertFunction(name, FunctionType::get(result, parameters, false));
  if (auto* declared = dyn_cast<Function>(callee.getCallee()); declared && declared->isDeclaration()) {
    declared->setDoesNotThrow();
    declared->addFnAttr(Attribute::NonLazyBind); // straight through the table of addresses
    // The C convention leaves it to the caller to widen small integers.
    auto small = [](Type* type) { return type->isIntegerTy() && type->getIntegerBitWidth() < 32; };
    for (unsigned i = 0; i < parameters.size(); ++i)
      if (small(parameters[i])) declared->addParamAttr(i, Attribute::ZExt);
    if (small(result)) declared->addRetAttr(Attribute::ZExt);
  }
  return callee;
}

CallInst* ModuleContext::call(Builder& at, StringRef name, Type* result, ArrayRef<Value*> arguments) {
  SmallVector<Type*, 6> parameters;
  for (Value* argument : arguments) parameters.push_back(argument->getType());
  FunctionCallee callee = hook(name, result, parameters);
  CallInst* made = at.CreateCall(callee, arguments);
  if (auto* declared = dyn_cast<Function>(callee.getCallee())) made->setAttributes(declared->getAttributes());
  return made;
}

CallInst* ModuleContext::call_preserving(Builder& at, StringRef name, Type* result, ArrayRef<Value*> arguments) {
  CallInst* made = call(at, name, result, arguments);
  made->setCallingConv(CallingConv::PreserveMost);
  if (auto* declared = dyn_cast<Function>(made->getCalledOperand())) {
    declared->setCallingConv(CallingConv::PreserveMost);
    // The dynamic linker's lazy binding keeps only the registers that the C convention passes
    // arguments in.
    declared->addFnAttr(Attribute::NonLazyBind);
  }
  return made;
}

Value* ModuleContext::site_number(Builder& at, std::uint32_t row) {
  return site_number(at, ConstantInt::get(i32, row));
}

Value* ModuleContext::site_number(Builder& at, Value* row) {
  return at.CreateAdd(at.CreateAlignedLoad(i32, base, Align(4)), row);
}

FunctionContext::FunctionContext(ModuleContext& c, Function& f) : context(c), function(f) {
  // Blocks are going to be split: an alloca that was left in a later block would become a dynamic
  // one.
  BasicBlock& entry = f.getEntryBlock();
  auto first = entry.getFirstNonPHIOrDbgOrAlloca();
  for (Instruction& instruction : make_early_inc_range(make_range(first, entry.end())))
    if (auto* alloca = dyn_cast<AllocaInst>(&instruction);
        alloca && alloca->isStaticAlloca() && !alloca->isUsedWithInAlloca())
      if (alloca->getIterator() != first) alloca->moveBefore(entry, entry.begin());
}

BasicBlock::iterator FunctionContext::entry_point() const {
  return function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca();
}

BasicBlock::iterator FunctionContext::entry_point_with_thread() {
  Builder entry(&function.getEntryBlock(), entry_point());
  return std::next(cast<Instruction>(thread(entry))->getIterator());
}

Value* FunctionContext::thread(Builder& at) {
  if (function.isPresplitCoroutine()) return at.CreateThreadLocalAddress(context.thread);
  if (!thread_) {
    Builder entry(&function.getEntryBlock(), entry_point());
    thread_ = entry.CreateThreadLocalAddress(context.thread);
  }
  return thread_;
}

Value* FunctionContext::field_address(Builder& at, ThreadField field) {
  return at.CreateConstInBoundsGEP1_64(context.i8, thread(at), field);
}

static bool is_small(ThreadField field) { return field == kCallSite || field == kBranches; }

Value* FunctionContext::load_field(Builder& at, ThreadField field) {
  Type* type = context.i64;
  if (field == kCells || field == kOwners || field == kStackTop || field == kStackLow) type = context.pointer;
  if (is_small(field)) type = context.i32;
  return at.CreateAlignedLoad(type, field_address(at, field), Align(is_small(field) ? 4 : 8));
}

void FunctionContext::store_field(Builder& at, ThreadField field, Value* value) {
  at.CreateAlignedStore(value, field_address(at, field), Align(is_small(field) ? 4 : 8));
}

// Neither the compiler nor the processor may move the store out of the two: here fences of the
// compiler, there the system call of the thread that waits for it.
void FunctionContext::begin_store(Builder& at) {
  if (!context.options.own) return;
  at.CreateAlignedStore(ConstantInt::get(context.i64, 1), field_address(at, kStoring), Align(8), /*isVolatile=*/true);
  at.CreateFence(AtomicOrdering::SequentiallyConsistent, SyncScope::SingleThread);
}

void FunctionContext::end_store(Instruction* after) {
  if (!context.options.own) return;
  Builder at(after->getNextNode());
  context.end_store(at, thread(at));
}

void ModuleContext::end_store(Builder& at, Value* record) {
  at.CreateFence(AtomicOrdering::SequentiallyConsistent, SyncScope::SingleThread);
  at.CreateAlignedStore(ConstantInt::get(i64, 0), at.CreateConstInBoundsGEP1_64(i8, record, kStoring), Align(8),
                        /*isVolatile=*/true);
}

AllocaInst* FunctionContext::spill_room(std::uint64_t bytes, Align align) {
  const std::uint64_t known = spill_ ? cast<ArrayType>(spill_->getAllocatedType())->getNumElements() : 0;
  if (known < bytes) {
    auto* type = ArrayType::get(context.i8, bytes);
    if (spill_) spill_->setAllocatedType(type);
    else {
      Builder entry(&function.getEntryBlock(), function.getEntryBlock().begin());
      spill_ = entry.CreateAlloca(type);
      spill_->setAlignment(Align(16));
    }
  }
  spill_->setAlignment(std::max(spill_->getAlign(), align));
  return spill_;
}

} // namespace sooth::pass
