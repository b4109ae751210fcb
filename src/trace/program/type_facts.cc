#include "trace/program/type_facts.h"

#include <cstring>

#include "trace/program/checks.h"
#include "trace/program/inline_facts.h"

namespace sooth::trace {
namespace {

Type read_type(Words& words, const StringAt& string, std::uint32_t base) {
  // Numbers count from 1 in the module; 0 stays the unknown type.
  const auto number = [&] {
    const std::uint32_t n = words.next();
    return n == 0 ? 0 : base + n;
  };
  Type type;
  const std::uint32_t kind = words.next();
  type.kind = kind <= static_cast<std::uint32_t>(TypeKind::Array) ? static_cast<TypeKind>(kind) : TypeKind::Unknown;
  type.name = string(words.next());
  type.bytes = words.next_long();
  type.element = number();
  type.count = words.next_long();
  const std::uint32_t members = words.next();
  const std::uint32_t enumerators = words.next();
  if (!words.has(members, 5)) return type;
  for (std::uint32_t i = 0; i < members; ++i) {
    TypeMember member;
    member.name = string(words.next());
    member.bit_offset = words.next_long();
    member.type = number();
    member.bit_width = words.next();
    type.members.push_back(std::move(member));
  }
  if (!words.has(enumerators, 3)) return type;
  for (std::uint32_t i = 0; i < enumerators; ++i) {
    std::string name = string(words.next());
    type.enumerators.push_back({std::move(name), static_cast<std::int64_t>(words.next_long())});
  }
  return type;
}

bool read_types(std::span<const std::uint8_t> bytes, std::span<Global> globals, const StringAt& string, Trace& trace) {
  Words words(bytes);
  const std::uint32_t count = words.next();
  const std::uint32_t rows = words.next();
  if (rows != globals.size() || !words.has(count, 9)) return false;
  // Type 1 of the module becomes base + 1.
  const auto base = static_cast<std::uint32_t>(trace.types.empty() ? 0 : trace.types.size() - 1);
  std::vector<Type> types;
  for (std::uint32_t i = 0; i < count && words.good(); ++i) types.push_back(read_type(words, string, base));
  std::vector<std::uint32_t> ids;
  for (std::uint32_t i = 0; i < rows && words.good(); ++i) ids.push_back(words.next());
  if (!words.good()) return false;
  const std::uint64_t end = std::uint64_t{base} + 1 + types.size();
  for (Type& type : types) {
    if (type.element >= end) return false;
    for (const TypeMember& member : type.members)
      if (member.type >= end) return false;
  }
  for (const std::uint32_t id : ids)
    if (id > types.size()) return false;
  if (trace.types.empty()) trace.types.emplace_back();
  trace.types.insert(trace.types.end(), std::make_move_iterator(types.begin()), std::make_move_iterator(types.end()));
  for (std::uint32_t i = 0; i < rows; ++i) globals[i].type_id = ids[i] == 0 ? 0 : base + ids[i];
  return true;
}

bool read_names(std::span<const std::uint8_t> bytes, const StringAt& string, Trace& trace, bool& complete) {
  Words words(bytes);
  const std::uint32_t flags = words.next();
  std::vector<NamedThing> names;
  while (words.good() && !words.at_end()) {
    const std::uint32_t kind = words.next();
    NamedThing thing;
    if (kind == 0 || kind > static_cast<std::uint32_t>(kLastNameKind)) return false;
    thing.kind = static_cast<NameKind>(kind);
    thing.name = string(words.next());
    thing.bytes = words.next();
    const std::uint32_t type = words.next();
    thing.type = type <= static_cast<std::uint32_t>(TypeKind::Array) ? static_cast<TypeKind>(type) : TypeKind::Unknown;
    names.push_back(std::move(thing));
  }
  if (!words.good()) return false;
  complete = (flags & kNamesIncomplete) == 0;
  trace.names.insert(trace.names.end(), names.begin(), names.end());
  return true;
}

void put_type(std::vector<std::uint8_t>& out, const Type& type, StringTable& strings) {
  put(out, static_cast<std::uint32_t>(type.kind));
  put(out, strings.add(type.name));
  put_long(out, type.bytes);
  put(out, type.element);
  put_long(out, type.count);
  put(out, static_cast<std::uint32_t>(type.members.size()));
  put(out, static_cast<std::uint32_t>(type.enumerators.size()));
  for (const TypeMember& member : type.members) {
    put(out, strings.add(member.name));
    put_long(out, member.bit_offset);
    put(out, member.type);
    put(out, member.bit_width);
  }
  for (const TypeEnumerator& enumerator : type.enumerators) {
    put(out, strings.add(enumerator.name));
    put_long(out, static_cast<std::uint64_t>(enumerator.value));
  }
}

} // namespace

std::vector<std::uint8_t> take_type_facts(std::span<const std::uint8_t> facts, std::span<Site> sites,
                                          std::span<Global> globals, const StringAt& string, Trace& trace) {
  std::vector<std::uint8_t> rest;
  bool named = false, complete = false, inlined = false, objects = false, checks = false;
  while (facts.size() >= 8) {
    std::uint32_t head[2];
    std::memcpy(head, facts.data(), sizeof head);
    if (head[1] > facts.size() - 8) break;
    const auto payload = facts.subspan(8, head[1]);
    bool taken = false;
    if (head[0] == kFactTypes) taken = read_types(payload, globals, string, trace);
    else if (head[0] == kFactNames && !named) taken = named = read_names(payload, string, trace, complete);
    else if (head[0] == kFactInlined && !inlined) taken = inlined = read_inlined_calls(payload, string, sites, trace);
    else if (head[0] == kFactObjects && !objects) taken = objects = read_call_objects(payload, string, sites);
    else if (head[0] == kFactChecks && !checks) taken = checks = read_checks(payload, string, sites, trace);
    if (!taken) rest.insert(rest.end(), facts.begin(), facts.begin() + 8 + head[1]);
    facts = facts.subspan(8 + head[1]);
  }
  rest.insert(rest.end(), facts.begin(), facts.end());
  if (!complete) trace.all_names_known = false;
  return rest;
}

std::vector<std::uint8_t> make_type_facts(const Trace& trace, StringTable& strings) {
  std::vector<std::uint8_t> out;
  if (trace.types.size() > 1) {
    std::vector<std::uint8_t> types;
    put(types, static_cast<std::uint32_t>(trace.types.size() - 1));
    put(types, static_cast<std::uint32_t>(trace.globals.size()));
    for (std::size_t i = 1; i < trace.types.size(); ++i) put_type(types, trace.types[i], strings);
    for (const Global& global : trace.globals) put(types, global.type_id);
    put_section(out, kFactTypes, types);
  }
  if (!trace.names.empty() || trace.all_names_known) {
    std::vector<std::uint8_t> names;
    put(names, trace.all_names_known ? 0u : static_cast<std::uint32_t>(kNamesIncomplete));
    for (const NamedThing& thing : trace.names) {
      put(names, static_cast<std::uint32_t>(thing.kind));
      put(names, strings.add(thing.name));
      put(names, static_cast<std::uint32_t>(thing.bytes));
      put(names, static_cast<std::uint32_t>(thing.type));
    }
    put_section(out, kFactNames, names);
  }
  const std::vector<std::uint8_t> inlined = make_inline_facts(trace, strings);
  out.insert(out.end(), inlined.begin(), inlined.end());
  const std::vector<std::uint8_t> checks = make_checks(trace, strings);
  out.insert(out.end(), checks.begin(), checks.end());
  return out;
}

} // namespace sooth::trace
