#include "capture/pass/assembly/known_assembly.h"

#include <optional>
#include <string>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

namespace sooth::pass {

using namespace llvm;

namespace {

// `$1` or `${1:b}` in the text, and what it stands for.
struct Operand {
  Value* memory = nullptr; // the address, if it stands for memory ...
  Type* content = nullptr; // ... and what is there
  Value* input = nullptr;  // the value that it has before
  bool is_result = false;  // the call's one result is what it has afterwards
  bool is_accumulator = false;
};

class KnownAssembly {
public:
  explicit KnownAssembly(CallInst& call) : call_(call), assembly_(*cast<InlineAsm>(call.getCalledOperand())) {}

  bool replace() {
    if (assembly_.getDialect() != InlineAsm::AD_ATT || !read_operands() || !read_text()) return false;
    Value* result = make();
    if (made_ == nullptr) return false;
    if (!call_.getType()->isVoidTy()) call_.replaceAllUsesWith(result);
    call_.eraseFromParent();
    return true;
  }

private:
  // Outputs come first in the numbering, then inputs; those in memory are arguments, the others
  // results.
  bool read_operands() {
    unsigned argument = 0, results = 0;
    for (const InlineAsm::ConstraintInfo& constraint : assembly_.ParseConstraints()) {
      if (constraint.Type == InlineAsm::isClobber) {
        touches_memory_ |= is_contained(constraint.Codes, "{memory}");
        continue;
      }
      if (constraint.Type == InlineAsm::isLabel || constraint.isMultipleAlternative) return false;
      Operand operand;
      operand.is_accumulator = is_contained(constraint.Codes, "{ax}");
      if (constraint.isIndirect) {
        if (argument >= call_.arg_size()) return false;
        operand.content = call_.getParamElementType(argument);
        operand.memory = call_.getArgOperand(argument++);
        if (!operand.content) return false;
      } else if (constraint.Type == InlineAsm::isOutput) {
        operand.is_result = true;
        if (++results > 1) return false;
      } else {
        if (argument >= call_.arg_size()) return false;
        operand.input = call_.getArgOperand(argument++);
        if (constraint.hasMatchingInput()) return false; // of an output, not of an input
        unsigned tied = 0;
        if (constraint.Codes.size() == 1 && !StringRef(constraint.Codes[0]).getAsInteger(10, tied)) {
          if (tied >= operands_.size()) return false;
          operands_[tied].input = operand.input;
        }
      }
      operands_.push_back(operand);
    }
    return results == (call_.getType()->isVoidTy() ? 0u : 1u) && !call_.getType()->isStructTy();
  }

  // One instruction, with `lock` before it or not.
  bool read_text() {
    std::string text = StringRef(assembly_.getAsmString()).lower();
    SmallVector<StringRef, 4> parts;
    SplitString(text, parts, ";\n\r");
    std::string instruction;
    for (StringRef part : parts) {
      part = part.trim();
      if (part.empty()) continue;
      if (part == "lock") {
        if (locked_ || !instruction.empty()) return false;
        locked_ = true;
        continue;
      }
      if (!instruction.empty()) return false;
      instruction = part.str();
    }
    StringRef rest = instruction;
    if (rest.consume_front("lock") && !rest.empty() && isSpace(rest.front())) {
      if (locked_) return false;
      locked_ = true;
      rest = rest.ltrim();
    } else {
      rest = instruction;
    }
    const StringRef word = rest.take_until([](char c) { return isSpace(c); });
    word_ = word.str();
    SmallVector<StringRef, 2> names;
    rest.drop_front(word.size()).split(names, ',', -1, false);
    for (StringRef name : names) {
      name = name.trim();
      unsigned number = 0;
      std::int64_t value = 0;
      if (name.consume_front("$$")) {
        if (name.getAsInteger(0, value)) return false;
        constants_[given_.size()] = value;
        given_.push_back(nullptr);
        if (given_.size() > 2) return false;
        continue;
      }
      if (!name.consume_front("$")) return false;
      if (name.consume_front("{")) name = name.take_until([](char c) { return c == ':' || c == '}'; });
      if (name.getAsInteger(10, number) || number >= operands_.size()) return false;
      given_.push_back(&operands_[number]);
      if (given_.size() > 2) return false;
    }
    return true;
  }

  // The instruction's name without the letter for its size; that must be the size of what is in
  // memory.
  std::optional<std::string> name_for(unsigned bits) const {
    static const StringRef kNames[] = {"xchg", "cmpxchg", "xadd", "add", "sub", "and",
                                       "or",   "xor",     "inc",  "dec", "mov"};
    const char letter = bits == 8 ? 'b' : bits == 16 ? 'w' : bits == 32 ? 'l' : 'q';
    for (const StringRef name : kNames)
      if (word_ == name || word_ == name.str() + letter) return name.str();
    return {};
  }

