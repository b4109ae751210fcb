// The examples of DAME, and what monitors say of threads that come and go.
#include <gtest/gtest.h>

#include "unit/knowledge_run.h"

namespace sooth::knowledge {
namespace {

// The events after which some monitor is newly violated.
std::vector<std::size_t> violations(const std::string& monitors, const Steps& steps, std::uint32_t places = 8) {
  const OpenMonitors open(monitors, places);
  KnowledgeRun run(open, places);
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (run.take(steps[i]).fresh != 0) found.push_back(i);
  return found;
}

using Found = std::vector<std::size_t>;

Step read_of(std::uint32_t thread, const char* variable) { return {thread, Do::Read, variable, 0}; }
Step write_of(std::uint32_t thread, const char* variable, std::int64_t value = 1) {
  return {thread, Do::Write, variable, value};
}
Step lock(std::uint32_t thread, const char* name = "m") { return {thread, Do::Lock, name, 0}; }
Step enter(std::uint32_t thread, const char* block) { return {thread, Do::BlockBegin, block, 0}; }
Step leave(std::uint32_t thread, const char* block) { return {thread, Do::BlockEnd, block, 0}; }

// Section 2.1. The drawing is lost; this fits all that is said of it: u = y + u of t3 is its events 3 to 5, and the values
// of the three predicted states and of the actual one.
TEST(KnowledgeExamples, Figure2GivesThePredictedStatesThatTheTextNames) {
  const OpenMonitors open("monitor all at any t: x + y + u + v >= 0");
  KnowledgeRun run(open);
  const auto state = [&](std::uint32_t thread) {
    return std::vector<std::int64_t>{run.predicted(thread, "x"), run.predicted(thread, "y"), run.predicted(thread, "u"),
                                     run.predicted(thread, "v")};
  };
  // t1: x = 1; y = x
  for (const Step& s : {write_of(1, "x", 1), read_of(1, "x"), write_of(1, "y", 1)}) run.take(s);
  // t3: u = 2; v = 1; u = y + u
  for (const Step& s :
       {write_of(3, "u", 2), write_of(3, "v", 1), read_of(3, "y"), read_of(3, "u"), write_of(3, "u", 3)})
    run.take(s);
  EXPECT_EQ(state(3), (std::vector<std::int64_t>{1, 1, 3, 1}));
  // t2: reads y; v = u + x
  for (const Step& s : {read_of(2, "y"), read_of(2, "u"), read_of(2, "x"), write_of(2, "v", 4)}) run.take(s);
  EXPECT_EQ(state(2), (std::vector<std::int64_t>{1, 1, 3, 4}));
  // t3: u = 9, of which t2 does not hear; t2: v = v + x
  run.take(write_of(3, "u", 9));
  for (const Step& s : {read_of(2, "v"), read_of(2, "x"), write_of(2, "v", 5)}) run.take(s);
  EXPECT_EQ(state(2), (std::vector<std::int64_t>{1, 1, 3, 5}));
}

// Section 3: calcBalance and transfer. In the first execution the total is that before the transfer.
Steps bank(bool violating) {
  Steps steps{enter(1, "calcBalance"), enter(2, "transfer")};
  const auto add = [&](std::initializer_list<Step> more) { steps.insert(steps.end(), more); };
  if (!violating) add({read_of(1, "checking")});
  add({read_of(2, "checking"), write_of(2, "checking", -10)});
  if (violating) add({read_of(1, "checking")});
  add({read_of(1, "saving"), read_of(2, "saving"), write_of(2, "saving", 10)});
  add({leave(1, "calcBalance"), leave(2, "transfer")});
  return steps;
}

TEST(KnowledgeExamples, TheBanksFirstExecutionIsAtomic) {
  for (const char* block : {"calcBalance", "transfer"}) {
    const std::string monitor = std::string("monitor atomicity of ") + block;
    Steps steps = bank(false);
    std::erase_if(steps, [&](const Step& s) {
      return (s.what == Do::BlockBegin || s.what == Do::BlockEnd) && s.target != block;
    });
    EXPECT_EQ(violations(monitor, steps), Found{}) << block;
  }
}

TEST(KnowledgeExamples, TheBanksSecondExecutionViolatesAtomicityAtTheWriteOfTheSavings) {
  Steps steps = bank(true);
  std::erase_if(steps, [](const Step& s) { return s.target == "calcBalance"; });
  // transfer begins; reads and writes checking; the other thread reads both; reads and writes saving.
  EXPECT_EQ(violations("monitor atomicity of transfer", steps), Found{6});
}

TEST(KnowledgeExamples, TheFormulaIsDamesAtomicity) {
  Steps steps = bank(true);
  std::erase_if(steps, [](const Step& s) { return s.target == "calcBalance"; });
  for (Step& s : steps) {
    if (s.what != Do::BlockBegin && s.what != Do::BlockEnd) continue;
    s = {s.thread, Do::Internal, "atomic", s.what == Do::BlockBegin ? 1 : 0};
  }
  EXPECT_EQ(violations("monitor atomic at any t: atomic > 0 -> !exists u != t: atomic == @u(@t(atomic)) over *", steps),
            Found{6});
}

// A block that was left and entered again is another entry: what others know of the first one does not count.
TEST(KnowledgeExamples, AnotherEntryOfTheBlockIsNotViolatedByKnowledgeOfTheFirst) {
  const Steps steps{enter(1, "transfer"), write_of(1, "x"),     leave(1, "transfer"), read_of(2, "x"),
                    write_of(2, "y"),     enter(1, "transfer"), read_of(1, "y"),      leave(1, "transfer")};
  EXPECT_EQ(violations("monitor atomicity of transfer", steps), Found{});
  EXPECT_FALSE(violations("monitor atomicity of transfer", {enter(1, "transfer"), write_of(1, "x"), read_of(2, "x"),
                                                            write_of(2, "y"), read_of(1, "y"), leave(1, "transfer")})
                   .empty());
}

// --- data races --------------------------------------------------------------------------------------------------------

constexpr const char* kRace = "monitor datarace on x";

TEST(KnowledgeExamples, TwoWritesWithoutALockRace) {
  EXPECT_EQ(violations(kRace, {write_of(1, "x"), write_of(2, "x")}), Found{1});
  EXPECT_EQ(violations(kRace, {lock(1), write_of(1, "x"), lock(1), lock(2), write_of(2, "x"), lock(2)}), Found{});
}

TEST(KnowledgeExamples, AReadAndAWriteWithoutALockRaceInEitherOrder) {
  EXPECT_EQ(violations(kRace, {read_of(1, "x"), write_of(2, "x")}), Found{1});
  EXPECT_EQ(violations(kRace, {write_of(1, "x"), read_of(2, "x")}), Found{1});
  EXPECT_EQ(violations(kRace, {read_of(1, "x"), read_of(2, "x")}), Found{});
}

TEST(KnowledgeExamples, DifferentLocksDoNotHelp) {
  EXPECT_EQ(
      violations(kRace, {lock(1, "m"), write_of(1, "x"), lock(2, "n"), write_of(2, "x"), lock(1, "m"), lock(2, "n")}),
      Found{3});
}

// DAME's formula misses this one, because the reader never writes.
TEST(KnowledgeExamples, WhatWasSetBeforeThreadsBeganIsNoRaceButWhatIsSetLaterIs) {
  const Steps before{write_of(0, "x"), {0, Do::Fork, "", 1}, {1, Do::Start, "", 0}, read_of(1, "x")};
  EXPECT_EQ(violations(kRace, before), Found{});
  const Steps after{{0, Do::Fork, "", 1}, write_of(0, "x"), {1, Do::Start, "", 0}, read_of(1, "x")};
  EXPECT_EQ(violations(kRace, after), Found{3});
}

// --- threads that come and go --------------------------------------------------------------------------------------------

TEST(KnowledgeExamples, WhoIsJoinedHandsOnWhatItKnew) {
  const Steps steps{
      {0, Do::Fork, "", 1}, {1, Do::Start, "", 0}, write_of(1, "x", 7), {1, Do::End, "", 0}, {0, Do::Join, "", 1}};
  EXPECT_EQ(violations("monitor m at 0: x != 7", steps), Found{4});
}

TEST(KnowledgeExamples, ARoleIsThatOfTheNewestThreadKnown) {
  // Thread 2 is a reader as well, but thread 0 has not heard of it before it reads y.
  const Steps steps{{1, Do::Name, "reader", 0}, {1, Do::Internal, "a", 1}, write_of(1, "x"), {2, Do::Name, "reader", 0},
                    {2, Do::Internal, "a", 2},  write_of(2, "y"),          read_of(0, "x"),  read_of(0, "y")};
  EXPECT_EQ(violations("monitor first at 0: @reader(a) != 1 over x, y", steps), Found{6});
  EXPECT_EQ(violations("monitor second at 0: @reader(a) != 2 over x, y", steps), Found{7});
}

// As many threads as one likes, one after the other, in two places; nothing is lost, and old knowledge is not mistaken
// for that of the thread that has the place now.
TEST(KnowledgeExamples, ThousandsOfThreadsOneAfterTheOtherNeedTwoPlaces) {
  const OpenMonitors open("monitor sees at any t: forall u != t: @u(a) >= 0\n"
                          "monitor atomic at any t: block(transfer) > 0 -> !exists u != t: "
                          "block(transfer) == @u(@t(block(transfer)))\n",
                          2);
  KnowledgeRun run(open, 2);
  for (std::uint32_t child = 1; child < 3000; ++child) {
    Outcome all;
    const auto take = [&](const Step& s) { all.violated |= run.take(s).violated; };
    take({0, Do::Fork, "", child});
    take({child, Do::Start, "", 0});
    take({child, Do::Internal, "a", child});
    take(enter(child, "transfer"));
    take(write_of(child, "x", child));
    take(leave(child, "transfer"));
    take({child, Do::End, "", 0});
    take({0, Do::Join, "", child});
    ASSERT_EQ(all.violated, 0u) << child;
  }
  EXPECT_EQ(run.places().given_early(), 0u);
  EXPECT_EQ(run.places().refused(), 0u);
}

TEST(KnowledgeExamples, AThreadThatEndedIsRangedOverUntilItIsJoined) {
  const std::string monitor = "monitor none at 0: !exists u != 0: @u(a) == 5 over x";
  const Steps steps{{0, Do::Fork, "", 1}, {1, Do::Start, "", 0}, {1, Do::Internal, "a", 5}, write_of(1, "x"),
                    {1, Do::End, "", 0},  {0, Do::Join, "", 1},  {0, Do::Internal, "a", 0}};
  const OpenMonitors open(monitor);
  KnowledgeRun run(open);
  std::vector<bool> violated;
  for (const Step& s : steps) violated.push_back(run.take(s).violated != 0);
  EXPECT_EQ(violated, (std::vector<bool>{false, false, false, false, false, true, false}));
}

TEST(KnowledgeExamples, MoreThreadsThanPlacesAreCounted) {
  const OpenMonitors open("monitor m at any t: forall u: @u(a) >= 0", 2);
  KnowledgeRun run(open, 2);
  for (std::uint32_t child = 1; child < 4; ++child) run.take({0, Do::Fork, "", child});
  EXPECT_EQ(run.places().refused(), 2u);
}

// --- asking --------------------------------------------------------------------------------------------------------------

TEST(KnowledgeExamples, ExplainAndQueryTellWhatTheThreadKnew) {
  const OpenMonitors open("monitor fresh at writer: x > @reader(y)");
  KnowledgeRun run(open);
  for (const Step& s : Steps{{1, Do::Name, "writer", 0},
                             {2, Do::Name, "reader", 0},
                             write_of(2, "y", 4),
                             write_of(2, "flag", 1),
                             read_of(1, "y"),
                             write_of(1, "x", 3)})
    run.take(s);
  EXPECT_EQ(run.thread(1).violated, 1u);
  std::vector<std::string> told;
  explain(
      open.setup(), run.thread(1), 0,
      [](void* list, const Known& known) {
        const auto number = known.thread == kNoVariable ? std::string("-") : std::to_string(known.thread);
        static_cast<std::vector<std::string>*>(list)->push_back(std::to_string(known.value) + " " + number + " " +
                                                                std::to_string(known.sequence));
      },
      &told);
  EXPECT_EQ(told, (std::vector<std::string>{"3 - 1", "4 2 2"}));
  Known known;
  ASSERT_TRUE(query(open.setup(), run.thread(1), "@reader(y)", 0, known));
  EXPECT_EQ(known.value, 4u);
  EXPECT_FALSE(query(open.setup(), run.thread(1), "@reader(x)", 0, known));
}

// A read that finds another value than was last written: somebody wrote who is not watched.
TEST(KnowledgeExamples, AnUnseenWriteIsNoticedByTheNextRead) {
  const OpenMonitors open("monitor m at any t: x != 9");
  std::vector<Word> thread_memory(open.setup().thread_words()), other_memory(open.setup().thread_words());
  Thread* thread = make_thread(open.setup(), thread_memory.data(), 0, 0);
  Thread* other = make_thread(open.setup(), other_memory.data(), 1, 1);
  Carrier carrier;
  const auto violated = [&](Thread* by, Access kind, std::uint64_t value) {
    const Touch touch{&carrier, value, 0};
    return access(open.setup(), *by, kind, &touch, 1, false).violated;
  };
  EXPECT_EQ(violated(thread, Access::Write, 1), 0u);
  EXPECT_EQ(violated(thread, Access::Read, 9), 1u);
  EXPECT_EQ(violated(other, Access::Read, 9), 1u);
  EXPECT_EQ(violated(other, Access::Write, 2), 0u);
}

} // namespace
} // namespace sooth::knowledge
