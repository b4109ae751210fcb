// Static facts of small programs, read from what the compilers make of them. tests/pass/facts holds the programs; the expectations follow from
// the text of jPredictor (Figure 3, Definition 3) and from the language, not from what was printed.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "test_program.h"
#include "trace/program/program.h"
#include "trace/program/static_facts.h"

namespace {

using namespace sooth;
using namespace sooth::trace;

constexpr auto kClassic = static_cast<std::size_t>(ControlStrength::Classic);
constexpr auto kWeak = static_cast<std::size_t>(ControlStrength::Weak);
constexpr auto kSensitive = static_cast<std::size_t>(ControlStrength::TerminationSensitive);

// A program of tests/pass/facts, and the names that comments give to its lines.
class Compiled {
public:
  Compiled(const std::string& name, const std::string& flags) {
    std::string place = std::string(SCRATCH) + "/";
    for (const char c : std::string(testing::UnitTest::GetInstance()->current_test_info()->name()))
      place += c == '/' ? '_' : c;
    std::filesystem::create_directories(place);
    const std::string source = std::string(SOURCES) + "/" + name + ".cpp";
    const std::string compile = std::string(BIN) + "/sooth-c++ -std=c++17 " + flags + " ";
    const auto built =
        run_command(compile + "-fsooth-facts " + source + " " + SCRATCH + "/outside.o -o " + place + "/" + name);
    EXPECT_EQ(built.status, 0) << built.output;
    auto read = read_program(place + "/" + name);
    EXPECT_TRUE(read.ok()) << read.error().text();
    if (read.ok()) trace = std::move(read.value().tables);
    std::uint32_t number = 0;
    for (const std::string& line : lines_of(source)) {
      ++number;
      if (const std::size_t at = line.find("// @"); at != std::string::npos) lines_[line.substr(at + 4)] = number;
    }
  }

  // The sites of a line with a role, and touching or calling something of this name if one is given.
  std::vector<std::uint32_t> sites(const std::string& name, SiteRole role, const std::string& variable = "") const {
    std::vector<std::uint32_t> found;
    const auto line = lines_.find(name);
    EXPECT_NE(line, lines_.end()) << name;
    for (std::uint32_t i = 1; i < trace.sites.size(); ++i) {
      const bool here = line != lines_.end() && trace.sites[i].line == line->second &&
                        (variable.empty() || trace.sites[i].variable == variable);
      if (here && facts().of(i).role == role) found.push_back(i);
    }
    return found;
  }
  std::uint32_t site(const std::string& name, SiteRole role, const std::string& variable = "") const {
    const auto found = sites(name, role, variable);
    EXPECT_EQ(found.size(), 1u) << name << " " << variable;
    return found.empty() ? 0 : found.front();
  }
  const SiteFacts& at(const std::string& name, SiteRole role, const std::string& variable = "") const {
    return facts().of(site(name, role, variable));
  }
  const StaticFacts& facts() const { return trace.static_facts; }

  // Whether `child`'s closure of control parents has the branch.
  bool is_in_scope(std::uint32_t child, std::uint32_t branch, std::size_t strength) const {
    std::set<std::uint32_t> seen;
    std::vector<std::uint32_t> open = {child};
    while (!open.empty()) {
      const std::uint32_t here = open.back();
      open.pop_back();
      for (const std::uint32_t parent : facts().members(facts().of(here).control[strength]))
        if (seen.insert(parent).second) open.push_back(parent);
    }
    return seen.contains(branch);
  }
  // The named statements that are in the scope of the branch of line `branch`.
  std::set<std::string> scope(const std::string& branch, const std::vector<std::string>& statements,
                              std::size_t strength) const {
    std::set<std::string> found;
    const auto deciders = sites(branch, SiteRole::Branch);
    EXPECT_FALSE(deciders.empty()) << branch;
    for (const std::string& statement : statements) {
      const auto stores = sites(statement, SiteRole::Store);
      EXPECT_FALSE(stores.empty()) << statement;
      for (const std::uint32_t store : stores)
        for (const std::uint32_t decider : deciders)
          if (is_in_scope(store, decider, strength)) found.insert(statement);
    }
    return found;
  }

