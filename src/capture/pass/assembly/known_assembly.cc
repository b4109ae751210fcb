#include "capture/pass/assembly/known_assembly.h"

#include <optional>
#include <set>
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
  int result = -1;         // which of the call's results it is
  bool is_accumulator = false;
  StringRef flag; // `@ccz`: the result is a flag
};

// An operand of the instruction.
struct Given {
  const Operand* operand = nullptr; // null: a constant
  bool is_address = false;          // `($1)`: what the register points to
  std::int64_t constant = 0;
};

class KnownAssembly {
public:
  explicit KnownAssembly(CallInst& call) : call_(call), assembly_(*cast<InlineAsm>(call.getCalledOperand())) {}

  bool replace() {
    if (assembly_.getDialect() != InlineAsm::AD_ATT || !read_operands() || !read_text()) return false;
    IRBuilder<> builder(&call_);
    if (is_fence_) {
      if (!operands_.empty()) return false;
      builder.CreateFence(AtomicOrdering::SequentiallyConsistent);
    } else if (!can_be_made() || !make(builder)) {
      return false;
    }
    call_.eraseFromParent();
    return true;
  }

private:
  // Outputs come first in the numbering, then inputs; those in memory are arguments, the others
  // results.
  bool read_operands() {
    unsigned argument = 0;
    int results = 0;
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
        operand.result = results++;
        if (constraint.Codes.size() == 1 && StringRef(constraint.Codes[0]).starts_with("{@cc"))
          operand.flag = save(StringRef(constraint.Codes[0]).drop_front(4).drop_back(1));
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
    const Type* type = call_.getType();
    const unsigned expected = type->isVoidTy() ? 0 : type->isStructTy() ? type->getStructNumElements() : 1;
    return static_cast<unsigned>(results) == expected;
  }
  StringRef save(StringRef text) { return *flags_.insert(text.str()).first; }

