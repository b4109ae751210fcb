#include "capture/pass/inline_check.h"

#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace sooth::pass {

using namespace llvm;

namespace {

constexpr std::uint32_t kEpochBits = 0xff000000; // of a cell's first word
constexpr unsigned kGranule = 8;

struct Cell {
  Value* address; // of the access, as a number
  Value* other;   // i1: the cell is not about this access
  Value* bytes;   // where the cell keeps the accessed bytes
  Align bytes_align;
};

// `shift`: 0 to ask for "known", 8 to ask for "writes are omitted already". Comparisons with
// memory, joined by `or`, become compare-and-jump instructions that the processor fuses.
Cell look_up(FunctionContext& function, Builder& at, const CheckedAccess& access, unsigned shift) {
  ModuleContext& context = function.context;
  auto number = [&](std::uint32_t n) { return ConstantInt::get(context.i32, n); };
  auto wide = [&](std::uint64_t n) { return ConstantInt::get(context.i64, n); };
  Value* address = at.CreatePtrToInt(access.address, context.i64);
  Value* cells = function.load_field(at, kCells);
  Value* index = at.CreateAnd(at.CreateShl(address, 1), function.load_field(at, kCellMask));
  Value* cell = at.CreateGEP(context.i8, cells, index);

  const std::uint32_t ones = ((1U << access.size) - 1) << shift;
  const bool whole_granule = access.size == kGranule;
  Value* within = at.CreateAnd(address, kGranule - 1);
  Value* mask = whole_granule ? number(ones) : at.CreateShl(number(ones), at.CreateTrunc(within, context.i32));

  Value* high = at.CreateAlignedLoad(context.i32, at.CreateConstGEP1_32(context.i8, cell, 4), Align(4));
  Value* other = at.CreateICmpNE(high, at.CreateTrunc(at.CreateLShr(address, 15), context.i32));
  Value* epoch = at.CreateTrunc(function.load_field(at, kEpoch), context.i32);
  Value* low = at.CreateXor(at.CreateAlignedLoad(context.i32, cell, Align(8)), epoch);
  other = at.CreateOr(other, at.CreateICmpNE(at.CreateAnd(low, at.CreateOr(mask, number(kEpochBits))), number(0)));
  // Reads trust the alignment that the program promises; a write that lied would spoil the next
  // cell.
  if (access.size > 1 && (shift != 0 || access.align.value() < access.size)) {
    Value* reach = whole_granule ? within : at.CreateAnd(at.CreateAdd(within, wide(access.size - 1)), wide(kGranule));
    Value* crosses = at.CreateICmpNE(reach, wide(0));
    if (!isa<Constant>(crosses) || !cast<Constant>(crosses)->isNullValue()) other = at.CreateOr(other, crosses);
  }
  Value* offset = whole_granule ? wide(8) : at.CreateAdd(within, wide(8));
  return {address, other, at.CreateGEP(context.i8, cell, offset), Align(1)};
}

// i1: the thread does not own the access's block, or not for sure.
Value* not_owned(FunctionContext& function, Builder& at, const CheckedAccess& access) {
  ModuleContext& context = function.context;
  constexpr std::uint64_t kBlock = 4096;
  Value* address = at.CreatePtrToInt(access.address, context.i64);
  Value* place = at.CreateAnd(at.CreateLShr(address, 9), function.load_field(at, kOwnerMask));
  Value* word =
      at.CreateAlignedLoad(context.i64, at.CreateGEP(context.i8, function.load_field(at, kOwners), place), Align(8));
  Value* other = at.CreateICmpNE(word, function.load_field(at, kMine));
  if (access.align.value() >= access.size) return other;
  Value* within = at.CreateAnd(address, kBlock - 1);
  return at.CreateOr(other, at.CreateICmpUGT(within, ConstantInt::get(context.i64, kBlock - access.size)));
}

// Where the look at the cell goes.
Instruction* after_owner_check(FunctionContext& function, Instruction* before, const CheckedAccess& access) {
  if (!function.context.options.own) return before;
  Builder at(before);
  return SplitBlockAndInsertIfThen(not_owned(function, at, access), before->getIterator(), /*Unreachable=*/false);
}

void call_hook(FunctionContext& function, Instruction* before, const char* kind, const CheckedAccess& access,
               Value* address) {
  Builder at(before);
  ModuleContext& context = function.context;
  context.call_preserving(
      at, (kind + Twine(access.size)).str(), context.void_type,
      {address, at.CreateZExt(access.value, context.i64),
       access.any_row ? context.site_number(at, access.any_row) : context.site_number(at, access.row)});
}

} // namespace

void emit_checked_read(FunctionContext& function, Instruction* before, const CheckedAccess& access) {
  Instruction* others = after_owner_check(function, before, access);
  Builder at(others);
  const Cell cell = look_up(function, at, access, 0);
  Value* known = at.CreateAlignedLoad(access.value->getType(), cell.bytes, cell.bytes_align);
  Value* news = at.CreateOr(cell.other, at.CreateICmpNE(known, access.value));
  Instruction* slow =
      SplitBlockAndInsertIfThen(news, others->getIterator(), /*Unreachable=*/false, function.context.unlikely());
  call_hook(function, slow, "__sooth_read", access, cell.address);
}

void emit_checked_write(FunctionContext& function, Instruction* before, const CheckedAccess& access) {
  Builder start(before);
  function.begin_store(start);
  Instruction* others = after_owner_check(function, before, access);
  Builder at(others);
  const Cell cell = look_up(function, at, access, 8);
  Instruction* fast = nullptr;
  Instruction* slow = nullptr;
  SplitBlockAndInsertIfThenElse(cell.other, others->getIterator(), &slow, &fast, function.context.unlikely());
  Builder(fast).CreateAlignedStore(access.value, cell.bytes, cell.bytes_align);
  call_hook(function, slow, "__sooth_write", access, cell.address);
}

} // namespace sooth::pass
