#include "capture/pass/monitored.h"

#include "capture/abi.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace sooth::pass {

using namespace llvm;

namespace {

constexpr StringRef kRange = "__sooth_monitored";

GlobalVariable* range_of(ModuleContext& context) {
  if (GlobalVariable* known = context.module.getNamedGlobal(kRange)) return known;
  auto* type = ArrayType::get(context.i64, 2);
  static_assert(sizeof(SoothMonitoredRange) == 16);
  return new GlobalVariable(context.module, type, false, GlobalValue::ExternalLinkage, nullptr, kRange);
}

// Whether only loads and stores, atomic or not, use it.
bool is_only_accessed(const Value& address) {
  for (const Use& use : address.uses()) {
    const User* user = use.getUser();
    if (const auto* access = dyn_cast<Instruction>(user))
      if (getLoadStorePointerOperand(access) == &address || isa<AtomicRMWInst, AtomicCmpXchgInst>(access)) {
        // Not stored itself: the pointer comes first in atomic operations, and second in a store.
        const unsigned place = isa<StoreInst>(access) ? StoreInst::getPointerOperandIndex() : 0;
        if (use.getOperandNo() != place) return false;
        continue;
      }
    const bool derived =
        isa<GetElementPtrInst>(user) ||
        (isa<ConstantExpr>(user) && cast<ConstantExpr>(user)->getOpcode() == Instruction::GetElementPtr);
    if (!derived || !is_only_accessed(*user)) return false;
  }
  return true;
}

bool has_hook_size(const DataLayout& layout, Type* type) {
  if (type->isAggregateType() || type->isTargetExtTy() || type->isScalableTy()) return false;
  if (type->isPtrOrPtrVectorTy() && layout.isNonIntegralPointerType(type->getScalarType())) return false;
  const std::uint64_t size = layout.getTypeStoreSize(type).getFixedValue();
  // A type of some odd number of bits is not stored as its bits alone.
  return (size == 1 || size == 2 || size == 4 || size == 8) && layout.getTypeSizeInBits(type) == size * 8;
}

Value* to_number(const DataLayout& layout, Builder& at, Value* value) {
  if (value->getType()->isPtrOrPtrVectorTy()) value = at.CreatePtrToInt(value, layout.getIntPtrType(value->getType()));
  const auto bits = static_cast<unsigned>(layout.getTypeSizeInBits(value->getType()).getFixedValue());
  return at.CreateZExt(at.CreateBitCast(value, at.getIntNTy(bits)), at.getInt64Ty());
}

Value* from_number(const DataLayout& layout, Builder& at, Value* number, Type* type) {
  const auto bits = static_cast<unsigned>(layout.getTypeSizeInBits(type).getFixedValue());
  Value* value = at.CreateTrunc(number, at.getIntNTy(bits));
  if (!type->isPtrOrPtrVectorTy()) return at.CreateBitCast(value, type);
  return at.CreateIntToPtr(at.CreateBitCast(value, layout.getIntPtrType(type)), type);
}

Value* address_number(ModuleContext& context, Builder& at, Value* address) {
  return at.CreatePtrToInt(address, context.i64);
}

} // namespace

Sight::Sight(const Module& module, const MonitorNeeds& needs) {
  if (needs.all_memory) return;
  StringSet<> found;
  bool reached = false; // what a name may stand for
  for (const GlobalVariable& variable : module.globals()) {
    SmallVector<DIGlobalVariableExpression*, 1> expressions;
    variable.getDebugInfo(expressions);
    if (expressions.empty()) continue; // without a name its meaning is not known
    const bool direct = variable.hasLocalLinkage() && is_only_accessed(variable);
    const StringRef name = expressions.front()->getVariable()->getName();
    if (!needs.variables.contains(name)) {
      if (direct) unseen_.insert(&variable);
      continue;
    }
    found.insert(name);
    reached = reached || !direct;
    unreached_.insert(&variable);
  }
  // A name that is not found may be another module's, or that of a watched variable.
  if (reached || found.size() != needs.variables.size()) unreached_.clear();
}

