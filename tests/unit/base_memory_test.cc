// How much memory there is: the machine's, and that of control groups.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/budget.h"
#include "base/machine_memory.h"
#include "unit/sanitized.h"

namespace sooth {
namespace {

class Groups : public ::testing::Test {
protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "sooth-groups-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void put(const std::string& name, const std::string& text) const {
    const std::filesystem::path file = folder_ + name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  std::string folder_;
};

TEST_F(Groups, TheLeastLimitOnTheWayUpCounts) {
  put("/memory.max", "max\n");
  put("/outer/memory.max", "1000\n");
  put("/outer/inner/memory.max", "3000\n");
  EXPECT_EQ(group_memory("0::/outer/inner\n", folder_), 1000u);
  EXPECT_EQ(group_memory("0::/\n", folder_), 0u);
  EXPECT_EQ(group_memory("0::/elsewhere\n", folder_), 0u);
}

TEST_F(Groups, TheOlderHierarchiesAreKnownToo) {
  put("/memory/box/memory.limit_in_bytes", "2000\n");
  EXPECT_EQ(group_memory("7:cpu,memory:/box\n0::/\n", folder_), 2000u);
  EXPECT_EQ(group_memory("7:cpu:/box\n", folder_), 0u);
}

TEST_F(Groups, WhatIsNoListOfGroupsHasNoLimit) {
  for (const char* text : {"", "\n", "::", "0::", "memory", "1:memory", "0::relative"})
    EXPECT_EQ(group_memory(text, folder_), 0u) << text;
}

// Bytes that no optimiser takes away.
std::vector<char> touched(std::size_t bytes) {
  std::vector<char> block(bytes, 1);
  asm volatile("" : : "r"(block.data()) : "memory");
  return block;
}

TEST(ResidentMemory, GrowsWithWhatIsTouched) {
  const std::uint64_t before = resident_memory(getpid());
  const std::vector<char> block = touched(64 << 20);
  EXPECT_GT(resident_memory(), before + block.size() / 2);
  EXPECT_EQ(resident_memory(-1), 0u);
  EXPECT_GT(physical_memory(), resident_memory());
}

// An engine that stopped early must be able to say so afterwards.
TEST(BudgetOfTime, APartThatIsOverLeavesTheNextOneItsTime) {
  constexpr double kLong = 10'000; // seconds
  Budget budget(kLong);
  budget.begin_part(-1);
  EXPECT_EQ(budget.spent(), Budget::kTime);
  EXPECT_EQ(budget.spent(), Budget::kTime);
  budget.begin_part(kLong / 2);
  EXPECT_EQ(budget.spent(), nullptr);
  Budget over(1e-9);
  while (over.spent() == nullptr) {
  }
  over.begin_part(kLong); // no part is longer than the whole
  EXPECT_EQ(over.spent(), Budget::kTime);
  Budget unlimited;
  unlimited.begin_part(-1);
  EXPECT_EQ(unlimited.spent(), nullptr);
}

TEST(BudgetOfMemory, StaysSpentWhenMemoryIsFreed) {
  const Budget enough(0, std::uint64_t{1} << 50), none(0, 1);
  EXPECT_EQ(enough.spent(), nullptr);
  EXPECT_EQ(none.spent(), Budget::kMemory);
  const std::uint64_t limit = resident_memory() + (32 << 20);
  const Budget some(0, limit);
  {
    const std::vector<char> block = touched(64 << 20);
    ASSERT_GT(resident_memory(), limit);
    while (some.spent() == nullptr) {
    } // it does not look every time
  }
  if (!testing::kSanitized) {
    EXPECT_LT(resident_memory(), limit);
  }
  EXPECT_EQ(some.spent(), Budget::kMemory);
}

// Waiting is no work of the thread: a busy machine does not make questions shorter.
TEST(Deadline, CountsTheWorkOfTheThread) {
  const Budget budget;
  const Deadline by_clock(budget, 0.3), of_thread(budget, 0.3, Deadline::Time::OfThread);
  usleep(350'000);
  EXPECT_TRUE(by_clock.passed());
  EXPECT_FALSE(of_thread.passed());
  const Deadline none(budget, 0, Deadline::Time::OfThread);
  EXPECT_TRUE(none.passed());
}

} // namespace
} // namespace sooth
