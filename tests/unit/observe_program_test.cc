// One observed program, by its messages alone: in any order, repeated, missing, contradictory.
#include <algorithm>
#include <random>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "unit/observe_landing.h"

namespace sooth::observe {
namespace {

TEST(ObservedProgram, LandingIsObservedSafeAndPredictedUnsafe) {
  Observation o;
  ASSERT_TRUE(o.begin());
  for (const Message& message : o.landing()) ASSERT_FALSE(o.say(message));
  o.program->advance();
  const report::Report& report = o.end();
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].status, witness::Status::Predicted);
  EXPECT_EQ(report.findings[0].property, "safe_landing");
  EXPECT_TRUE(report.coverage.complete);
  EXPECT_EQ(report.events, 3u);
  EXPECT_EQ(report.threads, 3u);
}

// Each step with its state, from the state at the start to the first one that fails.
TEST(ObservedProgram, TheRunIsToldWithItsStates) {
  Observation observation;
  ASSERT_TRUE(observation.begin());
  for (const Message& message : observation.landing()) ASSERT_FALSE(observation.say(message));
  observation.end();
  ASSERT_EQ(observation.findings.size(), 1u);
  const report::RunText& run = observation.findings[0].findings.at(0).run;
  EXPECT_NE(run.rule.find("[approved == 1, radio == 0)"), std::string::npos) << run.rule;
  EXPECT_EQ(run.place, "test.prop:1");
  EXPECT_NE(run.initial.find("radio = 1"), std::string::npos) << run.initial;
  ASSERT_FALSE(run.steps.empty());
  EXPECT_EQ(run.steps.back().what, "landing = 1");
  EXPECT_EQ(run.steps.back().observed, 2u);
  EXPECT_NE(run.steps.back().state.find("radio = 0"), std::string::npos) << run.steps.back().state;
}

TEST(ObservedProgram, ARunThatViolatesIsObserved) {
  Observation o;
  ASSERT_TRUE(o.begin());
  auto run = o.landing();
  std::get<EventMessage>(run[5]).position = 2; // the radio fails first
  std::get<EventMessage>(run[6]).position = 3;
  std::get<EventMessage>(run[8]).position = 1;
  for (const Message& message : run) ASSERT_FALSE(o.say(message));
  const report::Report& report = o.end();
  ASSERT_GE(report.findings.size(), 1u);
  EXPECT_TRUE(
      std::ranges::any_of(report.findings, [](const auto& f) { return f.status == witness::Status::Observed; }));
}

TEST(ObservedProgram, ARunThatBeginsWithALaterEventIsPredicted) {
  // One step of another thread than the one that came first is enough.
  Observation o("property p: start(landing == 1) -> approved + radio == 2\n");
  ASSERT_TRUE(o.begin());
  std::vector<Message> run = {ForkMessage{{0, 0, 0}, 1},
                              o.write(0, 1, 1, "approved", 1, {{0, 1}}),
                              o.write(1, 0, 2, "landing", 1, {{1, 1}}),
                              EndMessage{{0, 0, 2}},
                              EndMessage{{0, 1, 1}},
                              FinishMessage{wire::EndKind::Exit, 0, 5, 0, 0, 0, 0, 0, 0}};
  for (const Message& message : run) ASSERT_FALSE(o.say(message));
  ASSERT_EQ(o.end().findings.size(), 1u);
  EXPECT_EQ(o.program->report().findings[0].status, witness::Status::Predicted);
  EXPECT_EQ(o.program->report().findings[0].schedule, std::vector<std::uint32_t>{2});
}

