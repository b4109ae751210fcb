// Suppressions: the file's syntax, what a pattern matches, and what is left of a report.
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "report/suppressions.h"
#include "unit/report_fixture.h"

namespace sooth::report::testing {
namespace {

TEST(Pattern, MatchesAnywhereUnlessAnchored) {
  const std::string name = "net::Cache::lookup(int)";
  for (const char* pattern : {"Cache", "net::", "lookup(int)", "^net", "int)$", "^net::*lookup", "C*e::*p", "*", "^*$",
                              "^net::Cache::lookup(int)$", ""})
    EXPECT_TRUE(pattern_matches(pattern, name)) << pattern;
  for (const char* pattern :
       {"cache", "^Cache", "lookup$", "^lookup", "lookup*Cache", "^net$", "net::Cache::lookup(int)x"})
    EXPECT_FALSE(pattern_matches(pattern, name)) << pattern;
}

TEST(Pattern, PiecesDoNotOverlap) {
  EXPECT_FALSE(pattern_matches("^ab*ba$", "aba"));
  EXPECT_TRUE(pattern_matches("^ab*ba$", "abba"));
  EXPECT_FALSE(pattern_matches("aa*a$", "aa"));
}

TEST(Suppressions, CommentsAndBlankLinesSayNothing) {
  const auto parsed =
      parse_suppressions("# known\n\n  race:Cache \r\ndeadlock:connect\ncalled_from_lib:libz.so", "s.txt");
  ASSERT_TRUE(parsed.ok()) << parsed.error().text();
  ASSERT_EQ(parsed.value().size(), 3u);
  EXPECT_EQ(parsed.value()[0].type, "race");
  EXPECT_EQ(parsed.value()[0].pattern, "Cache");
  EXPECT_EQ(parsed.value()[0].line, 3u);
}

TEST(Suppressions, WrongLinesAreNamed) {
  const auto no_colon = parse_suppressions("race:x\nrace\n", "s.txt");
  ASSERT_FALSE(no_colon.ok());
  EXPECT_EQ(no_colon.error().text().rfind("s.txt:2:1: ", 0), 0u) << no_colon.error().text();
  const auto unknown = parse_suppressions("races:x\n", "s.txt");
  ASSERT_FALSE(unknown.ok());
  EXPECT_NE(unknown.error().text().find("`races`"), std::string::npos);
  EXPECT_FALSE(parse_suppressions("race:\n", "s.txt").ok());
}

// What is left of these findings; `directory` is where sources are.
Report report_without(const std::vector<witness::Finding>& findings, const std::string& file,
                      const std::string& directory = "") {
  auto suppressions = parse_suppressions(file, "s.txt");
  EXPECT_TRUE(suppressions.ok());
  Suppressor suppressor(*suppressions, directory);
  Report report;
  describe(bank_trace(), findings, [](std::uint64_t address) { return address; }, report,
           {.unwanted = [&](const FindingText& finding) { return suppressor.keeps_back(finding); }});
  return report;
}

std::size_t left(const std::string& file) {
  const Report report = report_without({bank_race()}, file);
  EXPECT_EQ(report.suppressed + report.findings.size(), 1u);
  return report.findings.size();
}

TEST(Suppressions, ARaceIsMatchedByFunctionCallerFileAndVariable) {
  for (const char* file :
       {"race:deposit", "race:run()", "race:audit.cpp", "race:^total$", "race_top:audit", "race:src/*"})
    EXPECT_EQ(left(file), 0u) << file;
}

TEST(Suppressions, WhatDoesNotMatchStays) {
  for (const char* file :
       {"race:withdraw", "race_top:run()", "deadlock:deposit", "mutex:deposit", "race_top:total", ""})
    EXPECT_EQ(left(file), 1u) << file;
}

TEST(SourceSuppressions, ACommentNamesTheKindsThatAreMeantToBeThere) {
  EXPECT_TRUE(line_ignores("++hits; // sooth:ignore(race): an estimate will do", "race"));
  EXPECT_TRUE(line_ignores("/* sooth:ignore( atomicity , race ) */", "race"));
  for (const char* line : {"++hits; // ignore(race)", "// sooth:ignore(deadlock)", "// sooth:ignore",
                           "// sooth:ignore()", "// sooth:ignore(races)", ""})
    EXPECT_FALSE(line_ignores(line, "race")) << line;
}

TEST(SourceSuppressions, AFindingBesideSuchACommentIsKeptBack) {
  const std::string folder = ::testing::TempDir() + "sooth_report_source";
  std::filesystem::create_directories(folder + "/src");
  std::string lines(9, '\n');
  std::ofstream(folder + "/src/bank.cpp") << lines << "// sooth:ignore(race): only a guess\ntotal = 7;\n";
  EXPECT_EQ(report_without({bank_race()}, "").findings.size(), 1u); // there is no such file here
  const Report report = report_without({bank_race()}, "", folder);
  EXPECT_EQ(report.findings.size(), 0u);
  EXPECT_EQ(report.suppressed, 1u);
}

TEST(Suppressions, TheRestIsNumberedAnew) {
  witness::Finding deadlock = bank_race();
  deadlock.kind = witness::FindingKind::Deadlock;
  const Report report = report_without({bank_race(), deadlock}, "race:deposit");
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].id, 1u);
  EXPECT_EQ(report.findings[0].kind, witness::FindingKind::Deadlock);
}

} // namespace
} // namespace sooth::report::testing
