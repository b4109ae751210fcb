// record and run, as far as they do not depend on what was recorded: streams, exit status, signals, missing traces.
// The "instrumented program" is a script that copies a trace to where the runtime would write one.
#include <csignal>

#include <sys/stat.h>

#include "sooth_command.h"

namespace sooth::cli::testing {
namespace {

class Record : public CommandTest {
protected:
  std::string script(const std::string& name, const std::string& body) {
    const std::string file = write_file(name, "#!/bin/sh\n" + body);
    chmod(file.c_str(), 0755);
    return file;
  }
  // Leaves a trace as the runtime does, then goes on with `body`.
  std::string recorded(const std::string& body) {
    write_trace("kept.sooth", small_trace());
    return script("program", "cp kept.sooth \"${SOOTH_TRACE:-program.$$.sooth}\"\n" + body);
  }
};

TEST_F(Record, PassesArgumentsStreamsAndStatusThrough) {
  const std::string program = recorded("echo \"$@\"; echo oops >&2; exit 7");
  const Outcome outcome = sooth({"record", "-o", path("t.sooth"), program, "-x", "--limit", "a b"});
  EXPECT_EQ(outcome.status, 7);
  EXPECT_EQ(outcome.out, "-x --limit a b\n");
  EXPECT_EQ(outcome.err, "oops\n");
  EXPECT_EQ(sooth({"verify", path("t.sooth")}).status, 0);
}

TEST_F(Record, ADoubleDashBeforeTheArgumentsIsOurs) {
  const std::string program = recorded("echo \"$@\"");
  EXPECT_EQ(sooth({"record", "-o", path("t.sooth"), program, "--", "--all"}).out, "--all\n");
  EXPECT_EQ(sooth({"record", "-o", path("t.sooth"), program, "--", "--", "x"}).out, "-- x\n");
}

TEST_F(Record, EndsByTheSignalThatEndedTheProgram) {
  const std::string program = recorded("kill -TERM $$");
  EXPECT_EQ(sooth({"record", "-o", path("t.sooth"), program}).signal, SIGTERM);
  const std::string killed = recorded("kill -KILL $$");
  EXPECT_EQ(sooth({"record", "-o", path("t.sooth"), killed}).signal, SIGKILL);
}

TEST_F(Record, SignalsToTheToolReachTheProgram) {
  // The program's parent is the tool.
  const std::string program = recorded("trap 'echo caught; exit 5' TERM\nkill -TERM $PPID\nsleep 60 & wait $!\n");
  const Outcome outcome = sooth({"record", "-o", path("t.sooth"), program});
  EXPECT_EQ(outcome.out, "caught\n");
  EXPECT_EQ(outcome.status, 5);
}

TEST_F(Record, WithoutANameTheTraceIsFoundAndNamed) {
  const Outcome outcome = sooth({"record", recorded("exit 0")});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.err.find("recorded program."), std::string::npos) << outcome.err;
}

TEST_F(Record, AProgramWithoutInstrumentationIsTold) {
  const Outcome fine = sooth({"record", "-o", path("t.sooth"), script("plain", "exit 0")});
  EXPECT_EQ(fine.status, 2);
  EXPECT_NE(fine.err.find("left no trace"), std::string::npos) << fine.err;
  EXPECT_EQ(sooth({"record", "-o", path("t.sooth"), script("plain", "exit 9")}).status, 9);
}

TEST_F(Record, AMonitoredOrObservedProgramWritesNoTraceAndThatIsSaid) {
  for (const std::string name : {"SOOTH_MONITOR", "SOOTH_OBSERVER"}) {
    const Outcome outcome = run(
        "/usr/bin/env", {name + "=given", SOOTH_PROGRAM, "record", "-o", path("t.sooth"), script("plain", "exit 0")});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_NE(outcome.err.find("left no trace: " + name + " is set"), std::string::npos) << outcome.err;
  }
}

TEST_F(Record, AnOldTraceIsNotTakenForANewOne) {
  const std::string old = write_trace("t.sooth", small_trace());
  const Outcome outcome = sooth({"record", "-o", old, script("plain", "exit 0")});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find("left no trace"), std::string::npos) << outcome.err;
  EXPECT_EQ(sooth({"verify", old}).status, 2) << "what was asked to be replaced is gone";
}

