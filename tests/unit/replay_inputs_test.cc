// What a program got from outside, on its way from the trace into a schedule.
#include <algorithm>
#include <cstring>
#include <map>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "replay/recorded_inputs.h"
#include "replay/script.h"

namespace sooth::replay {
namespace {

NumberedRow numbered(std::uint32_t thread, std::uint64_t number, InputCall call, std::int64_t result,
                     std::size_t bytes = 0) {
  const InputRow row = {call, 0, result, bytes};
  NumberedRow out{thread, number, std::vector<std::uint8_t>(sizeof row + padded(bytes), 7)};
  std::memcpy(out.bytes.data(), &row, sizeof row);
  return out;
}

InputThread thread_of(const RecordedInputs& inputs, std::uint32_t at) {
  InputThread out{};
  std::memcpy(&out, inputs.bytes.data() + at * sizeof out, sizeof out);
  return out;
}

// The results of a thread's rows, as the runtime walks over them.
std::vector<std::int64_t> results_of(const RecordedInputs& inputs, std::uint32_t at) {
  const InputThread thread = thread_of(inputs, at);
  const std::uint8_t* row = inputs.bytes.data() + inputs.threads * sizeof(InputThread) + thread.begin;
  std::vector<std::int64_t> out;
  for (const std::uint8_t* end = row + thread.bytes; row < end;) {
    InputRow head;
    std::memcpy(&head, row, sizeof head);
    out.push_back(head.result);
    row += sizeof head + padded(head.bytes);
  }
  return out;
}

TEST(RecordedInputs, ThreadsAreNamedByTheirCreation) {
  // Thread 0 creates 2, then 1; thread 2 creates 5. The file has them in any order.
  const RecordedInputs inputs =
      arrange_inputs({numbered(5, 0, InputCall::Time, 50), numbered(0, 1, InputCall::Fork, 1),
                      numbered(2, 1, InputCall::Fork, 5), numbered(0, 0, InputCall::Fork, 2),
                      numbered(2, 0, InputCall::Read, 20, 20), numbered(1, 0, InputCall::Random, 10, 3)});
  ASSERT_EQ(inputs.threads, 4u);
  EXPECT_EQ(inputs.lost, 0u);
  const InputThread second = thread_of(inputs, 1), first = thread_of(inputs, 2), third = thread_of(inputs, 3);
  EXPECT_EQ(second.parent, 0u);
  EXPECT_EQ(second.ordinal, 1u);
  EXPECT_EQ(first.ordinal, 2u);
  EXPECT_EQ(third.parent, 1u);
  EXPECT_EQ(results_of(inputs, 1), (std::vector<std::int64_t>{20, 5}));
  EXPECT_EQ(results_of(inputs, 2), (std::vector<std::int64_t>{10}));
  EXPECT_EQ(results_of(inputs, 3), (std::vector<std::int64_t>{50}));
}

TEST(RecordedInputs, AThreadsRowsEndBeforeAGap) {
  const RecordedInputs inputs =
      arrange_inputs({numbered(0, 0, InputCall::Time, 1), numbered(0, 2, InputCall::Time, 3)});
  EXPECT_EQ(inputs.lost, 1u);
  EXPECT_EQ(results_of(inputs, 0), (std::vector<std::int64_t>{1}));
}

TEST(RecordedInputs, ARowThatIsLongerThanItsChunkIsAGap) {
  NumberedRow row = numbered(0, 1, InputCall::Read, 100, 100);
  row.bytes.resize(row.bytes.size() - 8);
  const RecordedInputs inputs = arrange_inputs({numbered(0, 0, InputCall::Time, 1), row});
  EXPECT_EQ(inputs.lost, 1u);
  EXPECT_EQ(results_of(inputs, 0), (std::vector<std::int64_t>{1}));
}

TEST(RecordedInputs, ATraceWithoutRowsHasNoThreads) { EXPECT_EQ(arrange_inputs({}).threads, 0u); }

TEST(RecordedInputs, AScheduleEndsWithThem) {
  Script script;
  script.threads = {{}};
  script.steps = {{0, trace::EventKind::Fork, 1, {"a.cpp", 1, 1, "f"}, 0, 0, ""}};
  const RecordedInputs inputs = arrange_inputs({numbered(0, 0, InputCall::Read, 9, 9)});
  const auto flat = flatten(script, Then::Stop, 0, &inputs);
  const std::size_t before = bytes_of_schedule(1, 1);
  ASSERT_EQ(flat.size(), before + inputs.bytes.size());
  EXPECT_TRUE(std::equal(inputs.bytes.begin(), inputs.bytes.end(), flat.begin() + static_cast<std::ptrdiff_t>(before)));
}

// Whatever rows a file has: each thread gets its own, in order.
RC_GTEST_PROP(RecordedInputs, EveryThreadGetsItsOwnRows, ()) {
  const auto threads = *rc::gen::inRange<std::uint32_t>(1, 6);
  std::vector<NumberedRow> rows;
  std::map<std::uint32_t, std::uint64_t> counts;
  for (std::uint32_t t = 1; t < threads; ++t) { // each is created by an earlier one
    const auto parent = *rc::gen::inRange<std::uint32_t>(0, t);
    rows.push_back(numbered(parent, counts[parent]++, InputCall::Fork, t));
  }
  std::map<std::uint32_t, std::vector<std::int64_t>> wanted;
  for (const NumberedRow& row : rows) {
    InputRow head;
    std::memcpy(&head, row.bytes.data(), sizeof head);
    wanted[row.thread].push_back(head.result);
  }
  const auto more = *rc::gen::container<std::vector<std::pair<std::uint32_t, std::size_t>>>(
      rc::gen::pair(rc::gen::inRange<std::uint32_t>(0, threads), rc::gen::inRange<std::size_t>(0, 40)));
  for (const auto& [thread, bytes] : more) {
    const auto result = static_cast<std::int64_t>(1000 + rows.size());
    rows.push_back(numbered(thread, counts[thread]++, InputCall::Read, result, bytes));
    wanted[thread].push_back(result);
  }
  std::ranges::reverse(rows);
  const RecordedInputs inputs = arrange_inputs(rows);
  if (rows.empty()) return;
  RC_ASSERT(inputs.threads == threads);
  RC_ASSERT(inputs.lost == 0);
  std::vector<std::vector<std::int64_t>> got, all;
  for (std::uint32_t t = 0; t < threads; ++t) got.push_back(results_of(inputs, t)), all.push_back(wanted[t]);
  std::ranges::sort(got); // the threads have other numbers there
  std::ranges::sort(all);
  RC_ASSERT(got == all);
}

} // namespace
} // namespace sooth::replay
