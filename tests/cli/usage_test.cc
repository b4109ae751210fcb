// Help, versions and wrong usage.
#include "sooth_command.h"

namespace sooth::cli::testing {
namespace {

class Usage : public CommandTest {};

TEST_F(Usage, HelpListsEveryCommand) {
  const Outcome outcome = sooth({"--help"});
  EXPECT_EQ(outcome.status, 0);
  for (const char* command :
       {"cc", "c++", "run", "record", "check", "compare", "show", "stats", "verify", "import", "export", "version"})
    EXPECT_NE(outcome.out.find(std::string("\n  ") + command + " "), std::string::npos) << command;
  EXPECT_EQ(sooth({"help"}).out, outcome.out);
}

TEST_F(Usage, EachCommandHasHelpWithExamples) {
  for (const char* command : {"run", "record", "check", "compare", "show", "stats", "verify", "import", "export"}) {
    const Outcome outcome = sooth({command, "--help"});
    EXPECT_EQ(outcome.status, 0) << command;
    EXPECT_NE(outcome.out.find("Examples:"), std::string::npos) << command;
    EXPECT_EQ(sooth({"help", command}).out, outcome.out) << command;
  }
}

TEST_F(Usage, HelpOfTheCompilersIsAboutSoothsOwnOptions) {
  if (!SOOTH_HAS_DRIVER) GTEST_SKIP() << "this build has no compilers";
  for (const char* command : {"cc", "c++"})
    EXPECT_NE(sooth({"help", command}).out.find("-fsooth-ignorelist=FILE"), std::string::npos) << command;
}

TEST_F(Usage, NoCommandShowsHelpAsAnError) {
  const Outcome outcome = sooth({});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.err.find("usage: sooth"), std::string::npos);
}

TEST_F(Usage, AnUnknownCommandSuggestsTheNearest) {
  const Outcome near = sooth({"verfy", "x"});
  EXPECT_EQ(near.status, 2);
  EXPECT_NE(near.err.find("Did you mean `verify`?"), std::string::npos) << near.err;
  const Outcome far = sooth({"bananas"});
  EXPECT_EQ(far.status, 2);
  EXPECT_EQ(far.err.find("Did you mean"), std::string::npos) << far.err;
  EXPECT_EQ(sooth({"help", "bananas"}).status, 2);
}

TEST_F(Usage, WrongOptionsEndWithStatusTwoAndASentence) {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"show"},
                                                    {"show", "--nonsense", "t"},
                                                    {"verify"},
                                                    {"stats", "a", "b"},
                                                    {"import", "x"},
                                                    {"record"},
                                                    {"run"},
                                                    {"show", "t", "--limit", "many"}}) {
    const Outcome outcome = sooth(arguments);
    EXPECT_EQ(outcome.status, 2) << arguments.front();
    EXPECT_EQ(outcome.err.rfind("sooth: ", 0), 0u) << outcome.err;
    EXPECT_EQ(outcome.out, "");
  }
}

// -1 as an unsigned number is a very large one: no limit.
TEST_F(Usage, CountsAreNotNegative) {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"stats", "t.sooth", "--top", "-1"},
                                                    {"show", "t.sooth", "--limit", "-2"},
                                                    {"verify", "t.sooth", "--problems", "-1"},
                                                    {"observe", "--listen", "unix:o", "--max-width", "-1"}}) {
    const Outcome outcome = sooth(arguments);
    EXPECT_EQ(outcome.status, 2) << arguments[0];
    EXPECT_NE(outcome.err.find("is no number of at least 0"), std::string::npos) << outcome.err;
  }
}

TEST_F(Usage, AnObserverNeedsAProperty) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"observe", "--listen", "unix:o"}, {"run", "--online", "/bin/true"}}) {
    const Outcome outcome = sooth(arguments);
    EXPECT_EQ(outcome.status, 2) << arguments[0];
    EXPECT_NE(outcome.err.find("--property"), std::string::npos) << outcome.err;
  }
}

TEST_F(Usage, VersionNamesTheTraceFormat) {
  const Outcome outcome = sooth({"version"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.out.rfind("sooth ", 0), 0u);
  EXPECT_NE(outcome.out.find("trace format 2"), std::string::npos);
  EXPECT_EQ(sooth({"--version"}).out, outcome.out);
}

} // namespace
} // namespace sooth::cli::testing
