// One observed program, by its messages alone: in any order, repeated, missing, contradictory.
#include "observe/program.h"

#include <algorithm>
#include <cstring>
#include <random>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "trace/format.h"

namespace sooth::observe {
namespace {

constexpr const char* kLanding = "property safe_landing: start(landing == 1) -> [approved == 1, radio == 0)\n";

// A module with the three variables of the landing example and no code.
std::vector<std::uint8_t> landing_module() {
  const std::string strings = std::string("\0landing\0approved\0radio\0int\0", 28);
  const auto at = [&](const char* text) {
    return static_cast<std::uint32_t>(strings.find(std::string("\0", 1) + text) + 1);
  };
  trace::ModuleHeader header = {};
  header.first_site = 1;
  header.globals = 3;
  header.string_bytes = static_cast<std::uint32_t>(strings.size());
  std::vector<std::uint8_t> out(sizeof header);
  std::memcpy(out.data(), &header, sizeof header);
  std::uint64_t address = 0x1000;
  for (const char* name : {"landing", "approved", "radio"}) {
    trace::GlobalRow row = {};
    row.address = address;
    row.bytes = 4;
    row.name = at(name);
    row.type = at("int");
    address += 4;
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(&row);
    out.insert(out.end(), bytes, bytes + sizeof row);
  }
  out.insert(out.end(), strings.begin(), strings.end());
  return out;
}

// A program under observation, and what its observer said.
struct Observation {
  std::vector<report::Report> findings;
  std::vector<std::string> notes;
  ProgramOptions options;
  std::unique_ptr<ObservedProgram> program;
  Table table;

