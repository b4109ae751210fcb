#include "capture/pass/tables/source_name.h"

#include <cstdlib>

#include "capture/pass/calls.h"
#include "trace/format.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

namespace sooth::pass {

using namespace llvm;

namespace {

constexpr unsigned kMaxWalk = 8;

// The part of a demangled name before its parameters: `net::get` of `net::get(int)`. Operators keep
// their signs.
std::string without_parameters(std::string name) {
  for (StringRef qualifier : {" &&", " &", " volatile", " const"})
    if (StringRef(name).ends_with(qualifier)) name.erase(name.size() - qualifier.size());
  if (!StringRef(name).ends_with(")")) return name;
  int depth = 0;
  for (std::size_t i = name.size(); i-- > 0;) {
    if (name[i] == ')') ++depth;
    if (name[i] == '(' && --depth == 0) return i == 0 ? name : name.substr(0, i);
  }
  return name;
}

// `Node` of `Node, std::allocator<Node>>::`: a template's first argument.
StringRef first_argument(StringRef arguments) {
  int depth = 0;
  const std::size_t end = arguments.find_if([&](char c) {
    if (c == '<' || c == '(') ++depth;
    if (c == '>' || c == ')') --depth;
    return depth < 0 || (depth == 0 && c == ',');
  });
  return arguments.substr(0, end).trim();
}

// The type that `new` makes: clang notes it, and the functions and allocators of the library have
// it as their parameter (`std::__new_allocator<Node>::allocate`, `std::make_unique<Node>`).
std::string made_type(const CallBase& call) {
  if (const auto* type = dyn_cast_or_null<DIType>(call.getMetadata("heapallocsite"))) return type_name(type);
  for (const DILocation* place = call.getDebugLoc().get(); place; place = place->getInlinedAt()) {
    const DISubprogram* function = place->getScope()->getSubprogram();
    const auto* owner = dyn_cast_or_null<DICompositeType>(function->getScope());
    StringRef name = owner ? owner->getName() : function->getName();
    if (!name.consume_front("__new_allocator<") && !name.consume_front("new_allocator<") &&
        !name.consume_front("make_unique<"))
      continue;
    name = first_argument(name);
    // std::make_shared keeps the object beside its counters.
    if (name.consume_front("std::_Sp_counted_ptr_inplace<")) name = first_argument(name);
    return name.str();
  }
  return {};
}

// The argument that a call of a synchronising function is about, and the bytes of what it points
// to.
struct Subject {
  unsigned argument = ~0u; // none
  std::uint64_t bytes = 0;
};

// Sizes of glibc's types on x86-64; the classes of the C++ library begin with them.
constexpr std::uint64_t kMutexBytes = 40, kReadWriteBytes = 56, kConditionBytes = 48, kOtherBytes = 32, kWordBytes = 4;

std::uint64_t bytes_of_class(StringRef name) {
  if (name.contains("shared_mutex") || name.contains("shared_timed_mutex")) return kReadWriteBytes;
  return name.contains("condition_variable") ? kConditionBytes : name.contains("mutex") ? kMutexBytes : 0;
}

Subject subject_of(const Function& callee) {
  constexpr std::pair<StringLiteral, std::uint64_t> kCalls[] = {{"pthread_mutex_", kMutexBytes},
                                                                {"pthread_rwlock_", kReadWriteBytes},
                                                                {"pthread_spin_", kWordBytes},
                                                                {"pthread_cond_", kConditionBytes},
                                                                {"pthread_barrier_", kOtherBytes},
                                                                {"pthread_once", kWordBytes},
                                                                {"sem_", kOtherBytes},
                                                                {"mtx_", kMutexBytes},
                                                                {"cnd_", kConditionBytes},
                                                                {"call_once", kWordBytes}};
  const StringRef linked = callee.getName();
  for (const auto& [prefix, bytes] : kCalls)
    if (linked.starts_with(prefix)) return {0, bytes};
  const bool of_library = linked.starts_with("_ZNSt") || linked.starts_with("_ZNKSt") || linked.starts_with("_ZSt");
  if (!of_library) return {};
  const std::string name = demangle(linked);
  for (StringRef guard : {"std::lock_guard<", "std::unique_lock<", "std::scoped_lock<", "std::shared_lock<"})
    if (StringRef(name).starts_with(guard)) return {1, bytes_of_class(name)};
  for (StringRef owner : {"std::mutex::", "std::recursive_mutex::", "std::timed_mutex::", "std::shared_mutex::",
                          "std::recursive_timed_mutex::", "std::shared_timed_mutex::", "std::condition_variable::",
                          "std::_V2::condition_variable_any::", "std::counting_semaphore<",
                          "std::latch::", "std::barrier<", "std::__mutex_base::"})
    if (StringRef(name).starts_with(owner)) return {0, bytes_of_class(name)};
  return {};
}

} // namespace

SourceNames::SourceNames(Function& function)
    : function_(function), layout_(function.getParent()->getDataLayout()), variables_(function) {}

SiteTable::Row SourceNames::place_of(const Instruction& instruction) const {
  SiteTable::Row row;
  scope_ = function_.getSubprogram();
  const DILocation* innermost = instruction.getDebugLoc().get();
  const DILocation* chosen = nullptr;
  for (const DILocation* place = innermost; place; place = place->getInlinedAt()) {
    if (const std::string path = joined_path(place->getFile()); is_system_path(path) || is_public_header(path))
      continue;
    chosen = place;
    break;
  }
  if (!chosen) {
    chosen = innermost;
    if (chosen) row.flags |= trace::kSiteSystem;
  }
  if (!chosen) {
    row.function = scope_ ? function_name(scope_) : demangle(function_.getName());
    row.file = scope_ ? joined_path(scope_->getFile()) : "";
    return row;
  }
  scope_ = chosen->getScope()->getSubprogram();
  row.file = joined_path(chosen->getFile());
  row.line = chosen->getLine();
  row.column = chosen->getColumn();
  row.function = function_name(scope_);
  for (const DILocation* call = chosen->getInlinedAt(); call; call = call->getInlinedAt()) {
    SiteTable::InlinedCall inlined = {joined_path(call->getFile()), call->getLine(), call->getColumn(),
                                      function_name(call->getScope()->getSubprogram()), 0};
    if (is_system_path(inlined.file)) inlined.flags = trace::kSiteSystem;
    row.inlined.push_back(std::move(inlined));
  }
  return row;
}

SiteTable::Row SourceNames::access(const Instruction& instruction, const Value* address, std::uint64_t size,
                                   const Type* type, bool is_volatile) const {
  SiteTable::Row row = place_of(instruction);
  if (is_volatile) row.flags |= trace::kSiteVolatile;
  const Named named = object_at(address, size, kMaxWalk);
  row.variable = named.text;
  if (named.bit_field) row.flags |= trace::kSiteBitField;
  std::uint32_t shape = 0;
  if (type && type->isFloatingPointTy()) shape = trace::kSiteFloat;
  if (type && type->isPointerTy()) shape = trace::kSitePointer;
  // The source's type counts only if the access has its size; a part of something is just bytes.
  const bool same_size = named.type && bytes_of(named.type) == size;
  if (same_size || named.bit_field) shape = value_flags(named.type).value_or(shape);
  row.flags |= shape;
  return row;
}

SiteTable::Row SourceNames::call(const CallBase& call) const {
  SiteTable::Row row = place_of(call);
  row.flags |= trace::kSiteCall;
  const Value* callee = call.getCalledOperand()->stripPointerCasts();
  if (isa<Function>(callee)) row.variable = without_parameters(demangle(callee->getName()));
  else if (Named named = value_named(callee, kMaxWalk); !named.text.empty()) row.variable = named.text;
  row.object = object_of(call);
  return row;
}

// Of an allocation, the type that is made; of a call that locks, waits, ..., what it is about.
std::string SourceNames::object_of(const CallBase& call) const {
  const auto* callee = dyn_cast<Function>(call.getCalledOperand()->stripPointerCasts());
  if (!callee) return {};
  if (callee->getName().starts_with("_Znw") || callee->getName().starts_with("_Zna")) return made_type(call);
  const Subject subject = subject_of(*callee);
  if (subject.argument >= call.arg_size() || !call.getArgOperand(subject.argument)->getType()->isPointerTy()) return {};
  return object_at(call.getArgOperand(subject.argument), subject.bytes, kMaxWalk).text;
}

SiteTable::Row SourceNames::branch(const Instruction& terminator) const {
  SiteTable::Row row = place_of(terminator);
  row.flags |= trace::kSiteBranch;
  return row;
}

SiteTable::Row SourceNames::function_row() const {
  SiteTable::Row row;
  row.flags = trace::kSiteFunction;
  if (is_marked(function_)) row.flags |= trace::kSiteCall;
  const DISubprogram* source = function_.getSubprogram();
  row.function = source ? function_name(source) : demangle(function_.getName());
  if (!source) return row;
  row.file = joined_path(source->getFile());
  row.line = source->getLine();
  if (is_system_path(row.file)) row.flags |= trace::kSiteSystem;
  return row;
}

// Goes up through address computations to where the pointer comes from, adding up the offsets.
const Value* SourceNames::strip(const Value* address, Offset& offset) const {
  for (unsigned steps = 0; steps < 64; ++steps) {
    if (const auto* computation = dyn_cast<GEPOperator>(address)) {
      MapVector<Value*, APInt> variable;
      const unsigned bits = layout_.getIndexTypeSizeInBits(computation->getType());
      APInt constant(bits, 0);
      if (!computation->collectOffset(layout_, bits, variable, constant)) return address;
      offset.bytes += constant.getSExtValue();
      for (const auto& [index, scale] : variable) {
        const std::uint64_t step = static_cast<std::uint64_t>(std::llabs(scale.getSExtValue()));
        if (step != 0) offset.steps.push_back(step);
      }
      address = computation->getPointerOperand();
    } else if (const auto* call = dyn_cast<IntrinsicInst>(address)) {
      if (call->getIntrinsicID() != Intrinsic::threadlocal_address &&
          call->getIntrinsicID() != Intrinsic::launder_invariant_group &&
          call->getIntrinsicID() != Intrinsic::strip_invariant_group)
        return address;
      address = call->getArgOperand(0);
    } else if (Operator::getOpcode(address) == Instruction::AddrSpaceCast ||
               Operator::getOpcode(address) == Instruction::BitCast) {
      address = cast<Operator>(address)->getOperand(0);
    } else {
      return address;
    }
  }
  return address;
}

// A variable that is the memory itself: a global, or a local that lives in the frame.
SourceNames::Named SourceNames::base_object(const Value* base) const {
  if (const auto* global = dyn_cast<GlobalVariable>(base)) {
    SmallVector<DIGlobalVariableExpression*, 1> expressions;
    global->getDebugInfo(expressions);
    if (expressions.empty()) return {demangle(global->getName()), nullptr};
    const DIGlobalVariable* source = expressions.front()->getVariable();
    std::string name = is_in_function(source->getScope()) ? source->getName().str()
                                                          : qualified_name(scope_of(*source), source->getName());
    const DIType* type = source->getType();
    if (auto piece = expressions.front()->getExpression()->getFragmentInfo()) {
      const Member member = find_member(type, piece->OffsetInBits / 8, piece->SizeInBits / 8, {});
      return {name + member.path, member.type};
    }
    return {std::move(name), type};
  }
  if (const DILocalVariable* local = variables_.at_address(base, scope_))
    return {local->getName().str(), local->getType()};
  return {};
}

// The name of the object that `address` points at.
SourceNames::Named SourceNames::object_at(const Value* address, std::uint64_t size, unsigned depth) const {
  if (depth == 0) return {};
  // A pointer variable may stand for the whole computation: `for (int* p = a; ...) *p`.
  if (!isa<Constant>(address))
    if (const DILocalVariable* variable = variables_.with_value(address, scope_);
        variable && pointee(variable->getType()))
      return through_pointer({variable->getName().str(), variable->getType()}, {}, size);
  Offset offset;
  const Value* base = strip(address, offset);
  if (Named object = base_object(base); !object.text.empty()) {
    if (!object.type) {
      if (!offset.steps.empty()) object.text += "[...]";
      return object;
    }
    if (offset.bytes < 0 && offset.steps.empty()) return {};
    const std::uint64_t bytes = offset.bytes < 0 ? 0 : static_cast<std::uint64_t>(offset.bytes);
    const Member member = find_member(object.type, bytes, size, offset.steps);
    return {object.text + member.path, member.type, member.bit_field, member.hidden};
  }
  const Named pointer = value_named(base, depth - 1);
  return pointer.text.empty() ? Named{} : through_pointer(pointer, offset, size);
}

// The name of a pointer value.
SourceNames::Named SourceNames::value_named(const Value* value, unsigned depth) const {
  if (depth == 0) return {};
  if (!isa<Constant>(value))
    if (const DILocalVariable* variable = variables_.with_value(value, scope_))
      return {variable->getName().str(), variable->getType()};
  if (const auto* load = dyn_cast<LoadInst>(value))
    return object_at(load->getPointerOperand(), layout_.getTypeStoreSize(load->getType()).getFixedValue(), depth - 1);
  if (const auto* call = dyn_cast<CallBase>(value)) {
    const Function* callee = call->getCalledFunction();
    if (!callee || callee->isIntrinsic()) return {};
    const DIType* type = nullptr;
    if (const DISubprogram* source = callee->getSubprogram(); source && source->getType()) {
      const auto types = source->getType()->getTypeArray();
      if (types.size() != 0) type = types[0];
    }
    return {without_parameters(demangle(callee->getName())) + "()", type};
  }
  if (const auto* choice = dyn_cast<SelectInst>(value)) {
    Named named = value_named(choice->getTrueValue(), depth - 1);
    return named.text.empty() ? value_named(choice->getFalseValue(), depth - 1) : named;
  }
  if (const auto* merge = dyn_cast<PHINode>(value)) {
    for (const Value* incoming : merge->incoming_values()) {
      // A pointer that walks through an array: its start names the array.
      Offset offset;
      const Value* base = strip(incoming, offset);
      if (base == merge) continue;
      if (Named object = base_object(base); !object.text.empty()) {
        if (const auto* array = dyn_cast_or_null<DICompositeType>(plain_type(object.type));
            array && array->getTag() == dwarf::DW_TAG_array_type)
          return {object.text, nullptr, false, true};
        continue;
      }
      if (isa<PHINode>(base) && depth < 3) continue;
      if (Named named = value_named(base, depth - 1); !named.text.empty()) {
        named.hidden = true; // which element is not known
        return named;
      }
    }
  }
  return {};
}

SourceNames::Named SourceNames::through_pointer(const Named& pointer, Offset offset, std::uint64_t size) const {
  const DIType* target = pointee(pointer.type);
  const bool reference = is_reference(pointer.type);
  const std::uint64_t element = bytes_of(target);
  if (!target || element == 0) { // void*, an unknown type: only the pointer has a name
    const bool at_start = offset.bytes == 0 && offset.steps.empty() && !pointer.hidden;
    if (reference) return {pointer.text, target};
    return {at_start ? "*" + pointer.text : pointer.text + "[...]", target};
  }
  std::string text = pointer.text;
  const auto* array = dyn_cast_or_null<DICompositeType>(plain_type(target));
  const bool is_object =
      array && array->getTag() != dwarf::DW_TAG_array_type && array->getTag() != dwarf::DW_TAG_enumeration_type;
  const auto elements = static_cast<std::int64_t>(element);
  bool indexed = false;
  auto counts_elements = [&](std::uint64_t step) { return step % element == 0; };
  if (any_of(offset.steps, counts_elements)) {
    text += "[...]";
    indexed = true;
    erase_if(offset.steps, counts_elements);
    offset.bytes = ((offset.bytes % elements) + elements) % elements;
  } else if (offset.bytes < 0 || offset.bytes >= elements) {
    std::int64_t index = offset.bytes / elements;
    if (offset.bytes % elements < 0) --index;
    text += pointer.hidden ? "[...]" : "[" + std::to_string(index) + "]";
    indexed = true;
    offset.bytes -= index * elements;
  } else if (pointer.hidden && !is_object) {
    text += "[...]";
    indexed = true;
  }
  const Member member = find_member(target, static_cast<std::uint64_t>(offset.bytes), size, offset.steps);
  if (indexed || reference) return {text + member.path, member.type, member.bit_field, member.hidden};
  if (StringRef path = member.path; path.consume_front(".")) // p->x
    return {text + "->" + path.str(), member.type, member.bit_field, member.hidden};
  if (member.hidden) return {text, member.type, member.bit_field, true};
  if (!member.path.empty()) return {"(*" + text + ")" + member.path, member.type, member.bit_field, member.hidden};
  return {"*" + text, member.type, member.bit_field, member.hidden};
}

} // namespace sooth::pass
