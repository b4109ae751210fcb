// Races on initialisations, and with signal handlers, on hand-made traces, in pairs; and findings
// that the checker must not accept.
#include <gtest/gtest.h>

#include <csignal>

#include "predict/races/handler_races.h"
#include "predict/races/initialisations.h"
#include "unit/predict_case.h"

namespace sooth::predict {
namespace {

using testing::Case;
using trace::EventKind;
using witness::Finding;
using witness::Status;

constexpr std::uint64_t Lock = 0x10010, Other = 0x20000, Block = 0x10000, Variable = 0x100;

const auto inits = [](const trace::Trace& trace, const auto& computation, const auto& feasibility, const auto&,
                      Coverage& coverage) {
  return find_initialisation_races(trace, computation, feasibility, coverage);
};
const auto handlers = [](const trace::Trace& trace, const auto&, const auto&, const auto&, Coverage& coverage) {
  return find_handler_races(trace, coverage);
};
std::string objection(const trace::Trace& trace, const Finding& finding) {
  return witness::Checker(trace).objection(finding).value_or("");
}

enum class Between : std::uint8_t { Nothing, Creation, OtherLock, Joining };

// Thread 0 initialises a lock, thread 1 uses it, in this order or the other way round.
Case initialised(Between between, bool use_first, EventKind use = EventKind::Acquire) {
  Case run(2);
  const auto other_lock = [&](std::uint32_t thread) {
    if (between != Between::OtherLock) return;
    run.lock(thread, Other);
    run.unlock(thread, Other);
  };
  const auto init = [&] { run.add(0, EventKind::LockInit, Lock); };
  const auto uses = [&] {
    run.add(1, use, Lock);
    if (use == EventKind::Acquire) run.unlock(1, Lock);
  };
  if (between == Between::Creation) init();
  run.fork(0, 1);
  if (use_first) {
    uses();
    other_lock(1);
    if (between == Between::Joining) run.join(0, 1);
    other_lock(0);
    init();
    return run;
  }
  if (between != Between::Creation) init();
  other_lock(0);
  other_lock(1);
  uses();
  return run;
}

TEST(Initialisations, RaceWithUsesThatNothingOrders) {
  for (const bool use_first : {false, true}) {
    const std::vector<Finding> found = initialised(Between::Nothing, use_first).find(inits);
    ASSERT_FALSE(found.empty()) << use_first;
    EXPECT_EQ(found[0].status, Status::Observed);
  }
  EXPECT_TRUE(initialised(Between::Creation, false).find(inits).empty());
  EXPECT_TRUE(initialised(Between::Joining, true).find(inits).empty());
}

TEST(Initialisations, AreFoundBehindALockThatHasNothingToDoWithIt) {
  for (const bool use_first : {false, true}) {
    const std::vector<Finding> found = initialised(Between::OtherLock, use_first).find(inits);
    ASSERT_EQ(found.size(), 1u) << use_first;
    EXPECT_EQ(found[0].status, Status::Predicted);
    EXPECT_TRUE(initialised(Between::OtherLock, use_first).find(inits, witness::Model::HappensBefore).empty());
  }
}

TEST(Initialisations, RaceWithEachOtherAndWithTheEnd) {
  EXPECT_EQ(initialised(Between::Nothing, false, EventKind::LockInit).find(inits).size(), 1u);
  EXPECT_EQ(initialised(Between::Nothing, true, EventKind::LockDestroy).find(inits).size(), 1u);
}

TEST(Initialisations, OfAnotherObjectAtTheSameAddressDoNotCount) {
  for (const bool freed : {false, true}) {
    Case run(2);
    run.add(0, EventKind::Alloc, Block, 64);
    run.fork(0, 1);
    run.lock(1, Lock);
    run.unlock(1, Lock);
    if (freed) run.add(0, EventKind::Free, Block, 64), run.add(0, EventKind::Alloc, Block, 64);
    run.add(0, EventKind::LockInit, Lock);
    EXPECT_EQ(run.find(inits).empty(), freed);
  }
}

TEST(Initialisations, TheCheckerWantsOneObjectAndAnInitialisation) {
  Case run = initialised(Between::Nothing, false);
  const Finding good = run.find(inits).at(0);
  trace::Trace other = run.trace; // of another lock
  other.events[good.places[0].event].address = Other;
  EXPECT_NE(objection(other, good), "");
  trace::Trace uses = run.trace; // which is used only
  uses.events[good.places[0].event].kind = EventKind::LockDestroy;
  EXPECT_NE(objection(uses, good), "");
  Finding ordered = good;
  Case behind = initialised(Between::Creation, false);
  for (std::uint32_t i = 0; i < behind.trace.events.size(); ++i) {
    if (behind.trace.events[i].kind == EventKind::LockInit) ordered.places[0].event = i;
    if (behind.trace.events[i].kind == EventKind::Acquire) ordered.places[1].event = i;
  }
  ordered.witness.observed = behind.trace.events.size();
  EXPECT_NE(objection(behind.trace, ordered), "");
}

// What the thread does before the signal comes, and what the handler does.
struct Interrupted {
  EventKind own = EventKind::Write, in_handler = EventKind::Write;
  std::uint32_t size = 4;
  bool own_volatile = false, handler_volatile = false;
  bool expected = false;                 // the thread has sent the signal itself
  EventKind between = EventKind::Branch; // between the access and the signal
  std::uint64_t elsewhere = 0;           // added to the handler's address
};

Case interrupted(const Interrupted& how) {
  Case run(1);
  run.add(0, EventKind::Enter);
  const auto access = [&](EventKind kind, std::uint64_t address, bool is_volatile) {
    trace::Event& e = kind == EventKind::Read ? run.read(0, address, how.size, 0) : run.write(0, address, how.size, 0);
    e.kind = kind;
    if (kind == EventKind::AtomicWrite) e.order = trace::MemoryOrder::SeqCst;
    if (is_volatile) e.flags |= trace::kVolatile;
  };
  access(how.own, Variable, how.own_volatile);
  if (how.between == EventKind::Write) access(how.between, 0x900, true);
  else if (how.between != EventKind::Branch) run.add(0, how.between);
  run.add(0, EventKind::SignalEnter, 0x100, SIGUSR1).flags = how.expected ? trace::kFill : 0;
  run.add(0, EventKind::Enter);
  access(how.in_handler, Variable + how.elsewhere, how.handler_volatile);
  run.add(0, EventKind::Exit, 0, 1);
  run.add(0, EventKind::SignalExit, 0x100, SIGUSR1);
  run.add(0, EventKind::Exit, 0, 0);
  return run;
}
std::size_t races(const Interrupted& how) { return interrupted(how).find(handlers).size(); }

TEST(HandlerRaces, PlainVariablesRaceAndTheTwoThatMayBeSharedDoNot) {
  EXPECT_EQ(races({}), 1u);
  EXPECT_EQ(races({.own = EventKind::Read}), 1u);
  EXPECT_EQ(races({.own = EventKind::Read, .in_handler = EventKind::Read}), 0u);
  EXPECT_EQ(races({.elsewhere = 8}), 0u);
  EXPECT_EQ(races({.own = EventKind::AtomicWrite, .in_handler = EventKind::AtomicWrite}), 0u);
  EXPECT_EQ(races({.own = EventKind::AtomicWrite}), 1u);
  EXPECT_EQ(races({.own_volatile = true, .handler_volatile = true}), 0u);
  EXPECT_EQ(races({.handler_volatile = true}), 1u);
  EXPECT_EQ(races({.size = 8, .own_volatile = true, .handler_volatile = true}), 1u); // no sig_atomic_t
}

TEST(HandlerRaces, WhatMayOrderTheSignalBehindTheAccessCounts) {
  EXPECT_EQ(races({.expected = true}), 0u);
  EXPECT_EQ(races({.between = EventKind::SignalChange}), 0u);
  EXPECT_EQ(races({.between = EventKind::Send}), 0u);
  EXPECT_EQ(races({.between = EventKind::Write}), 0u); // a volatile flag: busy = 0
}

TEST(HandlerRaces, TheCheckerWantsAHandlerAndNothingThatOrders) {
  const Finding good = interrupted({}).find(handlers).at(0);
  EXPECT_NE(objection(interrupted({.expected = true}).trace, good), "");
  EXPECT_NE(objection(interrupted({.own_volatile = true, .handler_volatile = true}).trace, good), "");
  EXPECT_NE(objection(interrupted({.elsewhere = 8}).trace, good), "");
  const Finding behind = [&] {
    Finding moved = good; // an event more in between
    moved.places[1].event += 1;
    moved.places[2].event += 1;
    moved.witness.observed += 1;
    return moved;
  }();
  EXPECT_NE(objection(interrupted({.between = EventKind::SignalChange}).trace, behind), "");
  Case none = interrupted({}); // no handler at all
  std::erase_if(none.trace.events, [](const trace::Event& e) {
    return e.kind == EventKind::SignalEnter || e.kind == EventKind::SignalExit;
  });
  Finding unsignalled = good;
  unsignalled.places[1].event -= 1;
  unsignalled.places.pop_back();
  unsignalled.witness.observed -= 1;
  EXPECT_NE(objection(none.trace, unsignalled), "");
}

} // namespace
} // namespace sooth::predict
