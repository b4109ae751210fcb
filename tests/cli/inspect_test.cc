// show and stats.
#include <sstream>

#include <nlohmann/json.hpp>

#include "sooth_command.h"

namespace sooth::cli::testing {
namespace {

using nlohmann::json;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

class Show : public CommandTest {
protected:
  std::vector<json> events(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"show", write_trace("t.sooth", small_trace()), "--json"});
    const Outcome outcome = sooth(arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    std::vector<json> result;
    for (const std::string& line : lines_of(outcome.out)) result.push_back(json::parse(line));
    return result;
  }
  std::vector<int> numbers(const std::vector<std::string>& arguments) {
    std::vector<int> result;
    for (const json& event : events(arguments)) result.push_back(event["n"]);
    return result;
  }
};

TEST_F(Show, JsonHasEveryFieldOfAnAccess) {
  const json e = events({})[4];
  EXPECT_EQ(e["n"], 4);
  EXPECT_EQ(e["thread"], 1);
  EXPECT_EQ(e["kind"], "read");
  EXPECT_EQ(e["address"], "0x1000");
  EXPECT_EQ(e["size"], 4);
  EXPECT_EQ(e["value"], "0xffffffff");
  EXPECT_EQ(e["memoryOrder"], "plain");
  EXPECT_EQ(e["file"], "bank.cpp");
  EXPECT_EQ(e["line"], 20);
  EXPECT_EQ(e["column"], 3);
  EXPECT_EQ(e["function"], "work()");
  EXPECT_EQ(e["variable"], "counter");
  EXPECT_EQ(e["threadName"], "worker");
}

TEST_F(Show, JsonHasWhatOtherKindsNeed) {
  const auto all = events({});
  ASSERT_EQ(all.size(), 15u);
  EXPECT_EQ(all[1]["child"], 1);
  EXPECT_EQ(all[3]["variable"], "guard");
  EXPECT_EQ(all[3]["lockType"], "recursive");
  EXPECT_EQ(all[8]["variable"], "heap#1+8");
  EXPECT_EQ(all[9]["readValue"], "0x7");
  EXPECT_EQ(all[9]["value"], "0x8");
  EXPECT_EQ(all[9]["memoryOrder"], "seq_cst");
  EXPECT_EQ(all[10]["bytes"], "abababababababababababababababab");
  EXPECT_EQ(all[11]["name"], "deposit");
}

TEST_F(Show, FiltersByThreadKindVariableAndRange) {
  EXPECT_EQ(numbers({"--thread", "0"}), (std::vector{0, 1, 13, 14}));
  EXPECT_EQ(numbers({"--thread", "worker", "--kind", "acquire,release"}), (std::vector{3, 6}));
  EXPECT_EQ(numbers({"--variable", "counter"}), (std::vector{0, 4, 14}));
  EXPECT_EQ(numbers({"--variable", "coun*", "--variable", "guard"}), (std::vector{0, 3, 4, 6, 14}));
  EXPECT_EQ(numbers({"--variable", "heap#1"}), (std::vector{7, 8, 9, 10}));
  EXPECT_EQ(numbers({"--range", "12:"}), (std::vector{12, 13, 14}));
  EXPECT_EQ(numbers({"--range", "2:3"}), (std::vector{2, 3}));
  EXPECT_EQ(numbers({"--limit", "2"}), (std::vector{0, 1}));
  EXPECT_EQ(numbers({"--tail", "2", "--variable", "counter"}), (std::vector{4, 14}));
}

TEST_F(Show, AStaticVariableIsFoundWithoutItsFile) {
  trace::Trace t = small_trace();
  for (trace::Global& global : t.globals)
    if (global.name == "guard") global.name = "bank.cpp:guard";
  const std::string file = write_trace("static.sooth", t);
  for (const char* name : {"guard", "bank.cpp:guard", "gua*"})
    EXPECT_EQ(lines_of(sooth({"show", "--variable", name, file}).out).size(), 3u) << name; // with the heading
}

TEST_F(Show, ColumnsGiveValuesAsTheSourceMeansThem) {
  const Outcome outcome = sooth({"show", write_trace("t.sooth", small_trace())});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto lines = lines_of(outcome.out);
  ASSERT_EQ(lines.size(), 16u); // and the header
  EXPECT_NE(lines[0].find("variable"), std::string::npos);
  EXPECT_NE(lines[5].find(" -1 "), std::string::npos) << lines[5];
  EXPECT_NE(lines[5].find("bank.cpp:20"), std::string::npos);
  EXPECT_NE(lines[6].find(" 1.5 "), std::string::npos) << lines[6];
  EXPECT_NE(lines[10].find("7 -> 8"), std::string::npos) << lines[10];
  EXPECT_NE(lines[12].find("deposit"), std::string::npos) << lines[12];
}

TEST_F(Show, WrongFiltersAreExplained) {
  const std::string trace = write_trace("t.sooth", small_trace());
  EXPECT_EQ(sooth({"show", trace, "--kind", "raed"}).status, 2);
  EXPECT_NE(sooth({"show", trace, "--kind", "raed"}).err.find("atomic-rmw"), std::string::npos);
  EXPECT_NE(sooth({"show", trace, "--thread", "9"}).err.find("no thread `9`"), std::string::npos);
  EXPECT_EQ(sooth({"show", trace, "--range", "5:2"}).status, 2);
  EXPECT_EQ(sooth({"show", trace, "--range", "x"}).status, 2);
}

TEST_F(Show, AReaderThatLeavesEndsItQuietly) {
  trace::Trace big = small_trace();
  const trace::Event last = big.events.back();
  big.events.resize(100000, last);
  const std::string trace = write_trace("t.sooth", big);
  const std::string command = std::string("trap '' PIPE; '") + SOOTH_PROGRAM + "' show '" + trace + "' | head -1";
  const Outcome outcome = run("/bin/sh", {"-c", command});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(lines_of(outcome.out).size(), 1u);
}

class Stats : public CommandTest {};

TEST_F(Stats, JsonCountsKindsThreadsVariablesAndLocks) {
  trace::Trace t = small_trace();
  t.process.unsupported.emplace_back("pthread_something", 3);
  t.process.plain_libraries.push_back("libother.so");
  const Outcome outcome = sooth({"stats", "--json", write_trace("t.sooth", t)});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json stats = json::parse(outcome.out);
  EXPECT_EQ(stats["events"], 15);
  EXPECT_EQ(stats["kinds"]["write"], 4);
  EXPECT_EQ(stats["threads"][1]["name"], "worker");
  EXPECT_EQ(stats["threads"][1]["events"], 11);
  ASSERT_EQ(stats["sharedVariables"].size(), 1u); // `rate` and the block belong to one thread
  EXPECT_EQ(stats["sharedVariables"][0]["name"], "counter");
  EXPECT_EQ(stats["sharedVariables"][0]["reads"], 2);
  EXPECT_EQ(stats["sharedVariables"][0]["writes"], 1);
  EXPECT_EQ(stats["sharedVariables"][0]["byThread"]["1"], 1);
  ASSERT_EQ(stats["locks"].size(), 1u);
  EXPECT_EQ(stats["locks"][0]["name"], "guard");
  EXPECT_EQ(stats["program"]["unsupported"]["pthread_something"], 3);
  EXPECT_EQ(stats["program"]["end"], "exited with status 0");
  EXPECT_GT(stats["bytesPerEvent"], 0.0);
}

TEST_F(Stats, TextNamesDefectsWithTheirSeverity) {
  trace::Trace t = small_trace();
  t.defects[static_cast<unsigned>(trace::Defect::DroppedEvents)] = 3;
  t.process.plain_libraries.push_back("libother.so");
  t.process.end = trace::EndKind::Signal;
  t.process.end_value = 9;
  const Outcome outcome = sooth({"stats", write_trace("t.sooth", t)});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  for (const char* part :
       {"counter", "guard", "error", "events could not be kept", "libother.so", "signal 9", "worker"})
    EXPECT_NE(outcome.out.find(part), std::string::npos) << part << "\n" << outcome.out;
}

TEST_F(Stats, TextSaysWhetherTheOrderIsTheRealOne) {
  trace::Trace t = small_trace();
  const std::string said = "order       real";
  EXPECT_EQ(sooth({"stats", write_trace("t.sooth", t)}).out.find(said), std::string::npos);
  t.flags |= trace::kOneClock;
  EXPECT_NE(sooth({"stats", write_trace("t.sooth", t)}).out.find(said), std::string::npos);
}

} // namespace
} // namespace sooth::cli::testing
