// Which loads the pass takes for checks: the comments of checks/checks.cpp say it.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <string>

#include "test_program.h"
#include "trace/program/program.h"

namespace {

using namespace sooth;

class ChecksTest : public ::testing::TestWithParam<const char*> {};

TEST_P(ChecksTest, AreWhatTheCommentsSay) {
  const std::string source = CHECKS;
  const std::string place = std::string(SCRATCH) + "/checks" + GetParam();
  std::filesystem::create_directories(SCRATCH);
  const Finished built = run_command(std::string(BIN) + "/sooth-c++ -g -shared -fPIC -pthread " + GetParam() + " " +
                                     source + " -o " + place + ".so");
  ASSERT_EQ(built.status, 0) << built.output;
  auto program = trace::read_program(place + ".so");
  ASSERT_TRUE(program.ok()) << program.error().text();
  const trace::Trace& tables = program->tables;

  std::map<std::uint32_t, std::string> found; // by line
  for (std::size_t i = 1; i < tables.checks.size(); ++i) {
    const trace::Check& check = tables.checks[i];
    found[tables.sites[check.loads.front()].line] = std::to_string(check.loads.size()) + " " + check.fails;
  }
  std::ifstream in(source);
  std::string text;
  const std::regex comment("// (CHECK|NONE)( (.*))?$");
  unsigned expected = 0;
  for (std::uint32_t line = 1; std::getline(in, text); ++line) {
    std::smatch match;
    if (line < 7 || !std::regex_search(text, match, comment)) continue;
    ++expected;
    if (match[1] == "NONE" && match[3].matched && match[3] != std::string(GetParam())) continue;
    EXPECT_EQ(found.contains(line) ? found[line] : "none", match[1] == "NONE" ? "none" : match[3].str())
        << source << ":" << line << " " << GetParam();
  }
  EXPECT_EQ(expected, 30u);
}

INSTANTIATE_TEST_SUITE_P(AtEachLevel, ChecksTest, ::testing::Values("-O0", "-O1", "-O2"));

} // namespace
