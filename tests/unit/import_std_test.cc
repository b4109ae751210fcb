// The STD format of RAPID: what comes in, what goes out, and which lines are refused.
#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "import/format.h"
#include "import/std/std_format.h"
#include "trace/verify.h"
#include "verify_builder.h"

namespace sooth::import {
namespace {

using trace::Event;
using trace::EventKind;
using trace::Trace;
using trace::testing::TraceBuilder;

std::string exported(const Trace& trace) {
  std::ostringstream out;
  write_std(trace, out);
  return out.str();
}

const char* const kSample = "T0|w(V1)|23\n"
                            "T0|fork(T2)|24\n"
                            "T2|acq(L34)|120\n"
                            "T2|r(V1)|121\n"
                            "T2|rel(L34)|130\n"
                            "T0|join(T2)|134\n"
                            "T0|begin(m)|135\n"
                            "T0|w(V234.23[0])|136\n"
                            "T0|end(m)|137\n";

TEST(ImportStd, SampleBecomesALegalTrace) {
  const Imported imported = read_std(kSample, "sample.std");
  ASSERT_TRUE(imported.ok());
  const Trace& t = imported.trace;
  EXPECT_TRUE(trace::verify(t).legal());
  EXPECT_EQ(t.flags & trace::kNoValues, trace::kNoValues);
  ASSERT_EQ(t.threads.size(), 2u);
  EXPECT_EQ(t.threads[1].name, "T2");
  EXPECT_EQ(t.threads[1].parent, 0u);
  ASSERT_EQ(t.events.size(), 11u); // and the start and the end of T2
  EXPECT_EQ(t.events[2].kind, EventKind::ThreadStart);
  EXPECT_EQ(t.events[4].kind, EventKind::Read);
  EXPECT_EQ(t.events[4].value, t.events[0].value);
  EXPECT_EQ(t.events[6].kind, EventKind::ThreadEnd);
  EXPECT_EQ(t.sites[t.events[4].site].line, 121u);
  EXPECT_EQ(t.sites[t.events[4].site].variable, "V1");
  EXPECT_EQ(t.strings[t.events[8].address], "m");
  EXPECT_NE(t.events[9].value, t.events[0].value);
}

TEST(ImportStd, ComesBackAsItWas) { EXPECT_EQ(exported(read_std(kSample, "sample.std").trace), kSample); }

TEST(ImportStd, AReadBeforeAnyWriteSeesZero) {
  const Imported imported = read_std("T0|r(x)|1\nT0|w(x)|2\nT1|r(x)|3\n", "f");
  ASSERT_TRUE(imported.ok());
  EXPECT_EQ(imported.trace.events[0].value, 0u);
  EXPECT_NE(imported.trace.events[1].value, 0u);
  EXPECT_EQ(imported.trace.events[2].value, imported.trace.events[1].value);
}

TEST(ImportStd, AVariableAndALockMayShareAName) {
  const Imported imported = read_std("T0|w(x)|1\nT0|acq(x)|2\n", "f");
  ASSERT_TRUE(imported.ok());
  EXPECT_NE(imported.trace.events[0].address, imported.trace.events[1].address);
}

TEST(ImportStd, LocationsAndBlankLinesAreOptional) {
  const Imported imported = read_std("\n T0 | w(x) \r\n\n\r\nT0|begin\nT0|end|-7\nT0|r(x)|99999999999\n", "f");
  ASSERT_TRUE(imported.ok());
  ASSERT_EQ(imported.trace.events.size(), 4u);
  EXPECT_EQ(exported(imported.trace), "T0|w(x)|0\nT0|begin|0\nT0|end|-7\nT0|r(x)|99999999999\n");
}

TEST(ImportStd, AnEmptyFileIsAnEmptyTrace) {
  EXPECT_TRUE(read_std("", "f").ok());
  EXPECT_TRUE(read_std("\n\n", "f").trace.events.empty());
}

TEST(ImportStd, BadLinesAreNamedByNumber) {
  const Imported imported = read_std("T0|w(x)|1\n"
                                     "T0|x(y)|2\n"   // line 2
                                     "nonsense\n"    // line 3
                                     "|w(x)|1\n"     // line 4
                                     "T0|w|5\n"      // line 5
                                     "T0|w(x|6\n"    // line 6
                                     "T0|w(x)|six\n" // line 7
                                     "T0|w()|8\n",   // line 8
                                     "bad.std");
  EXPECT_FALSE(imported.ok());
  EXPECT_EQ(imported.bad_lines, 7u);
  ASSERT_EQ(imported.errors.size(), 7u);
  EXPECT_TRUE(imported.trace.events.empty());
  for (std::size_t i = 0; i < imported.errors.size(); ++i) EXPECT_EQ(imported.errors[i].line, i + 2);
  EXPECT_EQ(imported.errors[0].text(), "bad.std:2:4: unknown operation `x`.");
  EXPECT_EQ(imported.errors[5].text(), "bad.std:7:9: the location `six` is not a number.");
}

TEST(ImportStd, OnlyTheFirstTwentyBadLinesAreDescribed) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "?\n";
  const Imported imported = read_std(text, "f");
  EXPECT_EQ(imported.bad_lines, 100u);
  EXPECT_EQ(imported.errors.size(), 20u);
}

TEST(ImportStd, AHeldLockAcquiredByAnotherIsImportedAndIllegal) {
  const Imported imported = read_std("T0|acq(l)|1\nT1|acq(l)|2\n", "f");
  ASSERT_TRUE(imported.ok());
  const trace::VerifyReport report = trace::verify(imported.trace);
  EXPECT_EQ(report.broken[static_cast<std::size_t>(trace::Rule::LockExclusion)], 1u);
}

TEST(ImportStd, AHeldLockAcquiredAgainByItsHolderIsRecursive) {
  const Imported imported = read_std("T0|acq(l)|1\nT0|acq(l)|2\nT0|rel(l)|3\nT0|rel(l)|4\nT1|acq(l)|5\n", "f");
  ASSERT_TRUE(imported.ok());
  EXPECT_TRUE(trace::verify(imported.trace).legal());
  EXPECT_EQ(exported(imported.trace), "T0|acq(l)|1\nT0|rel(l)|4\nT1|acq(l)|5\n");
}

TEST(ImportStd, AThreadThatActsBeforeItsForkIsIllegal) {
  EXPECT_FALSE(trace::verify(read_std("T1|w(x)|1\nT0|fork(T1)|2\n", "f").trace).legal());
  EXPECT_TRUE(trace::verify(read_std("T0|fork(T1)|2\nT1|w(x)|1\n", "f").trace).legal());
}

TEST(ImportStd, ASecondForkOfAThreadCostsItsLine) {
  const Imported imported = read_std("T0|fork(T1)|1\nT1|w(x)|2\nT0|fork(T1)|3\nT0|join(T1)|4\n", "f");
  ASSERT_TRUE(imported.ok());
  EXPECT_TRUE(trace::verify(imported.trace).legal());
  EXPECT_EQ(exported(imported.trace), "T0|fork(T1)|1\nT1|w(x)|2\nT0|join(T1)|4\n");
  ASSERT_EQ(imported.warnings.size(), 1u);
  EXPECT_EQ(imported.warnings[0].text(), "f:3:1: thread `T1` was forked before, in line 1: this line is left out.");
}

TEST(ImportStd, AForkOfANameThatDoesNothingIsOdd) {
  const Imported imported = read_std("T0|fork(T1)|1\nt1|w(x)|2\nT0|r(x)|3\n", "f");
  ASSERT_TRUE(imported.ok());
  ASSERT_EQ(imported.warnings.size(), 1u);
  EXPECT_EQ(imported.warnings[0].text(),
            "f:1:1: thread `T1` is forked, but does nothing in this file. Is it spelt as it should be?");
  EXPECT_TRUE(read_std(kSample, "f").warnings.empty());
}

TEST(ImportStd, AThreadThatActsAfterItsJoinIsIllegal) {
  EXPECT_FALSE(trace::verify(read_std("T0|fork(T1)|2\nT0|join(T1)|1\nT1|w(x)|3\n", "f").trace).legal());
}

TEST(ExportStd, AccessesAreCutWhereOthersBeginOrEnd) {
  TraceBuilder b(2);
  b.global(0x1000, 8, "pair");
  b.write(0, 0x1000, 8, 1);
  b.read(1, 0x1004, 4, 0);
  b.write(1, 0x2000, 4, 1);
  EXPECT_EQ(exported(b.trace), "T0|w(pair)|0\nT0|w(pair+4)|0\nT1|r(pair+4)|0\nT1|w(0x2000)|0\n");
}

TEST(ExportStd, AReusedBlockIsANewVariable) {
  TraceBuilder b(1);
  b.add(0, EventKind::Alloc, 0x1000, 16);
  b.write(0, 0x1008, 4, 1);
  b.add(0, EventKind::Free, 0x1000, 16);
  b.add(0, EventKind::Alloc, 0x1000, 16);
  b.write(0, 0x1008, 4, 1);
  EXPECT_EQ(exported(b.trace), "T0|w(heap#1+8)|0\nT0|w(heap#2+8)|0\n");
}

TEST(ExportStd, WaitsGiveUpTheMutexAndAtomicsAreAccesses) {
  TraceBuilder b(2);
  b.add(0, EventKind::Acquire, 0x20);
  b.add(0, EventKind::Wait, 0x30, 0x20);
  b.add(1, EventKind::Signal, 0x30);
  b.add(0, EventKind::Wake, 0x30, 0x20);
  b.add(0, EventKind::Release, 0x20);
  b.rmw(0, 0x40, 4, 0, 1);
  b.add(1, EventKind::Acquire, 0x20, trace::kLockTry, trace::kFailed);
  std::ostringstream out;
  const Exported result = write_std(b.trace, out);
  EXPECT_EQ(out.str(), "T0|acq(0x20)|0\nT0|rel(0x20)|0\nT0|acq(0x20)|0\nT0|rel(0x20)|0\nT0|r(0x40)|0\nT0|w(0x40)|0\n");
  EXPECT_EQ(result.lines, 6u);
  EXPECT_EQ(result.left_out.at("signal"), 1u);
  EXPECT_EQ(result.left_out.at("failed acquire"), 1u);
}

TEST(ExportStd, NamesThatStdCannotHoldAreChanged) {
  TraceBuilder b(1);
  b.global(0x1000, 4, "map<int, f(a|b)>");
  b.write(0, 0x1000, 4, 1);
  EXPECT_EQ(exported(b.trace), "T0|w(map<int,_f_a_b_>)|0\n");
}

TEST(ExportStd, NamesThatDifferOnlyInWhatIsChangedStayApart) {
  const auto imported = read_std("T0|w(a b)|1\nT0|w(a(b)|2\nT0|w(a b)|3\n", "input");
  ASSERT_TRUE(imported.ok());
  std::ostringstream out;
  write_std(imported.trace, out);
  EXPECT_EQ(out.str(), "T0|w(a_b)|1\nT0|w(a_b_2)|2\nT0|w(a_b)|3\n");
}

TEST(ImportStd, AnyTextIsReadOrRefusedAndWhatIsReadComesBack) {
  const bool held = rc::check("import of lines made from pieces", [] {
    const auto pieces = *rc::gen::container<std::vector<std::string>>(
        rc::gen::element<std::string>("T0", "T1", "|", "|", "r(x)", "w(x)", "acq(l)", "rel(l)", "fork(T1)", "join(T1)",
                                      "begin", "end(b)", "(", ")", "12", "-3", "\n", "\n", " ", "x"));
    std::string text;
    for (const std::string& piece : pieces) text += piece;
    const Imported imported = read_std(text, "f");
    if (!imported.ok()) {
      RC_ASSERT(!imported.errors.empty());
      return;
    }
    trace::verify(imported.trace);
    const std::string once = exported(imported.trace);
    const Imported again = read_std(once, "f");
    RC_ASSERT(again.ok());
    RC_ASSERT(exported(again.trace) == once);
  });
  EXPECT_TRUE(held);
}

TEST(Formats, AreFoundByNameAndByExtension) {
  EXPECT_NE(format_named("std"), nullptr);
  EXPECT_EQ(format_named("csv"), nullptr);
  EXPECT_EQ(format_of_file("a/b.std"), format_named("std"));
  EXPECT_EQ(format_of_file("a.sooth"), nullptr);
}

} // namespace
} // namespace sooth::import
