// Types and names in a trace file: what is written is read again, and what is damaged is not believed.
#include <gtest/gtest.h>

#include <cstring>

#include "trace/address_names.h"
#include "trace/program/type_facts.h"
#include "trace/reader.h"
#include "trace/writer.h"

namespace sooth::trace {
namespace {

Trace with_types() {
  Trace trace;
  trace.threads.resize(1);
  trace.sites.assign(1, Site{});
  trace.types.assign(1, Type{});
  trace.types.push_back({TypeKind::Signed, 4, "int"});
  Type record{TypeKind::Struct, 8, "record"};
  record.members = {{"first", 0, 1, 0}, {"bits", 35, 1, 7}, {"", 32, 3, 0}};
  trace.types.push_back(record);
  Type colour{TypeKind::Enum, 4, "colour", 1};
  colour.enumerators = {{"red", 0}, {"none", -1}};
  trace.types.push_back(colour);
  trace.types.push_back({TypeKind::Array, std::uint64_t{8} << 32, "record [...]", 2, std::uint64_t{1} << 32});
  trace.globals = {{0x1000, 8, "r", "record", "", 1, 2},
                   {0x2000, 4, "unknown", "?", "", 2, 0},
                   {0x3000, 4, "c", "colour", "", 3, 3}};
  trace.names = {{NameKind::UserEvent, "landed"},
                 {NameKind::Watch, "head", 8, TypeKind::Pointer},
                 {NameKind::InlinedFunction, "f()"}};
  trace.all_names_known = true;
  trace.facts = {{9, 9, 9}, {8}};
  return trace;
}

bool same(const Type& a, const Type& b) {
  const auto key = [](const Type& t) { return std::tie(t.kind, t.bytes, t.name, t.element, t.count); };
  if (key(a) != key(b) || a.members.size() != b.members.size() || a.enumerators.size() != b.enumerators.size())
    return false;
  for (std::size_t i = 0; i < a.members.size(); ++i) {
    const auto member = [](const TypeMember& m) { return std::tie(m.name, m.bit_offset, m.type, m.bit_width); };
    if (member(a.members[i]) != member(b.members[i])) return false;
  }
  for (std::size_t i = 0; i < a.enumerators.size(); ++i)
    if (a.enumerators[i].name != b.enumerators[i].name || a.enumerators[i].value != b.enumerators[i].value)
      return false;
  return true;
}

TEST(AddressNames, PartsOfVariablesAreNamedByTheirTypes) {
  Trace trace = with_types();
  trace.types.push_back({TypeKind::Array, 32, "record [4]", 2, 4});
  trace.globals.push_back({0x4000, 32, "records", "record [4]", "", 4, 5});
  const AddressNames names(trace);
  EXPECT_EQ(names.name(0x1000), "r");
  EXPECT_EQ(names.name(0x1004), "r.bits");
  EXPECT_EQ(names.name(0x2002), "unknown+2");
  EXPECT_EQ(names.name(0x4000), "records[0]");
  EXPECT_EQ(names.name(0x4018), "records[3]");
  EXPECT_EQ(names.name(0x4009), "records[1].first+1");
  EXPECT_EQ(names.name(0x4020), "");
}

// struct { long stock; Declared ready; long sold; } shop
TEST(AddressNames, AMemberOfADeclaredClassReachesUpToTheNextOne) {
  Trace trace;
  trace.types = {{}, {TypeKind::Unsigned, 8, "long"}, {TypeKind::Struct, 0, "Declared"}};
  trace.types.push_back({TypeKind::Struct, 64, "Shop", 0, 0, {{"stock", 0, 1}, {"ready", 64, 2}, {"sold", 448, 1}}});
  trace.globals.push_back({0x1000, 64, "shop", "Shop", "", 4, 3});
  const AddressNames names(trace);
  EXPECT_EQ(names.name(0x1008), "shop.ready");
  EXPECT_EQ(names.name(0x1030), "shop.ready+40");
  EXPECT_EQ(names.name(0x1038), "shop.sold");
}

TEST(AddressNames, TheFirstMemberIsNamedWhereItIsMeant) {
  Trace trace = with_types();
  trace.types.push_back({TypeKind::Array, 32, "record [4]", 2, 4});
  trace.globals.push_back({0x4000, 32, "records", "record [4]", "", 4, 5});
  Type outer{TypeKind::Struct, 8, "outer"};
  outer.members = {{"inner", 0, 2, 0}};
  trace.types.push_back(outer);
  trace.globals.push_back({0x5000, 8, "o", "outer", "", 5, 6});
  const AddressNames names(trace);
  EXPECT_EQ(names.first_member(0x1000, "first"), "r.first");
  EXPECT_EQ(names.first_member(0x4018, "first"), "records[3].first");
  EXPECT_EQ(names.first_member(0x5000, "first"), "o.inner.first");
  EXPECT_EQ(names.first_member(0x5000, "inner"), "o.inner");
  EXPECT_EQ(names.first_member(0x1000, "bits"), "") << "it has another address";
  EXPECT_EQ(names.first_member(0x1000, ""), "") << "a member without a name is no name";
  EXPECT_EQ(names.first_member(0x2000, "first"), "") << "a variable without a type has no members";
  EXPECT_EQ(names.first_member(0x6000, "first"), "") << "no variable is there";
}

TEST(Types, WrittenAndReadAgain) {
  const Trace trace = with_types();
  const auto read = read_trace_bytes(write_trace_bytes(trace));
  ASSERT_TRUE(read.ok()) << read.error().text();
  const Trace& again = read.value();
  ASSERT_EQ(again.types.size(), trace.types.size());
  for (std::size_t i = 0; i < trace.types.size(); ++i) EXPECT_TRUE(same(again.types[i], trace.types[i])) << i;
  ASSERT_EQ(again.globals.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(again.globals[i].type_id, trace.globals[i].type_id) << i;
  ASSERT_EQ(again.names.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(again.names[i].name, trace.names[i].name);
    EXPECT_EQ(again.names[i].kind, trace.names[i].kind);
    EXPECT_EQ(again.names[i].bytes, trace.names[i].bytes);
    EXPECT_EQ(again.names[i].type, trace.names[i].type);
  }
  EXPECT_TRUE(again.all_names_known);
  EXPECT_EQ(again.facts, trace.facts);
}

// Two modules number their types from 1 each.
TEST(Types, OfSeveralModulesAreNumberedOn) {
  const Trace source = with_types();
  StringTable strings;
  const std::vector<std::uint8_t> facts = make_type_facts(source, strings);
  const auto string = [&](std::uint32_t offset) {
    return std::string(reinterpret_cast<const char*>(strings.bytes().data()) + offset);
  };
  Trace trace;
  for (int module = 0; module < 2; ++module) {
    std::vector<Global> globals = source.globals;
    for (Global& global : globals) global.type_id = 0;
    EXPECT_TRUE(take_type_facts(facts, {}, globals, string, trace).empty());
    ASSERT_LT(globals[0].type_id, trace.types.size());
    EXPECT_EQ(trace.types[globals[0].type_id].name, "record");
    EXPECT_EQ(trace.types[trace.types[globals[0].type_id].members[0].type].name, "int");
    EXPECT_EQ(globals[1].type_id, 0u);
    EXPECT_EQ(trace.types[globals[2].type_id].name, "colour");
  }
  EXPECT_EQ(trace.types.size(), 9u);
}

// Every word of the table damaged in turn: what is read stays inside its bounds, or is left alone.
TEST(Types, DamagedTablesAreNotBelieved) {
  const Trace source = with_types();
  StringTable strings;
  const std::vector<std::uint8_t> facts = make_type_facts(source, strings);
  const auto string = [](std::uint32_t) { return std::string("s"); };
  int left_alone = 0;
  for (std::size_t at = 0; at + 4 <= facts.size(); at += 4) {
    for (const std::uint32_t word : {0u, 5u, 1000u, 0xffffffffu}) {
      std::vector<std::uint8_t> damaged = facts;
      std::memcpy(damaged.data() + at, &word, 4);
      std::vector<Global> globals = source.globals;
      Trace trace;
      const auto rest = take_type_facts(damaged, {}, globals, string, trace);
      if (!rest.empty()) ++left_alone;
      for (const Type& type : trace.types) {
        ASSERT_LT(type.element, trace.types.size());
        for (const TypeMember& member : type.members) ASSERT_LT(member.type, trace.types.size());
      }
    }
    std::vector<Global> globals = source.globals;
    Trace trace;
    take_type_facts(std::span(facts).first(at), {}, globals, string, trace);
  }
  EXPECT_GT(left_alone, 10);
}

} // namespace
} // namespace sooth::trace
