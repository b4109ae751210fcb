// Waits that a run came by and did not make.
#include <vector>

#include <gtest/gtest.h>

#include "trace/program/unmade_waits.h"
#include "unit/verify_builder.h"

namespace sooth::trace {
namespace {

class Waits : public ::testing::Test {
protected:
  std::uint32_t call(std::uint32_t line, const char* function, const char* callee, const char* object) {
    const std::uint32_t site = builder_.site("a.c", line, function, callee);
    builder_.trace.sites[site].flags |= kSiteCall;
    builder_.trace.sites[site].object = object;
    return site;
  }
  std::vector<std::uint32_t> unmade() {
    UnmadeWaits waits(builder_.trace);
    for (const Event& e : builder_.trace.events) waits.see(e);
    return waits.all();
  }
  testing::TraceBuilder builder_{2};
};

TEST_F(Waits, AreToldWhereTheFunctionRan) {
  const std::uint32_t take = call(5, "take", "pthread_cond_wait", "full");
  call(9, "give", "pthread_cond_wait", "empty"); // nobody called give
  call(6, "take", "pthread_cond_timedwait", "full");
  const std::uint32_t look = builder_.site("a.c", 4, "take", "ready");
  EXPECT_TRUE(unmade().empty());
  builder_.read(1, 0x100, 4, 1).site = look;
  EXPECT_EQ(unmade(), std::vector<std::uint32_t>{take});
}

TEST_F(Waits, ThatWereMadeAreNot) {
  const std::uint32_t take = call(5, "take", "pthread_cond_wait", "full"),
                      other = call(7, "drain", "pthread_cond_wait", "full");
  builder_.read(1, 0x100, 4, 1).site = builder_.site("a.c", 4, "take", "ready");
  EXPECT_EQ(unmade(), std::vector<std::uint32_t>{take});
  builder_.add(1, EventKind::Wait, 0x3000, 0x1000).site = other; // on the same object
  EXPECT_TRUE(unmade().empty());
}

TEST_F(Waits, InAHeaderAreToldWhereTheyAreCalledFrom) {
  const std::uint32_t inside = call(102, "wait<>", "std::condition_variable::wait", "");
  builder_.trace.sites[inside].flags |= kSiteSystem;
  const std::uint32_t function = builder_.site("a.c", 100, "wait<>", ""), from = call(5, "take", "wait<>", "");
  builder_.add(1, EventKind::Enter, 0, from).site = function;
  EXPECT_EQ(unmade(), std::vector<std::uint32_t>{from});
}

} // namespace
} // namespace sooth::trace
