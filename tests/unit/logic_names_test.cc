// What names stand for, and what is said of those that stand for nothing.
#include <gtest/gtest.h>

#include "logic/called_functions.h"
#include "logic/names/lookup.h"
#include "logic/occurrences.h"
#include "logic/resolve.h"
#include "logic/syntax/nearest.h"
#include "unit/logic_symbols.h"

namespace sooth::logic {
namespace {

using trace::TypeKind;

class Names : public ::testing::Test {
protected:
  Names() {
    const auto integer = program_.scalar(TypeKind::Signed, 4, "int");
    const auto character = program_.scalar(TypeKind::Unsigned, 1, "unsigned char");
    const auto pointer = program_.scalar(TypeKind::Pointer, 8, "node*");
    const auto large = program_.scalar(TypeKind::Float, 16, "long double");
    trace::Type phase{TypeKind::Enum, 4, "net::Phase", integer};
    phase.enumerators = {{"idle", 0}, {"busy", 7}};
    const auto phases = program_.type(phase);
    trace::Type mode{TypeKind::Enum, 4, "enum mode", integer};
    mode.enumerators = {{"MODE_OFF", 0}, {"MODE_ON", -2}};
    const auto modes = program_.type(mode);
    const auto row = program_.type({TypeKind::Array, 8, "int [2]", integer, 2});
    const auto grid = program_.type({TypeKind::Array, 24, "int [3][2]", row, 3});
    trace::Type base{TypeKind::Struct, 4, "Base"};
    base.members = {{"kind", 0, integer, 0}};
    const auto bases = program_.type(base);
    trace::Type config{TypeKind::Struct, 48, "Config"};
    config.members = {{"", 0, bases, 0}, {"ready", 32, character, 0}, {"next", 64, pointer, 0}, {"grid", 128, grid, 0}};
    const auto configs = program_.type(config);
    trace::Type atomic_base{TypeKind::Struct, 4, "std::__atomic_base<int>"};
    atomic_base.members = {{"_M_i", 0, integer, 0}};
    const auto atomic_bases = program_.type(atomic_base);
    trace::Type atomic{TypeKind::Struct, 4, "std::atomic<int>"};
    atomic.members = {{"", 0, atomic_bases, 0}};
    const auto atomics = program_.type(atomic);

    trace::Type array{TypeKind::Struct, 8, "std::array<int, 2>"};
    array.members = {{"_M_elems", 0, row, 0}};
    const auto arrays = program_.type(array);

    for (const auto& [name, type] : std::vector<std::pair<std::string, std::uint32_t>>{
             {"slots", arrays},
             {"state", integer},
             {"net::state", integer},
             {"net::phase", phases},
             {"mode", modes},
             {"first.cpp:counter", integer},
             {"second.cpp:counter", integer},
             {"second.cpp:util::only", integer},
             {"depot::Store::load(int, char)::calls", integer},
             {"cfg", configs},
             {"pieces.left", integer},
             {"hits", atomics},
             {"precise", large},
             {"foreign", 0},
         })
      address_[name] = program_.variable(name, type);
    program_.symbols.watches = {
        {"head", 8, TypeKind::Pointer}, {"the depth", 4, TypeKind::Signed}, {"whole", 48, TypeKind::Unknown}};
    program_.symbols.functions = {"worker::suspend(int)",
                                  "worker::suspend()",
                                  "void log::put<int>(int)",
                                  "main",
                                  "a::go()",
                                  "b::go()",
                                  "(anonymous namespace)::hidden()",
                                  "worker::operator()(int) const"};
    program_.symbols.inlined_functions = {"worker::quick()"};
    program_.symbols.user_events = {"landed", "took off"};
    program_.symbols.thread_locals = {"pool::mine", "first.cpp:cached"};
  }

  Result<PropertyFile> read(const std::string& text) { return read_properties(text, "test.prop", program_.symbols); }

