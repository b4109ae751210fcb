// Checks: their conditions, and their place in a trace file.
#include <cstdint>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "trace/check_words.h"
#include "trace/program/checks.h"
#include "trace/reader.h"
#include "trace/writer.h"

namespace sooth::trace {
namespace {

std::uint32_t word(CheckOperation operation, unsigned bits, unsigned index = 0) {
  return static_cast<std::uint32_t>(operation) | bits << 8 | index << 16;
}
std::optional<bool> of_two(CheckOperation operation, unsigned bits, std::uint64_t a, std::uint64_t b) {
  const std::uint64_t values[] = {a, b};
  return fails(
      {"", {1, 2}, {word(CheckOperation::Load, bits, 0), word(CheckOperation::Load, bits, 1), word(operation, 1)}},
      values);
}

TEST(Checks, ComparisonsKnowSigns) {
  EXPECT_EQ(of_two(CheckOperation::Above, 32, 0xffffffff, 1), true);
  EXPECT_EQ(of_two(CheckOperation::Greater, 32, 0xffffffff, 1), false);
  EXPECT_EQ(of_two(CheckOperation::Less, 8, 0x80, 0x7f), true);
  EXPECT_EQ(of_two(CheckOperation::Below, 8, 0x80, 0x7f), false);
  EXPECT_EQ(of_two(CheckOperation::LessEqual, 64, ~std::uint64_t{0}, 0), true);
  EXPECT_EQ(of_two(CheckOperation::Equal, 16, 0x10001, 1), true); // the bits that there are
  EXPECT_EQ(of_two(CheckOperation::NotEqual, 16, 3, 3), false);
}

TEST(Checks, WidthsChange) {
  const auto with = [](CheckOperation operation, unsigned from, unsigned to, std::uint64_t value,
                       std::uint32_t wanted) {
    const std::uint64_t values[] = {value};
    return fails({"",
                  {1},
                  {word(CheckOperation::Load, from), word(operation, to), word(CheckOperation::Constant, to), wanted, 0,
                   word(CheckOperation::Equal, 1)}},
                 values);
  };
  EXPECT_EQ(with(CheckOperation::SignExtend, 8, 32, 0xff, 0xffffffff), true);
  EXPECT_EQ(with(CheckOperation::ZeroExtend, 8, 32, 0xff, 0xff), true);
  EXPECT_EQ(with(CheckOperation::Truncate, 32, 8, 0x1234, 0x34), true);
}

TEST(Checks, AnExitIsAFailureOnlyIfTheRecordedRunEndedWell) {
  const std::uint32_t load = word(CheckOperation::Load, 1);
  const Check dies{"abort", {1}, {load}}, exits{"exit", {1}, {kExits | 3u << 16, load}};
  EXPECT_EQ(exit_status(dies), 0u);
  EXPECT_EQ(exit_status(exits), 3u);
  const std::uint64_t one[] = {1}, zero[] = {0};
  EXPECT_EQ(fails(exits, one), true);
  EXPECT_EQ(fails(exits, zero), false);

  ProcessInfo process;
  EXPECT_TRUE(is_failure(process, dies));
  EXPECT_FALSE(is_failure(process, exits)); // it was stopped: nobody knows
  process.end = EndKind::Exit;
  EXPECT_TRUE(is_failure(process, exits));
  process.end_value = 3;
  EXPECT_TRUE(is_failure(process, dies));
  EXPECT_FALSE(is_failure(process, exits));
}

TEST(Checks, AMalformedConditionSaysNothing) {
  const std::uint64_t values[] = {1};
  const std::uint32_t load = word(CheckOperation::Load, 32), one = word(CheckOperation::Load, 1);
  for (const std::vector<std::uint32_t>& condition : std::vector<std::vector<std::uint32_t>>{
           {},
           {load},                                                                                 // not a truth
           {one, one},                                                                             // two of them
           {word(CheckOperation::Load, 1, 1)},                                                     // no such load
           {word(CheckOperation::Load, 0)},                                                        // no bits
           {word(CheckOperation::Load, 65)},                                                       // too many
           {word(CheckOperation::Constant, 1), 1},                                                 // cut
           {load, word(CheckOperation::Equal, 1)},                                                 // one number for two
           {load, one, word(CheckOperation::Equal, 1)},                                            // of two widths
           {one, word(static_cast<CheckOperation>(200), 1)},                                       // unknown
           {one, word(CheckOperation::Select, 1)},                                                 // one for three
           {load, word(CheckOperation::Constant, 32), 40, 0, word(CheckOperation::ShiftLeft, 32)}, // too far
       })
    EXPECT_EQ(fails({"", {1}, condition}, values), std::nullopt) << condition.size();
  EXPECT_EQ(fails({"", {1}, {one}}, values), true);
}

Trace with_checks() {
  Trace trace;
  trace.sites.resize(4);
  for (std::uint32_t i = 1; i < 4; ++i) trace.sites[i] = {"a.c", i, 2, "f", "x", 0, 0};
  trace.checks = {{}, {"abort", {1}, {word(CheckOperation::Load, 1)}}, {"fail", {3, 2}, {7, 8}}};
  trace.sites[1].check = 1;
  trace.sites[3].check = 2;
  trace.threads.resize(1);
  return trace;
}

TEST(Checks, AreWrittenAndReadAgain) {
  const Trace trace = with_checks();
  const auto read = read_trace_bytes(write_trace_bytes(trace));
  ASSERT_TRUE(read.ok()) << read.error().text();
  ASSERT_EQ(read.value().checks.size(), 3u);
  for (std::size_t i = 1; i < 3; ++i) {
    EXPECT_EQ(read.value().checks[i].fails, trace.checks[i].fails);
    EXPECT_EQ(read.value().checks[i].loads, trace.checks[i].loads);
    EXPECT_EQ(read.value().checks[i].condition, trace.checks[i].condition);
  }
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(read.value().sites[i].check, trace.sites[i].check) << i;
}

TEST(Checks, AMalformedSectionIsLeftAlone) {
  StringTable strings;
  const std::vector<std::uint8_t> good = make_checks(with_checks(), strings);
  const std::span<const std::uint8_t> payload = std::span(good).subspan(8);
  const auto name = [](std::uint32_t) { return std::string("f"); };
  for (std::size_t bytes = 0; bytes < payload.size(); bytes += 4) {
    Trace trace = with_checks();
    trace.checks.clear();
    const bool taken = read_checks(payload.first(bytes), name, std::span(trace.sites).subspan(1), trace);
    EXPECT_EQ(trace.checks.empty(), !taken) << bytes;
  }
  Trace small = with_checks(); // its rows do not exist
  EXPECT_FALSE(read_checks(payload, name, std::span(small.sites).subspan(1, 1), small));
}

} // namespace
} // namespace sooth::trace