TEST_F(Record, AllAndPropertyKeepEverything) {
  const std::string program = recorded("echo \"$SOOTH_OPTIONS\"");
  EXPECT_EQ(sooth({"record", "-o", path("t.sooth"), program}).out, "\n");
  EXPECT_EQ(sooth({"record", "--all", "-o", path("t.sooth"), program}).out, "detail=all\n");
  const std::string property = write_file("p.prop", "x > 0\n");
  // A script has no tables that say where its variables are: the order of all accesses is kept.
  EXPECT_EQ(sooth({"record", "--property", property, "-o", path("t.sooth"), program}).out, "detail=all:exact=all\n");
  const std::string events = write_file("e.prop", "!user(landed)\n");
  EXPECT_EQ(sooth({"record", "--property", events, "-o", path("t.sooth"), program}).out, "detail=all:exact=all\n");
  EXPECT_EQ(sooth({"record", "--property", path("missing.prop"), "-o", path("t.sooth"), program}).status, 2);
}

TEST_F(Record, ProgramsThatCannotRunAreNamed) {
  const Outcome missing = sooth({"record", "-o", path("t.sooth"), path("missing")});
  EXPECT_EQ(missing.status, 2);
  EXPECT_NE(missing.err.find("missing"), std::string::npos);
  EXPECT_EQ(sooth({"record", "no-such-program-anywhere"}).status, 2);
  EXPECT_EQ(sooth({"record", write_file("data", "text")}).status, 2);
  EXPECT_EQ(sooth({"record", "-o", path("no/folder.sooth"), recorded("exit 0")}).status, 2);
}

class Run : public Record {};

TEST_F(Run, LeavesTheOutputAloneAndPassesTheStatusOn) {
  const Outcome outcome = sooth({"run", recorded("echo hello; exit 3")});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_EQ(outcome.out, "hello\n");
  EXPECT_NE(outcome.err.find("nothing found; 15 events of 2 threads"), std::string::npos) << outcome.err;
}

TEST_F(Run, KeepsTheTraceOnlyWhenAsked) {
  EXPECT_EQ(sooth({"run", "-o", path("t.sooth"), recorded("exit 0")}).status, 0);
  EXPECT_EQ(sooth({"verify", path("t.sooth")}).status, 0);
}

// Also what Sooth itself has as an option; one `--` between them is not the program's.
TEST_F(Run, WordsBehindTheProgramAreTheProgramsOwn) {
  const std::string program = recorded("echo \"$@\"");
  EXPECT_EQ(sooth({"run", program, "--find", "-x", "--json=1"}).out, "--find -x --json=1\n");
  EXPECT_EQ(sooth({"run", program, "--", "4", "--"}).out, "4 --\n");
  EXPECT_EQ(sooth({"run", "--budget", "30", "--", program, "a.cpp"}).out, "a.cpp\n");
  EXPECT_EQ(sooth({"record", "-o", path("t.sooth"), program, "--all"}).out, "--all\n");
}

TEST_F(Run, SeveralSourceFilesAreOneProgram) {
  if (!SOOTH_HAS_DRIVER) GTEST_SKIP() << "this build has no compilers";
  const std::string main =
      write_file("main.cpp", "extern \"C\" int twice(int);\n#include <cstdio>\n"
                             "int main(int, char** argv) { std::printf(\"%d%s\", twice(21), argv[1]); }\n");
  const std::string other =
      write_file("twice.c", "int twice(int restrict_) { int class = 2; return class * restrict_; }\n");
  const Outcome outcome = sooth({"run", main, other, "!"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "42!");
  EXPECT_EQ(sooth({"run", main, path("missing.c")}).status, 2);
}

TEST_F(Run, ASourceFileThatIsNotThereIsNamed) {
  const Outcome outcome = sooth({"run", path("missing.cpp")});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find("missing.cpp"), std::string::npos);
}

} // namespace
} // namespace sooth::cli::testing