  // Sets made_; the result, or null where there is none.
  Value* make() {
    if (given_.empty()) return nullptr;
    const std::size_t at = given_.size() == 2 && is_memory(given_[1]) ? 1 : 0; // which one is in memory
    if (!is_memory(given_[at]) || (given_.size() == 2 && is_memory(given_[1 - at]))) return nullptr;
    const Operand& memory = *given_[at];
    auto* type = dyn_cast<IntegerType>(memory.content);
    if (!type || cast<PointerType>(memory.memory->getType())->getAddressSpace() != 0) return nullptr;
    const unsigned bits = type->getBitWidth();
    if (bits != 8 && bits != 16 && bits != 32 && bits != 64) return nullptr;
    const std::optional<std::string> name = name_for(bits);
    if (!name) return nullptr;
    IRBuilder<> builder(&call_);
    const Align align(bits / 8);

    if (given_.size() == 1) {
      if ((*name != "inc" && *name != "dec") || !locked_ || !call_.getType()->isVoidTy()) return nullptr;
      made_ = builder.CreateAtomicRMW(*name == "inc" ? AtomicRMWInst::Add : AtomicRMWInst::Sub, memory.memory,
                                      ConstantInt::get(type, 1), align, AtomicOrdering::SequentiallyConsistent);
      return nullptr;
    }
    const Operand* other = given_[1 - at];
    Value* value = other != nullptr ? other->input : ConstantInt::getSigned(type, constants_[1 - at]);
    if (*name == "mov" && !locked_) return move(builder, memory, other, value, type, align, at == 1);
    if (value == nullptr || (value->getType() != type && !isa<ConstantInt>(value))) return nullptr;
    if (auto* constant = dyn_cast<ConstantInt>(value); constant && constant->getType() != type)
      value = ConstantInt::getSigned(type, constant->getSExtValue());

    if (*name == "xchg" || (*name == "xadd" && locked_ && at == 1)) {
      if (other == nullptr || !other->is_result || call_.getType() != type) return nullptr;
      return made_ = builder.CreateAtomicRMW(*name == "xchg" ? AtomicRMWInst::Xchg : AtomicRMWInst::Add, memory.memory,
                                             value, align, AtomicOrdering::SequentiallyConsistent);
    }
    if (!locked_ || at != 1) return nullptr;
    if (*name == "cmpxchg") {
      const auto accumulator = find_if(operands_, [](const Operand& o) { return o.is_result && o.is_accumulator; });
      if (accumulator == operands_.end() || accumulator->input == nullptr || accumulator->input->getType() != type ||
          call_.getType() != type || other == nullptr || other->is_result)
        return nullptr;
      made_ =
          builder.CreateAtomicCmpXchg(memory.memory, accumulator->input, value, align,
                                      AtomicOrdering::SequentiallyConsistent, AtomicOrdering::SequentiallyConsistent);
      return builder.CreateExtractValue(made_, 0);
    }
    if (!call_.getType()->isVoidTy()) return nullptr;
    const auto operation = StringSwitch<AtomicRMWInst::BinOp>(*name)
                               .Case("add", AtomicRMWInst::Add)
                               .Case("sub", AtomicRMWInst::Sub)
                               .Case("and", AtomicRMWInst::And)
                               .Case("or", AtomicRMWInst::Or)
                               .Case("xor", AtomicRMWInst::Xor)
                               .Default(AtomicRMWInst::BAD_BINOP);
    if (operation == AtomicRMWInst::BAD_BINOP) return nullptr;
    made_ = builder.CreateAtomicRMW(operation, memory.memory, value, align, AtomicOrdering::SequentiallyConsistent);
    return nullptr;
  }

  Value* move(IRBuilder<>& builder, const Operand& memory, const Operand* other, Value* value, IntegerType* type,
              Align align, bool stores) {
    if (stores) {
      if (value == nullptr || !call_.getType()->isVoidTy()) return nullptr;
      if (auto* constant = dyn_cast<ConstantInt>(value)) value = ConstantInt::getSigned(type, constant->getSExtValue());
      if (value->getType() != type) return nullptr;
      StoreInst* store = builder.CreateAlignedStore(value, memory.memory, align);
      store->setAtomic(touches_memory_ ? AtomicOrdering::Release : AtomicOrdering::Monotonic);
      made_ = store;
      return nullptr;
    }
    if (other == nullptr || !other->is_result || call_.getType() != type) return nullptr;
    LoadInst* load = builder.CreateAlignedLoad(type, memory.memory, align);
    load->setAtomic(touches_memory_ ? AtomicOrdering::Acquire : AtomicOrdering::Monotonic);
    return made_ = load;
  }

  static bool is_memory(const Operand* operand) { return operand != nullptr && operand->memory != nullptr; }

  CallInst& call_;
  const InlineAsm& assembly_;
  SmallVector<Operand, 6> operands_;
  SmallVector<const Operand*, 2> given_; // to the instruction, in its order; null: a constant
  std::int64_t constants_[3] = {};
  std::string word_;
  bool locked_ = false;
  bool touches_memory_ = false; // it says so
  Instruction* made_ = nullptr;
};

} // namespace

bool replace_known_assembly(Function& function) {
  bool changed = false;
  for (Instruction& instruction : make_early_inc_range(instructions(function)))
    if (auto* call = dyn_cast<CallInst>(&instruction); call && call->isInlineAsm())
      changed |= KnownAssembly(*call).replace();
  return changed;
}

} // namespace sooth::pass
