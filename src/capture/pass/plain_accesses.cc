#include "capture/pass/plain_accesses.h"

#include "capture/abi.h"
#include "capture/pass/inline_check.h"
#include "capture/pass/monitored.h"
#include "capture/pass/outlined_check.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace sooth::pass {

using namespace llvm;

namespace {

bool is_checked_size(std::uint64_t size) { return size == 1 || size == 2 || size == 4 || size == 8; }

// Small vectors are compared in two parts of 8 bytes: cheaper than a call with a copy in memory.
// Larger ones are ranges: one event if nothing repeats, and one walk over the cells if it does.
bool is_split_size(std::uint64_t size) { return size == 16; }

std::uint64_t store_size(const FunctionContext& function, Type* type) {
  return function.context.layout.getTypeStoreSize(type).getFixedValue();
}

// The bits of a value as one integer of its stored size; null for aggregates, whose bits may have
// holes.
Value* as_integer(FunctionContext& function, Builder& at, Value* value) {
  Type* type = value->getType();
  const DataLayout& layout = function.context.layout;
  if (type->isAggregateType() || type->isTargetExtTy()) return nullptr;
  if (type->isPtrOrPtrVectorTy()) {
    if (layout.isNonIntegralPointerType(type->getScalarType())) return nullptr;
    value = at.CreatePtrToInt(value, layout.getIntPtrType(type));
  }
  // The hook looks at the value: if the program's own use of an undefined value was harmless, ours
  // must be, too.
  if (!isa<Constant>(value)) value = at.CreateFreeze(value);
  const unsigned bits = static_cast<unsigned>(layout.getTypeSizeInBits(type).getFixedValue());
  value = at.CreateBitCast(value, at.getIntNTy(bits));
  return at.CreateZExt(value, at.getIntNTy(static_cast<unsigned>(store_size(function, type) * 8)));
}

Value* spill(FunctionContext& function, Builder& at, Value* value) {
  const Align align = function.context.layout.getABITypeAlign(value->getType());
  AllocaInst* room = function.spill_room(store_size(function, value->getType()), align);
  at.CreateAlignedStore(value, room, align);
  return room;
}

enum class Direction { Read, Write };

void call_range(FunctionContext& function, Builder& at, Direction direction, Value* address, Value* bytes, Value* size,
                std::uint32_t row) {
  ModuleContext& context = function.context;
  context.call(at, direction == Direction::Read ? "__sooth_read_range" : "__sooth_write_range", context.void_type,
               {address, bytes, size, context.site_number(at, row)});
}

// Where the hook of a range goes: with monitors, into code that runs only if the range may hold
// something they see.
Instruction* range_point(FunctionContext& function, Instruction* before, Value* address, std::uint64_t size) {
  if (!function.context.options.monitor || !is_in_reach(size)) return before;
  return emit_if_near(function.context, before, address);
}

void emit_checked(FunctionContext& function, Instruction* before, Direction direction, const CheckedAccess& access) {
  if (ModuleContext& context = function.context; context.options.monitor) {
    Builder at(emit_if_near(context, before, access.address));
    const char* kind = direction == Direction::Read ? "__sooth_read" : "__sooth_write";
    context.call_preserving(at, (kind + Twine(access.size)).str(), context.void_type,
                            {at.CreatePtrToInt(access.address, context.i64), at.CreateZExt(access.value, context.i64),
                             context.site_number(at, access.row)});
    return;
  }
  if (!function.is_hot) {
    if (direction == Direction::Read) call_checked_read(function, before, access);
    else call_checked_write(function, before, access);
    return;
  }
  if (direction == Direction::Read) emit_checked_read(function, before, access);
  else emit_checked_write(function, before, access);
}

// The hooks for `value` at `address`, before `before`.
void emit_access(FunctionContext& function, Instruction* before, Direction direction, Value* address, Value* value,
                 Align align, std::uint32_t row) {
  Builder at(before);
  ModuleContext& context = function.context;
  const std::uint64_t size = store_size(function, value->getType());
  if (size == 0) return;
  const bool split = is_split_size(size) && !context.options.monitor;
  Value* number = is_checked_size(size) || split ? as_integer(function, at, value) : nullptr;
  if (!number && is_checked_size(size)) { // a small structure
    Value* room = spill(function, at, value);
    number = at.CreateAlignedLoad(at.getIntNTy(static_cast<unsigned>(size * 8)), room, Align(1));
  }
  if (!number) {
    Builder here(range_point(function, before, address, size));
    Value* room = spill(function, here, value);
    call_range(function, here, direction, address, room, ConstantInt::get(context.i64, size), row);
    return;
  }
  if (is_checked_size(size)) {
    emit_checked(function, before, direction, {address, number, static_cast<unsigned>(size), align, row});
    return;
  }
  const unsigned parts = static_cast<unsigned>(size / 8);
  Value* words = at.CreateBitCast(number, FixedVectorType::get(context.i64, parts));
  for (unsigned i = 0; i < parts; ++i) {
    Builder here(before);
    Value* part = here.CreateExtractElement(words, std::uint64_t{i});
    Value* place = here.CreateConstGEP1_64(context.i8, address, 8 * i);
    emit_checked(function, before, direction, {place, part, 8, commonAlignment(align, 8 * i), row});
  }
}

// Whether the check is a function that can make the store itself, which is less code.
bool becomes_call(const FunctionContext& function, const StoreInst& store) {
  return !function.is_hot && !function.context.options.monitor && !store.isVolatile() &&
         !store.hasMetadata(LLVMContext::MD_nontemporal) &&
         is_checked_size(store_size(function, store.getValueOperand()->getType()));
}

} // namespace