  // Where the one variable of a condition lies, and how many bytes.
  std::pair<std::uint64_t, std::uint32_t> place(const std::string& name) {
    const auto file = read("property it: " + name + " == 1");
    EXPECT_TRUE(file.ok()) << file.error().text();
    if (!file || file.value().variables.size() != 1) return {};
    return {file.value().variables[0].address, file.value().variables[0].size};
  }

  std::string message(const std::string& formula) {
    const auto file = read("property it: " + formula);
    if (file.ok()) return "";
    EXPECT_EQ(file.error().file, "test.prop");
    EXPECT_GE(file.error().line, 1u);
    EXPECT_GE(file.error().column, 1u);
    return file.error().message.substr(0, file.error().message.find('\n'));
  }

  TestProgram program_;
  std::map<std::string, std::uint64_t> address_;
};

TEST_F(Names, Variables) {
  EXPECT_EQ(place("state").first, address_["state"]); // an exact name wins over net::state
  EXPECT_EQ(place("net::state").first, address_["net::state"]);
  EXPECT_EQ(place("::state").first, address_["state"]);
  EXPECT_EQ(place("first.cpp:counter").first, address_["first.cpp:counter"]);
  EXPECT_EQ(place("\"src/first.cpp\":counter").first, address_["first.cpp:counter"]);
  EXPECT_EQ(place("util::only").first, address_["second.cpp:util::only"]);
  EXPECT_EQ(place("only").first, address_["second.cpp:util::only"]);
  EXPECT_EQ(place("depot::Store::load::calls").first, address_["depot::Store::load(int, char)::calls"]);
  EXPECT_EQ(place("load(int)::calls").first, address_["depot::Store::load(int, char)::calls"]);
}

TEST_F(Names, MembersElementsAndCoats) {
  EXPECT_EQ(place("cfg.ready"), std::pair(address_["cfg"] + 4, 1u));
  EXPECT_EQ(place("cfg.kind"), std::pair(address_["cfg"], 4u)); // of its base class
  EXPECT_EQ(place("cfg.grid[2][1]"), std::pair(address_["cfg"] + 16 + 20, 4u));
  EXPECT_EQ(place("cfg.next"), std::pair(address_["cfg"] + 8, 8u));
  EXPECT_EQ(place("hits"), std::pair(address_["hits"], 4u));          // std::atomic<int> is its int
  EXPECT_EQ(place("slots[1]"), std::pair(address_["slots"] + 4, 4u)); // so is std::array its array
  EXPECT_EQ(message("slots[2] == 0"), "the index 2 is outside of 'slots', which has 2 elements");
  EXPECT_EQ(message("hits[0] == 0"), "'hits' is no array but of type 'std::atomic<int>'");
  EXPECT_EQ(place("pieces.left"), std::pair(address_["pieces.left"], 4u)); // a structure that was taken apart
}

TEST_F(Names, Enumerators) {
  EXPECT_EQ(message("net::phase == net::busy"), "");
  EXPECT_EQ(message("net::phase == net::Phase::busy"), "");
  EXPECT_EQ(message("net::phase == busy && mode == MODE_ON"), "");
  EXPECT_EQ(message("net::phase == bussy"), "unknown variable 'bussy'; did you mean 'net::busy'?");
  const auto file = read("property it: mode == MODE_ON");
  ASSERT_TRUE(file.ok());
  const std::vector<std::uint64_t> on{0xfffffffe}, off{0};
  EXPECT_EQ(file.value().letter(file.value().properties[0], on, 0).atoms, 1u);
  EXPECT_EQ(file.value().letter(file.value().properties[0], off, 0).atoms, 0u);
}

TEST_F(Names, ThreadLocals) {
  const std::string rest = " in the program";
  EXPECT_EQ(message("mine == 1"), "'mine' is thread-local: every thread has its own; name one of them with "
                                  "SOOTH_WATCH(\"name\", mine)" +
                                      rest);
  EXPECT_EQ(message("first.cpp:cached > 0"),
            "'first.cpp:cached' is thread-local: every thread has its own; name one of "
            "them with SOOTH_WATCH(\"name\", cached)" +
                rest);
  EXPECT_EQ(message("second.cpp:cached > 0").find("thread-local"), std::string::npos) << "that file has none";
}

TEST_F(Names, Watched) {
  const auto file = read("property it: head != NULL && watch(\"the depth\") > -1 && head == nullptr");
  ASSERT_TRUE(file.ok()) << file.error().text();
  ASSERT_EQ(file.value().variables.size(), 2u);
  EXPECT_TRUE(file.value().variables[0].watched);
  EXPECT_EQ(file.value().variables[0].watch_name, "head");
  EXPECT_EQ(file.value().variables[1].watch_name, "the depth");
  EXPECT_EQ(file.value().variables[1].size, 4u);
  EXPECT_NE(message("whole == 1").find("no number of a known type"), std::string::npos);
  EXPECT_EQ(message("watch(\"the dept\") == 1"),
            "no SOOTH_WATCH of the program has the name 'the dept'; did you mean 'the depth'?");
}

TEST_F(Names, WhatIsWrongIsSaidWithTheNearestNames) {
  EXPECT_EQ(message("sttae == 1"), "unknown variable 'sttae'; did you mean 'state' or 'net::state'?");
  EXPECT_EQ(message("counter == 1"), "'counter' is ambiguous: it could be 'first.cpp:counter' or 'second.cpp:counter'");
  EXPECT_EQ(message("cfg.redy == 1"), "'cfg' has no member 'redy'; did you mean 'ready'?");
  EXPECT_EQ(message("cfg.grid[3][0] == 1"), "the index 3 is outside of 'cfg.grid', which has 3 elements");
  EXPECT_EQ(message("cfg.next.value == 1"),
            "'cfg.next' is a pointer; what it points to can be named in the program by SOOTH_WATCH");
  EXPECT_EQ(message("cfg == 1"), "'cfg' is of type 'Config', which is no number; name one of its members or elements");
  EXPECT_EQ(message("head->modes == 1"), "'->' means 'implies' here, and 'modes' is no variable; name what the pointer "
                                         "leads to with SOOTH_WATCH in the program");
  EXPECT_EQ(message("state > 0 -> modes == 1"), "unknown variable 'modes'; did you mean 'mode'?");
  EXPECT_EQ(message("state->cfg.redy == 1"), "'cfg' has no member 'redy'; did you mean 'ready'?");
  EXPECT_EQ(message("precise > 1"), "'precise' is of type 'long double', which is too large for an expression");
  EXPECT_EQ(message("foreign > 1"),
            "the type of 'foreign' is not known (was this part of the program built with Sooth?)");
  EXPECT_EQ(message("head + 1 == 2"), "pointers can be compared, but '+' needs numbers");
  EXPECT_EQ(message("cfg.grid[i][0] == 1"), "an index must be a constant number");
}

TEST_F(Names, Events) {
  EXPECT_EQ(message("call(worker::suspend)"), "");
  EXPECT_EQ(message("return(worker::suspend(int))"), "");
  EXPECT_EQ(message("call(suspend) || call(put) || call(log::put<int>) || call(hidden) || call(main)"), "");
  EXPECT_EQ(message("call(go)"), "'go' is ambiguous: it could be 'a::go' or 'b::go'");
  EXPECT_EQ(message("call(worker::supend)"),
            "the program has no instrumented function 'worker::supend'; did you mean 'worker::suspend'?");
  EXPECT_NE(message("call(worker::quick)").find("were inlined"), std::string::npos);
  EXPECT_EQ(message("acquire(cfg.grid[1]) -> release(head) || acquire(*)"), "");
  EXPECT_EQ(message("acquire(cgf)"), "unknown variable 'cgf'; did you mean 'cfg'?");
  EXPECT_EQ(message("thread_start() || thread_end(3) || thread_start(\"radio\")"), "");
  EXPECT_EQ(message("user(landed) || user(\"took off\")"), "");
  EXPECT_EQ(message("user(lended)"), "the program has no sooth_event of the name 'lended'; did you mean 'landed'?");
  program_.symbols.all_names_known = false;
  EXPECT_EQ(message("user(lended)"), "");
}

TEST_F(Names, PlacesOfErrors) {
  const auto file =
      read("property fine: state == 1\n# a comment\nproperty wrong:\n  once(state > 0) &&\n    ↑(stat > 0)\n");
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.error().text(), "test.prop:5:9: unknown variable 'stat'; did you mean 'state' or 'net::state'?\n"
                                 "        ↑(stat > 0)\n"
                                 "          ^");
}

TEST_F(Names, WhatIsNoPropertyFile) {
  const auto first_line = [&](const std::string& text) {
    const auto file = read(text);
    return file.ok() ? ""
                     : std::to_string(file.error().line) + ":" + std::to_string(file.error().column) + ": " +
                           file.error().message.substr(0, file.error().message.find('\n'));
  };
  EXPECT_EQ(first_line(""), "1:1: the file has no property, pattern, machine, liveness or monitor entry");
  EXPECT_EQ(first_line("property p: state >\n"), "1:20: expected an operand after the operator");
  EXPECT_EQ(first_line("property p: (state > 0\n\n"), "1:23: expected an operator or ')'");
  EXPECT_EQ(first_line("property p: state > 0 sicne mode"), "1:23: unknown operator 'sicne'; did you mean 'since'?");
  EXPECT_EQ(first_line("property p: histerically state > 0"),
            "1:13: unknown operator 'histerically'; did you mean 'historically'?");
  EXPECT_EQ(first_line("property p: counter mode"), "1:21: unknown operator 'mode'");
  EXPECT_EQ(first_line("property p: histrically m == 1"),
            "1:13: unknown operator 'histrically'; did you mean 'historically'?");
  EXPECT_EQ(first_line("property p: mode == 1 && histrically sinces == 1"),
            "1:26: unknown operator 'histrically'; did you mean 'historically'?");
  EXPECT_EQ(first_line("property p: state u mode"), "1:19: unknown operator 'u'");
  EXPECT_EQ(first_line("property p: state sinse mode"), "1:19: unknown operator 'sinse'; did you mean 'since'?");
  EXPECT_EQ(first_line("proprty p: state == 1"), "1:1: unknown entry 'proprty'; did you mean 'property'?");
  EXPECT_EQ(first_line("property p: state == 1\n  montor m at main: state == 1"),
            "2:3: unknown entry 'montor'; did you mean 'monitor'?");
  EXPECT_EQ(first_line("property p: state == 1\nevnt e = call(main)"),
            "2:1: unknown entry 'evnt'; did you mean 'event'?");
  EXPECT_EQ(first_line("property p: oncee(state > 0)"),
            "1:13: unknown event or operator 'oncee'; did you mean 'once'?");
  EXPECT_EQ(first_line("property p: once(state) > 0"),
            "1:25: '>' takes numbers, but 'once(state)' is a formula; put parentheses around what 'once' is about");
  EXPECT_EQ(first_line("property p: [state > 0, mode > 0]"),
            "1:33: expected an operator, or ')' at the end of the interval [p, q)");
  EXPECT_EQ(first_line("monitor m: f"),
            "1:10: expected 'at' and the thread whose formula this is: 'at writer', 'at any t'");
  EXPECT_EQ(first_line("property p: eventually state == 1"),
            "1:13: 'eventually' speaks of the future; it can only be used in 'liveness'");
  EXPECT_EQ(first_line("liveness p: once state == 1"),
            "1:13: 'once' speaks of the past; it cannot be used in 'liveness'");
  EXPECT_EQ(first_line("property p: state == 1\nproperty p: state == 2"), "2:10: there are two properties 'p'");
  EXPECT_EQ(first_line("event e = state > 0\nproperty p: state"),
            "1:17: an event needs something that happens: call(f), acquire(m), user(name), ...");
  EXPECT_EQ(first_line("pattern p over e: e*"),
            "1:16: unknown event 'e'; events are defined before they are used: event e = call(f)");
  EXPECT_EQ(first_line("event e = call(main)\npattern p over e: f*"),
            "2:19: 'f' is not one of the events that this pattern is over; did you mean 'e'?");
  EXPECT_EQ(first_line("event e = call(main)\npattern p over e: e & ~e"),
            "2:19: the pattern matches nothing, so every run would violate it");
  EXPECT_EQ(first_line("property p: state == 1 when violated: explode"),
            "1:39: expected an action: 'report', 'call NAME' or 'stop'; of a monitor 'continue', 'abort' or 'break'");
}

TEST_F(Names, LimitsAreTold) {
  const auto repeated = [](const std::string& part, int times, const std::string& glue) {
    std::string text = part;
    for (int i = 1; i < times; ++i) text += glue + part;
    return text;
  };
  EXPECT_NE(message(std::string(10000, '(') + "state").find("nested too deeply"), std::string::npos);
  EXPECT_NE(message(std::string(10000, '!') + "state").find("nested too deeply"), std::string::npos);
  EXPECT_NE(message("acquire" + std::string(10000, '(')).find("nested too deeply"), std::string::npos);
  EXPECT_NE(message(repeated("state", 10000, " -> ")).find("nested too deeply"), std::string::npos);
  EXPECT_NE(message(repeated("state", 10000, " + ")).find("nested too deeply"), std::string::npos);
  EXPECT_NE(message(repeated("once(state)", 65, " && ")).find("more than 64 temporal operators"), std::string::npos);
  EXPECT_EQ(message(repeated("once(state)", 64, " && ")), "");
  std::string atoms = "once(state == 0)";
  for (int i = 1; i < 65; ++i)
    atoms += (i % 2 == 0 ? " && not " : " || not ") + ("once(state == " + std::to_string(i) + ")");
  EXPECT_NE(message(atoms).find("more than 64"), std::string::npos);
  std::string events = "thread_start(0)";
  for (int i = 1; i < 65; ++i) events += " || thread_start(" + std::to_string(i) + ")";
  EXPECT_NE(message(events).find("more than 64 different events"), std::string::npos);
}

TEST(Nearest, DistanceCountsInsertionsDeletionsChangesAndSwaps) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("since", "sicne"), 1u);
  EXPECT_EQ(edit_distance("once", "oncee"), 1u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  const std::vector<std::string> known{"approved", "radio", "landing"};
  EXPECT_EQ(nearest_names("aproved", known), std::vector<std::string>{"approved"});
  EXPECT_TRUE(nearest_names("entirely_different", known).empty());
  EXPECT_EQ(nearest_names("xy", std::vector<std::string>{"xz"}), std::vector<std::string>{"xz"});
}

