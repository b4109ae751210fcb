// Reports: what is said of a finding, to people and as JSON.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "report/held_locks.h"
#include "report/json.h"
#include "report/names.h"
#include "report/phrases.h"
#include "report/suppressions.h"
#include "report/text.h"
#include "unit/report_fixture.h"

namespace sooth::report::testing {
namespace {

using witness::FindingKind;
using witness::Status;

TEST(Describe, ARaceHasStacksLocksCreationAndObject) {
  const Report report = report_of(bank_trace(), {bank_race()});
  ASSERT_EQ(report.findings.size(), 1u);
  const FindingText& race = report.findings[0];
  EXPECT_EQ(race.id, 1u);
  ASSERT_EQ(race.places.size(), 2u);

  const PlaceText& write = race.places[0];
  EXPECT_EQ(write.step.kind, "write");
  EXPECT_EQ(write.step.variable, "total");
  EXPECT_EQ(write.step.thread, 1u);
  ASSERT_EQ(write.stack.size(), 2u); // the access, and the call of deposit
  EXPECT_EQ(write.stack[0].line, 11u);
  EXPECT_EQ(write.stack[1].function, "run()");
  EXPECT_EQ(write.stack[1].line, 30u);
  ASSERT_EQ(write.locks.size(), 1u);
  EXPECT_EQ(write.locks[0].name, "guard");
  EXPECT_EQ(write.locks[0].taken.line, 10u);
  EXPECT_EQ(write.object.sort, "global");
  EXPECT_EQ(write.object.bytes, 4u);
  EXPECT_TRUE(race.places[1].locks.empty());

  ASSERT_EQ(race.threads.size(), 2u);
  EXPECT_EQ(race.threads[0].name, "worker");
  EXPECT_TRUE(race.threads[0].created);
  EXPECT_EQ(race.threads[0].stack.at(0).line, 40u);
}

// `add` inlined into `deposit`, and the call of `deposit` itself stands in what was inlined into `run`.
trace::Trace inlined_trace() {
  trace::Trace trace = bank_trace();
  trace.inlined_calls = {
      {}, {"src/bank.cpp", 12, 1, "deposit(int)", 0, 0}, {"src/bank.cpp", 50, 1, "main_loop()", 0, 0}};
  trace.sites[trace.events[5].site].function = "add(int)";
  trace.sites[trace.events[5].site].inlined_at = 1;
  trace.sites[trace.events[3].value].inlined_at = 2;
  return trace;
}

TEST(Describe, InlinedFunctionsAreFramesOfTheStack) {
  const Report report = report_of(inlined_trace(), {bank_race()});
  const std::vector<Spot>& stack = report.findings.at(0).places.at(0).stack;
  ASSERT_EQ(stack.size(), 4u);
  const char* functions[] = {"add(int)", "deposit(int)", "run()", "main_loop()"};
  const std::uint32_t lines[] = {11, 12, 30, 50};
  const bool inlined[] = {true, false, true, false};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(stack[i].function, functions[i]);
    EXPECT_EQ(stack[i].line, lines[i]);
    EXPECT_EQ(stack[i].inlined, inlined[i]) << i;
  }
  EXPECT_NE(text(report, {}).find("#1 deposit(int) src/bank.cpp:12\n"), std::string::npos) << text(report, {});
  const auto json = nlohmann::json::parse(report::json(report))["findings"][0]["sites"][0]["stack"];
  EXPECT_EQ(json[0]["inlined"], true);
  EXPECT_EQ(json[1]["function"], "deposit(int)");
  EXPECT_FALSE(json[1].contains("inlined"));
  EXPECT_TRUE(matches({"race", "^main_loop", 1}, report.findings[0]));
  EXPECT_FALSE(matches({"race", "^main_loop", 1}, report_of(bank_trace(), {bank_race()}).findings[0]));
}

TEST(Describe, HeapBlocksTellWhereTheyWereAllocated) {
  TraceBuilder b(2);
  const std::uint32_t here = b.site("pool.c", 5, "make", "");
  b.add(0, EventKind::Alloc, 0x5000, 64).site = here;
  b.add(0, EventKind::Fork, 0, 1);
  b.write(0, 0x5008, 4, 1);
  b.write(1, 0x5008, 4, 2);
  witness::Finding race;
  race.places = {{2, witness::Role::Access}, {3, witness::Role::Access}};
  const Report report = report_of(b.trace, {race});
  const ObjectText& object = report.findings.at(0).places.at(0).object;
  EXPECT_EQ(object.sort, "heap");
  EXPECT_EQ(object.bytes, 64u);
  EXPECT_EQ(object.spot.line, 5u);
  EXPECT_NE(text(report, {}).find("heap block of 64 bytes that thread 0 allocated at pool.c:5 in make"),
            std::string::npos)
      << text(report, {});
}

TEST(Describe, AddressesAreTheProgramsOwn) {
  Report report;
  describe(
      bank_trace(0x7000), std::vector{bank_race()}, [](std::uint64_t address) { return address - 0x7000; }, report);
  EXPECT_EQ(report.findings.at(0).places.at(0).object.address, 0x1000u);
  EXPECT_EQ(report.findings.at(0).places.at(0).locks.at(0).address, 0x2000u);
}

TEST(HeldLocks, WaitGivesTheMutexUpAndWakeHasItAgain) {
  TraceBuilder b(1);
  b.add(0, EventKind::Acquire, 0x10);
  b.add(0, EventKind::Acquire, 0x20);
  b.add(0, EventKind::Wait, 0x99, 0x10);
  b.add(0, EventKind::Wake, 0x99, 0x10);
  b.add(0, EventKind::Acquire, 0x30, 0, trace::kFailed);
  b.add(0, EventKind::Release, 0x20);
  HeldLocks locks(1);
  const std::vector<std::size_t> expected = {1, 2, 1, 2, 2, 1};
  for (std::uint32_t i = 0; i < b.trace.events.size(); ++i) {
    locks.follow(b.trace.events[i], i);
    EXPECT_EQ(locks.of(0).size(), expected[i]) << i;
  }
  EXPECT_EQ(locks.of(0)[0].event, 3u); // the wake
}

TEST(HeldLocks, ARecursiveLockIsHeldUntilItsLastRelease) {
  TraceBuilder b(1);
  for (const EventKind kind : {EventKind::Acquire, EventKind::Acquire, EventKind::Release, EventKind::Release})
    b.add(0, kind, 0x10, trace::kLockRecursive);
  HeldLocks locks(1);
  const std::vector<std::size_t> expected = {1, 1, 1, 0};
  for (std::uint32_t i = 0; i < 4; ++i) {
    locks.follow(b.trace.events[i], i);
    EXPECT_EQ(locks.of(0).size(), expected[i]) << i;
  }
}

TEST(Describe, WhatTwoEnginesFindIsOneFindingAndTheObservedOneStays) {
  witness::Finding observed = bank_race();
  observed.status = Status::Observed;
  observed.count = 1;
  const Report report = report_of(bank_trace(), {bank_race(), observed});
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].status, Status::Observed);
  EXPECT_EQ(report.findings[0].count, 3u);
}

