#include "capture/pass/tables/debug_types.h"

#include "trace/format.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/Path.h"

namespace sooth::pass {

using namespace llvm;

namespace {

// Debug information is a graph; types may be recursive through pointers, and damaged input through
// anything.
constexpr unsigned kMaxTypeDepth = 24;

const DIType* base_of(const DIType* type) {
  const auto* derived = dyn_cast_or_null<DIDerivedType>(type);
  return derived ? derived->getBaseType() : nullptr;
}

bool is_plain_wrapper(unsigned tag) {
  return tag == dwarf::DW_TAG_typedef || tag == dwarf::DW_TAG_const_type || tag == dwarf::DW_TAG_volatile_type ||
         tag == dwarf::DW_TAG_restrict_type || tag == dwarf::DW_TAG_atomic_type || tag == dwarf::DW_TAG_template_alias;
}

// Names that belong to the library's implementation: `_M_impl`, `__r`.
bool is_reserved(StringRef name) {
  return name.size() >= 2 && name[0] == '_' && (name[1] == '_' || (name[1] >= 'A' && name[1] <= 'Z'));
}

bool is_c(const DICompositeType& type) {
  // Only C++ gives tagged types an identifier for the one-definition rule, or a scope that is a
  // namespace or class.
  return type.getIdentifier().empty() && !isa_and_nonnull<DINamespace, DIType>(type.getScope());
}

std::string tagged_name(const DICompositeType& type) {
  const std::string name = qualified_name(type.getScope(), type.getName());
  StringRef tag;
  switch (type.getTag()) {
  case dwarf::DW_TAG_structure_type: tag = "struct"; break;
  case dwarf::DW_TAG_union_type: tag = "union"; break;
  case dwarf::DW_TAG_enumeration_type: tag = "enum"; break;
  case dwarf::DW_TAG_class_type: tag = "class"; break;
  default: break;
  }
  if (type.getName().empty()) return ("(unnamed " + tag + ")").str();
  return is_c(type) && !tag.empty() ? (tag + " " + name).str() : name;
}

std::string array_name(const DICompositeType& type, unsigned depth);

std::string type_name_at(const DIType* type, unsigned depth) {
  if (!type) return "void";
  if (depth == 0) return "...";
  if (const auto* composite = dyn_cast<DICompositeType>(type))
    return composite->getTag() == dwarf::DW_TAG_array_type ? array_name(*composite, depth) : tagged_name(*composite);
  if (isa<DISubroutineType>(type)) return "(function)";
  const DIType* base = base_of(type);
  auto inner = [&] { return type_name_at(base, depth - 1); };
  switch (type->getTag()) {
  case dwarf::DW_TAG_pointer_type: return inner() + "*";
  case dwarf::DW_TAG_ptr_to_member_type: return inner() + " (member pointer)";
  case dwarf::DW_TAG_reference_type: return inner() + "&";
  case dwarf::DW_TAG_rvalue_reference_type: return inner() + "&&";
  case dwarf::DW_TAG_const_type: return "const " + inner();
  case dwarf::DW_TAG_volatile_type: return "volatile " + inner();
  case dwarf::DW_TAG_restrict_type: return inner() + " restrict";
  case dwarf::DW_TAG_atomic_type: return "_Atomic(" + inner() + ")";
  default: return qualified_name(type->getScope(), type->getName());
  }
}

std::string array_name(const DICompositeType& type, unsigned depth) {
  std::string name = type_name_at(type.getBaseType(), depth - 1) + " ";
  for (const DINode* element : type.getElements()) {
    const auto* range = dyn_cast_or_null<DISubrange>(element);
    const auto* count = range ? dyn_cast_if_present<ConstantInt*>(range->getCount()) : nullptr;
    name += count && !count->isMinusOne() ? "[" + std::to_string(count->getZExtValue()) + "]" : "[]";
  }
  return name;
}

} // namespace

std::string joined_path(const DIFile* file) {
  if (!file) return "";
  SmallString<256> path;
  if (!sys::path::is_absolute(file->getFilename())) path = file->getDirectory();
  sys::path::append(path, file->getFilename());
  sys::path::remove_dots(path, /*remove_dot_dot=*/true);
  return path.str().str();
}

bool is_public_header(StringRef path) { return path.ends_with("/sooth/sooth.h") || path.ends_with("/sooth/monitor.h"); }

bool is_in_public_header(const Function& function) {
  const DISubprogram* source = function.getSubprogram();
  return source && is_public_header(joined_path(source->getFile()));
}

bool is_system_path(StringRef path) { return path.starts_with("/usr/include/") || path.starts_with("/usr/lib/"); }

const DIType* plain_type(const DIType* type) {
  for (unsigned depth = kMaxTypeDepth; type && depth != 0 && is_plain_wrapper(type->getTag()); --depth)
    type = base_of(type);
  return type;
}

bool is_reference(const DIType* type) {
  type = plain_type(type);
  return type &&
         (type->getTag() == dwarf::DW_TAG_reference_type || type->getTag() == dwarf::DW_TAG_rvalue_reference_type);
}

const DIType* pointee(const DIType* type) {
  type = plain_type(type);
  if (!type || (type->getTag() != dwarf::DW_TAG_pointer_type && !is_reference(type))) return nullptr;
  return base_of(type);
}

std::uint64_t bytes_of(const DIType* type) {
  type = plain_type(type);
  return type ? type->getSizeInBits() / 8 : 0;
}

std::string type_name(const DIType* type) { return type_name_at(type, kMaxTypeDepth); }

std::optional<std::uint32_t> value_flags(const DIType* type) {
  type = plain_type(type);
  if (!type) return std::nullopt;
  if (const auto* basic = dyn_cast<DIBasicType>(type)) {
    switch (basic->getEncoding()) {
    case dwarf::DW_ATE_float: return trace::kSiteFloat;
    case dwarf::DW_ATE_signed:
    case dwarf::DW_ATE_signed_char: return trace::kSiteSigned;
    default: return 0;
    }
  }
  if (type->getTag() == dwarf::DW_TAG_pointer_type || is_reference(type)) return trace::kSitePointer;
  if (const auto* composite = dyn_cast<DICompositeType>(type);
      composite && type->getTag() == dwarf::DW_TAG_enumeration_type)
    return composite->getBaseType() ? value_flags(composite->getBaseType()) : 0;
  return std::nullopt; // a structure: what the access itself looks like says more
}

const DIScope* scope_of(const DIGlobalVariable& variable) {
  const DIDerivedType* declared = variable.getStaticDataMemberDeclaration();
  return declared && declared->getScope() ? declared->getScope() : variable.getScope();
}

bool is_in_function(const DIScope* scope) { return isa_and_nonnull<DILocalScope>(scope); }

std::string function_name(const DISubprogram* function) {
  if (!function) return "";
  const StringRef linkage = function->getLinkageName();
  return linkage.empty() ? function->getName().str() : demangle(linkage);
}

std::string qualified_name(const DIScope* scope, StringRef name) {
  std::string result = name.str();
  for (unsigned depth = kMaxTypeDepth; scope && depth != 0; --depth, scope = scope->getScope()) {
    if (const auto* local = dyn_cast<DILocalScope>(scope)) {
      const DISubprogram* function = local->getSubprogram();
      const std::string outer = function_name(function);
      return outer + (StringRef(outer).contains('(') ? "::" : "()::") + result;
    }
    if (!isa<DINamespace, DICompositeType>(scope)) break;
    // Inline namespaces (`__cxx11`, `__1`) are not part of what people write; neither are unnamed
    // ones.
    if (const auto* space = dyn_cast<DINamespace>(scope);
        space && (space->getExportSymbols() || space->getName().empty()))
      continue;
    if (!scope->getName().empty()) result = scope->getName().str() + "::" + result;
  }
  return result;
}

namespace {

struct Search {
  std::uint64_t offset;
  std::uint64_t size;
  RuntimeSteps steps;
  Member found;
};

// A step that is a multiple of the element's size is an index of this array. Which of several
// dimensions it moves is unknown: the compiler may have made one index of all.
const DIType* enter_array(Search& search, const DICompositeType& array) {
  const DIType* element = array.getBaseType();
  const std::uint64_t bytes = bytes_of(element);
  if (bytes == 0) return nullptr;
  const bool runtime = any_of(search.steps, [&](std::uint64_t step) { return step % bytes == 0; });
  erase_if(search.steps, [&](std::uint64_t step) { return step % bytes == 0; });

  SmallVector<std::uint64_t, 4> strides(array.getElements().size(), bytes);
  for (std::size_t i = strides.size(); i-- > 1;) {
    const auto* range = dyn_cast_or_null<DISubrange>(array.getElements()[static_cast<unsigned>(i)]);
    const auto* count = range ? dyn_cast_if_present<ConstantInt*>(range->getCount()) : nullptr;
    strides[i - 1] = strides[i] * (count && count->getSExtValue() > 0 ? count->getZExtValue() : 1);
  }
  for (const std::uint64_t stride : strides) {
    search.found.path += runtime ? "[...]" : "[" + std::to_string(search.offset / stride) + "]";
    search.offset %= stride;
  }
  search.found.hidden = false;
  return element;
}

void add_bit_fields(Search& search, const DICompositeType& object) {
  const std::uint64_t first = search.offset * 8;
  const std::uint64_t last = first + search.size * 8;
  std::string names;
  unsigned count = 0;
  for (const DINode* element : object.getElements()) {
    const auto* member = dyn_cast_or_null<DIDerivedType>(element);
    if (!member || !member->isBitField() || member->getName().empty()) continue;
    if (member->getOffsetInBits() >= last || member->getOffsetInBits() + member->getSizeInBits() <= first) continue;
    names += (count++ == 0 ? "" : ",") + member->getName().str();
    search.found.type = member->getBaseType();
  }
  search.found.path += count == 1 ? "." + names : ".{" + names + "}";
  search.found.bit_field = true;
  if (count != 1) search.found.type = nullptr;
}

// The member of a structure or union that holds the accessed bytes. Among overlapping members (a
// union), the source most likely names the one of exactly the accessed size.
const DIDerivedType* member_at(const Search& search, const DICompositeType& object) {
  const DIDerivedType* best = nullptr;
  for (const DINode* element : object.getElements()) {
    const auto* member = dyn_cast_or_null<DIDerivedType>(element);
    if (!member || member->isStaticMember()) continue;
    if (member->getTag() != dwarf::DW_TAG_member && member->getTag() != dwarf::DW_TAG_inheritance) continue;
    if (member->getFlags() & DINode::FlagVirtual) continue; // its offset is not a number of bytes
    const std::uint64_t first = member->getOffsetInBits();
    std::uint64_t bits = member->getSizeInBits();
    if (bits == 0) bits = bytes_of(member->getBaseType()) * 8;
    const std::uint64_t at = search.offset * 8;
    const bool inside =
        member->isBitField() ? first < at + search.size * 8 && first + bits > at : first <= at && at < first + bits;
    if (!inside) continue;
    if (!best || bits == search.size * 8) best = member;
    if (bits == search.size * 8) break;
  }
  return best;
}

bool starts_with_bit_field(const DICompositeType& object) {
  const auto* first = object.getElements().empty() ? nullptr : dyn_cast_or_null<DIDerivedType>(object.getElements()[0]);
  return first && first->isBitField();
}

const DIType* enter_object(Search& search, const DICompositeType& object) {
  const DIDerivedType* member = member_at(search, object);
  if (!member) return nullptr;
  if (member->isBitField()) {
    add_bit_fields(search, object);
    return nullptr;
  }
  search.offset -= member->getOffsetInBits() / 8;
  if (member->getTag() == dwarf::DW_TAG_member && !member->getName().empty()) {
    search.found.hidden = is_reserved(member->getName());
    if (!search.found.hidden) search.found.path += "." + member->getName().str();
  }
  return member->getBaseType();
}

} // namespace

Member find_member(const DIType* type, std::uint64_t offset, std::uint64_t size, RuntimeSteps steps) {
  Search search{offset, size, std::move(steps), {}};
  search.found.type = type;
  for (unsigned depth = kMaxTypeDepth; depth != 0; --depth) {
    const auto* object = dyn_cast_or_null<DICompositeType>(plain_type(search.found.type));
    if (!object || object->getTag() == dwarf::DW_TAG_enumeration_type) break;
    // The whole object at once, or (size 0) as much of it as only shows at run time.
    const bool is_array = object->getTag() == dwarf::DW_TAG_array_type;
    const bool whole = search.offset == 0 && search.steps.empty() && (size == 0 || bytes_of(object) == size);
    if (whole && (is_array || size == 0 || (object->getElements().size() > 1 && !starts_with_bit_field(*object))))
      break;
    const DIType* next = is_array ? enter_array(search, *object) : enter_object(search, *object);
    if (!next) break;
    search.found.type = next;
  }
  if (!search.steps.empty()) search.found.path += "[...]";
  return search.found;
}

} // namespace sooth::pass