// The messages of another order that violates come first; in the end, the verdict is the same.
TEST(ObservedProgram, AnObservedViolationIsNotPredictedAsWell) {
  Observation o("property p: start(landing == 1) -> approved + radio == 9\n");
  ASSERT_TRUE(o.begin());
  const std::vector<Message> first = {ForkMessage{{0, 0, 0}, 1}, o.write(0, 1, 1, "approved", 1, {{0, 1}}),
                                      o.write(1, 0, 3, "landing", 1, {{1, 1}}), EndMessage{{0, 1, 1}}};
  for (const Message& message : first) ASSERT_FALSE(o.say(message));
  o.program->advance();
  ASSERT_EQ(o.program->report().findings.size(), 1u);
  EXPECT_EQ(o.program->report().findings[0].status, witness::Status::Predicted);
  const std::vector<Message> rest = {o.write(0, 2, 2, "radio", 0, {{0, 2}}), EndMessage{{0, 0, 3}},
                                     FinishMessage{wire::EndKind::Exit, 0, 6, 0, 0, 0, 0, 0, 0}};
  for (const Message& message : rest) ASSERT_FALSE(o.say(message));
  ASSERT_EQ(o.end().findings.size(), 1u);
  EXPECT_EQ(o.program->report().findings[0].status, witness::Status::Observed);
  EXPECT_EQ(o.program->report().findings[0].id, 1u);
}

TEST(ObservedProgram, AnOrderBetweenTheThreadsMakesItSafe) {
  Observation o;
  ASSERT_TRUE(o.begin());
  auto run = o.landing();
  std::get<EventMessage>(run[8]).clock = {{1, 2}, {2, 1}}; // the radio fails because the plane has landed
  for (const Message& message : run) ASSERT_FALSE(o.say(message));
  EXPECT_TRUE(o.end().findings.empty());
  EXPECT_TRUE(o.program->report().coverage.complete);
}

TEST(ObservedProgram, TheOrderInWhichMessagesComeChangesNothing) {
  EXPECT_TRUE(rc::check([] {
    Observation o;
    RC_ASSERT(o.begin());
    auto messages = o.landing();
    const auto repeated = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 11));
    for (const int i : repeated) messages.push_back(messages[static_cast<std::size_t>(i)]);
    std::mt19937 random(*rc::gen::arbitrary<unsigned>());
    std::ranges::shuffle(messages, random);
    for (const Message& message : messages) {
      RC_ASSERT(!o.say(message));
      if (random() % 2 == 0) o.program->advance();
    }
    const report::Report& report = o.end();
    RC_ASSERT(report.findings.size() == 1u);
    RC_ASSERT(report.findings[0].status == witness::Status::Predicted);
    RC_ASSERT(report.coverage.complete);
    RC_ASSERT(report.events == 3u);
  }));
}

TEST(ObservedProgram, MessagesBeforeTheInitialStateWaitForIt) {
  Observation o;
  const auto bytes = landing_module();
  ASSERT_FALSE(o.say(ModulePart{0, 0, bytes.size(), bytes}));
  std::vector<Message> answers;
  ASSERT_FALSE(o.say(SymbolsSent{1}, &answers));
  o.table = std::get<Table>(answers.at(0));
  for (const Message& message : o.landing()) ASSERT_FALSE(o.say(message));
  EXPECT_TRUE(o.findings.empty());
  ASSERT_FALSE(o.say(o.initial()));
  EXPECT_EQ(o.end().findings.size(), 1u);
  EXPECT_TRUE(o.program->report().coverage.complete);
}

TEST(ObservedProgram, WhatIsMissingMakesTheVerdictIncomplete) {
  for (std::size_t missing = 0; missing < 11; ++missing) {
    Observation o;
    ASSERT_TRUE(o.begin());
    auto messages = o.landing();
    messages.erase(messages.begin() + static_cast<std::ptrdiff_t>(missing));
    for (const Message& message : messages) ASSERT_FALSE(o.say(message));
    EXPECT_FALSE(o.end().coverage.complete) << missing;
    EXPECT_TRUE(o.has_gap(missing == 10 ? "cutOff" : "missingMessages")) << missing;
  }
}

