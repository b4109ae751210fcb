#include "trace/stack.h"

#include <gtest/gtest.h>

using namespace sooth::trace;

namespace {

Event control(std::uint32_t thread, EventKind kind, std::uint32_t site, std::uint64_t value) {
  Event e;
  e.thread = thread;
  e.kind = kind;
  e.site = site;
  e.value = value;
  return e;
}

// main calls push_back (a system header), which reads at site 4; a longjmp-like exit leaves both.
Trace sample() {
  Trace trace;
  trace.sites = {{},
                 {"a.cpp", 1, 0, "main", "", kSiteFunction},
                 {"a.cpp", 5, 0, "main", "", kSiteCall},
                 {"vector", 9, 0, "push_back", "", kSiteFunction | kSiteSystem},
                 {"vector", 10, 0, "push_back", "size", kSiteSystem}};
  trace.threads.resize(2);
  trace.events = {control(0, EventKind::Enter, 1, 0), control(1, EventKind::Enter, 3, 0),
                  control(0, EventKind::Enter, 3, 2), control(0, EventKind::Read, 4, 0),
                  control(1, EventKind::Read, 4, 0),  control(0, EventKind::Exit, 0, 0)};
  return trace;
}

} // namespace

TEST(Stack, FramesAtAnEvent) {
  const Trace trace = sample();
  EXPECT_EQ(stack_at(trace, 3), (std::vector<Frame>{{1, 0}, {3, 2}}));
  EXPECT_EQ(stack_at(trace, 4), (std::vector<Frame>{{3, 0}}));
  EXPECT_TRUE(stack_at(trace, 5).empty());
  EXPECT_TRUE(stack_at(trace, 99).empty());
}

TEST(Stack, WalkerAgreesAtEveryEvent) {
  const Trace trace = sample();
  StackWalker walker(trace);
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    walker.advance_to(i);
    const auto stack = walker.stack(trace.events[i].thread);
    EXPECT_EQ(std::vector<Frame>(stack.begin(), stack.end()), stack_at(trace, i)) << i;
  }
}

TEST(Stack, UserSiteIsTheCallIntoTheSystemHeader) {
  const Trace trace = sample();
  EXPECT_EQ(user_site(trace, trace.events[3], stack_at(trace, 3)), 2u);
  EXPECT_EQ(user_site(trace, trace.events[4], stack_at(trace, 4)), 4u) << "nobody's code is on that stack";
  EXPECT_EQ(user_site(trace, trace.events[0], {}), 1u);
}

TEST(Stack, ExitBeyondTheStackIsHarmless) {
  Trace trace = sample();
  trace.events[1] = control(1, EventKind::Exit, 0, 1000);
  EXPECT_TRUE(stack_at(trace, 4).empty());
}