TEST(Describe, CutsInWhichAPropertyFailsAreFindingsOfTheirOwnThoughTheirLastStepIsOnTheSameLine) {
  witness::Finding here = bank_race();
  here.kind = witness::FindingKind::Property;
  here.run.rule = "property apart: a < 2 || b < 2";
  here.run.cut = {0, 2, 2};
  witness::Finding there = here;
  there.run.cut = {0, 3, 2};
  const Report report = report_of(bank_trace(), {here, there, here});
  ASSERT_EQ(report.findings.size(), 2u);
  EXPECT_EQ(report.findings[1].run.cut, there.run.cut);
  EXPECT_EQ(report.findings[0].fingerprint, report.findings[1].fingerprint);
}

TEST(Fingerprint, IsTheSameInAnotherRunAndWhateverComesFirst) {
  const std::string one = report_of(bank_trace(), {bank_race()}).findings.at(0).fingerprint;
  witness::Finding turned = bank_race();
  std::swap(turned.places[0], turned.places[1]);
  EXPECT_EQ(report_of(bank_trace(0x7f000000), {turned}).findings.at(0).fingerprint, one);

  trace::Trace elsewhere = bank_trace();
  for (trace::Site& site : elsewhere.sites)
    if (!site.file.empty()) site.file = "other/place/" + site.file;
  EXPECT_EQ(report_of(elsewhere, {bank_race()}).findings.at(0).fingerprint, one);
}