TEST(ObservedProgram, AProgramThatDiesLeavesAVerdictOnWhatArrived) {
  Observation o;
  ASSERT_TRUE(o.begin());
  auto messages = o.landing();
  std::erase_if(messages, [](const Message& m) {
    return std::holds_alternative<EndMessage>(m) || std::holds_alternative<FinishMessage>(m);
  });
  for (const Message& message : messages) ASSERT_FALSE(o.say(message));
  EXPECT_EQ(o.end().findings.size(), 1u);
  EXPECT_FALSE(o.program->report().coverage.complete);
  EXPECT_TRUE(o.has_gap("cutOff"));
}

TEST(ObservedProgram, AViolationIsToldWhileTheProgramRuns) {
  Observation o;
  ASSERT_TRUE(o.begin());
  for (const Message& message : o.landing()) {
    if (std::holds_alternative<FinishMessage>(message)) break;
    ASSERT_FALSE(o.say(message));
  }
  o.program->advance();
  EXPECT_EQ(o.findings.size(), 1u); // nothing was concluded yet
}

TEST(ObservedProgram, ContradictionsAreErrorsAndChangeNothing) {
  Observation o;
  ASSERT_TRUE(o.begin());
  const auto no_position = o.write(1, 0, 0, "radio", 0, {{1, 1}});
  const auto no_own_count = o.write(1, 0, 1, "radio", 0, {{2, 1}});
  const auto counts_too_much = o.write(1, 0, 1, "radio", 0, {{1, 5}});
  auto no_variable = o.write(1, 0, 1, "radio", 0, {{1, 1}});
  no_variable.writes[0].variable = 3;
  auto far_away = o.write(1, 1u << 30, 1, "radio", 0, {{1, 1}});
  auto too_many = o.write(1u << 19, 0, 1, "radio", 0, {{1u << 19, 1}});
  for (const Message& message : std::initializer_list<Message>{no_position, no_own_count, counts_too_much, no_variable,
                                                               far_away, too_many, Welcome{}, Stop{"x"}, Ack{1}})
    EXPECT_TRUE(o.say(message));
  for (const Message& message : o.landing()) ASSERT_FALSE(o.say(message));
  EXPECT_EQ(o.end().findings.size(), 1u);
  EXPECT_TRUE(o.program->report().coverage.complete);
}

TEST(ObservedProgram, WhatWaitsIsBounded) {
  Observation o(kLanding, 100);
  ASSERT_TRUE(o.begin());
  std::optional<Error> error;
  std::uint64_t sent = 0;
  for (; sent < 1000 && !error; ++sent) // the first position never comes
    error = o.say(o.write(1, sent + 1, sent + 2, "radio", 0, {{1, static_cast<std::uint32_t>(sent + 2)}}));
  EXPECT_TRUE(error);
  EXPECT_LT(sent, 110u);
}

// A message of some twenty bytes can name a thread of a high number, and its clock then takes room
// for all threads below.
TEST(ObservedProgram, WideClocksCountAsTheMemoryThatTheyTake) {
  constexpr std::uint64_t kMost = 8u << 20;
  Observation o(kLanding, 1u << 20, kMost);
  ASSERT_TRUE(o.begin());
  ASSERT_FALSE(o.say(ForkMessage{{0, 0, 0}, 1}));
  std::uint64_t most = 0;
  for (std::uint32_t i = 0; i < 1000; ++i) { // the other thread's event never comes: nothing can be forgotten
    ASSERT_FALSE(o.say(o.write(1, i, i + 1, "radio", 0, {{1, i + 1}, {0xffff, 1}})));
    most = std::max(most, o.program->bytes());
  }
  EXPECT_LT(most, 2 * kMost);
  EXPECT_LT(o.program->bytes(), 1u << 20); // given back
  ASSERT_EQ(o.notes.size(), 1u);
  EXPECT_NE(o.notes[0].find("--memory"), std::string::npos);
  o.end();
  EXPECT_FALSE(o.program->report().coverage.complete);
}

