// Loops recorded as ranges: the same bytes as with a hook for each access, and only where it is possible.
#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <map>
#include <ostream>
#include <set>
#include <sstream>

#include "test_program.h"

namespace {

const char* const kLoopLevels[] = {"-O0",
                                   "-O1",
                                   "-O2",
                                   "-O3",
                                   "-Os",
                                   "-O3 -mavx2",
                                   "-O2 -fno-strict-aliasing -fwrapv",
                                   "-O2 -fno-vectorize -fno-unroll-loops"};
// Where the program keeps what it shares; everything else moves from build to build.
constexpr unsigned long kArena = 0x200000000000;
constexpr unsigned long kArenaEnd = kArena + (1UL << 20);

// What the hooks were told between two marks.
struct Part {
  std::string mark;
  std::set<unsigned long> read;
  std::set<unsigned long> written;
  unsigned ranges = 0;
  unsigned accesses = 0;
  unsigned times = 0;
};

Part& part_of_line(std::vector<Part>& parts, const std::string& line) {
  if (line.starts_with("mark ") || parts.empty()) {
    parts.emplace_back();
    parts.back().mark = line;
  }
  return parts.back();
}

std::vector<Part> read_parts(const std::string& log) {
  std::vector<Part> parts;
  for (const std::string& line : lines_of(log)) {
    Part& part = part_of_line(parts, line);
    EXPECT_EQ(line.find("ERROR"), std::string::npos) << line << " in " << part.mark;
    if (line.starts_with("loop-")) ++part.ranges;
    if (line.starts_with("read") || line.starts_with("write")) ++part.accesses;
    if (!line.starts_with("bytes ")) continue;
    std::istringstream words(line.substr(8));
    unsigned long address = 0, size = 0;
    words >> std::hex >> address >> std::dec >> size;
    if (address < kArena || address >= kArenaEnd) continue;
    std::set<unsigned long>& bytes = line[6] == 'w' ? part.written : part.read;
    for (unsigned long i = 0; i < size; ++i) bytes.insert(address + i);
  }
  return parts;
}

class LoopRangesTest : public testing::TestWithParam<const char*> {
protected:
  void SetUp() override { std::filesystem::create_directories(SCRATCH); }

  std::string scratch(const std::string& suffix) const {
    std::string name = GetParam();
    std::erase_if(name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); });
    return std::string(SCRATCH) + "/loops-" + name + suffix;
  }
  static std::string source() { return std::string(LOOPS) + "/walks.c"; }

  void build(const std::string& suffix, const std::string& flags) {
    const Finished built = run_command(std::string(CLANG) + " -g -ffp-contract=off -fno-math-errno " + GetParam() +
                                       " " + source() + " -o " + scratch(suffix) + " " + flags + " -lm");
    ASSERT_EQ(built.status, 0) << built.output;
    ASSERT_EQ(built.output, "");
  }
  void build_recorded(const std::string& suffix, const std::string& options) {
    build(suffix, "-fpass-plugin=" PASS_LIBRARY " -Xclang -load -Xclang " PASS_LIBRARY " -mllvm -sooth-verify " +
                      options + " " FAKE_RUNTIME);
  }
  Finished run(const std::string& suffix) const {
    return run_command("FAKE_BYTES=1 FAKE_LOG=" + scratch(suffix + ".log") + " " + scratch(suffix));
  }
};

// The same bytes in the same order of marks, whichever way they were told.
void compare(const std::vector<Part>& ranges, const std::vector<Part>& each) {
  ASSERT_GT(ranges.size(), 300u);
  ASSERT_EQ(ranges.size(), each.size());
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    EXPECT_EQ(ranges[i].mark, each[i].mark);
    EXPECT_TRUE(ranges[i].read == each[i].read) << "bytes read by " << ranges[i].mark << " part " << i;
    EXPECT_TRUE(ranges[i].written == each[i].written) << "bytes written by " << ranges[i].mark << " part " << i;
    EXPECT_EQ(each[i].ranges, 0u);
  }
}

// What the names of the program's functions promise.
void check_promises(const std::vector<Part>& parts, bool is_optimised) {
  std::map<std::string, Part> totals;
  for (const Part& part : parts) {
    totals[part.mark].ranges += part.ranges;
    totals[part.mark].accesses += part.accesses;
    totals[part.mark].times += 1;
  }
  unsigned seen = 0;
  for (const auto& [mark, part] : totals) {
    const bool promised = mark.starts_with("mark range_");
    if (mark.starts_with("mark each_") || (promised && !is_optimised)) {
      EXPECT_EQ(part.ranges, 0u) << mark;
    }
    if (!promised || !is_optimised) continue;
    ++seen;
    EXPECT_NE(part.ranges, 0u) << mark;
    // What the optimiser moved out of the loop, or made of a rest that is short.
    EXPECT_LE(part.accesses, part.times * 8) << mark;
  }
  EXPECT_GE(seen, is_optimised ? 20u : 0u);
}

TEST_P(LoopRangesTest, SameResultsAndSameBytesAsWithAHookForEachAccess) {
  const std::string level = GetParam();
  if (level.find("avx2") != std::string::npos && !__builtin_cpu_supports("avx2"))
    GTEST_SKIP() << "the machine has no AVX2";
  ASSERT_NO_FATAL_FAILURE(build("-plain", ""));
  ASSERT_NO_FATAL_FAILURE(build_recorded("-ranges", ""));
  ASSERT_NO_FATAL_FAILURE(build_recorded("-each", "-mllvm -sooth-loops=false"));
  const Finished plain = run("-plain"), ranges = run("-ranges"), each = run("-each");
  ASSERT_EQ(plain.status, 0) << plain.output;
  EXPECT_EQ(ranges.status, 0);
  EXPECT_EQ(ranges.output, plain.output);
  EXPECT_EQ(each.output, plain.output);

  const std::vector<Part> with_ranges = read_parts(scratch("-ranges.log"));
  compare(with_ranges, read_parts(scratch("-each.log")));
  check_promises(with_ranges, level.find("-O0") == std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Levels, LoopRangesTest, testing::ValuesIn(kLoopLevels), [](const auto& info) {
  std::string name = info.param;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
});

} // namespace
