#include <gtest/gtest.h>

#include <set>

#include "trace/trace.h"

using namespace sooth::trace;

TEST(TraceKinds, EveryKindIsFoundByItsName) {
  std::set<std::string_view> names;
  for (const EventKind kind : all_kinds()) {
    ASSERT_FALSE(kind_name(kind).empty());
    EXPECT_EQ(kind_from_name(kind_name(kind)), kind);
    names.insert(kind_name(kind));
  }
  EXPECT_EQ(names.size(), all_kinds().size());
  EXPECT_EQ(all_kinds().size(), 62u);
}

TEST(TraceKinds, NumbersAndNamesWithoutARowAreUnknown) {
  EXPECT_EQ(kind_name(EventKind::None), "");
  EXPECT_EQ(kind_name(static_cast<EventKind>(255)), "");
  EXPECT_EQ(kind_from_name("no-such-kind"), EventKind::None);
  EXPECT_EQ(kind_from_name(""), EventKind::None);
  EXPECT_EQ(order_name(static_cast<MemoryOrder>(7)), "");
}

TEST(TraceKinds, OnlySynchronisationIsTicketed) {
  EXPECT_TRUE(kind_is_ticketed(EventKind::Acquire));
  EXPECT_TRUE(kind_is_ticketed(EventKind::AtomicRmw));
  EXPECT_FALSE(kind_is_ticketed(EventKind::Read));
  EXPECT_FALSE(kind_is_ticketed(EventKind::AtomicRead));
  EXPECT_FALSE(kind_is_ticketed(EventKind::Enter));
  EXPECT_EQ(order_name(MemoryOrder::SeqCst), "seq_cst");
}

TEST(TraceKinds, DefectsHaveDistinctNumbersAndASeverity) {
  std::set<Defect> numbers;
  for (const DefectRow& row : defect_rows()) {
    EXPECT_LT(static_cast<unsigned>(row.defect), kDefectSlots);
    EXPECT_TRUE(row.severity == "info" || row.severity == "warning" || row.severity == "error") << row.name;
    EXPECT_FALSE(row.sentence.empty());
    numbers.insert(row.defect);
  }
  EXPECT_EQ(numbers.size(), defect_rows().size());
}