TEST(FunctionNames, WithoutParametersAndReturnTypes) {
  EXPECT_EQ(plain_function_name("main"), "main");
  EXPECT_EQ(plain_function_name("net::send(int, char const*)"), "net::send");
  EXPECT_EQ(plain_function_name("void net::put<std::pair<int, long> >(int)"), "net::put<std::pair<int, long> >");
  EXPECT_EQ(plain_function_name("net::Queue::size() const"), "net::Queue::size");
  EXPECT_EQ(plain_function_name("(anonymous namespace)::f(int)"), "f");
  EXPECT_EQ(plain_function_name("net::operator<(net::A, net::A)"), "net::operator<");
  EXPECT_EQ(plain_function_name("net::F::operator()(int) const"), "net::F::operator()");
  EXPECT_EQ(plain_function_name("work(int)::$_0::operator()(char) const"), "work(int)::$_0::operator()"); // not `work`
  EXPECT_EQ(plain_function_name("void work<int>(int) const::{lambda()#1}::operator()() const"),
            "work<int>(int) const::{lambda()#1}::operator()");
  EXPECT_TRUE(same_function("net::put<int>", "net::put"));
  EXPECT_FALSE(same_function("net::put", "net::put<int>"));
}

TEST(FunctionNames, WithoutScopes) {
  EXPECT_EQ(unscoped_function_name("main"), "main");
  EXPECT_EQ(unscoped_function_name("net::send(int, char const*)"), "send");
  EXPECT_EQ(unscoped_function_name("net::Pool<net::Key>::take<char>"), "take");
  EXPECT_EQ(unscoped_function_name("net::operator<"), "operator<");
  EXPECT_EQ(unscoped_function_name("F::operator()"), "operator()");
  EXPECT_EQ(unscoped_function_name("::f"), "f");
  EXPECT_EQ(unscoped_function_name("*"), "*");
}

