// Groups: which findings are one for a person, and what is left inside.
#include <algorithm>

#include <gtest/gtest.h>

#include "report/groups.h"
#include "report/suppressions.h"
#include "report/text.h"
#include "unit/report_fixture.h"

namespace sooth::report::testing {
namespace {

using witness::Finding;
using witness::Role;
using witness::Status;

Finding race_of(std::uint32_t first, std::uint32_t second) {
  Finding race;
  race.engine = "closure";
  race.places = {{first, Role::Access}, {second, Role::Access}};
  return race;
}

// Accesses by two threads in turn; every access has a line of its own.
class Accesses : public TraceBuilder {
public:
  Accesses() : TraceBuilder(2) {}

  // The number of the access.
  std::uint32_t touch(std::uint64_t address, const std::string& function, const std::string& variable = "",
                      std::uint32_t flags = 0) {
    const std::uint32_t here = site("bank.c", ++line_, function, variable, flags);
    const auto number = static_cast<std::uint32_t>(trace.events.size());
    write(number % 2, address, 4, 1).site = here;
    return number;
  }
  std::size_t groups(const std::vector<Finding>& findings) const { return group_findings(trace, findings).size(); }

private:
  std::uint32_t line_ = 0;
};

TEST(Groups, LinesOfOneVariableAndTwoFunctionsAreOneFinding) {
  Accesses a;
  a.global(0x10, 4, "x");
  const std::uint32_t f1 = a.touch(0x10, "f"), g1 = a.touch(0x10, "g"), f2 = a.touch(0x10, "f"),
                      g2 = a.touch(0x10, "g");
  const Report report = report_of(a.trace, {race_of(f1, g1), race_of(g1, f2), race_of(f1, g2), race_of(f2, g2)});
  ASSERT_EQ(report.findings.size(), 1u);
  ASSERT_EQ(report.findings[0].pairs.size(), 4u);
  EXPECT_EQ(report.findings[0].count, 4u);
  const std::string told = text(report, {});
  for (const char* part :
       {"4 pairs of lines of the same variable and functions", "write at bank.c:2 in g, write at bank.c:3 in f",
        "sooth: 1 finding (1 race), 4 pairs of lines;"})
    EXPECT_NE(told.find(part), std::string::npos) << part << "\n" << told;
}

TEST(Groups, AnotherVariableFunctionOrKindIsAnotherFinding) {
  Accesses a;
  a.global(0x10, 4, "x");
  a.global(0x20, 4, "y");
  const std::uint32_t xf = a.touch(0x10, "f"), xg = a.touch(0x10, "g"), yf = a.touch(0x20, "f"),
                      yg = a.touch(0x20, "g");
  EXPECT_EQ(a.groups({race_of(xf, xg), race_of(yf, yg)}), 2u);
  EXPECT_EQ(a.groups({race_of(xf, xg), race_of(xf, xf)}), 2u);
  Finding other = race_of(xf, xg);
  other.kind = witness::FindingKind::Atomicity;
  EXPECT_EQ(a.groups({race_of(xf, xg), other}), 2u);
}

TEST(Groups, ElementsOfAnArrayAreOneVariableAndMembersAreNot) {
  Accesses a;
  a.global(0x100, 64, "table");
  // struct { int a, b; } table[8]
  trace::Type number, member, array;
  number.bytes = 4;
  member.kind = trace::TypeKind::Struct;
  member.bytes = 8;
  member.members.resize(2);
  member.members[0].name = "a", member.members[0].type = 1;
  member.members[1].name = "b", member.members[1].type = 1, member.members[1].bit_offset = 32;
  array.kind = trace::TypeKind::Array;
  array.bytes = 64;
  array.element = 2;
  array.count = 8;
  a.trace.types = {{}, number, member, array};
  a.trace.globals[0].type_id = 3;
  const std::uint32_t b1 = a.touch(0x10c, "f"), b2 = a.touch(0x10c, "g"), b3 = a.touch(0x124, "f"),
                      b4 = a.touch(0x124, "g");
  EXPECT_EQ(a.groups({race_of(b1, b2), race_of(b3, b4)}), 1u); // table[1].b, table[4].b
  const std::uint32_t a1 = a.touch(0x120, "f"), a2 = a.touch(0x120, "g");
  EXPECT_EQ(a.groups({race_of(b1, b2), race_of(a1, a2)}), 2u); // table[4]
}

TEST(Groups, MembersOfTheStandardLibraryAreTheirObject) {
  Accesses a;
  a.global(0x100, 24, "shop");
  // struct { long sold; struct { long _M_size, _M_first; } items; } shop
  trace::Type number, library, shop;
  number.bytes = 8;
  library.kind = shop.kind = trace::TypeKind::Struct;
  library.bytes = 16;
  library.members = {{"_M_size", 0, 1, 0}, {"_M_first", 64, 1, 0}};
  shop.bytes = 24;
  shop.members = {{"sold", 0, 1, 0}, {"items", 64, 2, 0}};
  a.trace.types = {{}, number, library, shop};
  a.trace.globals[0].type_id = 3;
  const std::uint32_t first1 = a.touch(0x110, "f", "this->_M_first", trace::kSiteSystem),
                      first2 = a.touch(0x110, "g", "this->_M_first", trace::kSiteSystem), size1 = a.touch(0x108, "f"),
                      size2 = a.touch(0x108, "g"), sold1 = a.touch(0x100, "f"), sold2 = a.touch(0x100, "g");
  EXPECT_EQ(a.groups({race_of(first1, first2), race_of(sold1, sold2)}), 2u);
  const Report report = report_of(a.trace, {race_of(first1, first2), race_of(size1, size2)});
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].places[0].step.variable, "shop.items");
}