TEST(Fingerprint, WithoutSourcesTheVariableTellsFindingsApart) {
  TraceBuilder b(2);
  b.global(0x10, 4, "x");
  b.global(0x20, 4, "y");
  for (const std::uint64_t address : {0x10, 0x20, 0x30, 0x40})
    for (const std::uint32_t thread : {0u, 1u}) b.write(thread, address, 4, 1);
  std::vector<witness::Finding> races(4);
  for (std::uint32_t i = 0; i < 4; ++i)
    races[i].places = {{2 * i, witness::Role::Access}, {2 * i + 1, witness::Role::Access}};
  const Report report = report_of(b.trace, races);
  ASSERT_EQ(report.findings.size(), 4u);
  EXPECT_NE(report.findings[0].fingerprint, report.findings[1].fingerprint);
  EXPECT_EQ(report.findings[2].fingerprint, report.findings[3].fingerprint); // nothing but an address
}

TEST(Fingerprint, OfLinesDiffersForAnotherLineAndOfAGroupForAnotherFunction) {
  const auto of_lines = [](const Report& report) { return report.findings.at(0).pairs.at(0).fingerprint; };
  const Report one = report_of(bank_trace(), {bank_race()});
  trace::Trace moved = bank_trace();
  for (trace::Site& site : moved.sites) ++site.line;
  EXPECT_NE(of_lines(report_of(moved, {bank_race()})), of_lines(one));
  EXPECT_EQ(report_of(moved, {bank_race()}).findings.at(0).fingerprint, one.findings.at(0).fingerprint);
  for (trace::Site& site : moved.sites)
    if (site.function == "audit()") site.function = "inspect()";
  EXPECT_NE(report_of(moved, {bank_race()}).findings.at(0).fingerprint, one.findings.at(0).fingerprint);
}

TEST(Fingerprint, DiffersForAnotherKindOrProperty) {
  const std::string one = report_of(bank_trace(), {bank_race()}).findings.at(0).fingerprint;
  witness::Finding other = bank_race();
  other.kind = FindingKind::Atomicity;
  EXPECT_NE(report_of(bank_trace(), {other}).findings.at(0).fingerprint, one);
  other = bank_race();
  other.property = "transfer";
  EXPECT_NE(report_of(bank_trace(), {other}).findings.at(0).fingerprint, one);
}

TEST(Text, SaysEverythingAboutARace) {
  const std::string told = text(report_of(bank_trace(), {bank_race()}), {});
  for (const char* part : {
           "sooth: predicted data race on `total`",
           "thread 1 (worker) writes 4 bytes of `total` at src/bank.cpp:11 in deposit(int)",
           "#1 run() src/bank.cpp:30",
           "holds `guard`, taken at src/bank.cpp:10",
           "thread 2 (audit) reads 4 bytes of `total` at src/audit.cpp:20 in audit()", // it began there
           "holds no lock",
           "`total` is a global variable of 4 bytes",
           "thread 1 (worker) was created by thread 0 (main)",
           "observed order",
           "predicted order",
           "what to do: Hold `guard` at src/audit.cpp:20, too, as thread 1 (worker) does at src/bank.cpp:11.",
           "decided by closure (maximal model); 3 times at these places",
           "sooth: 1 finding (1 race); 9 events of 3 threads, maximal model; complete for this run",
       })
    EXPECT_NE(told.find(part), std::string::npos) << part << "\n" << told;
}