TEST(ObservedProgram, CheckpointsAndMessagesThatWaitTakeBoundedMemory) {
  constexpr std::uint64_t kMost = 1u << 20;
  Observation o(kLanding, 1u << 20, kMost);
  ASSERT_TRUE(o.begin());
  CheckpointMessage checkpoint;
  checkpoint.threads.resize(1000);
  std::optional<Error> error;
  for (std::uint32_t i = 1; i < 1000 && !error; ++i) { // those of later epochs
    checkpoint.epoch = i;
    error = o.say(checkpoint);
    EXPECT_LE(o.program->bytes(), 2 * kMost);
  }
  EXPECT_TRUE(error);
}

TEST(ObservedProgram, ACheckpointGoesOnFromTheObservedRunAlone) {
  // Before it: approved = 1, landing = 1. After it the radio fails: no run puts that before the landing.
  Observation o;
  ASSERT_TRUE(o.begin());
  auto radio = o.write(2, 0, 3, "radio", 0, {{2, 1}});
  radio.place.epoch = 1;
  std::vector<Message> messages = {
      ForkMessage{{0, 0, 0}, 1},
      ForkMessage{{0, 0, 1}, 2},
      o.write(1, 0, 1, "approved", 1, {{1, 1}}),
      o.write(1, 1, 2, "landing", 1, {{1, 2}}),
      CheckpointMessage{
          0, wire::kReorder, 0, 2, {{0, 2, true, false, 0}, {1, 2, true, false, 0}, {2, 0, true, false, 0}}},
      radio,
      EndMessage{{1, 0, 0}},
      EndMessage{{1, 1, 0}},
      EndMessage{{1, 2, 1}},
      FinishMessage{wire::EndKind::Exit, 0, 9, 0, 0, 0, 0, 0, 0}};
  std::mt19937 random(5);
  for (int round = 0; round < 20; ++round) {
    Observation again;
    ASSERT_TRUE(again.begin());
    std::ranges::shuffle(messages, random);
    for (const Message& message : messages) ASSERT_FALSE(again.say(message));
    EXPECT_TRUE(again.end().findings.empty());
    EXPECT_FALSE(again.program->report().coverage.complete);
    EXPECT_TRUE(again.has_gap("overtakenReads"));
    EXPECT_FALSE(again.has_gap("missingMessages"));
    EXPECT_FALSE(again.has_gap("unusedMessages"));
  }
}

TEST(ObservedProgram, AfterGivingUpNothingIsPredicted) {
  Observation o;
  ASSERT_TRUE(o.begin());
  ASSERT_FALSE(o.say(CheckpointMessage{0, wire::kGiveUp, 0, 0, {{0, 0, true, false, 0}}}));
  for (const Message& message : o.landing()) ASSERT_FALSE(o.say(message));
  EXPECT_TRUE(o.end().findings.empty());
  EXPECT_FALSE(o.program->report().coverage.complete);
  EXPECT_TRUE(o.has_gap("givenUp"));
}

TEST(ObservedProgram, AHorizonIsOnlyOrder) {
  // The thread of the radio was silent: its next event is after the landing.
  Observation o;
  ASSERT_TRUE(o.begin());
  auto messages = o.landing();
  EventMessage horizon;
  horizon.place = {0, 2, 0};
  horizon.position = 3;
  horizon.clock = {{1, 2}, {2, 1}};
  auto& radio = std::get<EventMessage>(messages[8]);
  radio.place.sequence = 1;
  radio.position = 4;
  radio.clock = {{1, 2}, {2, 2}};
  std::get<EndMessage>(messages[9]).place.sequence = 2;
  messages.push_back(horizon);
  for (const Message& message : messages) ASSERT_FALSE(o.say(message));
  EXPECT_TRUE(o.end().findings.empty());
  EXPECT_EQ(o.program->report().events, 3u);
}

