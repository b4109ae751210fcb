// Every program of programs/ at every level: it builds, runs as the plain build does, and the hooks were told what its
// expectations say.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <ostream>

#include "test_program.h"

namespace {

struct Level {
  const char* name;
  const char* flags;
};
constexpr Level kLevels[] = {
    {"O0", "-O0"},
    {"O1", "-O1"},
    {"O2", "-O2 -fPIC -fvisibility=hidden"},
    {"O3", "-O3 -ffunction-sections -fdata-sections -Wl,--gc-sections"},
    {"Os", "-Os -fno-pic -no-pie"},
    {"full_lto", "-O2 -flto -fuse-ld=lld"},
    {"thin_lto", "-O2 -flto=thin -fuse-ld=lld"},
};

struct Case {
  TestProgram program;
  Level level;
};

void PrintTo(const Case& test, std::ostream* out) { *out << test.program.name << " " << test.level.flags; }

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const TestProgram& program : read_programs(PROGRAMS))
    for (const Level& level : kLevels)
      if (program.levels.empty() || program.levels.find(std::string(level.flags)) != std::string::npos)
        cases.push_back({program, level});
  return cases;
}

class PassTest : public testing::TestWithParam<Case> {
protected:
  void SetUp() override { std::filesystem::create_directories(SCRATCH); }

  std::string compiler() const {
    return std::string(CLANG) + (GetParam().program.is_cxx() ? " --driver-mode=g++" : "");
  }
  std::string scratch(const std::string& suffix) const {
    return std::string(SCRATCH) + "/" + GetParam().program.name + "-" + GetParam().level.name + suffix;
  }

  void build_plain() {
    const TestProgram& program = GetParam().program;
    const Finished built = run_command(compiler() + " -O0 " + program.flags + " " + program.path + " -o " +
                                       scratch("-plain") + " " + program.libraries);
    ASSERT_EQ(built.status, 0) << built.output;
  }

  void build_recorded() {
    const TestProgram& program = GetParam().program;
    std::string command = compiler() + " -g " + GetParam().level.flags + " " + program.flags +
                          " -fpass-plugin=" PASS_LIBRARY +
                          " -Xclang -load -Xclang " PASS_LIBRARY " -mllvm -sooth-verify";
    if (!program.pass_options.empty()) command += " -mllvm " + program.pass_options;
    const Finished built =
        run_command(command + " " + program.path + " -o " + scratch("") + " " FAKE_RUNTIME " " + program.libraries);
    ASSERT_EQ(built.status, 0) << built.output;
    EXPECT_EQ(built.output, "");
  }

  std::vector<std::string> run_and_compare(const std::string& settings, const std::string& log) {
    const Finished plain = run_command(scratch("-plain"));
    const Finished recorded = run_command(settings + " FAKE_LOG=" + log + " LD_LIBRARY_PATH= " + scratch(""));
    EXPECT_EQ(recorded.output, plain.output);
    EXPECT_EQ(recorded.status, plain.status);
    const std::vector<std::string> lines = lines_of(log);
    for (const std::string& line : lines) EXPECT_EQ(line.find("ERROR"), std::string::npos) << line;
    return lines;
  }
};

std::size_t count(const std::vector<std::string>& lines, const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(lines.begin(), lines.end(), [&](const std::string& line) { return holds(line, text); }));
}

TEST_P(PassTest, RunsAsThePlainBuildAndTellsItsHooks) {
  const TestProgram& program = GetParam().program;
  ASSERT_NO_FATAL_FAILURE(build_recorded());
  if (!program.run) return;
  ASSERT_NO_FATAL_FAILURE(build_plain());

  const std::vector<std::string> lines = run_and_compare("", scratch(".log"));
  ASSERT_FALSE(lines.empty());
  for (const std::string& text : program.expected)
    EXPECT_NE(count(lines, text), 0u) << "no line of " << scratch(".log") << " holds: " << text;
  for (const std::string& text : program.forbidden)
    EXPECT_EQ(count(lines, text), 0u) << "a line of " << scratch(".log") << " holds: " << text;

  const std::vector<std::string> with_cells = run_and_compare("FAKE_CELLS=1", scratch(".cells.log"));
  EXPECT_LE(with_cells.size(), lines.size());
  for (const auto& [times, text] : program.counted_with_cells) EXPECT_EQ(count(with_cells, text), times) << text;
}

INSTANTIATE_TEST_SUITE_P(Programs, PassTest, testing::ValuesIn(all_cases()),
                         [](const auto& info) { return info.param.program.name + "_" + info.param.level.name; });

} // namespace