TEST(CalledFunctions, OfEveryEntryEachOnce) {
  const auto file = parse("event go = call(worker::resume) || return( stop )\n"
                          "property a: call(Pool<int>::take) -> once (call(f) && user(call))\n"
                          "pattern p over go: go*\n"
                          "liveness l: always (return(f) -> eventually acquire(m))\n",
                          "test.prop");
  ASSERT_TRUE(file.ok()) << file.error().text();
  EXPECT_EQ(called_functions(file.value()), (std::vector<std::string>{"f", "resume", "stop", "take"}));
}

// A thread is given its name after it has started, by itself or by another one.
TEST(Occurrences, AStartGoesByTheFirstNameAndAnEndByTheLast) {
  trace::Trace trace;
  trace.threads.resize(3);
  trace.sites.resize(1);
  trace.strings = {"", "radio", "idle"};
  using trace::EventKind;
  const auto add = [&](std::uint32_t thread, EventKind kind, std::uint64_t address, std::uint64_t value) {
    trace::Event e;
    e.thread = thread;
    e.kind = kind;
    e.address = address;
    e.value = value;
    trace.events.push_back(e);
  };
  add(1, EventKind::ThreadStart, 0, 0);
  add(2, EventKind::ThreadStart, 0, 0);
  add(0, EventKind::ThreadName, 1, 1 + 1); // thread 1 is the radio
  add(1, EventKind::ThreadName, 2, 0);     // and calls itself idle
  add(2, EventKind::ThreadName, 2, 0);
  add(1, EventKind::ThreadEnd, 0, 0);
  const auto file = read_properties("property all: thread_start(radio) || thread_end(radio) || thread_start(idle) || "
                                    "thread_end(idle)",
                                    "test.prop", symbols_of_trace(trace));
  ASSERT_TRUE(file.ok()) << file.error().text();
  Occurrences occurrences(file.value(), trace);
  const std::vector<std::uint64_t> expected = {1, 4, 0, 0, 0, 8};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(occurrences.of(i), expected[i]) << i;
}

