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

TEST_F(Usage, AnUnknownOptionIsNamedWithTheNearestOneAndNeverHandedToTheProgram) {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"run", "--modle=full", "/bin/true"},
                                                    {"run", "--modle", "full", "/bin/true"},
                                                    {"check", "t.sooth", "--modle=full"}}) {
    const Outcome outcome = sooth(arguments);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_NE(outcome.err.find("there is no option `--modle`. Did you mean `--model`?"), std::string::npos)
        << outcome.err;
  }
  EXPECT_EQ(sooth({"record", "--outptu", "x", "/bin/true"}).status, 2);
}

TEST_F(Usage, AnOptionOfTheCompilersIsNamedWithTheWayToHandItOver) {
  const Outcome outcome = sooth({"run", "-std=c++20", "bank.cpp"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find("there is no option `-std`. For the compiler, write `--flag=-std=c++20`."),
            std::string::npos)
      << outcome.err;
  EXPECT_EQ(sooth({"check", "-std=c++20", "t.sooth"}).err.find("--flag"), std::string::npos);
}

TEST_F(Usage, ManPagesAndCompletionsHaveEveryCommandAndItsOptions) {
  ASSERT_EQ(sooth({"help", "--files", path("share")}).status, 0);
  const std::string page = read_file(path("share/man/man1/sooth-run.1"));
  const std::string bash = read_file(path("share/bash-completion/completions/sooth"));
  const std::string zsh = read_file(path("share/zsh/site-functions/_sooth"));
  const std::string fish = read_file(path("share/fish/vendor_completions.d/sooth.fish"));
  EXPECT_EQ(page.rfind(".TH SOOTH\\-RUN 1", 0), 0u) << page;
  EXPECT_NE(page.find("\\fB\\-\\-budget\\fR \\fISECONDS\\fR"), std::string::npos) << page;
  EXPECT_NE(read_file(path("share/man/man1/sooth.1")).find("\\fBlattice\\fR"), std::string::npos);
  for (const char* command : {"run", "record", "check", "compare", "show", "stats", "verify", "import", "export"})
    for (const std::string* text : {&bash, &zsh, &fish})
      EXPECT_NE(text->find(command), std::string::npos) << command << "\n" << *text;
  EXPECT_NE(bash.find("--suppressions"), std::string::npos) << bash;
  EXPECT_NE(zsh.find("--suppressions["), std::string::npos) << zsh;
  EXPECT_NE(fish.find("-l suppressions -r"), std::string::npos) << fish;
  EXPECT_EQ(run("/bin/bash", {"-n", path("share/bash-completion/completions/sooth")}).status, 0);
  // As a shell would do it.
  const Outcome completed = run("/bin/bash", {"-c", "source " + path("share/bash-completion/completions/sooth") +
                                                        "; COMP_WORDS=(sooth run --bud); COMP_CWORD=2; _sooth; "
                                                        "echo \"${COMPREPLY[@]}\""});
  EXPECT_EQ(completed.out, "--budget\n") << completed.err;
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
