// The report on a terminal: names for people, both orders as a table, advice, and text that cannot
// act on the terminal.
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "report/object_names.h"
#include "report/terminal/advice.h"
#include "report/terminal/printable.h"
#include "report/terminal/table.h"
#include "report/terminal/type_names.h"
#include "report/text.h"
#include "unit/report_fixture.h"

namespace sooth::report::testing {
namespace {

using witness::FindingKind;
using witness::Role;
using witness::Status;

TEST(Printable, ControlCharactersAndBytesThatAreNoTextBecomeVisible) {
  EXPECT_EQ(printable("plain `text`, \xc3\xa4\xe2\x82\xac"), "plain `text`, \xc3\xa4\xe2\x82\xac");
  EXPECT_EQ(printable("\x1b[2J\n\t\r\x07\x7f"), "\\x1b[2J\\n\\t\\r\\x07\\x7f");
  EXPECT_EQ(printable("\xff\xc3("), "\\xff\\xc3("); // a lone byte, and half of a letter
  EXPECT_EQ(printable("\xe2\x80\xae"
                      "evil"),
            "\\u202eevil");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\u009b31m"); // an escape sequence in one letter
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");
}

TEST(Printable, LongTextIsCut) {
  const std::string told = printable(std::string(10 << 20, 'x'), 100);
  EXPECT_EQ(told, std::string(100, 'x') + "...");
}

TEST(Printable, OfMessagesLineEndsStay) { EXPECT_EQ(printable_lines("a\x1b\n\tb"), "a\\x1b\n\tb"); }

TEST(Table, WordsAreWrappedAndLongOnesBroken) {
  EXPECT_EQ(wrapped("one two three", 7, 2), (std::vector<std::string>{"one two", "  three"}));
  EXPECT_EQ(wrapped("abcdefghij", 4), (std::vector<std::string>{"abcd", "efgh", "ij"}));
  EXPECT_EQ(wrapped("", 4), (std::vector<std::string>{""}));
  EXPECT_EQ(cut_to("abcdefghij", 6), "abc...");
  EXPECT_EQ(cut_before("abcdefghij", 0), "abcdefghij");
  EXPECT_EQ(cut_before("abcdefghij", 4), "...hij"); // three more make room for the dots
  EXPECT_EQ(cut_before("\xc3\xa4\xc3\xb6xyz", 1), "...z");
  EXPECT_EQ(cut_before("ab", 4), "...");
}

TEST(TypeNames, DefaultArgumentsOfTheLibraryAreLeftOut) {
  const std::string string = "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char>>";
  EXPECT_EQ(with_short_types("Stats::add(" + string + " const&, long)"), "Stats::add(std::string const&, long)");
  EXPECT_EQ(with_short_types("std::map<" + string + ", long, std::less<" + string + ">, std::allocator<std::pair<" +
                             string + " const, long>>>::find"),
            "std::map<std::string, long>::find");
  EXPECT_EQ(with_short_types("f(std::unique_ptr<Node, std::default_delete<Node>>)"), "f(std::unique_ptr<Node>)");
  EXPECT_EQ(with_short_types("std::vector<int, Pool<int>>::push_back"), "std::vector<int, Pool<int>>::push_back");
}

TEST(TypeNames, WhatIsNoDefaultArgumentStays) {
  for (const char* text :
       {"f(int, std::allocator<int>)", "f(int, std::less<int>, long)", ", std::less<", "std::hash<int>"})
    EXPECT_EQ(with_short_types(text), text);
  std::string endless;
  for (int i = 0; i < 100'000; ++i) endless += ", std::less<";
  EXPECT_EQ(with_short_types(endless), endless);
}

TEST(ObjectNames, MembersHaveTheirClassAndCapturesTheirOwnName) {
  EXPECT_EQ(member_name("this->balance_", "Account::deposit(long)"), "Account::balance_");
  EXPECT_EQ(member_name("this->items_[...].first", "bank::Queue<std::pair<int, a::B>>::pop()"),
            "bank::Queue<std::pair<int, a::B>>::items_[...].first");
  EXPECT_EQ(member_name("this->n", "void bank::Queue<int>::push<long>(long const&)"), "bank::Queue<int>::n");
  EXPECT_EQ(member_name("this->n", "Set::operator<(Set const&) const"), "Set::n");
  EXPECT_EQ(member_name("this->fees", "main::$_0::operator()() const"), "fees");
  EXPECT_EQ(member_name("this->this->done_", "Pool::Pool(int)::'lambda'()::operator()() const"), "Pool::done_");
  EXPECT_EQ(member_name("*this", "Account::close()"), "Account");
  EXPECT_EQ(member_name("account->balance_", "f(Account*)"), "account->balance_");
  EXPECT_EQ(member_name("this->x", "f()"), "this->x"); // no class is known
}

TEST(ObjectNames, MembersOfOneTypeHaveOneNameHoweverTheObjectIsReached) {
  for (const char* name : {"other.mutex", "pool->mutex", "Queue::pool_->mutex", "Pool::mutex"})
    EXPECT_EQ(member_of_type(name, "Pool"), "Pool::mutex") << name;
  EXPECT_EQ(member_of_type("Pool::state.mutex", "Pool"), "Pool::state.mutex");
  EXPECT_EQ(member_of_type("mutex", "Pool"), "mutex");
  EXPECT_EQ(member_of_type("other.mutex", ""), "other.mutex");
}

TEST(ObjectNames, ShortNamesKeepWhatIsInBrackets) {
  EXPECT_EQ(short_name("bank::Account::balance_"), "balance_");
  EXPECT_EQ(short_name("Map<a::B>::size"), "size");
  EXPECT_EQ(short_name("table[a::b]"), "table[a::b]");
  EXPECT_EQ(short_name("bank::Account::mutex_ of the object made at bank.cpp:31 #2"), "mutex_ (bank.cpp:31 #2)");
}

TEST(ObjectNames, AMemberIsKnownByItsLastPartWhereverItsObjectIs) {
  for (const char* name : {"stop_", "pool.stop_", "queue->pool->stop_"})
    EXPECT_TRUE(is_member_of(name, "Pool::stop_")) << name;
  for (const char* name : {"pool.nonstop_", "stop_.flag", "Other::stop_", "Pool::stop_", ""})
    EXPECT_FALSE(is_member_of(name, "Pool::stop_")) << name;
  EXPECT_FALSE(is_member_of("total", "total")); // a global has one name
}

std::string told_of(const trace::Trace& trace, const witness::Finding& finding, const TextOptions& options = {}) {
  return text(report_of(trace, {finding}), options);
}

// Both steps come after `guard` was taken; nothing else matters.
TEST(TwoOrders, AreSideBySideWithAColumnForEachThread) {
  const std::string told = told_of(bank_trace(), bank_race());
  const std::string expected =
      "  observed order                                  | predicted order\n"
      "    thread 1 (worker)      thread 2 (audit)       | thread 1 (worker)      thread 2 (audit)\n"
      "    bank.cpp:10                                   | bank.cpp:10\n"
      "      takes guard                                 |   takes guard\n"
      "    bank.cpp:11                                   | bank.cpp:11            audit.cpp:20\n"
      "      writes total = 7                            |   writes total           reads total\n"
      "                           audit.cpp:20           | ^ at the same time\n"
      "                             reads total = 7      |\n";
  EXPECT_NE(told.find(expected), std::string::npos) << told;
}

TEST(TwoOrders, GoOneBelowTheOtherOnANarrowTerminal) {
  const std::string told = told_of(bank_trace(), bank_race(), {.width = 60});
  EXPECT_NE(told.find("  observed order\n    thread 1 (worker)"), std::string::npos) << told;
  EXPECT_NE(told.find("\n  predicted order\n    thread 1 (worker)"), std::string::npos) << told;
  EXPECT_EQ(told.find("|"), std::string::npos) << told;
}

// One `++x` is a read and a write at one line.
TEST(TwoOrders, AReadAndAWriteOfOneLineAreOneRow) {
  TraceBuilder b(2);
  b.global(0x10, 4, "x");
  const std::uint32_t mine = b.site("a.c", 3, "f", "x"), other = b.site("a.c", 7, "g", "x");
  b.read(0, 0x10, 4, 0).site = mine;
  b.write(0, 0x10, 4, 1).site = mine;
  b.read(1, 0x10, 4, 1).site = other;
  b.write(1, 0x10, 4, 2).site = other;
  witness::Finding race;
  race.status = Status::Observed;
  race.places = {{1, Role::Access}, {2, Role::Access}};
  witness::Finding second = race;
  second.places = {{1, Role::Access}, {3, Role::Access}};
  const Report report = report_of(b.trace, {race, second});
  ASSERT_EQ(report.findings.size(), 1u); // and one finding
  const std::string told = text(report, {});
  EXPECT_NE(told.find("3  writes x = 1"), std::string::npos) << told;
  EXPECT_NE(told.find("In the recorded run nothing orders these two accesses"), std::string::npos) << told;
}

// 50 rounds under one lock between two accesses: the rounds are counted, the places are there.
TEST(Story, KeepsWhatIsAroundThePlacesAndCountsTheRest) {
  TraceBuilder b(2);
  b.global(0x10, 4, "x");
  b.global(0x20, 40, "m");
  b.write(0, 0x10, 4, 1);
  for (int i = 0; i < 50; ++i)
    for (const std::uint32_t thread : {0u, 1u}) {
      b.add(thread, EventKind::Acquire, 0x20);
      b.add(thread, EventKind::Release, 0x20);
    }
  b.read(1, 0x10, 4, 1);
  witness::Finding race;
  race.status = Status::Observed;
  race.places = {{0, Role::Access}, {201, Role::Access}};
  const Report report = report_of(b.trace, {race});
  const std::vector<StoryStep>& told = report.findings.at(0).recorded;
  ASSERT_EQ(told.size(), 8u); // both places, three steps behind the first and three before the second
  EXPECT_EQ(told.front().event, 0u);
  EXPECT_EQ(told[4].left_out, 200u - 6);
  EXPECT_EQ(told.back().event, 201u);
  EXPECT_TRUE(told.back().decisive);
  EXPECT_TRUE(report.findings[0].predicted.empty());
}

TEST(Story, HasOnlySynchronisationThatBothThreadsUse) {
  TraceBuilder b(3);
  b.global(0x10, 4, "x");
  b.write(0, 0x10, 4, 1);
  b.add(0, EventKind::Acquire, 0x20); // 1: nobody else uses it
  b.add(0, EventKind::Release, 0x20);
  b.add(0, EventKind::Acquire, 0x30); // 3: both do
  b.add(0, EventKind::Release, 0x30);
  b.add(2, EventKind::Acquire, 0x30); // 5: a thread that the finding is not about
  b.add(2, EventKind::Release, 0x30);
  b.add(1, EventKind::Acquire, 0x30);
  b.add(1, EventKind::Release, 0x30);
  b.read(1, 0x10, 4, 1); // 9
  witness::Finding race;
  race.status = Status::Observed;
  race.places = {{0, Role::Access}, {9, Role::Access}};
  std::vector<std::uint32_t> events;
  const Report report = report_of(b.trace, {race});
  for (const StoryStep& step : report.findings.at(0).recorded) events.push_back(step.event);
  EXPECT_EQ(events, (std::vector<std::uint32_t>{0, 3, 4, 7, 8, 9}));
}

FindingText race_with(std::vector<HeldLock> first, std::vector<HeldLock> second) {
  FindingText race;
  race.places.resize(2);
  race.places[0].step.spot = {"a.c", 3, 1, "f", false};
  race.places[1].step.spot = {"a.c", 7, 1, "g", false};
  race.places[1].step.thread = 1;
  race.places[0].locks = std::move(first);
  race.places[1].locks = std::move(second);
  return race;
}

TEST(Advice, OfARaceFollowsFromTheLocksThatAreHeld) {
  const Report report;
  const HeldLock a{"a", 0x20, false, {}}, b{"b", 0x30, false, {}};
  EXPECT_EQ(advice_for(report, race_with({}, {})),
            "No lock protects it: hold one mutex at both places, or make the variable atomic.");
  EXPECT_EQ(advice_for(report, race_with({a}, {})), "Hold `a` at a.c:7, too, as thread 0 (main) does at a.c:3.");
  EXPECT_EQ(advice_for(report, race_with({a}, {b})),
            "They hold different locks (`a` and `b`): hold the same one at both places.");
  FindingText mixed = race_with({}, {});
  mixed.places[1].order = "seq_cst";
  EXPECT_EQ(advice_for(report, mixed), "Only one of the two accesses is atomic: make that at a.c:3 atomic, too.");
}

// x = 1; flag.store(1, relaxed)  |  flag.load(acquire); read x
TEST(Advice, ARelaxedFlagShouldBeARelease) {
  TraceBuilder b(2);
  b.global(0x10, 4, "x");
  b.global(0x20, 4, "flag");
  const std::uint32_t store = b.site("a.c", 4, "f", "flag"), load = b.site("a.c", 6, "g", "flag");
  b.write(0, 0x10, 4, 1);
  trace::Event& stored = b.add(0, EventKind::AtomicWrite, 0x20, 1);
  stored.size = 4, stored.site = store, stored.order = trace::MemoryOrder::Relaxed;
  trace::Event& loaded = b.add(1, EventKind::AtomicRead, 0x20, 1);
  loaded.size = 4, loaded.site = load, loaded.order = trace::MemoryOrder::Acquire;
  b.read(1, 0x10, 4, 1);
  witness::Finding race;
  race.status = Status::Observed;
  race.places = {{0, Role::Access}, {3, Role::Access}};
  const Report report = report_of(b.trace, {race});
  EXPECT_EQ(advice_for(report, report.findings.at(0)),
            "Publish with release: store `flag` at a.c:4 with memory_order_release, and load it at a.c:6 with "
            "memory_order_acquire.");
}

TEST(Text, NothingThatTheProgramNamesActsOnTheTerminal) {
  trace::Trace trace = bank_trace();
  trace.process.program = "\x1b]0;title\x07";
  trace.threads[1].name = "wor\nsooth: nothing found";
  for (trace::Site& site : trace.sites) site.function += "\x1b[31m\r";
  trace.globals[0].name = trace.sites[5].variable = "to\x1b[2Jtal";
  for (const Detail detail : {Detail::Quiet, Detail::Usual, Detail::Verbose}) {
    const std::string told = told_of(trace, bank_race(), {.detail = detail});
    EXPECT_EQ(told.find('\x1b'), std::string::npos) << told;
    EXPECT_EQ(told.find('\r'), std::string::npos) << told;
    EXPECT_EQ(told.find("\nsooth: nothing found"), std::string::npos) << told;
    EXPECT_NE(told.find("to\\x1b[2Jtal"), std::string::npos) << told;
  }
}

// The place of the error is the one part of a long line that has to be there.
TEST(Text, OfALongSourceLineThePartAroundTheCaretIsShown) {
  const std::string file = ::testing::TempDir() + "long_line.cpp";
  std::ofstream(file) << std::string(300, 'a') << "total = 7;" << std::string(300, 'b') << "\nshort\n";
  trace::Trace trace = bank_trace();
  trace.sites[trace.events[5].site].file = file;
  trace.sites[trace.events[5].site].line = 1;
  trace.sites[trace.events[5].site].column = 301;
  const std::string told = told_of(trace, bank_race(), {.width = 80});
  const std::size_t line = told.find("        1 | ...");
  ASSERT_NE(line, std::string::npos) << told;
  const std::size_t caret = told.find("          | ", line + 80);
  ASSERT_NE(caret, std::string::npos) << told;
  const std::size_t offset = told.find('^', caret) - caret;
  EXPECT_EQ(told.substr(line + offset, 9), "total = 7") << told;
  EXPECT_NE(told.find("        2 | ...\n"), std::string::npos) << told;
}

TEST(Text, FitsTheTerminal) {
  trace::Trace trace = bank_trace();
  for (trace::Site& site : trace.sites) site.function = "deposit_with_a_long_name(std::string const&, long, int)";
  std::istringstream told(told_of(trace, bank_race(), {.width = 60}));
  for (std::string line; std::getline(told, line);) {
    if (line.starts_with("sooth: ")) continue;
    EXPECT_LE(width(line), 60u) << line;
  }
}

TEST(Text, OfManyKindsWithoutAnAnswerTheFirstOnesAreNamed) {
  Report report = report_of(bank_trace(), {});
  report.coverage.complete = false;
  report.coverage.unanswered = {"races", "deadlocks", "memory", "blocks"};
  EXPECT_NE(text(report, {}).find("no answer about races, deadlocks, memory, blocks; nothing"), std::string::npos);
  report.coverage.unanswered = {"races", "deadlocks", "memory", "blocks", "leaks"};
  EXPECT_NE(text(report, {}).find("no answer about races, deadlocks, memory and 2 more kinds of errors (--verbose); "),
            std::string::npos);
  EXPECT_NE(text(report, {.detail = Detail::Verbose}).find("memory, blocks, leaks; nothing"), std::string::npos);
}

TEST(LockNames, AreTheSourcesAndToldApartByTheirObjects) {
  TraceBuilder b(2);
  const std::uint32_t first = b.site("bank.cpp", 31, "main", ""), second = b.site("bank.cpp", 32, "main", "");
  const std::uint32_t take = b.site("bank.cpp", 9, "Account::move(Account&)", "pthread_mutex_lock");
  b.trace.sites[take].object = "this->mutex_";
  b.add(0, EventKind::Alloc, 0x1000, 64).site = first;  // 0
  b.add(0, EventKind::Alloc, 0x2000, 64).site = second; // 1
  b.add(0, EventKind::Acquire, 0x1008).site = take;     // 2
  b.add(0, EventKind::Acquire, 0x2008).site = take;     // 3
  b.add(0, EventKind::Release, 0x2008).site = take;
  b.add(0, EventKind::Release, 0x1008).site = take;
  b.add(1, EventKind::Acquire, 0x2008).site = take; // 6
  b.add(1, EventKind::Acquire, 0x1008).site = take; // 7
  witness::Finding deadlock;
  deadlock.kind = FindingKind::Deadlock;
  deadlock.places = {{3, Role::Request}, {2, Role::Hold}, {7, Role::Request}, {6, Role::Hold}};
  deadlock.witness = {2, {2, 6}, {3, 7}};
  const std::string told = told_of(b.trace, deadlock);
  for (const char* part :
       {"deadlock over `Account::mutex_ of the object made at bank.cpp:32`, `Account::mutex_ of the object made at "
        "bank.cpp:31`",
        "holds `Account::mutex_ of the object made at bank.cpp:31`, taken at bank.cpp:9", "^ each waits for ever",
        "what to do: Take `Account::mutex_ of the object made at"})
    EXPECT_NE(told.find(part), std::string::npos) << part << "\n" << told;
}

} // namespace
} // namespace sooth::report::testing
