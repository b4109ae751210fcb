// What goes wrong outside of the analysis: disks that are full, interruptions, traces that change while they are read.
// meddle.c makes it happen at an exact moment.
#include <csignal>
#include <cstdlib>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "sooth_command.h"
#include "unit/sanitized.h"
#include "unit/verify_builder.h"

namespace sooth::cli::testing {
namespace {

using sooth::testing::kSanitized;
using trace::EventKind;
using trace::testing::TraceBuilder;

class Faults : public CommandTest {
protected:
  // Two variables that two threads write without a lock, a few lines each.
  std::string racy_trace() const {
    TraceBuilder b(3);
    b.global(0x10, 4, "x");
    b.global(0x20, 4, "y");
    for (const std::uint32_t thread : {1u, 2u}) b.add(0, EventKind::Fork, 0, thread);
    std::uint32_t line = 0;
    for (const std::uint64_t address : {0x10, 0x20, 0x10, 0x20})
      for (const std::uint32_t thread : {1u, 2u})
        b.write(thread, address, 4, 1).site = b.site("racy.cpp", ++line, thread == 1 ? "f" : "g", "");
    return write_trace("racy.sooth", b.trace);
  }
  // With something done at some moment (meddle.c).
  Outcome meddled(const std::string& at, const std::string& what, const std::vector<std::string>& arguments) const {
    std::vector<std::string> words = {"LD_PRELOAD=" SOOTH_MEDDLE, "MEDDLE_AT=" + at, "MEDDLE_DO=" + what,
                                      SOOTH_PROGRAM};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return run("/usr/bin/env", words);
  }
  nlohmann::json json_of(const std::string& name) const { return nlohmann::json::parse(read_file(path(name))); }
};

TEST_F(Faults, AFullDiskUnderTheJsonIsToldAndNoSuccess) {
  const Outcome outcome = sooth({"check", racy_trace(), "--json", "/dev/full"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find("cannot write /dev/full: No space left on device"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("2 findings"), std::string::npos) << outcome.err; // what is known is told all the same
}

TEST_F(Faults, AFullDiskUnderTheResultIsToldAndNoSuccess) {
  const std::string trace = racy_trace();
  const std::vector<std::string> commands = {"show " + trace,    "show --json " + trace,
                                             "stats " + trace,   "stats --json " + trace,
                                             "compare " + trace, "compare --json " + trace,
                                             "verify " + trace,  "help",
                                             "version",          "check --help",
                                             "record --help"};
  for (const std::string& command : commands) {
    const Outcome outcome = run("/bin/sh", {"-c", std::string(SOOTH_PROGRAM) + " " + command + " >/dev/full"});
    EXPECT_EQ(outcome.status, 2) << command << "\n" << outcome.err;
    EXPECT_NE(outcome.err.find("No space left on device"), std::string::npos) << command << "\n" << outcome.err;
  }
}

TEST_F(Faults, AFullDiskUnderTheReportIsNoSuccess) {
  const std::string command = std::string(SOOTH_PROGRAM) + " check --exit-code 0 " + racy_trace();
  EXPECT_EQ(run("/bin/sh", {"-c", command + " 2>/dev/full"}).status, 2);
}

TEST_F(Faults, AnInterruptedAnalysisTellsWhatItKnowsAndThatThisIsAPart) {
  if (kSanitized) GTEST_SKIP() << "sanitizers want to be loaded first";
  const std::string trace = racy_trace();
  // The races of the recorded run are known when the first thread is made that looks for others.
  const Outcome outcome =
      meddled("thread:1", "interrupt", {"check", "--jobs", "2", "--each", "--json", path("r.json"), trace});
  EXPECT_EQ(outcome.status, 66) << outcome.err;
  EXPECT_NE(outcome.err.find("sooth: interrupted: "), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("so far (6 races)"), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find("complete for this run"), std::string::npos) << outcome.err;
  const auto report = json_of("r.json");
  EXPECT_EQ(report["partial"], true);
  EXPECT_EQ(report["coverage"]["complete"], false);
  EXPECT_EQ(report["coverage"]["interrupted"], 1);
  EXPECT_GE(report["coverage"]["unanswered"].size(), 1u); // the first pass has settled the other kinds
  EXPECT_EQ(json_of("r.json")["findings"].size(), 6u);
  EXPECT_EQ(sooth({"check", "--json", path("whole.json"), trace}).status, 66);
  EXPECT_EQ(json_of("whole.json")["partial"], false);
}

TEST_F(Faults, AnAnalysisThatIsInterruptedWhileItReadsKnowsNothing) {
  if (kSanitized) GTEST_SKIP() << "sanitizers want to be loaded first";
  const std::string trace = std::filesystem::canonical(racy_trace());
  const Outcome outcome = meddled("read:" + trace + ":1", "interrupt", {"check", "--json", path("r.json"), trace});
  EXPECT_EQ(outcome.status, 65) << outcome.err;
  EXPECT_NE(outcome.err.find("sooth: interrupted: no answer about"), std::string::npos) << outcome.err;
  EXPECT_EQ(json_of("r.json")["partial"], true);
  EXPECT_TRUE(json_of("r.json")["findings"].empty());
}

TEST_F(Faults, AnAnalysisThatDoesNotStopByItselfIsEnded) {
  if (kSanitized) GTEST_SKIP() << "sanitizers want to be loaded first";
  const std::string trace = std::filesystem::canonical(racy_trace());
  const Outcome outcome = meddled("read:" + trace + ":1", "parent", {"check", "--json", path("r.json"), trace});
  EXPECT_EQ(outcome.status, 65) << outcome.err;
  EXPECT_NE(outcome.err.find("sooth: interrupted: no answer about"), std::string::npos) << outcome.err;
  EXPECT_EQ(json_of("r.json")["partial"], true);
}

TEST_F(Faults, ASecondInterruptionEndsIt) {
  if (kSanitized) GTEST_SKIP() << "sanitizers want to be loaded first";
  const Outcome outcome = meddled("thread:1", "twice", {"check", "--jobs", "2", "--each", racy_trace()});
  EXPECT_EQ(outcome.signal, SIGINT) << outcome.status << outcome.err;
}

// Whatever happens to the file: a sentence and a status, never a crash.
TEST_F(Faults, ATraceMayShrinkGrowOrBreakWhileItIsRead) {
  if (kSanitized) GTEST_SKIP() << "sanitizers want to be loaded first";
  const std::string original = read_file(racy_trace());
  const std::string trace = std::filesystem::canonical(path("racy.sooth"));
  for (const std::string command : {"check", "stats", "show", "verify", "compare"})
    for (const int moment : {1, 2, 3})
      for (const std::string& what :
           {std::string("cut:0"), std::string("cut:100"), "cut:" + std::to_string(original.size() / 2),
            "cut:" + std::to_string(original.size() - 1), std::string("grow"), std::string("scribble")}) {
        write_file("racy.sooth", original);
        const Outcome outcome = meddled("read:" + trace + ":" + std::to_string(moment), what, {command, trace});
        EXPECT_EQ(outcome.signal, 0) << command << " " << what << " at read " << moment << "\n" << outcome.err;
        EXPECT_TRUE(outcome.status == 0 || outcome.status == 1 || outcome.status == 2 || outcome.status == 65 ||
                    outcome.status == 66)
            << outcome.status << " " << command << " " << what << "\n"
            << outcome.err;
        EXPECT_EQ(outcome.err.find("unexpected error"), std::string::npos) << command << " " << what << "\n"
                                                                           << outcome.err;
      }
}

// The same as a file that changed before it was read: its intact part is used, and the rest is told.
TEST_F(Faults, WhatIsCutOffWhileItIsReadIsTold) {
  if (kSanitized) GTEST_SKIP() << "sanitizers want to be loaded first";
  const std::string trace = std::filesystem::canonical(racy_trace());
  const auto size = std::filesystem::file_size(trace);
  const Outcome outcome = meddled("read:" + trace + ":1", "cut:" + std::to_string(size / 2), {"stats", trace});
  EXPECT_NE(outcome.err, "") << outcome.out;
}

TEST_F(Faults, ManyLinesOfOneVariableAreOneFinding) {
  std::string text = "T0|fork(T1)|1\nT0|fork(T2)|2\n";
  for (int i = 0; i < 60; ++i) text += "T" + std::to_string(1 + i % 2) + "|w(x)|" + std::to_string(10 + i) + "\n";
  ASSERT_EQ(sooth({"import", write_file("t.std", text), "-o", path("t.sooth")}).status, 0);
  const Outcome one = sooth({"check", path("t.sooth"), "--json", path("one.json")});
  EXPECT_EQ(one.status, 66);
  EXPECT_NE(one.err.find("sooth: 1 finding (1 race), 900 pairs of lines;"), std::string::npos) << one.err;
  EXPECT_EQ(json_of("one.json")["findings"].at(0)["pairs"].size(), 900u);
  const Outcome each = sooth({"check", path("t.sooth"), "--each", "--json", path("each.json")});
  EXPECT_EQ(each.status, 66);
  EXPECT_EQ(json_of("each.json")["findings"].size(), 900u);
  const auto compared = nlohmann::json::parse(sooth({"compare", "--json", path("t.sooth")}).out);
  EXPECT_EQ(compared["models"][4]["findings"], 1);
  EXPECT_EQ(compared["models"][4]["pairs"], 900);
}

} // namespace
} // namespace sooth::cli::testing
