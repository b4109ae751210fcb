#include "capture/pass/inline_check.h"

#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace sooth::pass {

using namespace llvm;

namespace {

constexpr std::uint64_t kIdentity = 0xffffffffffff0000; // of word 0: address and epoch
constexpr unsigned kGranule = 8;

struct Cell {
  Value* address;    // of the access, as a number
  Value* difference; // 0: the cell is about this access
  Value* bytes;      // where the cell keeps the accessed bytes
  Align bytes_align;
};

// `shift`: 0 to ask for "known", 8 to ask for "written".
Cell look_up(FunctionContext& function, Builder& at, const CheckedAccess& access, unsigned shift) {
  ModuleContext& context = function.context;
  auto number = [&](std::uint64_t n) { return ConstantInt::get(context.i64, n); };
  Value* address = at.CreatePtrToInt(access.address, context.i64);
  Value* cells = function.load_field(at, kCells);
  Value* index = at.CreateAnd(at.CreateShl(address, 1), function.load_field(at, kCellMask));
  Value* cell = at.CreateGEP(context.i8, cells, index);

  const std::uint64_t ones = ((1U << access.size) - 1ULL) << shift;
  const bool whole_granule = access.align.value() >= kGranule;
  Value* within = whole_granule ? number(0) : at.CreateAnd(address, kGranule - 1);
  Value* mask = whole_granule ? number(ones) : at.CreateShl(number(ones), within);

  Value* identity = at.CreateShl(at.CreateLShr(address, 15), 32);
  Value* wanted = at.CreateOr(at.CreateOr(identity, function.load_field(at, kEpoch)), mask);
  Value* found = at.CreateAlignedLoad(context.i64, cell, Align(8));
  Value* difference = at.CreateAnd(at.CreateXor(found, wanted), at.CreateOr(mask, number(kIdentity)));
  if (access.align.value() < access.size) // it may reach into the next granule
    difference = at.CreateOr(difference, at.CreateAnd(at.CreateAdd(within, number(access.size - 1)), number(kGranule)));

  Value* bytes = at.CreateGEP(context.i8, cell, whole_granule ? number(8) : at.CreateAdd(within, number(8)));
  return {address, difference, bytes, std::min(access.align, Align(access.size))};
}

void call_hook(FunctionContext& function, Instruction* before, const char* kind, const CheckedAccess& access, Value* address) {
  Builder at(before);
  ModuleContext& context = function.context;
  context.call_preserving(at, (kind + Twine(access.size)).str(),
                          {address, at.CreateZExt(access.value, context.i64), context.site_number(at, access.row)});
}

} // namespace

void emit_checked_read(FunctionContext& function, Instruction* before, const CheckedAccess& access) {
  Builder at(before);
  const Cell cell = look_up(function, at, access, 0);
  Value* known = at.CreateAlignedLoad(access.value->getType(), cell.bytes, cell.bytes_align);
  Value* changed = at.CreateZExt(at.CreateXor(known, access.value), function.context.i64);
  Value* news = at.CreateICmpNE(at.CreateOr(cell.difference, changed), ConstantInt::get(function.context.i64, 0));
  Instruction* slow = SplitBlockAndInsertIfThen(news, before->getIterator(), /*Unreachable=*/false, function.context.unlikely());
  call_hook(function, slow, "__sooth_read", access, cell.address);
}

void emit_checked_write(FunctionContext& function, Instruction* before, const CheckedAccess& access) {
  Builder at(before);
  const Cell cell = look_up(function, at, access, 8);
  Value* repeats = at.CreateICmpEQ(cell.difference, ConstantInt::get(function.context.i64, 0));
  Instruction* fast = nullptr;
  Instruction* slow = nullptr;
  SplitBlockAndInsertIfThenElse(repeats, before->getIterator(), &fast, &slow, function.context.likely());
  Builder(fast).CreateAlignedStore(access.value, cell.bytes, cell.bytes_align);
  call_hook(function, slow, "__sooth_write", access, cell.address);
}

} // namespace sooth::pass
