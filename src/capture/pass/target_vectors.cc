#include "capture/pass/target_vectors.h"

#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

namespace sooth::pass {

using namespace llvm;

namespace {

unsigned lanes_of(const Value* vector) { return cast<FixedVectorType>(vector->getType())->getNumElements(); }

// The mask as one bit for each lane. AVX takes the sign of a lane for it.
Value* as_bits(IRBuilder<>& at, Value* mask) {
  auto* type = cast<VectorType>(mask->getType());
  if (type->getElementType()->isIntegerTy(1)) return mask;
  Value* numbers = at.CreateBitCast(mask, VectorType::getInteger(type));
  return at.CreateICmpSLT(numbers, Constant::getNullValue(numbers->getType()));
}

// base + index * scale, lane by lane
Value* indexed(IRBuilder<>& at, Value* base, Value* index, Value* scale) {
  auto* type = FixedVectorType::get(at.getInt64Ty(), lanes_of(index));
  const std::uint64_t step = cast<ConstantInt>(scale)->getZExtValue();
  Value* offsets = at.CreateMul(at.CreateSExt(index, type), ConstantInt::get(type, step));
  return at.CreateGEP(at.getInt8Ty(), base, offsets);
}

// The lanes that are taken lie side by side.
Value* packed(IRBuilder<>& at, Value* base, Type* element, Value* mask) {
  const unsigned lanes = lanes_of(mask);
  Value* places = PoisonValue::get(FixedVectorType::get(base->getType(), lanes));
  Value* position = at.getInt64(0);
  for (unsigned lane = 0; lane < lanes; ++lane) {
    places = at.CreateInsertElement(places, at.CreateGEP(element, base, position), std::uint64_t{lane});
    position =
        at.CreateAdd(position, at.CreateZExt(at.CreateExtractElement(mask, std::uint64_t{lane}), at.getInt64Ty()));
  }
  return places;
}

// The replacement of the call; null if it stays. For a call without a result: the access.
Value* replacement(IntrinsicInst& call) {
  IRBuilder<> at(&call);
  const StringRef name = call.getCalledFunction()->getName();
  const auto argument = [&](unsigned i) { return call.getArgOperand(i); };
  Type* type = call.getType();
  if (call.getIntrinsicID() == Intrinsic::masked_expandload) {
    Type* element = cast<VectorType>(type)->getElementType();
    return at.CreateMaskedGather(type, packed(at, argument(0), element, argument(1)), Align(1), argument(1),
                                 argument(2));
  }
  if (call.getIntrinsicID() == Intrinsic::masked_compressstore) {
    Type* element = cast<VectorType>(argument(0)->getType())->getElementType();
    return at.CreateMaskedScatter(argument(0), packed(at, argument(1), element, argument(2)), Align(1), argument(2));
  }
  if (name.starts_with("llvm.x86.avx.maskload.") || name.starts_with("llvm.x86.avx2.maskload."))
    return at.CreateMaskedLoad(type, argument(0), Align(1), as_bits(at, argument(1)), Constant::getNullValue(type));
  if (name.starts_with("llvm.x86.avx.maskstore.") || name.starts_with("llvm.x86.avx2.maskstore."))
    return at.CreateMaskedStore(argument(2), argument(0), Align(1), as_bits(at, argument(1)));
  if (name.starts_with("llvm.x86.sse3.ldu.") || name.starts_with("llvm.x86.avx.ldu."))
    return at.CreateAlignedLoad(type, argument(0), Align(1));
  if (name.starts_with("llvm.x86.avx2.gather.") || name.starts_with("llvm.x86.avx512.mask.gather")) {
    // Of more indices than lanes the first ones count. With fewer, the call stays.
    const unsigned lanes = lanes_of(&call);
    if (lanes_of(argument(2)) < lanes || lanes_of(argument(3)) != lanes) return nullptr;
    Value* index = argument(2);
    if (lanes_of(index) > lanes) index = at.CreateShuffleVector(index, to_vector<8>(seq(0, static_cast<int>(lanes))));
    Value* places = indexed(at, argument(1), index, argument(4));
    return at.CreateMaskedGather(type, places, Align(1), as_bits(at, argument(3)), argument(0));
  }
  if (name.starts_with("llvm.x86.avx512.mask.scatter")) {
    if (lanes_of(argument(1)) != lanes_of(argument(3)) || lanes_of(argument(2)) != lanes_of(argument(3)))
      return nullptr;
    return at.CreateMaskedScatter(argument(3), indexed(at, argument(0), argument(2), argument(4)), Align(1),
                                  as_bits(at, argument(1)));
  }
  return nullptr;
}

} // namespace

bool replace_target_vectors(Function& function) {
  SmallVector<IntrinsicInst*, 8> calls;
  for (Instruction& i : instructions(function))
    if (auto* call = dyn_cast<IntrinsicInst>(&i); call && call->mayReadOrWriteMemory()) calls.push_back(call);
  bool changed = false;
  for (IntrinsicInst* call : calls) {
    Value* access = replacement(*call);
    if (!access) continue;
    if (!call->getType()->isVoidTy()) call->replaceAllUsesWith(access);
    call->eraseFromParent();
    changed = true;
  }
  return changed;
}

} // namespace sooth::pass
