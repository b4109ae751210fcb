#include "capture/pass/tables/type_table.h"

#include "capture/pass/tables/debug_types.h"
#include "llvm/BinaryFormat/Dwarf.h"

namespace sooth::pass {

using namespace llvm;
using trace::TypeKind;

namespace {

// Structures hold structures; no real ones as deeply or as many as this.
constexpr unsigned kMaxNesting = 64;
constexpr std::size_t kMaxTypes = 20000;

// Words of a row before its members.
enum Field : unsigned { kElement = 4, kCount = 5, kMembers = 7, kEnumerators = 8 };

void put_long(std::vector<std::uint32_t>& row, std::uint64_t value) {
  row.push_back(static_cast<std::uint32_t>(value));
  row.push_back(static_cast<std::uint32_t>(value >> 32));
}

TypeKind basic_kind(const DIBasicType& type) {
  switch (type.getEncoding()) {
  case dwarf::DW_ATE_boolean: return TypeKind::Bool;
  case dwarf::DW_ATE_float: return TypeKind::Float;
  case dwarf::DW_ATE_signed:
  case dwarf::DW_ATE_signed_char: return TypeKind::Signed;
  case dwarf::DW_ATE_unsigned:
  case dwarf::DW_ATE_unsigned_char:
  case dwarf::DW_ATE_UTF: return TypeKind::Unsigned;
  default: return type.getTag() == dwarf::DW_TAG_unspecified_type ? TypeKind::Pointer : TypeKind::Unknown; // nullptr_t
  }
}

// A member that has a fixed place in each object.
bool has_place(const DIDerivedType& member) {
  if (member.isStaticMember() || (member.getFlags() & DINode::FlagVirtual)) return false;
  return member.getTag() == dwarf::DW_TAG_member || member.getTag() == dwarf::DW_TAG_inheritance;
}

} // namespace

std::uint32_t TypeTable::add_row(const DIType* type, TypeKind kind, std::uint64_t bytes) {
  Row row{static_cast<std::uint32_t>(kind), strings_.add(type_name(type))};
  put_long(row, bytes);
  row.push_back(0); // element
  put_long(row, 0); // count
  row.push_back(0); // members
  row.push_back(0); // enumerators
  rows_.push_back(std::move(row));
  return size();
}

std::uint32_t TypeTable::add(const DIType* type) {
  type = plain_type(type);
  if (!type || depth_ >= kMaxNesting || rows_.size() >= kMaxTypes) return 0;
  if (const auto known = known_.find(type); known != known_.end()) return known->second;
  ++depth_;
  std::uint32_t number = 0;
  if (const auto* basic = dyn_cast<DIBasicType>(type)) {
    number = add_row(type, basic_kind(*basic), bytes_of(type));
  } else if (const auto* composite = dyn_cast<DICompositeType>(type)) {
    switch (type->getTag()) {
    case dwarf::DW_TAG_enumeration_type: number = add_enumeration(*composite); break;
    case dwarf::DW_TAG_array_type: number = add_array(*composite); break;
    default: number = add_structure(*composite); break;
    }
  } else if (type->getTag() == dwarf::DW_TAG_pointer_type || is_reference(type)) {
    number = add_row(type, TypeKind::Pointer, bytes_of(type) != 0 ? bytes_of(type) : 8);
  } else {
    number = add_row(type, TypeKind::Unknown, bytes_of(type)); // pointers to members
  }
  --depth_;
  known_[type] = number;
  return number;
}

std::uint32_t TypeTable::add_enumeration(const DICompositeType& type) {
  const std::uint32_t number = add_row(&type, TypeKind::Enum, bytes_of(&type));
  // Debug information names the integer type below; if it does not, the enumerators show its sign.
  std::uint32_t element = add(type.getBaseType());
  std::uint32_t count = 0;
  bool is_unsigned = true;
  Row enumerators;
  for (const DINode* node : type.getElements()) {
    const auto* enumerator = dyn_cast_or_null<DIEnumerator>(node);
    if (!enumerator) continue;
    is_unsigned = is_unsigned && enumerator->isUnsigned();
    enumerators.push_back(strings_.add(enumerator->getName()));
    put_long(enumerators, enumerator->getValue().sextOrTrunc(64).getZExtValue());
    ++count;
  }
  if (element == 0) element = add_row(&type, is_unsigned ? TypeKind::Unsigned : TypeKind::Signed, bytes_of(&type));
  Row& row = rows_[number - 1];
  row[kElement] = element;
  row[kEnumerators] = count;
  row.insert(row.end(), enumerators.begin(), enumerators.end());
  return number;
}

std::uint32_t TypeTable::add_structure(const DICompositeType& type) {
  // A declaration only: the name stays, and another module may know more.
  if (type.isForwardDecl()) return add_row(&type, TypeKind::Unknown, 0);
  const std::uint32_t number = add_row(&type, TypeKind::Struct, bytes_of(&type));
  known_[&type] = number;
  std::uint32_t count = 0;
  Row members;
  for (const DINode* node : type.getElements()) {
    const auto* member = dyn_cast_or_null<DIDerivedType>(node);
    if (!member || !has_place(*member)) continue;
    // An empty base class has no place of its own: all its bytes belong to others.
    const DIType* inner = member->getBaseType();
    const bool base = member->getTag() == dwarf::DW_TAG_inheritance;
    if (const auto* structure = dyn_cast_or_null<DICompositeType>(plain_type(inner));
        base && structure && none_of(structure->getElements(), [](const DINode* n) {
          const auto* m = dyn_cast_or_null<DIDerivedType>(n);
          return m && has_place(*m);
        }))
      continue;
    members.push_back(strings_.add(base ? StringRef() : member->getName()));
    put_long(members, member->getOffsetInBits());
    members.push_back(add(inner));
    members.push_back(member->isBitField() ? static_cast<std::uint32_t>(member->getSizeInBits()) : 0);
    ++count;
  }
  Row& row = rows_[number - 1];
  row[kMembers] = count;
  row.insert(row.end(), members.begin(), members.end());
  return number;
}

// Of several dimensions, the last one is innermost.
std::uint32_t TypeTable::add_array(const DICompositeType& type) {
  std::uint32_t element = add(type.getBaseType());
  std::uint64_t bytes = bytes_of(type.getBaseType());
  for (std::size_t i = type.getElements().size(); i-- > 0;) {
    const auto* range = dyn_cast_or_null<DISubrange>(type.getElements()[static_cast<unsigned>(i)]);
    const auto* count = range ? dyn_cast_if_present<ConstantInt*>(range->getCount()) : nullptr;
    const std::uint64_t elements = count && count->getSExtValue() > 0 ? count->getZExtValue() : 0;
    bytes *= elements;
    const std::uint32_t number = add_row(&type, TypeKind::Array, bytes);
    Row& row = rows_[number - 1];
    row[kElement] = element;
    row[kCount] = static_cast<std::uint32_t>(elements);
    row[kCount + 1] = static_cast<std::uint32_t>(elements >> 32);
    element = number;
  }
  return element;
}

std::vector<std::uint32_t> TypeTable::words() const {
  std::vector<std::uint32_t> words;
  for (const Row& row : rows_) words.insert(words.end(), row.begin(), row.end());
  return words;
}

} // namespace sooth::pass