  explicit Observation(const std::string& property = kLanding, std::uint64_t most_waiting = 1u << 20) {
    options.property_name = "test.prop";
    options.property_text = property;
    options.most_waiting = most_waiting;
    Hello hello;
    hello.program = "landing";
    program = std::make_unique<ObservedProgram>(hello, options,
                                                Speaker{[this](const report::Report& r) { findings.push_back(r); },
                                                        [this](const std::string& note) { notes.push_back(note); }});
  }
  std::optional<Error> say(const Message& message, std::vector<Message>* answers = nullptr) {
    std::vector<Message> ignored;
    return program->take(message, answers != nullptr ? *answers : ignored);
  }
  // Symbols, table, initial state: index of each variable is its place in the table.
  void begin() {
    const auto bytes = landing_module();
    ASSERT_FALSE(say(ModulePart{0, 0, bytes.size(), bytes}));
    std::vector<Message> answers;
    ASSERT_FALSE(say(SymbolsSent{1}, &answers));
    ASSERT_EQ(answers.size(), 1u);
    ASSERT_TRUE(std::holds_alternative<Table>(answers[0])) << (program->refused() ? program->refusal()->text() : "");
    table = std::get<Table>(answers[0]);
    ASSERT_EQ(table.variables.size(), 3u);
    ASSERT_FALSE(say(initial()));
  }
  std::uint32_t variable(const char* name) const {
    const std::uint64_t address = name == std::string("landing")    ? 0x1000
                                  : name == std::string("approved") ? 0x1004
                                                                    : 0x1008;
    for (std::uint32_t i = 0; i < table.variables.size(); ++i)
      if (table.variables[i].address == address) return i;
    return 99;
  }
  InitialState initial() const {
    InitialState out{std::vector<std::uint64_t>(table.variables.size())};
    out.values[variable("radio")] = 1;
    return out;
  }
  EventMessage write(std::uint32_t thread, std::uint64_t sequence, std::uint64_t position, const char* name,
                     std::uint64_t value, std::vector<ClockEntry> clock) const {
    EventMessage out;
    out.place = {0, thread, sequence};
    out.position = position;
    out.kind = static_cast<std::uint8_t>(trace::EventKind::Write);
    out.writes = {{variable(name), value}};
    out.clock = std::move(clock);
    return out;
  }
  // The run of the example: approved, landing, and then the radio fails, in another thread.
  std::vector<Message> landing() const {
    return {ForkMessage{{0, 0, 0}, 1},
            ForkMessage{{0, 0, 1}, 2},
            WaitsMessage{{0, 0, 2}, 1},
            WaitsMessage{{0, 0, 3}, 2},
            EndMessage{{0, 0, 4}},
            write(1, 0, 1, "approved", 1, {{1, 1}}),
            write(1, 1, 2, "landing", 1, {{1, 2}}),
            EndMessage{{0, 1, 2}},
            write(2, 0, 3, "radio", 0, {{2, 1}}),
            EndMessage{{0, 2, 1}},
            FinishMessage{wire::EndKind::Exit, 0, 10, 0, 0, 0, 0}};
  }
  const report::Report& end() {
    program->conclude();
    return program->report();
  }
  bool has_gap(const std::string& name) const {
    return std::ranges::any_of(program->report().coverage.gaps, [&](const auto& gap) { return gap.name == name; });
  }
};

TEST(ObservedProgram, LandingIsObservedSafeAndPredictedUnsafe) {
  Observation o;
  o.begin();
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

TEST(ObservedProgram, ARunThatViolatesIsObserved) {
  Observation o;
  o.begin();
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

TEST(ObservedProgram, AnOrderBetweenTheThreadsMakesItSafe) {
  Observation o;
  o.begin();
  auto run = o.landing();
  std::get<EventMessage>(run[8]).clock = {{1, 2}, {2, 1}}; // the radio fails because the plane has landed
  for (const Message& message : run) ASSERT_FALSE(o.say(message));
  EXPECT_TRUE(o.end().findings.empty());
  EXPECT_TRUE(o.program->report().coverage.complete);
}

TEST(ObservedProgram, TheOrderInWhichMessagesComeChangesNothing) {
  rc::check([] {
    Observation o;
    o.begin();
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
  });
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
    o.begin();
    auto messages = o.landing();
    messages.erase(messages.begin() + static_cast<std::ptrdiff_t>(missing));
    for (const Message& message : messages) ASSERT_FALSE(o.say(message));
    EXPECT_FALSE(o.end().coverage.complete) << missing;
    EXPECT_TRUE(o.has_gap(missing == 10 ? "cutOff" : "missingMessages")) << missing;
  }
}

TEST(ObservedProgram, AProgramThatDiesLeavesAVerdictOnWhatArrived) {
  Observation o;
  o.begin();
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
  o.begin();
  for (const Message& message : o.landing()) {
    if (std::holds_alternative<FinishMessage>(message)) break;
    ASSERT_FALSE(o.say(message));
  }
  o.program->advance();
  EXPECT_EQ(o.findings.size(), 1u); // nothing was concluded yet
}

TEST(ObservedProgram, ContradictionsAreErrorsAndChangeNothing) {
  Observation o;
  o.begin();
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
  o.begin();
  std::optional<Error> error;
  std::uint64_t sent = 0;
  for (; sent < 1000 && !error; ++sent) // the first position never comes
    error = o.say(o.write(1, sent + 1, sent + 2, "radio", 0, {{1, static_cast<std::uint32_t>(sent + 2)}}));
  EXPECT_TRUE(error);
  EXPECT_LT(sent, 110u);
}

TEST(ObservedProgram, ACheckpointGoesOnFromTheObservedRunAlone) {
  // Before it: approved = 1, landing = 1. After it the radio fails: no run puts that before the landing.
  Observation o;
  o.begin();
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
      FinishMessage{wire::EndKind::Exit, 0, 9, 0, 0, 0, 0}};
  std::mt19937 random(5);
  for (int round = 0; round < 20; ++round) {
    Observation again;
    again.begin();
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
  o.begin();
  ASSERT_FALSE(o.say(CheckpointMessage{0, wire::kGiveUp, 0, 0, {{0, 0, true, false, 0}}}));
  for (const Message& message : o.landing()) ASSERT_FALSE(o.say(message));
  EXPECT_TRUE(o.end().findings.empty());
  EXPECT_FALSE(o.program->report().coverage.complete);
  EXPECT_TRUE(o.has_gap("givenUp"));
}

TEST(ObservedProgram, AHorizonIsOnlyOrder) {
  // The thread of the radio was silent: its next event is after the landing.
  Observation o;
  o.begin();
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
  EXPECT_EQ(o.table.flags, wire::kLockstep);
  ASSERT_EQ(o.table.variables.size(), 1u);
  ASSERT_FALSE(o.say(InitialState{{0}}));
  answers.clear();
  ASSERT_FALSE(o.say(o.write(0, 0, 1, "landing", 0, {{0, 1}}), &answers));
  EXPECT_EQ(answers, std::vector<Message>{Ack{1}});
  answers.clear();
  ASSERT_FALSE(o.say(o.write(0, 1, 2, "landing", 1, {{0, 2}}), &answers));
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_TRUE(std::holds_alternative<Stop>(answers[0]));
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