void instrument_load(FunctionContext& function, LoadInst& load, std::uint32_t row) {
  if (function.context.options.monitor && instrument_monitored_load(function, load, row)) return;
  emit_access(function, load.getNextNode(), Direction::Read, load.getPointerOperand(), &load, load.getAlign(), row);
}

void instrument_store(FunctionContext& function, StoreInst& store, std::uint32_t row) {
  if (function.context.options.monitor && instrument_monitored_store(function, store, row)) return;
  if (becomes_call(function, store)) {
    Builder at(&store);
    Value* value = store.getValueOperand();
    const auto size = static_cast<unsigned>(store_size(function, value->getType()));
    if (Value* number = as_integer(function, at, value)) {
      call_checked_store(function, &store, {store.getPointerOperand(), number, size, store.getAlign(), row});
      store.eraseFromParent();
      return;
    }
  }
  emit_access(function, &store, Direction::Write, store.getPointerOperand(), store.getValueOperand(), store.getAlign(),
              row);
  function.end_store(&store);
}

TransferPlan plan_transfer(PrivateMemory& memory, const MemIntrinsic& transfer) {
  TransferPlan plan;
  if (const auto* size = dyn_cast<ConstantInt>(transfer.getLength()); size && size->isZero()) return plan;
  plan.writes = !memory.is_private(transfer.getRawDest());
  if (const auto* copy = dyn_cast<MemTransferInst>(&transfer))
    plan.reads = !memory.is_private(copy->getRawSource()) && !PrivateMemory::is_constant(copy->getRawSource());
  return plan;
}

namespace {

// The transfer may become a call of libc's function, which the runtime intercepts, and would be
// recorded twice. A short one is made to stay inline; before any other, call_site says that it has
// been recorded.
void keep_from_interceptor(FunctionContext& function, MemIntrinsic& transfer) {
  constexpr std::uint64_t kShort = 128;
  const auto* size = dyn_cast<ConstantInt>(transfer.getLength());
  const bool is_short = size && size->getZExtValue() <= kShort;
  Builder at(&transfer);
  if (isa<MemCpyInlineInst, MemSetInlineInst>(transfer)) return;
  if (is_short && transfer.getIntrinsicID() == Intrinsic::memcpy) {
    Type* types[] = {transfer.getRawDest()->getType(), cast<MemCpyInst>(transfer).getRawSource()->getType(),
                     transfer.getLength()->getType()};
    transfer.setCalledFunction(Intrinsic::getDeclaration(&function.context.module, Intrinsic::memcpy_inline, types));
  } else if (is_short && transfer.getIntrinsicID() == Intrinsic::memset) {
    Type* types[] = {transfer.getRawDest()->getType(), transfer.getLength()->getType()};
    transfer.setCalledFunction(Intrinsic::getDeclaration(&function.context.module, Intrinsic::memset_inline, types));
  } else {
    function.store_field(at, kCallSite, ConstantInt::get(function.context.i32, kSoothCallRecorded));
  }
}

} // namespace

