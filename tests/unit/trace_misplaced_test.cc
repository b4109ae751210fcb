// External writes that stand for a wrong order, and such that do not.
#include "trace/restore/misplaced.h"

#include <gtest/gtest.h>

#include "causality/computation/computation.h"
#include "unit/verify_builder.h"

namespace sooth::trace {
namespace {

constexpr std::uint64_t X = 0x1000;

class Threads : public testing::TraceBuilder {
public:
  Threads() : TraceBuilder(3) { global(X, 16, "x"); }
  // Memory changes, as thread 2 finds out.
  void found_changed(std::uint64_t value) {
    Event& e = add(2, EventKind::ExternalWrite, X, value);
    e.size = 4;
    external = static_cast<std::uint32_t>(trace.events.size() - 1);
    read(2, X, 4, value);
  }
  std::vector<std::uint32_t> misplaced() const { return misplaced_reads(trace); }
  std::uint32_t external = 0;
};

TEST(Misplaced, WhatWasThereBeforeAnothersWrite) {
  Threads run;
  run.write(1, X, 4, 1);
  run.found_changed(0);
  EXPECT_EQ(run.misplaced(), (std::vector<std::uint32_t>{run.external}));
}

TEST(Misplaced, WhatAnotherWritesLater) {
  Threads run;
  run.write(1, X, 4, 1);
  run.found_changed(2);
  run.write(0, X, 4, 2);
  EXPECT_EQ(run.misplaced(), (std::vector<std::uint32_t>{run.external}));
}

TEST(Misplaced, NotWhatNobodyWrites) {
  Threads run;
  run.write(1, X, 4, 1);
  run.found_changed(7);
  EXPECT_TRUE(run.misplaced().empty());
}

TEST(Misplaced, NotIfNobodyElseWritesThere) {
  Threads run;
  run.write(2, X, 4, 1);
  run.found_changed(0);
  run.write(1, X + 4, 4, 1);
  EXPECT_TRUE(run.misplaced().empty());
}

TEST(Misplaced, ThreadsAreNotTrustedFromThereOn) {
  Threads run;
  run.write(2, X + 8, 4, 1);
  run.read(0, X + 8, 4, 1);
  run.write(1, X, 4, 1);
  run.found_changed(0);
  run.write(2, X, 4, 3);
  const causality::Computation computation = causality::compute(run.trace);
  EXPECT_EQ(computation.first_misplaced, run.external);
  EXPECT_EQ(computation.threads[2].trusted, 1u);
  EXPECT_EQ(computation.threads[1].trusted, computation.threads[1].steps.size());
}

} // namespace
} // namespace sooth::trace
