// Classes of sites of small programs, read from what the compilers make of them in any build.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "test_program.h"
#include "trace/program/program.h"
#include "trace/program/static_stores.h"

namespace {

using namespace sooth;
using namespace sooth::trace;

class Flows : public testing::TestWithParam<const char*> {
protected:
  Flows() {
    const std::string place = std::string(SCRATCH) + "/flows" + GetParam();
    std::filesystem::create_directories(place);
    const std::string compile = std::string(BIN) + "/sooth-c++ -std=c++17 -g " + GetParam() + " ";
    const auto built = run_command(compile + SOURCES + "/flows.cpp " + SCRATCH + "/outside.o -o " + place + "/flows");
    EXPECT_EQ(built.status, 0) << built.output;
    auto read = read_program(place + "/flows");
    EXPECT_TRUE(read.ok()) << read.error().text();
    if (read.ok()) trace_ = std::move(read.value().tables);
  }
  static void SetUpTestSuite() {
    std::filesystem::create_directories(SCRATCH);
    const auto built = run_command(std::string(CLANG) + " -c " + SOURCES + "/outside.c -o " + SCRATCH + "/outside.o");
    ASSERT_EQ(built.status, 0) << built.output;
  }

  const ValueFlows& flows() const { return trace_.static_facts.flows; }
  // Some load of the line has a class. (A line with a decision has no other load.)
  bool has_class(std::uint32_t line) const {
    const std::vector<ReachedStores> reached = reached_stores(flows());
    for (std::size_t i = 0; i < reached.size(); ++i) {
      const Site& site = trace_.sites[flows().reads[i].site];
      const bool flows_somewhere = !reached[i].decides || !flows().reads[i].stores.empty();
      if (site.line == line && site.file.ends_with("flows.cpp") && flows_somewhere) return true;
    }
    return false;
  }

  Trace trace_;
};

TEST_P(Flows, OfEachLine) {
  std::uint32_t number = 0, flowing = 0, deciding = 0;
  for (const std::string& line : lines_of(std::string(SOURCES) + "/flows.cpp")) {
    ++number;
    if (line.find("ticks.fetch_add") != std::string::npos && std::string(GetParam()) == "-O0") continue;
    const bool flows = line.ends_with("// flows"), decides = line.ends_with("// decides");
    if (flows || decides) {
      EXPECT_EQ(has_class(number), flows) << line;
    }
    flowing += flows ? 1 : 0;
    deciding += decides ? 1 : 0;
  }
  EXPECT_GE(flowing, 20u);
  EXPECT_GE(deciding, 16u);
}

// No thread owns static variables; the memory behind an address may be owned.
TEST_P(Flows, KnowWhichStoresGoToStaticVariables) {
  const std::vector<std::string> lines = lines_of(std::string(SOURCES) + "/flows.cpp");
  const std::vector<ReachedStores> reached = reached_stores(flows());
  const StaticStores static_stores(flows());
  std::uint32_t anywhere = 0, to_variables = 0;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const Site& site = trace_.sites[flows().reads[i].site];
    if (!site.file.ends_with("flows.cpp") || reached[i].decides || reached[i].sites.empty()) continue;
    const bool known = lines[site.line - 1].find("/* anywhere */") == std::string::npos;
    EXPECT_EQ(static_stores.contain_all(reached[i].sites), known) << lines[site.line - 1];
    ++(known ? to_variables : anywhere);
  }
  EXPECT_EQ(anywhere, 2u);
  EXPECT_GE(to_variables, 15u);
}

// `outside` has no hooks. It may read x, and cannot reach the static variable.
TEST_P(Flows, KnowWhatCodeWithoutHooksCanRead) {
  EXPECT_EQ(flows().modules, 1u);
  EXPECT_FALSE(flows().sees_all_code());
  std::uint32_t out_of_reach = 0; // more than one where `counts` was inlined
  for (const ValueFlow& read : flows().reads) {
    if (read.stores.empty() && !read.is_update) continue; // only classes of blocks say so
    EXPECT_EQ(read.out_of_reach, trace_.sites[read.site].variable == "hidden") << trace_.sites[read.site].line;
    out_of_reach += read.out_of_reach ? 1 : 0;
  }
  EXPECT_GE(out_of_reach, 1u);
}

INSTANTIATE_TEST_SUITE_P(Levels, Flows, testing::Values("-O0", "-O1", "-O2"),
                         [](const auto& level) { return std::string(level.param).substr(1); });

} // namespace