TEST(ObservedProgram, StopIsTheAnswerToTheEventThatViolates) {
  Observation o(std::string("property no_landing: !(landing == 1) when violated: stop\n"));
  const auto bytes = landing_module();
  ASSERT_FALSE(o.say(ModulePart{0, 0, bytes.size(), bytes}));
  std::vector<Message> answers;
  ASSERT_FALSE(o.say(SymbolsSent{1}, &answers));
  ASSERT_TRUE(std::holds_alternative<Table>(answers.at(0))) << std::get<Later>(answers[0]).why;
  o.table = std::get<Table>(answers[0]);
  ASSERT_EQ(o.table.variables.size(), 1u);
  EXPECT_TRUE(o.table.variables[0].asks);
  ASSERT_FALSE(o.say(InitialState{{0}}));
  answers.clear();
  ASSERT_FALSE(o.say(o.write(0, 0, 1, "landing", 0, {{0, 1}})));
  ASSERT_FALSE(o.say(AskMessage{1}, &answers));
  EXPECT_EQ(answers, std::vector<Message>{Ack{1}});
  answers.clear();
  ASSERT_FALSE(o.say(o.write(0, 1, 2, "landing", 1, {{0, 2}})));
  ASSERT_FALSE(o.say(AskMessage{2}, &answers));
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_TRUE(std::holds_alternative<Stop>(answers[0]));
}

TEST(ObservedProgram, StopIsTheAnswerToTheEventThatLetsAnotherOrderViolate) {
  // The radio fails after the landing, which is fine; that it may fail before is known as soon as it fails, though its thread
  // has not told what it does next.
  Observation o(std::string(kLanding) + "  when violated: stop\n");
  ASSERT_TRUE(o.begin());
  std::vector<Message> answers;
  ASSERT_FALSE(o.say(ForkMessage{{0, 0, 0}, 1}));
  ASSERT_FALSE(o.say(ForkMessage{{0, 0, 1}, 2}));
  ASSERT_FALSE(o.say(o.write(1, 0, 1, "approved", 1, {{1, 1}})));
  ASSERT_FALSE(o.say(AskMessage{1}, &answers));
  ASSERT_FALSE(o.say(o.write(1, 1, 2, "landing", 1, {{1, 2}})));
  ASSERT_FALSE(o.say(AskMessage{2}, &answers));
  EXPECT_EQ(answers, (std::vector<Message>{Ack{1}, Ack{2}}));
  answers.clear();
  ASSERT_FALSE(o.say(o.write(2, 0, 3, "radio", 0, {{2, 1}})));
  ASSERT_FALSE(o.say(AskMessage{3}, &answers));
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_TRUE(std::holds_alternative<Stop>(answers[0]));
  const report::Report& report = o.end();
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].status, witness::Status::Predicted);
}

TEST(ObservedProgram, ACallIsAnsweredOnce) {
  // Another order of what came violates it at once, and later the observed run does.
  Observation o("property p: start(landing == 1) -> radio == 1 when violated: call f\n");
  ASSERT_TRUE(o.begin(2));
  std::vector<Message> answers;
  ASSERT_FALSE(o.say(ForkMessage{{0, 0, 0}, 1}));
  ASSERT_FALSE(o.say(o.write(0, 1, 1, "landing", 1, {{0, 1}})));
  ASSERT_FALSE(o.say(AskMessage{1}, &answers));
  EXPECT_EQ(answers, std::vector<Message>{Ack{1}});
  answers.clear();
  ASSERT_FALSE(o.say(o.write(1, 0, 2, "radio", 0, {{1, 1}})));
  ASSERT_FALSE(o.say(AskMessage{2}, &answers));
  ASSERT_EQ(answers.size(), 2u);
  ASSERT_TRUE(std::holds_alternative<Call>(answers[0]));
  EXPECT_EQ(std::get<Call>(answers[0]).function, "f");
  EXPECT_EQ(std::get<Call>(answers[0]).property, "p");
  EXPECT_EQ(answers[1], Message{Ack{2}});
  answers.clear();
  ASSERT_FALSE(o.say(o.write(1, 1, 3, "landing", 0, {{1, 2}})));
  ASSERT_FALSE(o.say(o.write(1, 2, 4, "landing", 1, {{1, 3}})));
  ASSERT_FALSE(o.say(AskMessage{4}, &answers));
  EXPECT_EQ(answers, std::vector<Message>{Ack{4}});
}

