// check and compare: findings, exit status, JSON, suppressions and what is refused, on traces made by hand and imported ones.
#include <algorithm>

#include <nlohmann/json.hpp>

#include "sooth_command.h"
#include "unit/verify_builder.h"

namespace sooth::cli::testing {
namespace {

using trace::EventKind;
using trace::testing::TraceBuilder;

class CheckCommand : public CommandTest {
protected:
  nlohmann::json json_of(const std::string& name) const { return nlohmann::json::parse(read_file(path(name))); }
};

// Two locks in opposite order, one thread after the other.
trace::Trace inversion_trace(bool gate) {
  TraceBuilder b(3);
  b.global(0x100, 40, "first");
  b.global(0x200, 40, "second");
  b.global(0x300, 40, "gate");
  for (std::uint32_t thread : {1u, 2u}) b.add(0, EventKind::Fork, 0, thread);
  for (std::uint32_t thread : {1u, 2u}) {
    const std::uint64_t outer = thread == 1 ? 0x100 : 0x200, inner = thread == 1 ? 0x200 : 0x100;
    const std::uint32_t at = b.site("pool.cpp", 10 * thread, thread == 1 ? "give" : "take", "");
    b.add(thread, EventKind::ThreadStart, 0, 0);
    if (gate) b.add(thread, EventKind::Acquire, 0x300);
    b.add(thread, EventKind::Acquire, outer).site = at;
    b.add(thread, EventKind::Acquire, inner).site = at;
    b.add(thread, EventKind::Release, inner).site = at;
    b.add(thread, EventKind::Release, outer).site = at;
    if (gate) b.add(thread, EventKind::Release, 0x300);
    b.add(thread, EventKind::ThreadEnd);
  }
  for (std::uint32_t thread : {1u, 2u}) b.add(0, EventKind::Join, 0, thread);
  return b.trace;
}

TEST_F(CheckCommand, ADeadlockGivesStatus66AndIsTold) {
  const Outcome outcome = sooth({"check", write_trace("t.sooth", inversion_trace(false)), "--json", path("r.json")});
  EXPECT_EQ(outcome.status, 66) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  for (const char* part : {"predicted deadlock over", "`first`", "`second`", "pool.cpp:10", "pool.cpp:20",
                           "holds `first`", "predicted order", "1 finding (1 deadlock)"})
    EXPECT_NE(outcome.err.find(part), std::string::npos) << part << "\n" << outcome.err;
  const auto report = json_of("r.json");
  EXPECT_EQ(report["findings"].size(), 1u);
  EXPECT_EQ(report["findings"][0]["kind"], "deadlock");
  EXPECT_EQ(report["coverage"]["rejected"], 0);
  EXPECT_EQ(report["coverage"]["complete"], true);
}

// A program that needs more than it may ends as one that did all: with what it found, and what it did not look at.
TEST_F(CheckCommand, WhatMemoryAndTimeDoNotSufficeForIsTold) {
  const std::string trace = write_trace("t.sooth", inversion_trace(false));
  const Outcome little = sooth({"check", trace, "--memory", "1K", "--json", path("r.json")});
  EXPECT_EQ(little.status, 65) << little.err; // nothing found, and not everything was looked at
  EXPECT_NE(little.err.find("sooth: no answer about"), std::string::npos) << little.err;
  EXPECT_NE(little.err.find("events at the end of the trace were not looked at"), std::string::npos) << little.err;
  auto coverage = json_of("r.json")["coverage"];
  EXPECT_EQ(coverage["complete"], false);
  EXPECT_EQ(coverage["eventsLeftOut"], inversion_trace(false).events.size());
  EXPECT_FALSE(coverage["unanswered"].empty());

  const Outcome hasty = sooth({"check", trace, "--budget", "0.000000001", "--json", path("r.json")});
  EXPECT_EQ(hasty.status, 65) << hasty.err;
  EXPECT_NE(hasty.err.find("more time would decide them (--budget 300)"), std::string::npos) << hasty.err;
  coverage = json_of("r.json")["coverage"];
  EXPECT_EQ(coverage["complete"], false);
  EXPECT_GT(coverage["undecided"], 0);

  EXPECT_EQ(sooth({"check", trace, "--memory", "2G", "--budget", "0"}).status, 66);
  EXPECT_EQ(sooth({"check", trace, "--memory", "much"}).status, 2);
  EXPECT_EQ(sooth({"check", trace, "--budget", "-1"}).status, 2);
}

// Reading and verifying are paid for by the same budget.
TEST_F(CheckCommand, ALongTraceIsReadAsFarAsTheBudgetGoes) {
  TraceBuilder b(2); // of one thread alone nothing would have to be looked at
  for (std::uint64_t i = 0; i < 400'000; ++i) b.write(i % 2, 0x1000 + 8 * (i % 1000 / 2), 8, i);
  const std::string trace = write_trace("long.sooth", b.trace);
  const Outcome hasty = sooth({"check", trace, "--budget", "0.003", "--json", path("r.json")});
  EXPECT_EQ(hasty.status, 65) << hasty.err;
  const auto coverage = json_of("r.json")["coverage"];
  EXPECT_EQ(coverage["complete"], false);
  EXPECT_TRUE(coverage.contains("traceNotRead") || coverage.contains("eventsNotReached")) << hasty.err;
  EXPECT_NE(hasty.err.find("--budget"), std::string::npos) << hasty.err;
  EXPECT_NE(sooth({"compare", trace, "--budget", "0.003"}).err.find("only the first"), std::string::npos);
}

TEST_F(CheckCommand, APatternThatNamesNoCallIsTold) {
  const Outcome outcome = sooth({"check", write_trace("t.sooth", small_trace()), "--atomic", "no_such_*"});
  EXPECT_NE(outcome.err.find("`no_such_*` names no function"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("not complete"), std::string::npos) << outcome.err;
}

// Nobody knows what lost events did to the order of the others.
TEST_F(CheckCommand, NothingIsPredictedWhereEventsWereLost) {
  trace::Trace t = inversion_trace(false);
  t.defects[static_cast<unsigned>(trace::Defect::DroppedEvents)] = 3;
  const Outcome outcome = sooth({"check", write_trace("t.sooth", t)});
  EXPECT_EQ(outcome.status, 65) << outcome.err;
  EXPECT_NE(outcome.err.find("events were lost"), std::string::npos) << outcome.err;
}

TEST_F(CheckCommand, QuietAndVerboseSayLessAndMore) {
  const std::string trace = write_trace("t.sooth", inversion_trace(false));
  const Outcome quiet = sooth({"check", trace, "--quiet"}), usual = sooth({"check", trace}),
                verbose = sooth({"check", trace, "--verbose"});
  EXPECT_EQ(quiet.status, 66);
  EXPECT_EQ(std::ranges::count(quiet.err, '\n'), 2) << quiet.err; // the finding, and the last line
  EXPECT_NE(verbose.err.find("every step of the predicted order"), std::string::npos) << verbose.err;
  EXPECT_EQ(usual.err.find("every step"), std::string::npos) << usual.err;
  EXPECT_EQ(usual.err.find('\x1b'), std::string::npos) << "a file is no terminal";
  EXPECT_EQ(sooth({"check", trace, "--quiet", "--verbose"}).status, 2);
  EXPECT_EQ(sooth({"check", write_trace("fine.sooth", inversion_trace(true)), "--quiet"}).err, "");
}

TEST_F(CheckCommand, AGateLockPreventsIt) {
  const Outcome outcome = sooth({"check", write_trace("t.sooth", inversion_trace(true))});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("nothing found"), std::string::npos) << outcome.err;
}

TEST_F(CheckCommand, TheExitStatusCanBeChosen) {
  EXPECT_EQ(sooth({"check", write_trace("t.sooth", inversion_trace(false)), "--exit-code", "3"}).status, 3);
}

// Data behind an atomic flag that two threads set. No lock and no creation keeps the two accesses apart, and one flag could come from
// either thread. Only both values together tell that it came from thread 1: behind thread 3's flag, `late` would be 1.
TEST_F(CheckCommand, CandidatesAreListedApartIfAskedFor) {
  TraceBuilder b(4);
  b.global(0x100, 4, "data");
  b.global(0x200, 4, "flag");
  b.global(0x300, 4, "late");
  for (std::uint64_t variable : {0x200u, 0x300u}) b.access(0, EventKind::AtomicWrite, variable, 4, 0);
  for (std::uint32_t thread : {1u, 2u, 3u}) b.add(0, EventKind::Fork, 0, thread);
  b.write(1, 0x100, 4, 7).site = b.site("flag.cpp", 5, "give", "data");
  b.access(1, EventKind::AtomicWrite, 0x200, 4, 1);
  b.access(2, EventKind::AtomicRead, 0x200, 4, 1);
  b.access(2, EventKind::AtomicRead, 0x300, 4, 0);
  b.read(2, 0x100, 4, 7).site = b.site("flag.cpp", 9, "take", "data");
  b.access(3, EventKind::AtomicWrite, 0x300, 4, 1);
  b.access(3, EventKind::AtomicWrite, 0x200, 4, 1);
  const std::string trace = write_trace("t.sooth", b.trace);
  const Outcome outcome = sooth({"check", trace, "--candidates", "--json", path("r.json")});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  for (const char* part : {"they are no findings", "flag.cpp:5", "flag.cpp:9", "no run of the model", "nothing found"})
    EXPECT_NE(outcome.err.find(part), std::string::npos) << part << "\n" << outcome.err;
  const auto report = json_of("r.json");
  EXPECT_TRUE(report["findings"].empty());
  ASSERT_EQ(report["candidates"].size(), 1u);
  EXPECT_EQ(report["candidates"][0]["kind"], "race");
  EXPECT_EQ(report["candidates"][0]["sites"].size(), 2u);
  EXPECT_EQ(sooth({"check", trace}).err.find("Candidates"), std::string::npos);
}

// Two threads count under a lock; the count only flows into itself (value_flows.h). So `used` may
// be set before `ready`, and "complete" would be wrong under hb.
TEST_F(CheckCommand, PropertiesAreCheckedUnderFullWhereReadsAreFree) {
  TraceBuilder b(2);
  b.trace.globals.push_back({0x100, 4, "ready", "int", "", 0});
  b.trace.globals.push_back({0x200, 4, "used", "int", "", 0});
  b.trace.globals.push_back({0x300, 4, "hits", "int", "", 0});
  const std::uint32_t count = b.site("count.c", 5, "count", "hits");
  const auto counts = [&](std::uint32_t thread, std::uint64_t before) {
    b.add(thread, EventKind::Acquire, 0x1000);
    b.read(thread, 0x300, 4, before).site = count;
    b.write(thread, 0x300, 4, before + 1).site = count;
    b.add(thread, EventKind::Release, 0x1000);
  };
  b.write(0, 0x100, 4, 1);
  counts(0, 0);
  counts(1, 1);
  b.write(1, 0x200, 4, 1);
  const std::string property = write_file("p.prop", "property order: start(used == 1) -> ready == 1");
  EXPECT_EQ(sooth({"check", write_trace("t.sooth", b.trace), "--property", property}).status, 0);
  trace::ValueFlows& flows = b.trace.static_facts.flows;
  flows.modules = flows.modules_main = 1;
  flows.reads = {{count, 4, false, false, {{count, true}}}};
  const std::string trace = write_trace("t.sooth", b.trace);
  const Outcome outcome = sooth({"check", trace, "--property", property, "--json", path("r.json")});
  EXPECT_EQ(outcome.status, 66) << outcome.err;
  EXPECT_EQ(json_of("r.json")["findings"][0]["model"], "full");
  EXPECT_EQ(sooth({"check", trace, "--property", property, "--model", "hb"}).status, 0);
  const Outcome compared = sooth({"compare", trace, "--property", property, "--json"});
  const nlohmann::json answer = nlohmann::json::parse(compared.out);
  for (const auto& row : answer["models"])
    if (!row.contains("refused")) {
      EXPECT_EQ(row["findings"], row["model"] == "full" ? 1 : 0) << row;
    }
}

TEST_F(CheckCommand, OnlyWhatIsAskedForIsLookedFor) {
  const std::string trace = write_trace("t.sooth", inversion_trace(false));
  EXPECT_EQ(sooth({"check", trace, "--find", "races,memory"}).status, 0);
  EXPECT_EQ(sooth({"check", trace, "--find", "deadlocks"}).status, 66);
}

TEST_F(CheckCommand, ASuppressedFindingIsCountedAndNotTold) {
  const std::string trace = write_trace("t.sooth", inversion_trace(false));
  const std::string file = write_file("known.txt", "# known\ndeadlock:give\n");
  const Outcome outcome = sooth({"check", trace, "--suppressions", file});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("1 suppressed"), std::string::npos) << outcome.err;
  const Outcome wrong = sooth({"check", trace, "--suppressions", write_file("bad.txt", "deadlock\n")});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_NE(wrong.err.find("bad.txt:1:1:"), std::string::npos) << wrong.err;
  EXPECT_EQ(sooth({"check", trace, "--suppressions", path("missing.txt")}).status, 2);
}

TEST_F(CheckCommand, OptionsMayComeFromAFileAndTheCommandLineWins) {
  const std::string trace = write_trace("t.sooth", inversion_trace(false));
  write_file(".sooth", "# this project\n exit-code = 7\nfind=deadlocks\n");
  EXPECT_EQ(sooth({"check", trace}).status, 7);
  EXPECT_EQ(sooth({"check", trace, "--exit-code", "9"}).status, 9);
  EXPECT_EQ(sooth({"check", trace, "--find", "races"}).status, 0);
  write_file(".sooth", "find=deadlocks\nexit-code\n");
  const Outcome wrong = sooth({"check", trace});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_NE(wrong.err.find(".sooth:2:1: "), std::string::npos) << wrong.err;
  write_file(".sooth", "colour=red\n");
  EXPECT_EQ(sooth({"check", trace}).status, 2);
}

TEST_F(CheckCommand, AnIllegalTraceIsRefused) {
  const Outcome outcome = sooth({"check", write_trace("t.sooth", illegal_trace())});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find("not legal"), std::string::npos) << outcome.err;
}

TEST_F(CheckCommand, WrongOptionsAreNamed) {
  const std::string trace = write_trace("t.sooth", small_trace());
  for (const std::vector<std::string>& more : {std::vector<std::string>{"--find", "bugs"},
                                               {"--model", "strong"},
                                               {"--window", "0"},
                                               {"--window", "-3"},
                                               {"--jobs", "-1"},
                                               {"--max-width", "-1"},
                                               {"--budget", "soon"},
                                               {"--exit-code", "300"},
                                               {"--json", path("no/such/folder.json")}}) {
    std::vector<std::string> arguments = {"check", trace};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = sooth(arguments);
    EXPECT_EQ(outcome.status, 2) << more[0];
    EXPECT_NE(outcome.err.find("sooth: "), std::string::npos) << outcome.err;
  }
}

trace::Trace writes_of_y() {
  TraceBuilder b(1);
  b.trace.globals.push_back({0x100, 4, "x", "int", "", 0});
  b.trace.globals.push_back({0x200, 4, "y", "int", "", 0});
  b.write(0, 0x100, 4, 6);
  for (const std::uint64_t value : {2, 0, 3}) b.write(0, 0x200, 4, value);
  return b.trace;
}

// x and y are zero first; after x = 6 y still is, and once more later.
TEST_F(CheckCommand, DivisionsByZeroAreCountedAndToldAndNotOfThemIsTrue) {
  const std::string trace = write_trace("t.sooth", writes_of_y());
  const std::string told = "3 divisions by zero in states of the observed run";
  const auto check = [&](const std::string& property) {
    return sooth({"check", trace, "--property", write_file("p.prop", property), "--json", path("r.json")});
  };
  const Outcome fine = check("property p: once (x / y > 2) || y >= 0");
  EXPECT_EQ(fine.status, 0) << fine.err;
  EXPECT_NE(fine.err.find(told), std::string::npos) << fine.err;
  EXPECT_NE(json_of("r.json")["coverage"]["limits"].dump().find(told), std::string::npos);
  const Outcome negated = check("property p: not (x / y > 100)");
  EXPECT_EQ(negated.status, 0) << negated.err;
  EXPECT_NE(negated.err.find(told), std::string::npos) << negated.err;
  EXPECT_EQ(check("property p: !(x / y > 100)").status, 66);
  EXPECT_NE(check("property p: y << (y + 40) == 0").err.find("4 shifts by too much"), std::string::npos);
  EXPECT_EQ(check("property p: y != 0 && x / y > 100 || y >= 0").err.find("divisions"), std::string::npos);
}

TEST_F(CheckCommand, ATraceThatLostItsTablesIsNotTakenForAProgramWithoutNames) {
  const std::string property = write_file("p.prop", "property p: x == 0");
  trace::Trace without_tables = writes_of_y();
  without_tables.globals.clear();
  for (const trace::Trace& t : {without_tables, trace::Trace()}) {
    const Outcome outcome = sooth({"check", write_trace("t.sooth", t), "--property", property});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_NE(outcome.err.find("the trace lacks the program's tables"), std::string::npos) << outcome.err;
  }
}

TEST_F(CheckCommand, APropertyFileMustBeARegularFileOfBearableSize) {
  const std::string trace = write_trace("t.sooth", small_trace());
  const auto check = [&](const std::string& file) { return sooth({"check", trace, "--property", file}); };
  for (const char* endless : {"/dev/zero", "/dev/stdin"}) {
    const Outcome outcome = check(endless);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_NE(outcome.err.find("no regular file"), std::string::npos) << outcome.err;
  }
  const Outcome large = check(write_file("large.prop", std::string((1 << 20) + 1, '\n')));
  EXPECT_EQ(large.status, 2);
  EXPECT_NE(large.err.find("larger than a property file can be"), std::string::npos) << large.err;
}

TEST_F(CheckCommand, WhbRefusesATraceWhoseLockIsNeverReleased) {
  trace::Trace t = inversion_trace(false);
  TraceBuilder b(1);
  b.trace = t;
  b.add(0, EventKind::Acquire, 0x100);
  const std::string trace = write_trace("t.sooth", b.trace);
  const Outcome refused = sooth({"check", trace, "--model", "whb"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("never released"), std::string::npos) << refused.err;
  EXPECT_EQ(sooth({"check", trace, "--model", "whb-locks"}).status, 66);
  const Outcome compared = sooth({"compare", trace});
  EXPECT_EQ(compared.status, 0);
  EXPECT_NE(compared.out.find("never released"), std::string::npos) << compared.out;
}

// Imported text has no values: each write is a value of its own.
TEST_F(CheckCommand, AnImportedTraceGivesVerdicts) {
  const std::string text = write_file("t.std", "T0|fork(T1)|1\nT0|fork(T2)|2\n"
                                               "T1|w(x)|10\nT1|acq(l)|11\nT1|rel(l)|12\n"
                                               "T2|acq(l)|20\nT2|rel(l)|21\nT2|w(x)|22\n"
                                               "T0|join(T1)|3\nT0|join(T2)|4\n");
  ASSERT_EQ(sooth({"import", text, "-o", path("t.sooth")}).status, 0);
  const Outcome outcome = sooth({"check", path("t.sooth"), "--json", path("r.json")});
  EXPECT_EQ(outcome.status, 66) << outcome.err;
  const auto report = json_of("r.json");
  ASSERT_EQ(report["findings"].size(), 1u) << outcome.err;
  EXPECT_EQ(report["findings"][0]["kind"], "race");
  EXPECT_EQ(report["findings"][0]["status"], "predicted");
}

// Maximal models, Fig. 1(a) and (b).
trace::Trace figure(char which) {
  TraceBuilder b(3);
  b.global(0x10, 4, "x");
  b.global(0x20, 4, "y");
  b.global(0x100, 40, "l");
  b.write(0, 0x10, 4, 0);
  for (std::uint32_t thread : {1u, 2u}) b.add(0, EventKind::Fork, 0, thread);
  for (std::uint32_t thread : {1u, 2u}) b.add(thread, EventKind::ThreadStart, 0, 0);
  const auto acquire = [&](std::uint32_t thread) { b.add(thread, EventKind::Acquire, 0x100); };
  const auto release = [&](std::uint32_t thread) { b.add(thread, EventKind::Release, 0x100); };
  if (which == 'a') {
    b.write(1, 0x20, 4, 1);
    acquire(1), b.write(1, 0x10, 4, 1), b.read(1, 0x10, 4, 1), release(1);
    acquire(2), b.write(2, 0x10, 4, 2), release(2);
    b.write(2, 0x20, 4, 2);
  } else {
    acquire(1), b.write(1, 0x10, 4, 1), release(1);
    b.write(1, 0x20, 4, 1);
    acquire(1), b.write(1, 0x10, 4, 1), release(1);
    acquire(2), b.read(2, 0x10, 4, 1), b.write(2, 0x20, 4, 2), release(2);
  }
  return b.trace;
}

TEST_F(CheckCommand, CompareSaysWhichModelFindsThePapersRaces) {
  const auto found_on_y = [&](char which) {
    const std::string trace = write_trace(std::string(1, which) + ".sooth", figure(which));
    std::vector<std::string> models;
    for (const char* model : {"hb", "hb-locks", "whb", "whb-locks", "maximal"}) {
      const Outcome outcome = sooth({"check", trace, "--find", "races", "--model", model, "--json", path("r.json")});
      const nlohmann::json report = json_of("r.json"); // must outlive the loop over a part of it
      for (const auto& finding : report["findings"])
        if (finding["sites"][0]["variable"] == "y") models.emplace_back(model);
    }
    return models;
  };
  EXPECT_EQ(found_on_y('a'), (std::vector<std::string>{"whb", "whb-locks", "maximal"}));
  EXPECT_EQ(found_on_y('b'), (std::vector<std::string>{"maximal"}));
}

TEST_F(CheckCommand, CompareIsATableAndJson) {
  const std::string trace = write_trace("t.sooth", inversion_trace(false));
  const Outcome table = sooth({"compare", trace});
  EXPECT_EQ(table.status, 0) << table.err;
  for (const char* part : {"model", "deadlock", "findings", "\nhb ", "\nhb-locks ", "\nmaximal "})
    EXPECT_NE(table.out.find(part), std::string::npos) << part << "\n" << table.out;
  const auto json = nlohmann::json::parse(sooth({"compare", "--json", trace}).out);
  ASSERT_EQ(json["models"].size(), 7u);
  EXPECT_EQ(json["models"][0]["model"], "hb");
  EXPECT_EQ(json["models"][0]["findings"], 0); // the locks keep their order
  EXPECT_EQ(json["models"][4]["kinds"]["deadlock"], 1);
  for (const int without_facts : {5, 6})
    EXPECT_NE(json["models"][without_facts]["refused"].get<std::string>().find("-fsooth-facts"), std::string::npos);
}

TEST_F(CheckCommand, FullAndSlicedNeedStaticFacts) {
  const std::string trace = write_trace("t.sooth", inversion_trace(false));
  for (const char* model : {"full", "sliced"}) {
    const Outcome refused = sooth({"check", trace, "--model", model});
    EXPECT_EQ(refused.status, 2);
    EXPECT_NE(refused.err.find("-fsooth-facts"), std::string::npos) << refused.err;
  }
  EXPECT_EQ(sooth({"check", trace}).status, 66); // maximal, without being asked
}

} // namespace
} // namespace sooth::cli::testing