TEST(Text, VerboseHasEveryStepTheAddressAndAllNotes) {
  Report report = report_of(bank_trace(), {bank_race()});
  report.coverage.gaps = {{"openThreads", 2, "threads had not ended when the trace did", true}};
  const std::string usual = text(report, {}), verbose = text(report, {.detail = Detail::Verbose});
  for (const char* part : {"the first 2 events", "next: thread 2 (audit)", "(address 0x1000)",
                           "note           2 threads had not ended when the trace did"}) {
    EXPECT_NE(verbose.find(part), std::string::npos) << part << "\n" << verbose;
    EXPECT_EQ(usual.find(part), std::string::npos) << part << "\n" << usual;
  }
}

TEST(Text, QuietIsALineForEachFindingAndSilentWithoutAny) {
  const std::string told = text(report_of(bank_trace(), {bank_race()}), {.detail = Detail::Quiet});
  EXPECT_EQ(told, "sooth: predicted data race on `total` at src/bank.cpp:11, src/audit.cpp:20\n"
                  "sooth: 1 finding (1 race); 9 events of 3 threads, maximal model; complete for this run\n");
  Report nothing = report_of(bank_trace(), {});
  EXPECT_EQ(text(nothing, {.detail = Detail::Quiet}), "");
  nothing.coverage.complete = false; // that is something to say
  EXPECT_NE(text(nothing, {.detail = Detail::Quiet}).find("not complete"), std::string::npos);
}

TEST(Text, APartOfAGlobalIsNotTheGlobal) {
  const ObjectText forks{
      .sort = "global", .name = "forks[1].uses", .address = 64, .bytes = 120, .spot = {}, .thread = 0, .stack = {}};
  EXPECT_EQ(object_phrase(forks, "forks[1].uses"), "`forks[1].uses` is in a global variable of 120 bytes");
}

TEST(Text, BoundsAreToldAndNothingIsComplete) {
  Report report = report_of(bank_trace(), {});
  report.coverage.complete = false;
  report.coverage.gaps = {{"undecided", 4, "candidates are undecided: the budget was used up", false},
                          {"uninstrumentedLibraries", 1, "libraries were not built with Sooth", true, "libz.so"}};
  report.rejected = 2;
  const std::string told = summary(report), verbose = summary(report, true);
  for (const char* part : {"nothing found", "not complete: 4 candidates undecided", "note           1 libraries",
                           ": libz.so", "error          2 findings were withheld"})
    EXPECT_NE(told.find(part), std::string::npos) << part << "\n" << told;
  EXPECT_NE(verbose.find("bounded        4 candidates"), std::string::npos) << verbose;
  EXPECT_EQ(told.find("complete for this run"), std::string::npos);
}

TEST(Text, WhatAUserCanDoAboutABoundIsSaid) {
  Report report = report_of(bank_trace(), {});
  report.coverage.complete = false;
  report.coverage.candidates = 41;
  report.coverage.budget = 100;
  report.coverage.gaps = {
      {"conservativeOrders", 7, "orders of semaphores are kept", false},
      {"undecided", 3, "candidates are undecided: the time that --budget gives was used up", false},
      {"objectsKeptTogether", 2, "objects could not be told apart", false},
  };
  EXPECT_NE(summary(report).find("; not complete: 3 of 41 candidates undecided: more time would decide them "
                                 "(--budget 500); some wake-ups, semaphores or barriers keep their recorded order; "
                                 "1 more reason (--verbose)\n"),
            std::string::npos)
      << summary(report);
}

TEST(Text, EveryKindHasAHeadline) {
  for (const KindRow& row : kind_rows()) {
    witness::Finding finding = bank_race();
    finding.kind = row.kind;
    finding.status = Status::Observed;
    const std::string told = text(report_of(bank_trace(), {finding}), {});
    EXPECT_NE(told.find("observed " + std::string(row.headline)), std::string::npos) << told;
  }
}

