// `monitor` entries: what is understood, and what is said of those that are wrong.
#include <gtest/gtest.h>

#include "knowledge/compiled.h"
#include "logic/monitor_needs.h"
#include "logic/resolve.h"
#include "unit/logic_symbols.h"

namespace sooth::logic {
namespace {

class Monitors : public testing::Test {
protected:
  Monitors() {
    program_.ints({"x", "y"});
    program_.variable("real", program_.scalar(trace::TypeKind::Float, 8, "double"));
    program_.variable("pointer", program_.scalar(trace::TypeKind::Pointer, 8, "int*"));
    program_.symbols.user_events = {"atomic", "phase"};
    program_.symbols.thread_names = {"writer", "reader", "the radio"};
    program_.symbols.block_names = {"transfer"};
    program_.symbols.functions = {"serve(void*)", "main"};
  }

  // "line:column: message", or nothing.
  std::string error_of(const std::string& text) const {
    const auto file = read_properties(text, "test.prop", program_.symbols);
    if (file.ok()) return "";
    return std::to_string(file.error().line) + ":" + std::to_string(file.error().column) + ": " +
           file.error().message.substr(0, file.error().message.find('\n'));
  }

  TestProgram program_;
};

TEST_F(Monitors, WhatCanBeWritten) {
  for (const char* text : {
           "monitor fresh at writer: x > @reader(y)",
           "monitor atomic at any t: atomic > 0 -> !exists u != t: atomic == @u(@t(atomic))",
           "monitor nested at writer: @reader@writer(x) == @reader(@writer(x) + 1)",
           "monitor past at serve: once(@0(x > 0) since @\"the radio\"(y == 1)) -> [read(x), write(y))",
           "monitor before at main: @(x > 0) || @ x > 0 || previously(x > 0) || @once(x > 0)",
           "monitor role at any t: forall u: @reader(@u(phase)) <= @u(@reader(x)) + real * 2",
           "monitor both at reader: exists u != reader: @u(block(transfer)) == 1 over x, y when violated: abort",
           "monitor datarace on x when violated: break",
           "monitor datarace on ::y",
           "monitor atomicity of transfer when violated: call recover",
           "monitor atomicity of \"transfer\" over x, y when violated: continue",
           "monitor all at any t: local(atomic) >= 0 over *",
           "property p: @(x > 0)\nmonitor m at 0: pointer != 0; monitor n at 0: x > 0 # both",
       })
    EXPECT_EQ(error_of(text), "") << text;
}

// Whatever a property may be made of joins formulas in monitors, too, with every spelling that there is.
TEST_F(Monitors, OperatorsOfLogicJoinFormulasAsInProperties) {
  for (const OperatorRow& row : operator_rows()) {
    if (row.use != Use::Any) continue;
    for (const std::string& spelling : spellings_of(row)) {
      const bool prefix = row.stand == Stand::Prefix;
      for (const std::string right : {"once (x > 1)", "(once x > 1)", "exists u: @u(x) > 0", "@reader(once x > 1)"}) {
        const std::string formula = (prefix ? "" : "once (y > 1) ") + spelling + " " + right;
        EXPECT_EQ(error_of("monitor m at writer: " + formula), "") << formula;
        EXPECT_EQ(error_of("monitor m at writer: " + spelling.substr(0, prefix ? spelling.size() : 0) + "(" +
                           (prefix ? "not " : "x == 1 -> ") + right + ")"),
                  "")
            << formula;
      }
    }
  }
  EXPECT_EQ(error_of("monitor m at writer: !once (x > 1)"), "");
  EXPECT_EQ(error_of("monitor m at writer: -(once (x > 1))").substr(0, 25), "1:22: '-' takes numbers, ");
}

TEST_F(Monitors, AConditionWithoutAValueIsKeptApartInTheFlatForm) {
  const auto compiled = [&](const std::string& text) {
    const auto file = read_properties(text, "test.prop", program_.symbols);
    EXPECT_TRUE(file.ok()) << text;
    knowledge::Compiled out;
    const auto& words = file.value().compiled_monitors;
    const char* wrong = knowledge::open_compiled(words.data(), words.size() * sizeof(std::uint64_t), out);
    EXPECT_EQ(wrong, nullptr) << text;
    std::size_t conditions = 0;
    for (std::uint32_t i = 0; i < out.header->code.count; ++i) conditions += out.code[i].op == Op::Condition;
    return conditions;
  };
  EXPECT_EQ(compiled("monitor m at writer: not (x / y == 1)"), 1u);
  EXPECT_EQ(compiled("monitor m at writer: (x == 1) == (y / x == 1 <-> x << y == 2)"), 2u);
  EXPECT_EQ(compiled("monitor m at writer: y != 0 && x / y == 1"), 0u);
}

// What a build for monitors needs to know of the file, before there is a program.
TEST_F(Monitors, NeedsOfAFile) {
  const auto needs = [](const std::string& text) {
    const auto file = parse(text, "test.prop");
    EXPECT_TRUE(file.ok()) << text;
    return file.ok() ? monitor_needs(file.value()) : MonitorNeeds{};
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(needs("property p: x > 0").variables, Names{});
  const MonitorNeeds fresh = needs("monitor fresh at writer: x > @reader(net::cfg.parts[3].low + 1)");
  EXPECT_EQ(fresh.variables, (Names{"cfg", "x"}));
  EXPECT_EQ(fresh.start_functions, (Names{"reader", "writer"}));
  EXPECT_FALSE(fresh.all_memory);
  const MonitorNeeds bound = needs("monitor m at any t: once(exists u != t: @u(@t(x)) > 0 && @2(read(file.c:y)))");
  EXPECT_EQ(bound.variables, (Names{"x", "y"}));
  EXPECT_EQ(bound.start_functions, Names{}) << "t and u are variables, 2 is a number";
  EXPECT_EQ(needs("monitor m at net::serve: (exists u: @u(x) > 0) && @u(x) > 0").start_functions, (Names{"serve", "u"}))
      << "the second u is no variable";
  const MonitorNeeds race = needs("monitor datarace on ::y");
  EXPECT_EQ(race.variables, Names{"y"});
  EXPECT_FALSE(race.all_memory);
  EXPECT_EQ(race.start_functions, Names{});
  EXPECT_EQ(needs("monitor atomicity of transfer over x, a.b").variables, (Names{"a", "x"}));
  EXPECT_FALSE(needs("monitor atomicity of transfer over x, a.b").all_memory);
  EXPECT_TRUE(needs("monitor atomicity of transfer").all_memory);
  EXPECT_TRUE(needs("monitor m at any t: local(phase) >= block(transfer) over *").all_memory);
}

TEST_F(Monitors, ProgramsBuiltForOtherMonitorsAreRefused) {
  const std::string other =
      ": the program was built with --monitor for other monitors; build it with --monitor for these";
  program_.symbols.unseen_variables = {"x"};
  EXPECT_EQ(error_of("monitor datarace on x"), "0:0: not all accesses of 'x' are followed" + other);
  EXPECT_EQ(error_of("monitor datarace on y"), "");
  EXPECT_EQ(error_of("monitor atomicity of transfer"), "0:0: not all memory is followed" + other);
  EXPECT_EQ(error_of("monitor atomicity of transfer over y"), "");
  program_.symbols.unseen_variables = {};
  program_.symbols.unreached_variables = {"x"};
  EXPECT_EQ(error_of("monitor datarace on x"), "");
  EXPECT_EQ(error_of("monitor datarace on y"), "0:0: not all accesses of 'y' are followed" + other);
  EXPECT_EQ(error_of("monitor both at any t: x > @0(y)"), "0:0: not all accesses of 'y' are followed" + other);
}

TEST_F(Monitors, UnknownNamesAreToldWithTheNearestOnes) {
  EXPECT_EQ(
      error_of("monitor m at wirter: x > 0"),
      "1:14: unknown thread 'wirter': no sooth_thread_name, start function or thread variable is called so; did you "
      "mean 'writer'?");
  EXPECT_EQ(
      error_of("monitor m at writer: x > @raeder(y)"),
      "1:27: unknown thread 'raeder': no sooth_thread_name, start function or thread variable is called so; did you "
      "mean 'reader'?");
  const std::string quoted = ": in quotes it is a name that a thread gives itself, and no sooth_thread_name gives this "
                             "one; for the function that a thread starts with, write ";
  EXPECT_EQ(error_of("monitor m at \"serve\": x > 0"), "1:14: unknown thread \"serve\"" + quoted + "serve");
  EXPECT_EQ(error_of("monitor m at \"main\": x > 0"), "1:14: unknown thread \"main\"" + quoted + "main");
  EXPECT_EQ(error_of("monitor m at any t: atomc > 0"), "1:21: unknown variable 'atomc'; did you mean 'atomic'?");
  EXPECT_EQ(error_of("monitor m at any t: exists u: @u(realy) > 0"),
            "1:34: unknown variable 'realy'; did you mean 'real'?");
  EXPECT_EQ(error_of("monitor datarace on z"), "1:21: unknown variable 'z'; did you mean 'x' or 'y'?");
  EXPECT_EQ(error_of("monitor atomicity of transfre"),
            "1:22: the program has no SOOTH_ATOMIC of the name 'transfre'; did you mean 'transfer'?");
  EXPECT_EQ(error_of("monitor m at any t: local(phsae) > 0"),
            "1:21: the program has no sooth_internal of the name 'phsae'; did you mean 'phase'?");
  EXPECT_EQ(error_of("monitor m at any t: x > 0 over z"), "1:32: unknown variable 'z'; did you mean 'x' or 'y'?");
}

TEST_F(Monitors, NamesThatAreMadeAtRunTimeAreNoError) {
  program_.symbols.thread_names.emplace_back();
  program_.symbols.block_names.emplace_back();
  EXPECT_EQ(error_of("monitor m at worker_7: block(round_3) > @worker_8(x)"), "");
}

TEST_F(Monitors, TypesAreChecked) {
  EXPECT_EQ(error_of("monitor m at any t: real % 2 == 0"), "1:26: '%' needs integers");
  EXPECT_EQ(error_of("monitor m at writer: @reader(pointer) + 1 > 0"),
            "1:39: pointers can be compared, but '+' needs numbers");
  EXPECT_EQ(error_of("monitor m at writer: once(x) > 1"),
            "1:30: '>' takes numbers, but 'once(x)' is a formula; put parentheses around what 'once' is about");
}

TEST_F(Monitors, WhatCanNeverBeKnownIsRefused) {
  EXPECT_EQ(error_of("monitor m at any t: exists u: @reader(@u(x) == @t(x))"),
            "1:31: this can never be known: '@reader(...)' speaks of more than one other thread variable, 't' and 'u'");
  EXPECT_EQ(error_of("monitor m at any t: exists u: exists v: @u(x) == @v(x)"),
            "1:31: this can never be known: it speaks of two thread variables at once, 'u' and 'v'");
  EXPECT_EQ(error_of("monitor m at any t: forall u: x > 0"),
            "1:21: what follows says nothing about 'u'; write '@u(...)'");
  EXPECT_EQ(error_of("monitor m at any t: forall t: @t(x) > 0"), "1:21: there is a thread variable 't' already");
  EXPECT_EQ(error_of("monitor m at any t: forall u != v: @u(x) > 0"),
            "1:33: here 'u' can only be told apart from 't', whose formula this is");
}

TEST_F(Monitors, WhatBelongsElsewhere) {
  EXPECT_EQ(error_of("property p: x > @reader(y)"),
            "1:17: '@reader(...)' asks what another thread knows; only a monitor can");
  EXPECT_EQ(error_of("property p: exists u: x > 0"), "1:13: only a monitor can speak of all threads");
  EXPECT_EQ(error_of("monitor m at any t: call(main)"),
            "1:21: a monitor has no event or operator 'call'; it can see read(x), write(x), block(NAME) and what "
            "sooth_internal sets");
  EXPECT_EQ(error_of("monitor m at any t: eventually x > 0"),
            "1:21: 'eventually' speaks of the future; it can only be used in 'liveness'");
  EXPECT_EQ(error_of("monitor m at any t: x > 0 when violated: stop"),
            "1:42: a monitor can 'continue', 'abort', 'break' or 'call NAME'");
  EXPECT_EQ(error_of("property p: x > 0 when violated: abort"),
            "1:34: 'abort' is for monitors; here it is 'report', 'stop' or 'call NAME'");
  EXPECT_EQ(error_of("liveness p: eventually x > 0 when violated: stop"),
            "1:45: what a 'liveness' entry finds is only possible: it can only be reported");
  EXPECT_EQ(error_of("monitor m at 0: x > 0\nmonitor m at 0: x > 1"), "2:9: there are two monitors 'm'");
  EXPECT_EQ(error_of("monitor"),
            "1:8: expected 'NAME at THREAD: FORMULA', 'datarace on VARIABLE' or 'atomicity of BLOCK'");
}

// What is read at the start of a program may be damaged: it is refused, or it is good.
TEST_F(Monitors, ADamagedBlockIsRefusedOrUsable) {
  const auto file = read_properties("monitor atomicity of transfer\nmonitor m at writer: once(x > @reader(y + 1))",
                                    "test.prop", program_.symbols);
  ASSERT_TRUE(file.ok());
  std::vector<std::uint64_t> block = file.value().compiled_monitors;
  knowledge::Compiled compiled;
  ASSERT_EQ(knowledge::open_compiled(block.data(), block.size() * 8, compiled), nullptr);
  EXPECT_NE(knowledge::open_compiled(block.data(), block.size() * 8 - 8, compiled), nullptr);
  std::size_t refused = 0;
  for (std::size_t byte = 0; byte < block.size() * 8; ++byte) {
    std::vector<std::uint64_t> damaged = block;
    reinterpret_cast<unsigned char*>(damaged.data())[byte] ^= 0xff;
    if (knowledge::open_compiled(damaged.data(), damaged.size() * 8, compiled) != nullptr) ++refused;
  }
  EXPECT_GT(refused, block.size()); // most of it is structure; texts and constants may be anything
}

} // namespace
} // namespace sooth::logic
