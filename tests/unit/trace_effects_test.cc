// What a primitive orders, as the columns of event_kinds.def say it and for_each_effect hands it out.
#include <gtest/gtest.h>

#include <string>

#include "trace/effects.h"
#include "trace/kind_groups.h"
#include "trace/trace.h"

using namespace sooth::trace;

namespace {

struct Words : EffectVisitor {
  std::string text;
  void say(const char* what, const Affected& object) {
    text += std::string(text.empty() ? "" : ", ") + what + " " + std::to_string(object.address);
    if (object.shared) text += " shared";
    if (object.whole) text += " whole";
  }
  void takes(const Affected& object) { say("takes", object); }
  void fails(const Affected& object) { say("fails", object); }
  void gives(const Affected& object) { say("gives", object); }
  void begins(const Affected& object) { say("begins", object); }
  void ends(const Affected& object) { say("ends", object); }
  void pins(const Affected& object) { say("pins", object); }
  void creates(std::uint64_t thread) { text += "creates " + std::to_string(thread); }
  void joins(std::uint64_t thread) { text += "joins " + std::to_string(thread); }
  void cancels(std::uint64_t thread) { text += "cancels " + std::to_string(thread); }
  void starts() { text += "starts"; }
  void stops() { text += "stops"; }
};

// Of an event with address 7 and value 9.
std::string effects_of(EventKind kind, std::uint8_t flags = 0, std::uint64_t value = 9) {
  Event e;
  e.kind = kind;
  e.address = 7;
  e.value = value;
  e.flags = flags;
  Words words;
  for_each_effect(e, words);
  return words.text;
}

} // namespace

TEST(TraceEffects, LocksAreTakenAndGiven) {
  EXPECT_EQ(effects_of(EventKind::Acquire), "takes 7");
  EXPECT_EQ(effects_of(EventKind::Acquire, kFailed), "fails 7");
  EXPECT_EQ(effects_of(EventKind::Release), "gives 7");
  EXPECT_EQ(effects_of(EventKind::AcquireShared), "takes 7 shared");
  EXPECT_EQ(effects_of(EventKind::ReleaseShared), "gives 7 shared");
  EXPECT_EQ(effects_of(EventKind::LockInit), "begins 7");
  EXPECT_EQ(effects_of(EventKind::LockDestroy), "ends 7");
}

TEST(TraceEffects, AWaitGivesItsMutexAndAWakeHasItAgain) {
  EXPECT_EQ(effects_of(EventKind::Wait), "gives 9 whole");
  EXPECT_EQ(effects_of(EventKind::Wake), "takes 7 shared, takes 9");
  EXPECT_EQ(effects_of(EventKind::Wake, kFailed), "fails 7 shared, takes 9");
  EXPECT_EQ(effects_of(EventKind::Wait, 0, 0), "");
  EXPECT_EQ(effects_of(EventKind::Signal), "gives 7");
}

TEST(TraceEffects, ThreadsAreCreatedAndJoined) {
  EXPECT_EQ(effects_of(EventKind::Fork), "creates 9");
  EXPECT_EQ(effects_of(EventKind::Fork, kFailed), "");
  EXPECT_EQ(effects_of(EventKind::Join), "joins 9");
  EXPECT_EQ(effects_of(EventKind::Join, kFailed), "fails 9");
  EXPECT_EQ(effects_of(EventKind::Cancel), "cancels 9");
  EXPECT_EQ(effects_of(EventKind::ThreadStart), "starts");
  EXPECT_EQ(effects_of(EventKind::ThreadEnd), "stops");
  EXPECT_EQ(effects_of(EventKind::Detach), "");
}

TEST(TraceEffects, AnInitialiserThatFailedLetsOthersBegin) {
  EXPECT_EQ(effects_of(EventKind::OnceBegin), "takes 7");
  EXPECT_EQ(effects_of(EventKind::OnceEnd, kFailed), "gives 7");
  EXPECT_EQ(effects_of(EventKind::OnceWait), "takes 7 shared");
}

TEST(TraceEffects, WhatComesFromOutsideComesAfterEverything) {
  EXPECT_EQ(effects_of(EventKind::Receive), "pins 7, takes 7");
  EXPECT_EQ(effects_of(EventKind::SignalEnter), "pins 7");
}

TEST(TraceEffects, AccessesCallsAndNamesOrderNothingHere) {
  for (const EventKind kind : all_kinds()) {
    const ObjectKind object = object_of(kind);
    const bool silent = object == ObjectKind::Memory || object == ObjectKind::Call || object == ObjectKind::Name;
    if (silent) {
      EXPECT_EQ(effects_of(kind), "") << kind_name(kind);
    }
  }
}

// What the columns mean for one another.
TEST(TraceEffects, TheColumnsFitEachOther) {
  for (const EventKind kind : all_kinds()) {
    const ObjectKind object = object_of(kind);
    const std::string_view name = kind_name(kind);
    EXPECT_NE(object, ObjectKind::Nothing) << name;
    EXPECT_EQ(does(kind, act::kReads | act::kWrites), object == ObjectKind::Memory) << name;
    // Only a clock that others see orders threads.
    if (does(kind, act::kTakes | act::kGives | act::kTakesMutex | act::kGivesMutex | act::kPins)) {
      EXPECT_TRUE(kind_is_ticketed(kind)) << name;
    }
    if (does(kind, act::kBlocks)) {
      EXPECT_TRUE(does(kind, act::kTakes)) << name; // a waiting thread gets something
    }
    if (uses_primitive(kind)) {
      EXPECT_TRUE(is_place(object)) << name;
    }
  }
  EXPECT_EQ(object_of(EventKind::None), ObjectKind::Nothing);
}
