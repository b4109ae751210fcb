#include "sooth_command.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trace/writer.h"
#include "unit/verify_builder.h"

namespace sooth::cli::testing {

using trace::EventKind;
using trace::testing::TraceBuilder;

void CommandTest::SetUp() {
  std::string pattern = (std::filesystem::temp_directory_path() / "sooth-cli-XXXXXX").string();
  ASSERT_NE(mkdtemp(pattern.data()), nullptr);
  folder_ = pattern;
}

void CommandTest::TearDown() {
  std::error_code ignored;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
}

Outcome CommandTest::run(const std::string& program, const std::vector<std::string>& arguments) const {
  std::vector<char*> argv = {const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  const std::string out = path("stdout.txt"), err = path("stderr.txt");
  const pid_t child = fork();
  if (child == 0) {
    const int flags = O_WRONLY | O_CREAT | O_TRUNC;
    const int in = open("/dev/null", O_RDONLY);
    if (chdir(folder_.c_str()) != 0 || dup2(in, 0) < 0 || dup2(open(out.c_str(), flags, 0600), 1) < 0 ||
        dup2(open(err.c_str(), flags, 0600), 2) < 0)
      _exit(126);
    unsetenv("SOOTH_TRACE");
    unsetenv("SOOTH_OPTIONS");
    execv(argv[0], argv.data());
    _exit(126);
  }
  int status = 0;
  rusage usage = {};
  EXPECT_EQ(wait4(child, &status, 0, &usage), child);
  Outcome outcome;
  outcome.peak_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  if (WIFSIGNALED(status)) outcome.signal = WTERMSIG(status);
  else outcome.status = WEXITSTATUS(status);
  outcome.out = read_file(out);
  outcome.err = read_file(err);
  return outcome;
}

std::string CommandTest::write_file(const std::string& name, const std::string& text) const {
  std::ofstream(path(name), std::ios::binary) << text;
  return path(name);
}

std::string CommandTest::read_file(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return std::move(text).str();
}

std::string CommandTest::write_trace(const std::string& name, const trace::Trace& trace) const {
  const auto written = trace::write_trace(trace, path(name));
  EXPECT_TRUE(written.ok());
  return path(name);
}

trace::Trace small_trace() {
  TraceBuilder b(2);
  b.trace.process.program = "bank";
  b.trace.process.end = trace::EndKind::Exit;
  b.trace.threads[1] = {"worker", 0, true};
  b.global(0x1000, 4, "counter");
  b.global(0x1008, 8, "rate");
  b.global(0x2000, 40, "guard");
  const std::uint32_t write = b.site("bank.cpp", 10, "main()", "counter", trace::kSiteSigned);
  const std::uint32_t read = b.site("bank.cpp", 20, "work()", "counter", trace::kSiteSigned);
  const std::uint32_t rate = b.site("bank.cpp", 30, "work()", "rate", trace::kSiteFloat);
  b.write(0, 0x1000, 4, 0xffffffff).site = write;                            // 0
  b.add(0, EventKind::Fork, 0, 1);                                           // 1
  b.add(1, EventKind::ThreadStart, 0, 0);                                    // 2
  b.add(1, EventKind::Acquire, 0x2000, trace::kLockRecursive);               // 3
  b.read(1, 0x1000, 4, 0xffffffff).site = read;                              // 4
  b.write(1, 0x1008, 8, 0x3ff8000000000000).site = rate;                     // 5
  b.add(1, EventKind::Release, 0x2000, trace::kLockRecursive);               // 6
  b.add(1, EventKind::Alloc, 0x5000, 64);                                    // 7
  b.write(1, 0x5008, 8, 0xdeadbeefcafe);                                     // 8
  b.rmw(1, 0x5010, 4, 7, 8);                                                 // 9
  b.range(1, EventKind::Write, 0x5020, std::vector<std::uint8_t>(16, 0xab)); // 10
  b.add(1, EventKind::User, b.string("deposit"), 42);                        // 11
  b.add(1, EventKind::ThreadEnd);                                            // 12
  b.add(0, EventKind::Join, 0, 1);                                           // 13
  b.read(0, 0x1000, 4, 0xffffffff).site = write;                             // 14
  return b.trace;
}

trace::Trace illegal_trace() {
  trace::Trace t = small_trace();
  t.events[4].value = 5;
  return t;
}

} // namespace sooth::cli::testing
