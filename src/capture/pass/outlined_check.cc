#include "capture/pass/outlined_check.h"

namespace sooth::pass {

using namespace llvm;

namespace {

using EmitCheck = void (*)(FunctionContext&, Instruction*, const CheckedAccess&);

// The function. Its body is the inlined check, so that the two cannot differ. Each module has its
// own: it knows where the module's sites begin, so calls pass a constant.
Function* outlined(ModuleContext& context, const std::string& name, unsigned size, EmitCheck emit, bool makes_store) {
  if (Function* known = context.module.getFunction(name)) return known;
  auto* type = FunctionType::get(context.void_type, {context.i64, context.i64, context.i32}, false);
  auto* made = Function::createWithDefaultAttr(type, GlobalValue::InternalLinkage, 0, name, &context.module);
  made->setCallingConv(CallingConv::PreserveMost);
  made->setDoesNotThrow();
  made->addFnAttr(Attribute::NoInline);
  made->setUWTableKind(UWTableKind::Async); // debuggers walk through it from the runtime
  Builder at(BasicBlock::Create(context.module.getContext(), "", made));
  ReturnInst* end = at.CreateRetVoid();
  at.SetInsertPoint(end);
  Value* address = at.CreateIntToPtr(made->getArg(0), context.pointer);
  Value* value = at.CreateTrunc(made->getArg(1), at.getIntNTy(size * 8));
  FunctionContext function(context, *made);
  Instruction* before = end;
  if (makes_store) {
    before = at.CreateAlignedStore(value, address, Align(1));
    function.end_store(before);
  }
  emit(function, before, {address, value, size, Align(1), 0, made->getArg(2)});
  return made;
}

void call_check(FunctionContext& function, Instruction* before, const CheckedAccess& access, const Twine& name,
                EmitCheck emit, bool makes_store = false) {
  ModuleContext& context = function.context;
  Builder at(before);
  Value* address = at.CreatePtrToInt(access.address, context.i64);
  Value* value = at.CreateZExt(access.value, context.i64);
  CallInst* call = at.CreateCall(outlined(context, (name + Twine(access.size)).str(), access.size, emit, makes_store),
                                 {address, value, ConstantInt::get(context.i32, access.row)});
  call->setCallingConv(CallingConv::PreserveMost);
  call->setDoesNotThrow();
}

} // namespace

void call_checked_read(FunctionContext& function, Instruction* before, const CheckedAccess& access) {
  call_check(function, before, access, "__sooth_checked_read", emit_checked_read);
}

void call_checked_write(FunctionContext& function, Instruction* before, const CheckedAccess& access) {
  call_check(function, before, access, "__sooth_checked_write", emit_checked_write);
}

void call_checked_store(FunctionContext& function, Instruction* before, const CheckedAccess& access) {
  call_check(function, before, access, "__sooth_checked_store", emit_checked_write, /*makes_store=*/true);
}

} // namespace sooth::pass