bool Sight::is_unseen(const Value* address) const {
  const auto* variable = dyn_cast<GlobalVariable>(getUnderlyingObject(address, 0));
  return unreached_.empty() ? variable != nullptr && is_unseen(*variable)
                            : variable == nullptr || !is_unreached(*variable);
}

bool is_in_reach(std::uint64_t size) { return size <= kSoothMonitoredReach; }

Value* emit_near(ModuleContext& context, Builder& at, Value* address) {
  GlobalVariable* range = range_of(context);
  Value* begin = at.CreateAlignedLoad(context.i64, range, Align(8));
  Value* bytes = at.CreateAlignedLoad(context.i64, at.CreateConstGEP1_64(context.i8, range, 8), Align(8));
  return at.CreateICmpULT(at.CreateSub(address_number(context, at, address), begin), bytes);
}

Instruction* emit_if_near(ModuleContext& context, Instruction* before, Value* address) {
  Builder at(before);
  Value* near = emit_near(context, at, address);
  return SplitBlockAndInsertIfThen(near, before->getIterator(), /*Unreachable=*/false, context.unlikely());
}

bool instrument_monitored_load(FunctionContext& function, LoadInst& load, std::uint32_t row) {
  ModuleContext& context = function.context;
  if (!has_hook_size(context.layout, load.getType())) return false;
  Instruction* hooked = nullptr;
  Instruction* plain = nullptr;
  Instruction* after = load.getNextNode();
  {
    Builder at(&load);
    Value* near = emit_near(context, at, load.getPointerOperand());
    SplitBlockAndInsertIfThenElse(near, after->getIterator(), &hooked, &plain, context.unlikely());
  }
  Builder at(hooked);
  const std::uint64_t size = context.layout.getTypeStoreSize(load.getType()).getFixedValue();
  Value* number =
      context.call_preserving(at, ("__sooth_monitored_read" + Twine(size)).str(), context.i64,
                              {address_number(context, at, load.getPointerOperand()), context.site_number(at, row)});
  Value* value = from_number(context.layout, at, number, load.getType());
  Builder join(after);
  PHINode* both = join.CreatePHI(load.getType(), 2);
  load.replaceAllUsesWith(both);
  load.moveBefore(plain);
  both->addIncoming(value, hooked->getParent());
  both->addIncoming(&load, plain->getParent());
  return true;
}

bool instrument_monitored_store(FunctionContext& function, StoreInst& store, std::uint32_t row) {
  ModuleContext& context = function.context;
  Type* type = store.getValueOperand()->getType();
  if (!has_hook_size(context.layout, type)) return false;
  Instruction* hooked = nullptr;
  Instruction* plain = nullptr;
  {
    Builder at(&store);
    Value* near = emit_near(context, at, store.getPointerOperand());
    SplitBlockAndInsertIfThenElse(near, store.getIterator(), &hooked, &plain, context.unlikely());
  }
  Builder at(hooked);
  const std::uint64_t size = context.layout.getTypeStoreSize(type).getFixedValue();
  context.call_preserving(at, ("__sooth_monitored_write" + Twine(size)).str(), context.void_type,
                          {address_number(context, at, store.getPointerOperand()),
                           to_number(context.layout, at, store.getValueOperand()), context.site_number(at, row)});
  store.moveBefore(plain);
  return true;
}

void instrument_start(FunctionContext& function, std::uint32_t row) {
  if (function.function.isPresplitCoroutine()) return;
  ModuleContext& context = function.context;
  Builder start(&function.function.getEntryBlock(), function.entry_point_with_thread());
  if (DISubprogram* source = function.function.getSubprogram())
    start.SetCurrentDebugLocation(DILocation::get(context.module.getContext(), source->getScopeLine(), 0, source));
  Value* wanted = start.CreateICmpNE(function.load_field(start, kBranches), ConstantInt::get(context.i32, 0));
  Instruction* then =
      SplitBlockAndInsertIfThen(wanted, start.GetInsertPoint(), /*Unreachable=*/false, context.unlikely());
  Builder at(then);
  context.call(at, "__sooth_entered", context.void_type, {context.site_number(at, row)});
}

} // namespace sooth::pass