// The landing example: what was observed as 1, 2, 3 comes as 3, 1, 2.
FindingText violated_landing(Status status) {
  FindingText finding;
  finding.kind = witness::FindingKind::Property;
  finding.status = status;
  finding.property = "safe";
  finding.threads = {{2, "radio", 0, false, {}}};
  finding.run.rule = "property safe: start(landing) -> [approved, down)";
  finding.run.place = "/there/safe.prop:1";
  finding.run.initial = "landing = 0";
  const Spot spot{"/there/landing.cpp", 9, 1, "f()", false};
  finding.run.steps = {{30, 2, "radio = 0", "landing = 0", 3, spot},
                       {10, 1, "approved = 1", "landing = 0", 1, spot},
                       {20, 1, "landing = 1", "landing = 1", 2, spot}};
  return finding;
}

TEST(Text, ARunThatViolatesAPropertyIsATableWithTheObservedOrderBesideIt) {
  Report report;
  report.findings = {violated_landing(Status::Predicted)};
  const std::string told = text(report, {false, "/there"});
  const std::string expected =
      "sooth: predicted violation of property `safe`\n"
      "  safe.prop:1: property safe: start(landing) -> [approved, down)\n"
      "\n"
      "  a run that violates it\n"
      "    step  thread            what          where          | observed order             |  state\n"
      "                            initially                    |                            |  landing = 0\n"
      "    1     thread 2 (radio)  radio = 0     landing.cpp:9  | 1. thread 1  approved = 1  |  landing = 0\n"
      "    2     thread 1          approved = 1  landing.cpp:9  | 2. thread 1  landing = 1   |  landing = 0\n"
      "    3     thread 1          landing = 1   landing.cpp:9  | 3. thread 2  radio = 0     |  landing = 1  <- fails "
      "here\n";
  EXPECT_NE(told.find(expected), std::string::npos) << told;
  EXPECT_EQ(told.find("predicted order"), std::string::npos) << told;
}

TEST(Text, PatternsAndMachinesAreCalledWhatTheFileCallsThem) {
  Report report;
  report.findings = {violated_landing(Status::Predicted)};
  report.findings[0].kind = witness::FindingKind::Monitor;
  EXPECT_NE(text(report, {false, "/there"}).find("predicted violation of monitor `safe`"), std::string::npos);
  report.findings[0].run.entry = "pattern";
  EXPECT_NE(text(report, {false, "/there"}).find("predicted violation of pattern `safe`"), std::string::npos);
  EXPECT_NE(summary(report).find("1 finding (1 pattern)"), std::string::npos) << summary(report);
  EXPECT_EQ(nlohmann::json::parse(json(report))["findings"][0]["kind"], "monitor");
}

TEST(Text, TheObservedRunHasNothingBesideIt) {
  Report report;
  report.findings = {violated_landing(Status::Observed)};
  report.findings[0].run.skipped = 7;
  const std::string told = text(report, {});
  EXPECT_NE(told.find("  the observed run\n"), std::string::npos) << told;
  EXPECT_EQ(told.find("observed order"), std::string::npos) << told;
  EXPECT_NE(told.find("landing = 0\n    ... 7 steps ...\n    8  "), std::string::npos) << told;
}

TEST(Text, WhatTheRecordingDoesNotTellIsSaidOnceAndNotClaimed) {
  Report report;
  report.findings = {violated_landing(Status::Predicted)};
  RunText& run = report.findings[0].run;
  run.unordered = {run.steps[2], run.steps[0]};
  std::string told = text(report, {false, "/there"});
  EXPECT_NE(told.find("  The recording does not tell which came first, `landing = 1` of thread 1 at landing.cpp:9\n"
                      "  or `radio = 0` of thread 2 (radio) at landing.cpp:9: nothing synchronises them.\n"
                      "  The observed order is one of those that it allows.\n"),
            std::string::npos)
      << told;
  report.findings[0].status = Status::Observed;
  told = text(report, {false, "/there"});
  EXPECT_NE(told.find("  the observed run, in an order that the recording allows\n"), std::string::npos) << told;
  EXPECT_NE(told.find("  The property fails in every order that it allows.\n"), std::string::npos) << told;
}

