// Pictures of lattices: what a window shows, and what is refused.
#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "properties/lattice_picture.h"
#include "unit/property_program.h"

namespace sooth {
namespace {

// Threads that each set a variable of their own to 1, 2, ..., and nothing orders them.
testing::PropertyProgram counters(std::uint32_t threads, int writes) {
  std::vector<std::pair<std::string, int>> globals;
  for (std::uint32_t t = 1; t <= threads; ++t) globals.emplace_back(std::string(1, static_cast<char>('a' + t - 1)), 0);
  testing::PropertyProgram p(threads + 1, globals);
  for (std::uint32_t t = 1; t <= threads; ++t)
    for (int i = 1; i <= writes; ++i) p.set(t, globals[t - 1].first, i);
  return p;
}

Result<std::string> picture(const testing::PropertyProgram& p, const std::string& property, std::uint64_t window) {
  const auto file = logic::read_properties(property, "test.prop", p.symbols);
  if (!file) return file.error();
  properties::PictureOptions options;
  options.window = window;
  return properties::lattice_picture(p.trace, causality::compute(p.trace), file.value(), "hb", options);
}

// The cuts of the nodes, as they are labelled.
std::set<std::string> cuts(const std::string& dot) {
  std::set<std::string> out;
  for (std::size_t at = dot.find("[label=\"S "); at != std::string::npos; at = dot.find("[label=\"S ", at + 1))
    out.insert(dot.substr(at + 10, dot.find("\\n", at) - at - 10));
  return out;
}

std::ptrdiff_t edges(const std::string& dot) {
  std::ptrdiff_t out = 0;
  for (std::size_t at = dot.find(" -> "); at != std::string::npos; at = dot.find(" -> ", at + 1)) ++out;
  return out;
}

const char* const kTop = "property top: a + b + c + d < 28";

TEST(LatticePicture, AWindowOfOneShowsTheNeighboursOfTheViolation) {
  const auto top = picture(counters(4, 7), kTop, 1);
  ASSERT_TRUE(top.ok());
  EXPECT_EQ(cuts(top.value()), (std::set<std::string>{"7,7,7,7", "6,7,7,7", "7,6,7,7", "7,7,6,7", "7,7,7,6"}));
  EXPECT_EQ(edges(top.value()), 4);
  EXPECT_NE(top.value().find("5 of 4096 cuts: those within 1 step of the first violation"), std::string::npos);
}

TEST(LatticePicture, WhatComesAfterTheViolationIsInTheWindow) {
  const auto middle = picture(counters(2, 3), "property no: !(a == 1 && b == 1)", 1);
  ASSERT_TRUE(middle.ok());
  EXPECT_EQ(cuts(middle.value()), (std::set<std::string>{"1,1", "0,1", "1,0", "1,2", "2,1"}));
}

TEST(LatticePicture, AnOrderThatNobodyKnowsIsNotCalledTheObservedRun) {
  testing::PropertyProgram program = counters(2, 1);
  const std::string guess = "thick: the observed run, in an order that the recording allows;";
  EXPECT_NE(picture(program, "property no: a + b < 9", 0).value().find(guess), std::string::npos);
  program.trace.flags |= trace::kOneClock;
  for (trace::Event& event : program.trace.events) event.flags |= trace::kTicket;
  EXPECT_NE(picture(program, "property no: a + b < 9", 0).value().find("thick: the observed run;"), std::string::npos);
}

TEST(LatticePicture, ALargeWindowIsRefusedAsALargeLatticeIs) {
  const auto window = picture(counters(4, 7), kTop, 3000);
  ASSERT_FALSE(window.ok());
  EXPECT_NE(window.error().message.find("4096 cuts are within 3000 steps"), std::string::npos)
      << window.error().message;
  const auto all = picture(counters(4, 7), kTop, 0);
  ASSERT_FALSE(all.ok());
  EXPECT_NE(all.error().message.find("--window"), std::string::npos);
}

TEST(LatticePicture, AWindowOfALatticeThatIsTooLargeToBuildHasTheSameCuts) {
  const auto large = picture(counters(3, 60), "property no: !(a == 30 && b == 20 && c == 10)", 2);
  ASSERT_TRUE(large.ok());
  EXPECT_EQ(cuts(large.value()).size(), 25u); // as many points of a grid are within two steps
  EXPECT_NE(large.value().find("25 of more than 100000 cuts"), std::string::npos);
}

TEST(LatticePicture, AWindowAsLargeAsASmallLatticeShowsAllOfIt) {
  const auto all = picture(counters(2, 3), "property no: !(a == 1 && b == 1)", 0);
  const auto window = picture(counters(2, 3), "property no: !(a == 1 && b == 1)", 100);
  ASSERT_TRUE(all.ok() && window.ok());
  EXPECT_EQ(cuts(all.value()).size(), 16u);
  EXPECT_EQ(cuts(all.value()), cuts(window.value()));
  EXPECT_EQ(edges(all.value()), edges(window.value()));
}

} // namespace
} // namespace sooth