  // One instruction, with `lock` before it or not; behind it perhaps a `sete`.
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
      } else if (instruction.empty()) {
        instruction = part.str();
      } else if (!read_set(part)) {
        return false;
      }
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
    if (is_fence(rest.drop_front(word.size()))) return is_fence_ = set_ == nullptr;
    SmallVector<StringRef, 2> names;
    rest.drop_front(word.size()).split(names, ',', -1, false);
    for (StringRef name : names) {
      if (given_.size() == 2 || !read_given(name.trim())) return false;
    }
    return true;
  }

  // An addition of nothing to the top of the stack: the cheapest full fence there is.
  bool is_fence(StringRef operands) const {
    const StringRef word = StringRef(word_).rtrim("lq");
    if (!locked_ || (word != "add" && word != "or")) return false;
    auto [value, place] = operands.split(',');
    if (value.trim() != "$$0" && value.trim() != "$$0x0") return false;
    place = place.trim();
    std::int64_t offset = 0;
    const StringRef number = place.take_until([](char c) { return c == '('; });
    if (!number.empty() && number.getAsInteger(0, offset)) return false;
    place = place.drop_front(number.size());
    return place == "(%rsp)" || place == "(%esp)" || place == "(%%rsp)" || place == "(%%esp)";
  }

  const Operand* operand_named(StringRef name) const {
    unsigned number = 0;
    if (!name.consume_front("$")) return nullptr;
    if (name.consume_front("{")) name = name.take_until([](char c) { return c == ':' || c == '}'; });
    return name.getAsInteger(10, number) || number >= operands_.size() ? nullptr : &operands_[number];
  }

  bool read_given(StringRef name) {
    Given given;
    if (name.consume_front("$$")) {
      if (name.getAsInteger(0, given.constant)) return false;
    } else {
      given.is_address = name.consume_front("(") && name.consume_back(")");
      given.operand = operand_named(name);
      if (given.operand == nullptr) return false;
    }
    given_.push_back(given);
    return true;
  }

  bool read_set(StringRef part) {
    const StringRef word = part.take_until([](char c) { return isSpace(c); });
    StringRef flag = word;
    set_ = operand_named(part.drop_front(word.size()).trim());
    if (!flag.consume_front("set") || set_ == nullptr || set_flag_ != "") return false;
    set_flag_ = flag.str();
    return true;
  }

  // The instruction's name without the letter for its size.
  std::optional<std::string> name_for(unsigned bits) const {
    static const StringRef kNames[] = {"xchg", "cmpxchg", "xadd", "add", "sub", "and", "or",
                                       "xor",  "inc",     "dec",  "mov", "bts", "btr", "btc"};
    const char letter = bits == 8 ? 'b' : bits == 16 ? 'w' : bits == 32 ? 'l' : 'q';
    for (const StringRef name : kNames)
      if (word_ == name || word_ == name.str() + letter) return name.str();
    return {};
  }
  // Of what a register points to, only the instruction's last letter says how large it is.
  unsigned bits_by_letter() const {
    switch (word_.empty() ? 0 : word_.back()) {
    case 'b': return 8;
    case 'w': return 16;
    case 'l': return 32;
    case 'q': return 64;
    default: return 0;
    }
  }

  // Finds out what is in memory, and what is done with it, before anything is changed.
  bool can_be_made() {
    if (given_.empty()) return false;
    at_ = given_.size() == 2 && is_memory(given_[1]) ? 1 : 0; // which one is in memory
    if (!is_memory(given_[at_]) || (given_.size() == 2 && is_memory(given_[1 - at_]))) return false;
    const Given& memory = given_[at_];
    address_ = memory.is_address ? memory.operand->input : memory.operand->memory;
    const unsigned letter = bits_by_letter();
    type_ = !memory.is_address ? dyn_cast<IntegerType>(memory.operand->content)
            : letter != 0      ? IntegerType::get(call_.getContext(), letter)
                               : nullptr;
    if (type_ == nullptr || !address_->getType()->isPointerTy() || address_->getType()->getPointerAddressSpace() != 0)
      return false;
    if (memory.is_address && !touches_memory_) return false; // then it cannot mean what it says
    const unsigned bits = type_->getBitWidth();
    if (bits != 8 && bits != 16 && bits != 32 && bits != 64) return false;
    const std::optional<std::string> name = name_for(bits);
    if (!name) return false;
    name_ = *name;
    align_ = Align(bits / 8);
    const bool flags_known = name_ != "mov" && name_ != "xchg";
    for (const Operand& operand : operands_) {
      if (operand.result < 0) continue;
      const bool is_old = (name_ == "cmpxchg" && operand.is_accumulator) || is_register(operand);
      const bool is_flag = flags_known && (!operand.flag.empty() ? knows(operand.flag) : set_ == &operand);
      const Type* type = result_type(operand);
      if (!(is_old && type == type_) && !(is_flag && type->isIntegerTy())) return false;
    }
    return set_ == nullptr || (flags_known && knows(set_flag_) && (set_->result >= 0 || set_->memory != nullptr));
  }
  Type* result_type(const Operand& operand) const {
    Type* all = call_.getType();
    return all->isStructTy() ? all->getStructElementType(static_cast<unsigned>(operand.result)) : all;
  }
  bool is_register(const Operand& operand) const {
    return given_.size() == 2 && given_[1 - at_].operand == &operand &&
           (name_ == "xchg" || name_ == "xadd" || name_ == "mov");
  }
  bool tests_bit() const { return name_ == "bts" || name_ == "btr" || name_ == "btc"; }
  bool knows(StringRef flag) const {
    if (tests_bit()) return flag == "c" || flag == "nc" || flag == "b" || flag == "ae";
    return flag == "e" || flag == "z" || flag == "ne" || flag == "nz";
  }

  // The operation, and the results that it has instead of the call.
  bool make(IRBuilder<>& builder) {
    Value* other = nullptr;
    if (given_.size() == 2) {
      const Given& given = given_[1 - at_];
      other = given.operand != nullptr ? given.operand->input : ConstantInt::getSigned(type_, given.constant);
      if (auto* constant = dyn_cast_or_null<ConstantInt>(other))
        other = ConstantInt::getSigned(type_, constant->getSExtValue());
    }
    if (name_ == "mov") return !locked_ && given_.size() == 2 && move(builder, other);
    if (name_ != "xchg" && !locked_) return false;
    if (given_.size() == 1) {
      if (name_ != "inc" && name_ != "dec") return false;
      other = ConstantInt::get(type_, 1);
    }
    if (other == nullptr || other->getType() != type_ || (at_ == 0 && given_.size() == 2 && name_ != "xchg"))
      return false;
    if (name_ == "cmpxchg") return compare(builder, other);
    if (tests_bit()) return bit(builder, other);
    const auto operation = StringSwitch<AtomicRMWInst::BinOp>(name_)
                               .Case("xchg", AtomicRMWInst::Xchg)
                               .Cases("add", "xadd", "inc", AtomicRMWInst::Add)
                               .Cases("sub", "dec", AtomicRMWInst::Sub)
                               .Case("and", AtomicRMWInst::And)
                               .Case("or", AtomicRMWInst::Or)
                               .Case("xor", AtomicRMWInst::Xor)
                               .Default(AtomicRMWInst::BAD_BINOP);
    if (operation == AtomicRMWInst::BAD_BINOP) return false;
    Value* old = change(builder, operation, other);
    Value* zero = nullptr;
    if (operation != AtomicRMWInst::Xchg) {
      Value* now = operation == AtomicRMWInst::Add   ? builder.CreateAdd(old, other)
                   : operation == AtomicRMWInst::Sub ? builder.CreateSub(old, other)
                   : operation == AtomicRMWInst::And ? builder.CreateAnd(old, other)
                   : operation == AtomicRMWInst::Or  ? builder.CreateOr(old, other)
                                                     : builder.CreateXor(old, other);
      zero = builder.CreateIsNull(now);
    }
    give(builder, old, zero);
    return true;
  }

  Value* change(IRBuilder<>& builder, AtomicRMWInst::BinOp operation, Value* value) {
    return builder.CreateAtomicRMW(operation, address_, value, align_, AtomicOrdering::SequentiallyConsistent);
  }

  bool compare(IRBuilder<>& builder, Value* desired) {
    const auto accumulator = find_if(operands_, [](const Operand& o) { return o.result >= 0 && o.is_accumulator; });
    if (accumulator == operands_.end() || accumulator->input == nullptr || accumulator->input->getType() != type_ ||
        given_[0].operand == nullptr || given_[0].operand->result >= 0)
      return false;
    Value* made =
        builder.CreateAtomicCmpXchg(address_, accumulator->input, desired, align_,
                                    AtomicOrdering::SequentiallyConsistent, AtomicOrdering::SequentiallyConsistent);
    give(builder, builder.CreateExtractValue(made, 0), builder.CreateExtractValue(made, 1));
    return true;
  }

  // A bit whose number is in a register may be one behind the word.
  bool bit(IRBuilder<>& builder, Value* number) {
    auto* constant = dyn_cast<ConstantInt>(number);
    if (constant == nullptr || constant->getValue().uge(type_->getBitWidth())) return false;
    const APInt mask = APInt::getOneBitSet(type_->getBitWidth(), static_cast<unsigned>(constant->getZExtValue()));
    Value* old = name_ == "bts"   ? change(builder, AtomicRMWInst::Or, ConstantInt::get(type_, mask))
                 : name_ == "btr" ? change(builder, AtomicRMWInst::And, ConstantInt::get(type_, ~mask))
                                  : change(builder, AtomicRMWInst::Xor, ConstantInt::get(type_, mask));
    give(builder, nullptr, builder.CreateIsNotNull(builder.CreateAnd(old, ConstantInt::get(type_, mask))));
    return true;
  }

  bool move(IRBuilder<>& builder, Value* value) {
    if (at_ == 1) {
      if (value == nullptr || value->getType() != type_ || !call_.getType()->isVoidTy()) return false;
      StoreInst* store = builder.CreateAlignedStore(value, address_, align_);
      store->setAtomic(touches_memory_ ? AtomicOrdering::Release : AtomicOrdering::Monotonic);
      return true;
    }
    if (given_[1].operand == nullptr || given_[1].operand->result < 0 || call_.getType() != type_) return false;
    LoadInst* load = builder.CreateAlignedLoad(type_, address_, align_);
    load->setAtomic(touches_memory_ ? AtomicOrdering::Acquire : AtomicOrdering::Monotonic);
    give(builder, load, nullptr);
    return true;
  }

  // What was in memory before, and the flag, become the results of the call.
  void give(IRBuilder<>& builder, Value* old, Value* flag) {
    const auto told = [&](StringRef name, Type* type) {
      return builder.CreateZExt(name.starts_with("n") || name == "ae" ? builder.CreateNot(flag) : flag, type);
    };
    if (set_ != nullptr && set_->memory != nullptr)
      builder.CreateStore(told(set_flag_, builder.getInt8Ty()), set_->memory);
    Value* all = call_.getType()->isStructTy() ? PoisonValue::get(call_.getType()) : nullptr;
    for (const Operand& operand : operands_) {
      if (operand.result < 0) continue;
      Type* type = result_type(operand);
      Value* value = !operand.flag.empty() ? told(operand.flag, type) : set_ == &operand ? told(set_flag_, type) : old;
      if (all == nullptr) call_.replaceAllUsesWith(value);
      else all = builder.CreateInsertValue(all, value, static_cast<unsigned>(operand.result));
    }
    if (all != nullptr) call_.replaceAllUsesWith(all);
  }

  static bool is_memory(const Given& given) {
    return given.operand != nullptr &&
           (given.is_address ? given.operand->input != nullptr : given.operand->memory != nullptr);
  }

  CallInst& call_;
  const InlineAsm& assembly_;
  SmallVector<Operand, 6> operands_;
  std::set<std::string> flags_; // the names of flags that operands are
  SmallVector<Given, 2> given_; // to the instruction, in its order
  std::string word_, name_;
  const Operand* set_ = nullptr; // `sete $1` behind it
  std::string set_flag_;
  bool locked_ = false, is_fence_ = false;
  bool touches_memory_ = false; // it says so
  // Of what can be made.
  std::size_t at_ = 0; // which of those given is in memory
  Value* address_ = nullptr;
  IntegerType* type_ = nullptr;
  Align align_;
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