TEST(Text, ACircleIsMarked) {
  Report report;
  report.findings = {violated_landing(Status::Predicted)};
  report.findings[0].kind = witness::FindingKind::PossibleLiveness;
  report.findings[0].run.repeated = 2;
  const std::string told = text(report, {});
  EXPECT_NE(told.find("landing = 0  again and again\n"), std::string::npos) << told;
  EXPECT_NE(told.find("landing = 1  <- as before step 2\n"), std::string::npos) << told;
  EXPECT_EQ(told.find("fails here"), std::string::npos) << told;
}

TEST(Schedule, TheStepsOfOneThreadInARowAreOneTurn) {
  const Report report = report_of(bank_trace(), {bank_race()});
  const FindingText& race = report.findings[0];
  ASSERT_EQ(race.turns.size(), 2u);
  EXPECT_EQ(race.turns[0], (Turn{1, 3, 2, 0, 0}));
  EXPECT_EQ(race.turns[1], (Turn{2, 1, 1, 0, 0}));
  EXPECT_EQ(race.schedule, (std::vector<std::uint32_t>{2, 4, 7})); // the call is left to the recorded order
  EXPECT_EQ(race.left_out, 1u);
}

// Two threads that take 200 locks in turn, which is also the witness.
struct LongRun {
  trace::Trace trace;
  witness::Finding finding;
};
LongRun long_run() {
  TraceBuilder b(2);
  LongRun out;
  for (std::uint32_t i = 0; i < 200; ++i) {
    b.add(i % 2, EventKind::Acquire, 0x100 + i);
    out.finding.witness.steps.push_back(i);
  }
  out.finding.places = {{0, witness::Role::Request}, {199, witness::Role::Request}};
  out.trace = std::move(b.trace);
  return out;
}

TEST(Schedule, LongRunsAreShortenedAndSayByHowMuch) {
  const LongRun run = long_run();
  const Report report = report_of(run.trace, {run.finding});
  const FindingText& finding = report.findings.at(0);
  EXPECT_LT(finding.turns.size(), 30u);
  std::uint64_t skipped = 0;
  for (const Turn& turn : finding.turns) skipped += turn.skipped;
  EXPECT_EQ(skipped + finding.turns.size(), 200u);
  EXPECT_EQ(finding.left_out + finding.schedule.size(), 200u);
  EXPECT_GT(finding.left_out, 100u);
  EXPECT_EQ(finding.schedule.back(), 199u);
  const auto parsed = nlohmann::json::parse(json(report))["findings"][0];
  EXPECT_EQ(parsed["witness"].size(), finding.schedule.size());
  EXPECT_EQ(parsed["witnessLeftOut"], finding.left_out);
  EXPECT_LT(report.steps.size(), 150u); // nothing is made of what is not shown
}

TEST(Schedule, TheWholeWitnessIsThereIfAskedFor) {
  const LongRun run = long_run();
  Report report;
  describe(run.trace, std::vector{run.finding}, [](std::uint64_t address) { return address; }, report,
           {.whole_witness = true});
  const FindingText& finding = report.findings.at(0);
  EXPECT_EQ(finding.left_out, 0u);
  EXPECT_EQ(finding.turns.size(), 200u);
  const auto parsed = nlohmann::json::parse(json(report))["findings"][0];
  ASSERT_EQ(parsed["witness"].size(), 200u);
  for (std::uint32_t i = 0; i < 200; ++i) EXPECT_EQ(parsed["witness"][i]["event"], i);
}