TEST(ObservedProgram, OnlyEventsThatCanCompleteAViolationAsk) {
  const auto asking = [](const std::string& properties) {
    Observation o(properties);
    EXPECT_TRUE(o.begin()) << properties;
    std::string out;
    for (const char* name : {"landing", "approved", "radio"})
      if (o.table.variables.at(o.variable(name)).asks) out += std::string(1, name[0]);
    return out;
  };
  const std::string others = "property q: approved >= 0 && radio >= 0\n";
  EXPECT_EQ(asking(others + "property p: landing < 2\n"), "");
  EXPECT_EQ(asking(others + "property p: landing < 2 when violated: stop\n"), "l");
  EXPECT_EQ(asking(others + "property p: start(landing == 1) -> once radio == 0 when violated: call f\n"), "lr");
  // The step after landing == 1 violates it, whatever it is.
  EXPECT_EQ(asking(others + "property p: !(previously landing == 1) when violated: stop\n"), "lar");
  EXPECT_EQ(asking(others + "property p: start(landing == 1) || landing == 0 when violated: stop\n"), "lar");
}

// Thread 1: approved = 1. Thread 2: landing = 1, landing = 0.
constexpr const char* kApprovedInTheEnd = "liveness p: always(landing == 1 -> eventually approved == 1)\n";
std::vector<Message> toggles(const Observation& o) {
  return {ForkMessage{{0, 0, 0}, 1},
          ForkMessage{{0, 0, 1}, 2},
          EndMessage{{0, 0, 2}},
          o.write(1, 0, 1, "approved", 1, {{1, 1}}),
          EndMessage{{0, 1, 1}},
          o.write(2, 0, 2, "landing", 1, {{2, 1}}),
          o.write(2, 1, 3, "landing", 0, {{2, 2}}),
          EndMessage{{0, 2, 2}},
          FinishMessage{wire::EndKind::Exit, 0, 8, 0, 0, 0, 0, 0, 0}};
}

TEST(ObservedProgram, ALassoOfAnotherOrderIsPossible) {
  // Observed: approved holds for ever. In the other order, landing = 1, landing = 0 may repeat.
  Observation o(kApprovedInTheEnd);
  ASSERT_TRUE(o.begin(2));
  for (const Message& message : toggles(o)) ASSERT_FALSE(o.say(message));
  const report::Report& report = o.end();
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].kind, witness::FindingKind::PossibleLiveness);
  EXPECT_EQ(report.findings[0].run.repeated, 2u);
  ASSERT_EQ(report.findings[0].run.steps.size(), 2u);
  EXPECT_EQ(report.findings[0].run.steps[0].what, "landing = 1");
  EXPECT_EQ(report.findings[0].run.steps[0].observed, 2u);
  EXPECT_TRUE(report.coverage.complete);
}

TEST(ObservedProgram, AnOrderBetweenTheThreadsLeavesNoLasso) {
  Observation o(kApprovedInTheEnd);
  ASSERT_TRUE(o.begin(2));
  auto run = toggles(o);
  std::get<EventMessage>(run[5]).clock = {{1, 1}, {2, 1}};
  std::get<EventMessage>(run[6]).clock = {{1, 1}, {2, 2}};
  for (const Message& message : run) ASSERT_FALSE(o.say(message));
  EXPECT_TRUE(o.end().findings.empty());
  EXPECT_TRUE(o.program->report().coverage.complete);
}