void instrument_transfer(FunctionContext& function, MemIntrinsic& transfer, TransferPlan plan, std::uint32_t write_row,
                         std::uint32_t read_row) {
  keep_from_interceptor(function, transfer);
  if (!plan.reads && !plan.writes) return;
  ModuleContext& context = function.context;
  Builder at(&transfer);
  Value* to = transfer.getRawDest();
  Value* size = at.CreateZExtOrTrunc(transfer.getLength(), context.i64);
  if (auto* fill = dyn_cast<MemSetInst>(&transfer)) {
    context.call(at, "__sooth_fill", context.void_type,
                 {to, at.CreateZExt(fill->getValue(), context.i32), size, context.site_number(at, write_row)});
    function.end_store(&transfer);
    return;
  }
  auto& copy = cast<MemTransferInst>(transfer);
  Value* from = copy.getRawSource();
  if (plan.reads && plan.writes) {
    context.call(at, "__sooth_copy", context.void_type, {to, from, size, context.site_number(at, write_row)});
    function.end_store(&transfer);
    return;
  }
  // One side is private, and holds exactly the bytes in question: the source before, the
  // destination afterwards.
  const auto* constant = dyn_cast<ConstantInt>(copy.getLength());
  const bool checked = constant && is_checked_size(constant->getZExtValue());
  Instruction* before = plan.writes ? &transfer : transfer.getNextNode();
  const Direction direction = plan.writes ? Direction::Write : Direction::Read;
  Value* shared = plan.writes ? to : from;
  Value* own = plan.writes ? from : to;
  const std::uint32_t row = plan.writes ? write_row : read_row;
  Builder here(before);
  if (plan.writes) function.end_store(&transfer);
  if (!checked) {
    Builder range(constant ? range_point(function, before, shared, constant->getZExtValue()) : before);
    call_range(function, range, direction, shared, own, size, row);
    return;
  }
  const MaybeAlign own_align = plan.writes ? copy.getSourceAlign() : copy.getDestAlign();
  const MaybeAlign shared_align = plan.writes ? copy.getDestAlign() : copy.getSourceAlign();
  const unsigned bytes = static_cast<unsigned>(constant->getZExtValue());
  Value* value = here.CreateFreeze(here.CreateAlignedLoad(here.getIntNTy(bytes * 8), own, own_align.valueOrOne()));
  emit_checked(function, before, direction, {shared, value, bytes, shared_align.valueOrOne(), row});
}

bool is_masked_access(const Instruction& instruction) {
  const auto* call = dyn_cast<IntrinsicInst>(&instruction);
  if (!call) return false;
  const Intrinsic::ID id = call->getIntrinsicID();
  const bool load = id == Intrinsic::masked_load || id == Intrinsic::masked_gather;
  if (!load && id != Intrinsic::masked_store && id != Intrinsic::masked_scatter) return false;
  return isa<FixedVectorType>(load ? call->getType() : call->getArgOperand(0)->getType());
}

void instrument_masked(FunctionContext& function, IntrinsicInst& access, std::uint32_t row) {
  const Intrinsic::ID id = access.getIntrinsicID();
  const bool load = id == Intrinsic::masked_load || id == Intrinsic::masked_gather;
  Value* values = load ? static_cast<Value*>(&access) : access.getArgOperand(0);
  Value* place = access.getArgOperand(load ? 0 : 1);
  const auto align = Align(cast<ConstantInt>(access.getArgOperand(load ? 1 : 2))->getZExtValue());
  Value* mask = access.getArgOperand(load ? 2 : 3);
  auto* type = cast<FixedVectorType>(values->getType());
  const std::uint64_t step = store_size(function, type->getElementType());
  // Lanes that are not whole bytes lie side by side within a byte; no front end makes such
  // accesses.
  if (function.context.layout.getTypeSizeInBits(type->getElementType()) != step * 8) return;
  Instruction* before = load ? access.getNextNode() : &access;
  if (!load) function.end_store(&access);
  for (unsigned lane = 0; lane < type->getNumElements(); ++lane) {
    Builder at(before);
    Value* taken = at.CreateExtractElement(mask, std::uint64_t{lane});
    if (const auto* constant = dyn_cast<ConstantInt>(taken); constant && constant->isZero()) continue;
    Instruction* then = SplitBlockAndInsertIfThen(taken, before->getIterator(), /*Unreachable=*/false);
    Builder inside(then);
    const bool scattered = place->getType()->isVectorTy();
    Value* address = scattered ? inside.CreateExtractElement(place, std::uint64_t{lane})
                               : inside.CreateConstGEP1_64(function.context.i8, place, lane * step);
    Value* value = inside.CreateExtractElement(values, std::uint64_t{lane});
    emit_access(function, then, load ? Direction::Read : Direction::Write, address, value,
                scattered ? align : commonAlignment(align, lane * step), row);
  }
}

void instrument_by_value(FunctionContext& function, CallBase& call, unsigned argument, std::uint32_t row) {
  Value* original = call.getArgOperand(argument);
  const std::uint64_t size = store_size(function, call.getParamByValType(argument));
  if (size == 0) return;
  Builder at(range_point(function, &call, original, size));
  call_range(function, at, Direction::Read, original, original, ConstantInt::get(function.context.i64, size), row);
}

void announce_by_value(FunctionContext& function, Argument& argument, std::uint32_t row) {
  const std::uint64_t size = store_size(function, argument.getParamByValType());
  if (size == 0) return;
  // Behind the thread's record: the frame, which is entered before, comes between the two.
  Function& f = function.function;
  Builder at(&f.getEntryBlock(), f.isPresplitCoroutine() ? function.entry_point() : function.entry_point_with_thread());
  call_range(function, at, Direction::Write, &argument, &argument, ConstantInt::get(function.context.i64, size), row);
  if (function.context.options.own) function.context.end_store(at, function.thread(at));
}

} // namespace sooth::pass