  std::vector<Source> sources(SourceSet set) const {
    const auto all = facts().sources(set);
    return {all.begin(), all.end()};
  }
  bool has(SourceSet set, SourceKind kind, std::uint32_t index) const {
    return std::ranges::any_of(sources(set), [&](const Source& s) { return s.kind == kind && s.index == index; });
  }
  bool has_every(SourceSet set, std::uint32_t load) const {
    return std::ranges::any_of(sources(set),
                               [&](const Source& s) { return s == Source{SourceKind::Load, true, load}; });
  }
  bool has_unknown(SourceSet set) const { return has(set, SourceKind::Unknown, 0); }

  Trace trace;

private:
  std::map<std::string, std::uint32_t> lines_;
};

using Names = std::set<std::string>;

class FactsTest : public ::testing::TestWithParam<const char*> {
protected:
  static void SetUpTestSuite() {
    std::filesystem::create_directories(SCRATCH);
    const auto built = run_command(std::string(CLANG) + " -c " + SOURCES + "/outside.c -o " + SCRATCH + "/outside.o");
    ASSERT_EQ(built.status, 0) << built.output;
  }
};

// As it stands in the source: the optimiser makes one store of S1 and S2, and assumes that the loop of (B) ends.
TEST_F(FactsTest, Figure3) {
  const Compiled program("figure_3", "-O0");
  EXPECT_TRUE(program.facts().complete());
  for (const std::size_t strength : {kClassic, kWeak, kSensitive})
    EXPECT_EQ(program.scope("A.C1", {"A.S1", "A.S2", "A.S3"}, strength), (Names{"A.S1", "A.S2"}));
  EXPECT_EQ(program.scope("B.C1", {"B.S1", "B.S2"}, kClassic), Names{"B.S1"});
  EXPECT_EQ(program.scope("B.C1", {"B.S1", "B.S2"}, kWeak), (Names{"B.S1", "B.S2"}));
  EXPECT_EQ(program.scope("B.C1", {"B.S1", "B.S2"}, kSensitive), Names{"B.S1"}); // C++ lets one assume that it ends
  EXPECT_EQ(program.scope("N.C1", {"N.S1", "N.S2"}, kWeak), (Names{"N.S1", "N.S2"}));
  EXPECT_EQ(program.scope("N.C1", {"N.S1", "N.S2"}, kSensitive), Names{"N.S1"}); // scalar evolution counts it
  // Case 3: had C1 gone the other way, S1 would have written what S3 reads; and S1 of the loop what S2 reads.
  const auto other = [&](const char* reader, const char* branch) {
    const auto members = program.facts().members(program.at(reader, SiteRole::Load).other_writes);
    return std::ranges::find(members, program.site(branch, SiteRole::Branch)) != members.end();
  };
  EXPECT_TRUE(other("A.S3", "A.C1"));
  EXPECT_TRUE(other("B.S2", "B.C1"));
}

TEST_P(FactsTest, LoopsThatMayNotEnd) {
  const Compiled program("figure_3", GetParam());
  EXPECT_EQ(program.scope("W.C1", {"W.S1", "W.S2"}, kClassic), Names{"W.S1"});
  EXPECT_EQ(program.scope("W.C1", {"W.S1", "W.S2"}, kWeak), (Names{"W.S1", "W.S2"}));
  EXPECT_EQ(program.scope("W.C1", {"W.S1", "W.S2"}, kSensitive), (Names{"W.S1", "W.S2"}));

  EXPECT_EQ(program.scope("T.C1", {"T.S1", "T.S2"}, kClassic), Names{"T.S1"});
  EXPECT_EQ(program.scope("T.C1", {"T.S1", "T.S2"}, kWeak), (Names{"T.S1", "T.S2"}));
  EXPECT_EQ(program.scope("T.C1", {"T.S1", "T.S2"}, kSensitive), Names{"T.S1"});

  for (const char* branch : {"P.C1", "P.C2"}) {
    EXPECT_EQ(program.scope(branch, {"P.S2"}, kWeak), Names{"P.S2"}) << branch;
    EXPECT_EQ(program.scope(branch, {"P.S2"}, kSensitive), Names{"P.S2"}) << branch;
    EXPECT_EQ(program.scope(branch, {"P.S2"}, kClassic), Names{}) << branch;
  }
}

TEST_P(FactsTest, Values) {
  const Compiled p("sources", GetParam());
  const auto value = [&](const char* line) { return p.at(line, SiteRole::Store).value; };
  EXPECT_EQ(p.sources(value("copied")),
            std::vector<Source>{StaticFactsBuilder::load(p.site("copied", SiteRole::Load))});
  EXPECT_EQ(p.sources(value("computed")).size(), 2u);
  EXPECT_TRUE(p.has(value("computed"), SourceKind::Load, p.site("computed", SiteRole::Load, "a")));
  EXPECT_TRUE(p.has(value("computed"), SourceKind::Load, p.site("computed", SiteRole::Load, "c")));
  EXPECT_EQ(p.sources(value("passed")), std::vector<Source>{StaticFactsBuilder::parameter(1)});
  EXPECT_EQ(p.sources(p.at("passed", SiteRole::Store).address), std::vector<Source>{StaticFactsBuilder::parameter(0)});
  EXPECT_TRUE(p.has(value("own"), SourceKind::Load, p.site("own", SiteRole::Load)));
  EXPECT_FALSE(p.has_unknown(value("own")));
}

TEST_P(FactsTest, CallsAndResults) {
  const Compiled p("sources", GetParam());
  const SiteFacts& outside = p.at("outside", SiteRole::Call);
  const std::uint32_t read = p.site("outside", SiteRole::Load);
  EXPECT_EQ(outside.effect, CallEffect::Other);
  EXPECT_TRUE(p.has(outside.condition, SourceKind::Load, read)); // what code without hooks is given is decided upon
  const SourceSet stored = p.at("outside", SiteRole::Store).value;
  EXPECT_TRUE(p.has(stored, SourceKind::CallResult, p.site("outside", SiteRole::Call)));
  EXPECT_TRUE(p.has(stored, SourceKind::Load, read));

  EXPECT_EQ(p.at("const", SiteRole::Call).effect, CallEffect::None);
  EXPECT_EQ(p.sources(p.at("const", SiteRole::Store).value),
            std::vector<Source>{StaticFactsBuilder::load(p.site("const", SiteRole::Load))});

  const SiteFacts& handed = p.at("handed", SiteRole::Call);
  EXPECT_EQ(p.sources(handed.target), std::vector<Source>{StaticFactsBuilder::parameter(0)});
  EXPECT_EQ(p.sources(handed.condition),
            (std::vector<Source>{StaticFactsBuilder::parameter(0), StaticFactsBuilder::parameter(1)}));
  EXPECT_EQ(handed.callee, 0u);

  const SiteFacts& callee = p.at("callee", SiteRole::Call);
  EXPECT_EQ(callee.effect, CallEffect::Defined);
  ASSERT_EQ(callee.arguments.size(), 1u);
  EXPECT_EQ(p.sources(callee.arguments[0]), std::vector<Source>{StaticFactsBuilder::parameter(0)});
  const auto& functions = p.facts().functions;
  const auto summed = std::ranges::find(functions, callee.callee, &FunctionFacts::name);
  ASSERT_NE(summed, functions.end());
  // What it returns goes round the loop: all that was read, not only the last.
  for (const std::uint32_t load : p.sites("summed", SiteRole::Load)) EXPECT_TRUE(p.has_every(summed->result, load));
  EXPECT_FALSE(p.sites("summed", SiteRole::Load).empty());

  // What has no parameter is read from memory that nobody is seen to write: it is decided upon when it is handed over.
  const SiteFacts& variadic = p.at("variadic", SiteRole::Call);
  EXPECT_TRUE(p.has(variadic.condition, SourceKind::Load, p.site("variadic", SiteRole::Load, "a")));
  EXPECT_EQ(variadic.callee, 0u);

  const SiteFacts& length = p.at("strlen", SiteRole::Call);
  EXPECT_EQ(length.effect, CallEffect::Known);
  EXPECT_TRUE(p.has_every(p.at("strlen", SiteRole::Store).value, p.site("strlen", SiteRole::Call)));
}

TEST_P(FactsTest, ChoicesAndTheirBranches) {
  const Compiled p("sources", GetParam());
  const SourceSet chosen = p.at("chosen", SiteRole::Store).value;
  EXPECT_TRUE(p.has(chosen, SourceKind::Branch, p.site("chosen.branch", SiteRole::Branch)));
  EXPECT_TRUE(p.has(chosen, SourceKind::CallResult, p.site("chosen.branch", SiteRole::Call)));
  const auto& functions = p.facts().functions;
  const auto twice = std::ranges::find_if(
      functions, [&](const FunctionFacts& f) { return p.trace.sites[f.site].function.starts_with("twice"); });
  ASSERT_NE(twice, functions.end());
  EXPECT_TRUE(p.has(twice->result, SourceKind::Load, p.site("twice.a", SiteRole::Load)));
  EXPECT_TRUE(p.has(twice->result, SourceKind::Load, p.site("twice.c", SiteRole::Load)));
}

TEST_P(FactsTest, PrivateMemoryIsFollowed) {
  const Compiled p("sources", GetParam());
  const SourceSet stored = p.at("private", SiteRole::Store, "b").value;
  EXPECT_TRUE(p.has(stored, SourceKind::Parameter, 0));
  // The optimiser makes two variables of the array; without it, whatever goes into the array may come out of it.
  if (std::string(GetParam()) == "-O0") {
    EXPECT_TRUE(p.has_every(stored, p.site("private.0", SiteRole::Load, "a")));
  }
  // Where it is written depends on what was read: then it is recorded.
  const SiteFacts& indexed = p.at("index", SiteRole::Store);
  EXPECT_TRUE(p.has(indexed.address, SourceKind::Load, p.site("index", SiteRole::Load, "a")));
}

TEST_P(FactsTest, OtherWrites) {
  const Compiled p("sources", GetParam());
  const auto members = [&](SiteSet set) {
    const auto all = p.facts().members(set);
    return std::set<std::uint32_t>(all.begin(), all.end());
  };
  // Or the optimiser reads x only where it was not written just before: then the branch chooses what is written to b.
  const std::uint32_t branch = p.site("case3.branch", SiteRole::Branch);
  EXPECT_TRUE(members(p.at("case3", SiteRole::Load).other_writes).contains(branch) ||
              p.has(p.at("case3", SiteRole::Store).value, SourceKind::Branch, branch));
  const std::uint32_t impure = p.site("impure", SiteRole::Call);
  const SiteFacts& afterwards = p.at("afterwards", SiteRole::Load);
  EXPECT_TRUE(members(afterwards.other_writes).contains(impure));
  // It may not come back.
  EXPECT_FALSE(members(afterwards.control[kClassic]).contains(impure));
  EXPECT_TRUE(members(afterwards.control[kWeak]).contains(impure));
  EXPECT_TRUE(members(afterwards.control[kSensitive]).contains(impure));
}

TEST_P(FactsTest, DecisionsThatAreNoBranches) {
  const Compiled p("sources", GetParam());
  EXPECT_TRUE(p.has(p.at("divided", SiteRole::Trap).condition, SourceKind::Load, p.site("divided", SiteRole::Load)));
  const std::uint32_t exchange = p.site("exchanged", SiteRole::Update);
  EXPECT_TRUE(p.has(p.facts().of(exchange).condition, SourceKind::Load, exchange));
  EXPECT_TRUE(p.has(p.facts().of(exchange).condition, SourceKind::Parameter, 0));
  EXPECT_TRUE(p.has(p.facts().of(exchange).value, SourceKind::Load, p.site("exchanged", SiteRole::Load, "a")));
  const std::uint32_t add = p.site("added", SiteRole::Update);
  EXPECT_EQ(p.facts().of(add).condition, 0u);
  EXPECT_TRUE(p.has(p.facts().of(add).value, SourceKind::Load, add));
  EXPECT_TRUE(p.has(p.facts().of(add).value, SourceKind::Load, p.site("added", SiteRole::Load)));
  const auto copies = p.sites("moved", SiteRole::Copy);
  ASSERT_EQ(copies.size(), 1u);
  EXPECT_TRUE(p.has(p.facts().of(copies[0]).value, SourceKind::Load, copies[0]));
  EXPECT_TRUE(p.has(p.facts().of(copies[0]).address, SourceKind::Parameter, 0));
}

INSTANTIATE_TEST_SUITE_P(Levels, FactsTest, ::testing::Values("-O0", "-O1", "-O2", "-O3"),
                         [](const auto& level) { return std::string(level.param).substr(1); });

// Facts of several modules add up; one without them shows.
TEST_F(FactsTest, SeveralModules) {
  const std::string place = std::string(SCRATCH) + "/modules";
  std::filesystem::create_directories(place);
  const std::string compile = std::string(BIN) + "/sooth-c++ -std=c++17 -g -O1 ";
  std::ofstream(place + "/two.cpp") << "int d; void two() { d = d + 1; }\n";
  std::ofstream(place + "/one.cpp") << "void two(); int e; int main() { e = e + 1; two(); return 0; }\n";
  const auto build = [&](const std::string& second) {
    const auto built = run_command("cd " + place + " && " + compile + "-fsooth-facts -c one.cpp && " + compile +
                                   second + " -c two.cpp && " + compile + "one.o two.o -o both");
    EXPECT_EQ(built.status, 0) << built.output;
    auto read = read_program(place + "/both");
    EXPECT_TRUE(read.ok()) << read.error().text();
    return read.ok() ? read.value().tables.static_facts : StaticFacts{};
  };
  const StaticFacts both = build("-fsooth-facts");
  EXPECT_TRUE(both.complete());
  EXPECT_EQ(both.modules, 2u);
  ASSERT_EQ(both.functions.size(), 2u);
  const auto call = std::ranges::find(both.sites, SiteRole::Call, &SiteFacts::role);
  ASSERT_NE(call, both.sites.end());
  EXPECT_EQ(std::ranges::count(both.functions, call->callee, &FunctionFacts::name), 1);
  const StaticFacts one = build("");
  EXPECT_FALSE(one.complete());
  EXPECT_EQ(one.modules_without, 1u);
}

TEST_F(FactsTest, FunctionsLeftOutCount) {
  const Compiled skipped("sources", "--skip copied --skip 'computed*'");
  EXPECT_EQ(skipped.facts().functions_left_out, 2u);
  EXPECT_TRUE(skipped.sites("copied", SiteRole::Store).empty());
  EXPECT_FALSE(skipped.sites("passed", SiteRole::Store).empty());
  const Compiled only("sources", "--only=summed --only of_callee");
  EXPECT_TRUE(only.sites("passed", SiteRole::Store).empty());
  EXPECT_EQ(only.at("callee", SiteRole::Call).effect, CallEffect::Defined);
  const Compiled file("sources", "--skip '*/sources.cpp' --only summed");
  EXPECT_TRUE(file.sites("summed", SiteRole::Load).empty());
}

} // namespace
