// verify: the verdict, the exit status, and what is said about a problem.
#include <nlohmann/json.hpp>

#include "sooth_command.h"

namespace sooth::cli::testing {
namespace {

class VerifyCommand : public CommandTest {};

TEST_F(VerifyCommand, LegalTraceGivesStatusZero) {
  const Outcome outcome = sooth({"verify", write_trace("t.sooth", small_trace())});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out.rfind("legal: 15 events of 2 threads", 0), 0u) << outcome.out;
}

TEST_F(VerifyCommand, IllegalTraceGivesStatusTwoAndThePlace) {
  const Outcome outcome = sooth({"verify", write_trace("t.sooth", illegal_trace())});
  EXPECT_EQ(outcome.status, 2);
  for (const char* part : {"event 4:", "[read-value]", "bank.cpp:20", "work()", "`counter`", "illegal: 1 problem"})
    EXPECT_NE(outcome.out.find(part), std::string::npos) << part << "\n" << outcome.out;
}

TEST_F(VerifyCommand, JsonSaysTheSame) {
  const Outcome outcome = sooth({"verify", "--json", write_trace("t.sooth", illegal_trace())});
  EXPECT_EQ(outcome.status, 2);
  const auto report = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(report["legal"], false);
  ASSERT_EQ(report["problems"].size(), 1u);
  EXPECT_EQ(report["problems"][0]["event"], 4);
  EXPECT_EQ(report["problems"][0]["rule"], "read-value");
  EXPECT_EQ(report["problems"][0]["line"], 20);
  EXPECT_EQ(report["rules"]["read-value"]["broken"], 1);
}

TEST_F(VerifyCommand, WithMissingEventsLocksAreNotJudgedAndThatIsSaid) {
  trace::Trace t = small_trace();
  t.events.erase(t.events.begin() + 3); // the acquire
  // Without a gap it is the program that gave up what it did not have.
  const Outcome whole = sooth({"verify", write_trace("whole.sooth", t)});
  EXPECT_EQ(whole.status, 0) << whole.out;
  for (const char* part : {"[release-not-held]", "misuse: 1 lock", "legal: 14 events"})
    EXPECT_NE(whole.out.find(part), std::string::npos) << part << "\n" << whole.out;
  const auto report = nlohmann::json::parse(sooth({"verify", "--json", path("whole.sooth")}).out);
  EXPECT_EQ(report["legal"], true);
  EXPECT_EQ(report["misuse"].size(), 1u);
  t.defects[static_cast<unsigned>(trace::Defect::DroppedEvents)] = 1;
  const Outcome outcome = sooth({"verify", write_trace("gap.sooth", t)});
  EXPECT_EQ(outcome.status, 0) << outcome.out;
  EXPECT_NE(outcome.out.find("not judged"), std::string::npos) << outcome.out;
}

TEST_F(VerifyCommand, FilesThatAreNoTracesAreRefused) {
  for (const std::string& text : {std::string{}, std::string("hello"), std::string(10000, '\0')}) {
    const Outcome outcome = sooth({"verify", write_file("x.sooth", text)});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_NE(outcome.err.find("x.sooth"), std::string::npos) << outcome.err;
  }
  EXPECT_EQ(sooth({"verify", path("missing.sooth")}).status, 2);
  EXPECT_EQ(sooth({"verify", path("")}).status, 2); // a folder
}

} // namespace
} // namespace sooth::cli::testing