TEST(ObservedProgram, ALassoKnowsWhatHappenedBeforeItsEpoch) {
  // Whether approved = 1 comes before the checkpoint, in every run, or after it.
  for (const bool approved_before : {true, false}) {
    Observation o(kApprovedInTheEnd);
    ASSERT_TRUE(o.begin(2));
    auto first = o.write(1, 0, 1, approved_before ? "approved" : "landing", 1, {{1, 1}});
    auto second = o.write(1, 0, 2, "landing", approved_before ? 1 : 0, {{1, 1}});
    second.place.epoch = 1;
    const std::vector<Message> messages = {
        ForkMessage{{0, 0, 0}, 1},
        first,
        CheckpointMessage{0, wire::kReorder, 0, 1, {{0, 1, true, false, 0}, {1, 1, true, false, 0}}},
        second,
        EndMessage{{1, 0, 0}},
        EndMessage{{1, 1, 1}},
        FinishMessage{wire::EndKind::Exit, 0, 6, 0, 0, 0, 0, 0, 0}};
    for (const Message& message : messages) ASSERT_FALSE(o.say(message));
    const report::Report& report = o.end();
    // The second: u is empty, v = (landing = 1, landing = 0) goes across the checkpoint.
    ASSERT_EQ(report.findings.size(), approved_before ? 0u : 1u);
    if (approved_before) continue;
    EXPECT_EQ(report.findings[0].run.repeated, 2u);
  }
}

TEST(ObservedProgram, EventsThatLassosDoNotReachAreTold) {
  Observation o(kApprovedInTheEnd);
  ASSERT_TRUE(o.begin(2));
  const auto most = static_cast<std::uint32_t>(Loops::kMostKept);
  const auto event = [&](std::uint32_t k) { return o.write(0, k, k + 1, "approved", k + 1, {{0, k + 1}}); };
  for (std::uint32_t k = 0; k < most; ++k) ASSERT_FALSE(o.say(event(k)));
  ASSERT_FALSE(o.say(EndMessage{{0, 0, most}}));
  ASSERT_FALSE(o.say(FinishMessage{wire::EndKind::Exit, 0, most + 1, 0, 0, 0, 0, 0, 0}));
  EXPECT_TRUE(o.end().coverage.complete);
  Observation more(kApprovedInTheEnd);
  ASSERT_TRUE(more.begin(2));
  for (std::uint32_t k = 0; k <= most; ++k) ASSERT_FALSE(more.say(event(k)));
  ASSERT_FALSE(more.say(EndMessage{{0, 0, most + 1}}));
  ASSERT_FALSE(more.say(FinishMessage{wire::EndKind::Exit, 0, most + 2, 0, 0, 0, 0, 0, 0}));
  EXPECT_FALSE(more.end().coverage.complete);
  EXPECT_TRUE(more.has_gap("liveness"));
}

TEST(ObservedProgram, AnUnknownNameIsToldToTheProgram) {
  Observation o("property p: lnding == 1\n");
  const auto bytes = landing_module();
  ASSERT_FALSE(o.say(ModulePart{0, 0, bytes.size(), bytes}));
  std::vector<Message> answers;
  ASSERT_FALSE(o.say(SymbolsSent{1}, &answers));
  ASSERT_TRUE(std::holds_alternative<Later>(answers.at(0)));
  EXPECT_NE(std::get<Later>(answers[0]).why.find("test.prop:1:"), std::string::npos);
  EXPECT_TRUE(o.program->refused());
}

TEST(ObservedProgram, SymbolsThatDoNotFitAreErrors) {
  Observation o;
  EXPECT_TRUE(o.say(ModulePart{1, 0, 4, {1, 2, 3, 4}}));
  EXPECT_FALSE(o.say(ModulePart{0, 0, 8, {1, 2, 3, 4}}));
  EXPECT_TRUE(o.say(ModulePart{0, 2, 8, {1, 2}}));
  EXPECT_TRUE(o.say(SymbolsSent{1}));
  EXPECT_FALSE(o.say(ModulePart{0, 4, 8, {1, 2, 3, 4}}));
  EXPECT_TRUE(o.say(SymbolsSent{1})); // whole, but not the tables of a module
  EXPECT_TRUE(o.say(SymbolsSent{2}));
}

} // namespace
} // namespace sooth::observe