TEST(Json, HasTheDocumentedFields) {
  Report report = report_of(bank_trace(), {bank_race()});
  report.coverage.gaps = {{"externalWrites", 5, "changes", true}};
  const auto parsed = nlohmann::json::parse(json(report));
  EXPECT_EQ(parsed["sooth"], "1.2.3");
  EXPECT_EQ(parsed["program"]["name"], "bank");
  EXPECT_EQ(parsed["trace"]["file"], "bank.sooth");
  EXPECT_EQ(parsed["trace"]["events"], 9);
  const auto& race = parsed["findings"].at(0);
  EXPECT_EQ(race["id"], 1);
  EXPECT_EQ(race["fingerprint"].get<std::string>().size(), 16u);
  EXPECT_EQ(race["kind"], "race");
  EXPECT_EQ(race["status"], "predicted");
  EXPECT_TRUE(race["property"].is_null());
  EXPECT_EQ(race["model"], "maximal");
  EXPECT_EQ(race["engine"], "closure");
  EXPECT_EQ(race["count"], 3);
  const auto& site = race["sites"].at(0);
  EXPECT_EQ(site["file"], "src/bank.cpp");
  EXPECT_EQ(site["line"], 11);
  EXPECT_EQ(site["column"], 3);
  EXPECT_EQ(site["function"], "deposit(int)");
  EXPECT_EQ(site["variable"], "total");
  EXPECT_EQ(site["thread"], 1);
  EXPECT_EQ(site["stack"].size(), 2u);
  EXPECT_EQ(site["locks"].at(0)["name"], "guard");
  EXPECT_EQ(site["object"]["sort"], "global");
  EXPECT_EQ(race["threads"].at(0)["name"], "worker");
  EXPECT_EQ(race["witnessObserved"], 2);
  EXPECT_EQ(race["witness"].size(), 3u);
  EXPECT_EQ(race["witness"].at(1)["kind"], "acquire");
  EXPECT_EQ(race["witness"].at(1)["line"], 10);
  EXPECT_EQ(race["witnessLeftOut"], 1);
  ASSERT_EQ(race["pairs"].size(), 1u);
  EXPECT_EQ(race["pairs"][0]["count"], 3);
  EXPECT_EQ(race["pairs"][0]["sites"].at(1)["line"], 20);
  EXPECT_EQ(race["next"].at(1)["event"], 8);
  const auto& coverage = parsed["coverage"];
  EXPECT_EQ(coverage["complete"], true);
  EXPECT_EQ(coverage["pieces"], 1);
  EXPECT_EQ(coverage["undecided"], 0);
  EXPECT_EQ(coverage["externalWrites"], 5);
  EXPECT_EQ(coverage["rejected"], 0);
  EXPECT_EQ(coverage["limits"].at(0)["name"], "externalWrites");
}

TEST(Json, IsWrittenInPiecesUntilNoMoreIsWanted) {
  std::vector<witness::Finding> many(100, bank_race());
  for (std::uint32_t i = 0; i < many.size(); ++i) {
    many[i].kind = FindingKind::Property; // these are not grouped
    many[i].run.cut = {i};
  }
  const Report report = report_of(bank_trace(), many);
  const std::string whole = json(report);
  EXPECT_EQ(nlohmann::json::parse(whole)["findings"].size(), 100u);
  std::size_t largest = 0, pieces = 0;
  std::string joined;
  json(report, [&](std::string_view text) {
    largest = std::max(largest, text.size());
    joined += text;
    return ++pieces > 0;
  });
  EXPECT_EQ(joined, whole);
  EXPECT_LT(largest, whole.size() / 50);
  std::size_t taken = 0;
  json(report, [&](std::string_view) { return ++taken < 10; });
  EXPECT_EQ(taken, 10u);
}

TEST(Json, NamesThatAreNotTextAreReplaced) {
  trace::Trace trace = bank_trace();
  trace.process.program = "\xff\xfe";
  EXPECT_TRUE(nlohmann::json::accept(json(report_of(trace, {bank_race()}))));
}

TEST(Names, EveryModelCanBeAskedFor) {
  for (const ModelRow& row : model_rows()) EXPECT_EQ(model_named(row.name), row.model);
  EXPECT_FALSE(model_named("strongest"));
}

} // namespace
} // namespace sooth::report::testing