TEST(Occurrences, CallsThatAreNotAllKeptAreTold) {
  trace::Trace trace;
  trace.sites = {{},
                 {"f.cpp", 1, 1, "f(int)", "", trace::kSiteFunction | trace::kSiteCall},
                 {"f.cpp", 2, 1, "g()", "", trace::kSiteFunction},
                 {"f.cpp", 3, 1, "h()", "", trace::kSiteFunction}};
  const auto told = [&](const char* text) {
    const auto file = read_properties(text, "test.prop", symbols_of_trace(trace));
    return file.ok() ? partly_seen_calls(file.value(), trace.sites) : std::vector<std::string>{file.error().text()};
  };
  EXPECT_EQ(told("property p: call(f)"), std::vector<std::string>());
  EXPECT_EQ(told("property p: call(f) -> return(g)"), std::vector<std::string>{"g"});
  EXPECT_EQ(told("property p: call(*)"), std::vector<std::string>{"*"});
}

TEST(Occurrences, OfEveryKindOfEvent) {
  trace::Trace trace;
  trace.threads.resize(2);
  trace.threads[1].name = "radio";
  trace.sites = {
      {}, {"f.cpp", 1, 1, "f(int)", "", trace::kSiteFunction}, {"f.cpp", 2, 1, "g()", "", trace::kSiteFunction}};
  trace.strings = {"", "landed", "lock"};
  trace.globals = {{0x1000, 40, "m", "std::mutex"}};
  using trace::EventKind;
  const auto add = [&](EventKind kind, std::uint64_t address, std::uint64_t value, std::uint32_t site = 0,
                       std::uint8_t flags = 0) {
    trace::Event e;
    e.kind = kind;
    e.address = address;
    e.value = value;
    e.site = site;
    e.thread = kind == EventKind::ThreadStart || kind == EventKind::ThreadEnd ? 1 : 0;
    e.flags = flags;
    trace.events.push_back(e);
  };
  const auto symbols = [&] { return symbols_of_trace(trace); };
  add(EventKind::Watch, 0x2000, 40 | std::uint64_t{2} << 32);
  const auto file =
      read_properties("property all: call(f) || return(f) || acquire(m) || release(m) || acquire(lock) || "
                      "thread_start(radio) || thread_end(1) || user(landed) || acquire(*)",
                      "test.prop", symbols());
  ASSERT_TRUE(file.ok()) << file.error().text();
  std::vector<std::uint64_t> expected{0};
  const auto expect = [&](std::uint64_t happened, auto... event) {
    add(event...);
    expected.push_back(happened);
  };
  expect(1, EventKind::Enter, 0, 0, 1);
  expect(0, EventKind::Enter, 0, 0, 2);
  expect(2, EventKind::Exit, 0, 0); // both end at once
  expect(4 | 256, EventKind::Acquire, 0x1000, 0);
  expect(8, EventKind::Wait, 0x3000, 0x1000); // gives m up
  expect(4 | 256, EventKind::Wake, 0x3000, 0x1000);
  expect(8, EventKind::Release, 0x1000, 0);
  expect(0, EventKind::Acquire, 0x1000, 0, 0, static_cast<std::uint8_t>(trace::kFailed));
  expect(16 | 256, EventKind::Acquire, 0x2000, 0);
  expect(256, EventKind::AcquireShared, 0x9000, 0);
  expect(32, EventKind::ThreadStart, 0, 0);
  expect(64, EventKind::ThreadEnd, 0, 0);
  expect(128, EventKind::User, 1, 5);
  expect(0, EventKind::User, 2, 5);
  expect(0, EventKind::Write, 0x1000, 1);
  Occurrences occurrences(file.value(), trace);
  for (std::size_t i = 0; i < trace.events.size(); ++i) EXPECT_EQ(occurrences.of(i), expected[i]) << i;
}

TEST(Symbols, OfATraceWithoutLayoutsKnowBasicTypes) {
  trace::Trace trace;
  trace.globals = {{0x1000, 4, "a", "int"},
                   {0x1008, 8, "p", "node*"},
                   {0x1010, 4, "v", "volatile unsigned int"},
                   {0x1020, 12, "s", "struct s"}};
  const Symbols symbols = symbols_of_trace(trace);
  EXPECT_TRUE(read_properties("property it: a < -1 && p == 0 && v > 3", "test.prop", symbols).ok());
  EXPECT_FALSE(read_properties("property it: s == 1", "test.prop", symbols).ok());
}

} // namespace
} // namespace sooth::logic
