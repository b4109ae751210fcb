// --memory: an analysis that does not fit ends cleanly with what does fit, says so once, and stays within its memory.
#include <algorithm>
#include <csignal>

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include "sooth_command.h"
#include "unit/sanitized.h"
#include "unit/verify_builder.h"

namespace sooth::cli::testing {
namespace {

using sooth::testing::kSanitized;
using trace::EventKind;
using trace::testing::TraceBuilder;

constexpr std::uint64_t kEvents = kSanitized ? 60'000 : 400'000;
constexpr std::uint64_t kTolerance = 16 << 20; // bytes, docs/report.md

class MemoryOption : public CommandTest {
protected:
  // Two threads race at the beginning and at the end; between, each takes turns with a lock.
  std::string long_trace(std::uint64_t events = kEvents) const {
    TraceBuilder b(3);
    const std::uint32_t first = b.site("long.cpp", 5, "begin", "early"), last = b.site("long.cpp", 9, "end", "late");
    for (std::uint32_t thread : {1u, 2u}) b.add(0, EventKind::Fork, 0, thread);
    for (std::uint32_t thread : {1u, 2u}) b.write(thread, 0x100, 4, thread).site = first;
    for (std::uint64_t i = 0; b.trace.events.size() < events; ++i) {
      const std::uint32_t thread = 1 + i % 2;
      b.add(thread, EventKind::Acquire, 0x300);
      for (std::uint64_t k = 0; k < 8; ++k) b.write(thread, 0x1000 + 8 * ((i + k) % 1000), 8, i);
      b.add(thread, EventKind::Release, 0x300);
    }
    for (std::uint32_t thread : {1u, 2u}) b.write(thread, 0x200, 4, thread).site = last;
    for (std::uint32_t thread : {1u, 2u}) b.add(0, EventKind::Join, 0, thread);
    return write_trace("long.sooth", b.trace);
  }
  // Bytes that only a part of the long trace fits into.
  std::uint64_t half() const {
    const std::uint64_t little = sooth({"check", write_trace("short.sooth", small_trace())}).peak_bytes;
    const std::uint64_t all = sooth({"check", path("long.sooth"), "--budget", "0"}).peak_bytes;
    return (little + all) / 2;
  }
  nlohmann::json json_of(const std::string& name) const { return nlohmann::json::parse(read_file(path(name))); }
};

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST_F(MemoryOption, WhatDoesNotFitIsAnalysedAPieceAtATime) {
  if (kSanitized) GTEST_SKIP() << "what sanitizers occupy themselves hides what the analysis does";
  constexpr std::uint64_t kMore = 2 * kEvents; // reading alone takes little
  const std::string trace = long_trace(kMore);
  const std::uint64_t bytes = half();
  const Outcome all = sooth({"check", trace, "--budget", "0", "--json", path("all.json")});
  EXPECT_EQ(all.status, 66);
  EXPECT_EQ(json_of("all.json")["findings"].size(), 2u) << all.err;

  const Outcome part =
      sooth({"check", trace, "--budget", "0", "--memory", std::to_string(bytes), "--json", path("r.json")});
  EXPECT_EQ(part.signal, 0);
  EXPECT_EQ(part.status, 66) << part.err;
  EXPECT_EQ(occurrences(part.err, "pieces of the trace were analysed one by one"), 1u) << part.err;
  EXPECT_EQ(occurrences(part.err, "2 findings"), 1u) << part.err; // of attempts that were given up nothing is seen
  const auto report = json_of("r.json");
  ASSERT_EQ(report["findings"].size(), 2u);
  EXPECT_EQ(report["findings"][0]["sites"][0]["line"], 5);
  EXPECT_EQ(report["findings"][1]["sites"][0]["line"], 9);
  EXPECT_EQ(report["findings"][1]["id"], 2);
  EXPECT_EQ(report["coverage"]["complete"], false);
  EXPECT_GT(report["coverage"]["pieces"], 1);
  EXPECT_FALSE(report["coverage"].contains("eventsLeftOut"));
  EXPECT_EQ(report["trace"]["analysed"], kMore + 8);
  // Events have the numbers that they have in the whole trace.
  const auto whole = json_of("all.json");
  EXPECT_EQ(report["findings"][1]["sites"][0]["event"], whole["findings"][1]["sites"][0]["event"]);
  EXPECT_LE(part.peak_bytes, bytes + kTolerance);
  EXPECT_GT(all.peak_bytes, bytes + kTolerance); // or the line before would say nothing
}

TEST_F(MemoryOption, WhatFitsIsAnalysedAsWithoutIt) {
  const std::string trace = long_trace();
  const Outcome plain = sooth({"check", trace, "--budget", "0", "--json", path("plain.json")});
  const Outcome bounded = sooth({"check", trace, "--budget", "0", "--memory", "4G", "--json", path("bounded.json")});
  EXPECT_EQ(plain.status, bounded.status);
  EXPECT_EQ(plain.err, bounded.err);
  EXPECT_EQ(read_file(path("plain.json")), read_file(path("bounded.json")));
}

TEST_F(MemoryOption, CompareKeepsIt) {
  if (kSanitized) GTEST_SKIP() << "what sanitizers occupy themselves hides what the command does";
  const auto compare = [&](const std::string& trace, std::vector<std::string> more) {
    std::vector<std::string> command = {"compare", trace, "--find", "races", "--budget", "0"};
    command.insert(command.end(), more.begin(), more.end());
    return sooth(command);
  };
  const std::string trace = long_trace();
  const std::uint64_t little = compare(write_trace("short.sooth", small_trace()), {}).peak_bytes;
  const std::uint64_t bytes = little + (compare(trace, {}).peak_bytes - little) / 4;
  const Outcome outcome = compare(trace, {"--memory", std::to_string(bytes)});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(occurrences(outcome.err, "only the first"), 1u) << outcome.err;
  EXPECT_EQ(occurrences(outcome.out, "maximal"), 1u) << outcome.out;
  EXPECT_LE(outcome.peak_bytes, bytes + kTolerance);
}

// Commands that only show a trace read what fits, and say so.
TEST_F(MemoryOption, CommandsThatShowTracesKeepItToo) {
  if (kSanitized) GTEST_SKIP() << "what sanitizers occupy themselves hides what the commands do";
  const std::string trace = long_trace(5 * kEvents); // reading takes little beside what is watched for
  const std::vector<std::vector<std::string>> commands = {{"stats", trace},
                                                          {"verify", trace},
                                                          {"show", trace, "--tail", "1"},
                                                          {"export", trace, "--to", "std", "-o", path("t.std")}};
  for (const std::vector<std::string>& command : commands) {
    const Outcome all = sooth(command);
    ASSERT_EQ(all.status, 0) << command[0] << all.err;
    const std::uint64_t little = sooth({"stats", write_trace("short.sooth", small_trace())}).peak_bytes;
    const std::uint64_t bytes = little + (all.peak_bytes - little) / 4;
    std::vector<std::string> bounded = command;
    bounded.insert(bounded.end(), {"--memory", std::to_string(bytes)});
    const Outcome part = sooth(bounded);
    EXPECT_EQ(part.signal, 0) << command[0];
    EXPECT_EQ(part.status, 65) << command[0] << part.err;
    EXPECT_EQ(occurrences(part.err, "more needs more memory (--memory)"), 1u) << command[0] << part.err;
    // What an export takes besides reading is watched from outside, by a process that may be late.
    if (command[0] != "export") {
      EXPECT_LT(part.peak_bytes, (bytes + all.peak_bytes) / 2) << command[0];
    }
  }
}

TEST_F(MemoryOption, APictureOfATraceThatDoesNotFitIsOfItsBeginning) {
  if (kSanitized) GTEST_SKIP() << "what sanitizers occupy themselves hides what the command does";
  const std::string trace = long_trace(4 * kEvents);
  const std::string property = write_file("p.prop", "property p: 1 == 1\n");
  const Outcome all = sooth({"lattice", trace, "--property", property, "-o", path("l.dot")});
  ASSERT_EQ(all.status, 0) << all.err;
  const std::uint64_t little = sooth({"stats", write_trace("short.sooth", small_trace())}).peak_bytes;
  const std::uint64_t bytes = little + (all.peak_bytes - little) / 4;
  const Outcome part =
      sooth({"lattice", trace, "--property", property, "-o", path("l.dot"), "--memory", std::to_string(bytes)});
  EXPECT_EQ(part.status, 65) << part.err;
  EXPECT_EQ(occurrences(part.err, "more needs more memory (--memory)"), 1u) << part.err;
  EXPECT_LE(part.peak_bytes, bytes + kTolerance);
}

// A hole of a terabyte is not read, and takes no memory.
TEST_F(MemoryOption, OfAFileWithAHoleOnlyTheDataIsRead) {
  const Outcome plain = sooth({"check", write_trace("plain.sooth", small_trace()), "--json", path("plain.json")});
  const std::string trace = write_trace("huge.sooth", small_trace());
  ASSERT_EQ(truncate(trace.c_str(), std::int64_t{1} << 40), 0);
  const Outcome outcome = sooth({"check", trace, "--memory", "512M", "--json", path("r.json")});
  EXPECT_EQ(outcome.status, plain.status) << outcome.err;
  EXPECT_EQ(json_of("r.json")["findings"].size(), json_of("plain.json")["findings"].size());
  EXPECT_EQ(json_of("r.json")["coverage"]["complete"], json_of("plain.json")["coverage"]["complete"]);
}

// What the system refuses is as if it was not there.
TEST_F(MemoryOption, LimitsOfTheSystemAreKeptToo) {
  if (kSanitized) GTEST_SKIP() << "sanitizers reserve more addresses than any limit allows";
  const std::string trace = long_trace();
  const Outcome outcome =
      run("/bin/sh",
          {"-c", "ulimit -v 100000; exec \"$0\" check \"$1\" --budget 0 --jobs 1 --json r.json", SOOTH_PROGRAM, trace});
  EXPECT_EQ(outcome.status, 66) << outcome.err;
  EXPECT_GT(json_of("r.json")["coverage"]["pieces"], 1) << outcome.err;
}

// However the command is ended, its attempt ends with it and prints nothing.
TEST_F(MemoryOption, AnEndedCommandLeavesNothingRunning) {
  const std::string trace = long_trace(), report = path("r.json");
  for (const int signal : {SIGTERM, SIGKILL}) {
    int alive[2];
    ASSERT_EQ(pipe(alive), 0); // its writing end is open as long as one of the processes is
    const pid_t command = fork();
    if (command == 0) {
      close(alive[0]);
      dup2(open("/dev/null", O_WRONLY), 2);
      execl(SOOTH_PROGRAM, SOOTH_PROGRAM, "check", trace.c_str(), "--json", report.c_str(), nullptr);
      _exit(126);
    }
    close(alive[1]);
    const std::string children = "/proc/" + std::to_string(command) + "/task/" + std::to_string(command) + "/children";
    while (read_file(children).empty()) usleep(100);
    EXPECT_EQ(kill(command, signal), 0);
    int status = 0;
    EXPECT_EQ(waitpid(command, &status, 0), command);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal) << status;
    char byte = 0;
    EXPECT_EQ(read(alive[0], &byte, 1), 0);
    EXPECT_NE(access(report.c_str(), F_OK), 0) << signal;
    close(alive[0]);
  }
}

} // namespace
} // namespace sooth::cli::testing
