// Threads that are cancelled: what they do afterwards comes after the cancellation, in every run.
#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "predict/memory/memory_errors.h"
#include "predict/races/races.h"
#include "unit/predict_case.h"

namespace sooth::predict {
namespace {

using testing::Case;
using trace::EventKind;
using witness::Finding;

constexpr std::uint64_t kBlock = 0x1000, kBytes = 16, kOther = 0x2000, kLock = 0x3000, kSemaphore = 0x4000;

const auto memory_errors_found = [](auto&&... arguments) { return find_memory_errors(arguments...); };
const auto races_found = [](const trace::Trace& trace, const causality::Computation& computation,
                            const Feasibility& feasibility, const Limits& limits, Coverage& coverage) {
  return find_races(trace, computation, feasibility, witness::Model::Maximal, limits, coverage);
};

bool has_event(const Finding& finding, std::uint32_t event) {
  const auto& steps = finding.witness.steps;
  return event < finding.witness.observed || std::ranges::find(steps, event) != steps.end();
}

// Thread 1 is cancelled by thread 0, thread 2 frees what thread 1 uses.
TEST(Cancellation, ComesBeforeTheUseOfACleanupHandler) {
  Case c(3);
  c.add(0, EventKind::Alloc, kBlock, kBytes);
  c.fork(0, 1);
  c.fork(0, 2);
  c.add(0, EventKind::Cancel, 0, 1);
  const std::uint32_t cancel = c.last();
  c.write(1, kBlock, 4, 1);
  c.join(0, 1);
  c.add(2, EventKind::Free, kBlock, kBytes);
  c.join(0, 2);
  const std::vector<Finding> found = c.find(memory_errors_found);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(has_event(found[0], cancel));
}

// What the canceller did before is before all that the cancelled thread frees or destroys.
TEST(Cancellation, KeepsEarlierUsesInTime) {
  Case freed(2), destroyed(2);
  for (Case* c : {&freed, &destroyed}) {
    c->add(0, EventKind::Alloc, kBlock, kBytes);
    c->fork(0, 1);
    if (c == &destroyed) c->lock(0, kLock);
    else c->write(0, kBlock, 4, 1);
    if (c == &destroyed) c->unlock(0, kLock);
    c->add(0, EventKind::Cancel, 0, 1);
    if (c == &destroyed) c->add(1, EventKind::LockDestroy, kLock);
    else c->add(1, EventKind::Free, kBlock, kBytes);
    c->join(0, 1);
    EXPECT_TRUE(c->find(memory_errors_found).empty());
  }
}

// Returns and branches belong to the event before them. It may come before the cancellation.
TEST(Cancellation, OrdersWhatFollowsTheReturns) {
  Case c(3);
  c.fork(0, 1);
  c.fork(0, 2);
  c.add(1, EventKind::Enter);
  c.write(1, kOther, 4, 1);
  c.add(0, EventKind::Cancel, 0, 1);
  c.add(2, EventKind::Receive); // so that no model says that nothing came between
  c.add(1, EventKind::Exit);
  c.write(1, kBlock, 4, 1);
  c.add(2, EventKind::SemPost, kSemaphore);
  c.write(2, kBlock, 4, 2);
  c.join(0, 1);
  c.join(0, 2);
  const std::vector<Finding> found = c.find(races_found);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(has_event(found[0], 6));
}

// Thread 1 lends a variable of a function. The cancellation makes the function return.
class Unwound : public Case {
public:
  Unwound() : Case(3) {
    constexpr std::uint64_t kStack = 0x100000, kLocal = kStack + 0x100;
    trace.sites.resize(4);
    trace.sites[1].flags = trace::kSiteOwnFrame;
    fork(0, 1);
    fork(0, 2);
    add(1, EventKind::StackBegin, kStack, 0x1000);
    add(1, EventKind::Enter).site = 2;
    write(1, kLocal, 4, 7).site = 1;
    access(1, EventKind::AtomicWrite, kOther, 4, 1);
    access(2, EventKind::AtomicRead, kOther, 4, 1);
    read(2, kLocal, 4, 7).site = 3;
  }
  void cancelled_by(std::uint32_t thread) {
    add(thread, EventKind::Cancel, 0, 1);
    cancel = last();
    add(1, EventKind::Exit, 0, 0);
    add(1, EventKind::SemPost, kSemaphore);
    join(0, 2);
    join(0, 1);
  }
  std::uint32_t cancel = 0;
};

TEST(Cancellation, MakesFunctionsReturn) {
  Unwound by_user, by_another;
  by_user.cancelled_by(2);
  EXPECT_TRUE(by_user.find(memory_errors_found).empty()); // the use was before
  by_another.cancelled_by(0);
  const std::vector<Finding> found = by_another.find(memory_errors_found);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(has_event(found[0], by_another.cancel));
}

} // namespace
} // namespace sooth::predict