TEST(Groups, BlocksOfOneAllocationAreOneVariableForEachMember) {
  Accesses a;
  const std::uint32_t here = a.site("list.c", 100, "make", ""), there = a.site("list.c", 200, "make", "");
  a.add(0, EventKind::Alloc, 0x1000, 64).site = here;
  a.add(0, EventKind::Alloc, 0x2000, 64).site = here;
  a.add(0, EventKind::Alloc, 0x3000, 64).site = there;
  const auto pair = [&](std::uint64_t address, const std::string& variable) {
    const std::uint32_t first = a.touch(address, "f", variable);
    return race_of(first, a.touch(address, "g", variable));
  };
  const Finding one = pair(0x1008, "node->next"), two = pair(0x2008, "other->next"),
                member = pair(0x1010, "node->size"), elsewhere = pair(0x3008, "node->next");
  EXPECT_EQ(a.groups({one, two}), 1u);
  EXPECT_EQ(a.groups({one, member}), 2u);
  EXPECT_EQ(a.groups({one, elsewhere}), 2u);
}

TEST(Groups, InSystemHeadersTheUsersFunctionCounts) {
  Accesses a;
  a.global(0x10, 4, "x");
  std::vector<std::uint32_t> accesses;
  for (const char* caller : {"f", "f", "g", "g"}) {
    const std::uint32_t call = a.site("bank.c", 1, caller, "");
    const auto thread = static_cast<std::uint32_t>(accesses.size() % 2);
    a.add(thread, EventKind::Enter, 0, call).site = a.site("vector.h", 5, "push_back", "", trace::kSiteSystem);
    a.write(thread, 0x10, 4, 1).site = a.site("vector.h", 7, "push_back", "", trace::kSiteSystem);
    accesses.push_back(static_cast<std::uint32_t>(a.trace.events.size() - 1));
    a.add(thread, EventKind::Exit, 0, 0);
  }
  EXPECT_EQ(a.groups({race_of(accesses[0], accesses[1]), race_of(accesses[2], accesses[3])}), 2u);
}

TEST(Groups, WhatWasObservedIsShownAndThePredictedLinesStandBesideIt) {
  Accesses a;
  a.global(0x10, 4, "x");
  const std::uint32_t f1 = a.touch(0x10, "f"), g1 = a.touch(0x10, "g"), f2 = a.touch(0x10, "f");
  Finding observed = race_of(g1, f2);
  observed.status = Status::Observed;
  const Report report = report_of(a.trace, {race_of(f1, g1), observed});
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].status, Status::Observed);
  EXPECT_EQ(report.findings[0].places[1].step.spot.line, 3u);
  EXPECT_EQ(report.findings[0].pairs[1].status, Status::Predicted);
}

TEST(Groups, APairOfLinesThatIsSuppressedLeavesTheOthers) {
  Accesses a;
  a.global(0x10, 4, "x");
  const std::uint32_t f1 = a.touch(0x10, "f"), g1 = a.touch(0x10, "g"), f2 = a.touch(0x10, "f");
  const auto without = [&](std::uint32_t line) {
    Report report;
    describe(a.trace, std::vector{race_of(f1, g1), race_of(g1, f2)}, [](std::uint64_t address) { return address; },
             report, {.unwanted = [&](const FindingText& finding) {
               return std::ranges::any_of(finding.places, [&](const PlaceText& p) { return p.step.spot.line == line; });
             }});
    return report;
  };
  const Report one = without(1);
  ASSERT_EQ(one.findings.size(), 1u);
  EXPECT_EQ(one.suppressed, 0u);
  EXPECT_EQ(one.findings[0].suppressed_pairs, 1u);
  EXPECT_EQ(one.findings[0].pairs.size(), 1u);
  EXPECT_EQ(one.findings[0].places[1].step.spot.line, 3u);
  const Report both = without(2);
  EXPECT_TRUE(both.findings.empty());
  EXPECT_EQ(both.suppressed, 1u);
}

TEST(Groups, EachPairOfLinesIsAFindingIfAskedFor) {
  Accesses a;
  a.global(0x10, 4, "x");
  const std::uint32_t f1 = a.touch(0x10, "f"), g1 = a.touch(0x10, "g"), f2 = a.touch(0x10, "f");
  Report report;
  describe(a.trace, std::vector{race_of(f1, g1), race_of(g1, f2), race_of(f1, g1)},
           [](std::uint64_t address) { return address; }, report, {.each = true});
  ASSERT_EQ(report.findings.size(), 2u);
  EXPECT_NE(report.findings[0].fingerprint, report.findings[1].fingerprint);
  EXPECT_TRUE(report.findings[0].pairs.empty());
}

} // namespace
} // namespace sooth::report::testing
