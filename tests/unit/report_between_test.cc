// What lies between runs, and what the page needs: baselines, differences, merged reports,
// fingerprints, writes that reads see, excerpts.
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "report/between/known.h"
#include "report/between/merge.h"
#include "report/between/processes.h"
#include "report/files/excerpts.h"
#include "report/files/junit.h"
#include "report/files/page.h"
#include "report/files/sarif.h"
#include "report/fingerprint.h"
#include "report/json.h"
#include "report/reads_from.h"
#include "report/suppressions.h"
#include "unit/report_fixture.h"

namespace sooth::report {
namespace {

using testing::bank_race;
using testing::bank_trace;
using testing::report_of;
using trace::testing::TraceBuilder;

Report bank_report() { return report_of(bank_trace(), {bank_race()}); }

TEST(Known, AReportKnowsItself) {
  Report report = bank_report();
  const auto known = read_known(json(report), "bank.json");
  ASSERT_TRUE(known.ok());
  ASSERT_EQ(known.value().size(), 1u);
  EXPECT_EQ(known.value()[0].title, "predicted data race on `total`");
  EXPECT_EQ(known.value()[0].places,
            (std::vector<std::string>{"src/bank.cpp:11 in deposit(int)", "src/audit.cpp:20 in audit()"}));
  leave_out_known(known.value(), "bank.json", report);
  EXPECT_TRUE(report.findings.empty());
  ASSERT_EQ(report.coverage.gaps.size(), 1u);
  EXPECT_EQ(report.coverage.gaps[0].count, 1u);
}

TEST(Known, WhatIsNoReportIsRefused) {
  for (const char* text : {"", "[", "[]", "{}", "{\"findings\": 3}", "{\"findings\": [3]}", "{\"findings\": [{}]}"})
    EXPECT_FALSE(read_known(text, "x").ok()) << text;
  EXPECT_TRUE(read_known("{\"findings\": [{\"fingerprint\": \"a\", \"sites\": [1, {\"line\": -3}]}]}", "x").ok());
}

TEST(Known, NewGoneAndUnchangedAreByFingerprint) {
  const KnownFinding a{"a", "race", "predicted", "A", {}}, b{"b", "race", "predicted", "B", {}};
  KnownFinding b_observed = b;
  b_observed.status = "observed";
  const KnownFinding c{"c", "race", "predicted", "C", {}};
  const Difference difference = report::difference({a, b}, {b_observed, c});
  EXPECT_EQ(difference.fresh, std::vector{c});
  EXPECT_EQ(difference.gone, std::vector{a});
  EXPECT_EQ(difference.unchanged, std::vector{b_observed});
}

TEST(Merged, EqualFindingsOfTwoRunsAreOneAndObservedOnesAreShown) {
  Report second = report_of(bank_trace(0x10000), {bank_race()}); // the same program, elsewhere in memory
  second.findings[0].status = witness::Status::Observed;
  MergedReports merged;
  EXPECT_FALSE(merged.add(bank_report()));
  EXPECT_FALSE(merged.add(second));
  merged.miss("broken.sooth", "no trace");
  const Report all = std::move(merged).all();
  ASSERT_EQ(all.findings.size(), 1u);
  const FindingText& finding = all.findings[0];
  EXPECT_EQ(finding.status, witness::Status::Observed);
  EXPECT_EQ(finding.trace, 1u);
  EXPECT_EQ(finding.also_in, std::vector<std::size_t>{0});
  EXPECT_EQ(finding.count, 6u);
  EXPECT_EQ(finding.note, "Found in 2 of 2 traces.");
  // The second run's events are behind the first one's.
  const std::uint32_t first = static_cast<std::uint32_t>(all.traces[1].first_event);
  EXPECT_EQ(finding.places[0].step.event, first + 5);
  EXPECT_EQ(step_of(all, first + 5).variable, "total");
  EXPECT_EQ(step_of(all, first + 8).from, first + 5);
  EXPECT_FALSE(all.coverage.complete);
  EXPECT_EQ(all.coverage.unanswered, std::vector<std::string>{"the trace broken.sooth (no trace)"});
}

Report of_process(std::uint64_t number, std::vector<std::uint64_t> forked, bool became_another = false) {
  Report report;
  report.trace = "process " + std::to_string(number);
  report.process = {number, 1, std::move(forked), became_another};
  return report;
}
std::map<std::string, std::string> gaps_of(const Report& report) {
  std::map<std::string, std::string> out;
  for (const Gap& gap : report.coverage.gaps) out[gap.name] = gap.detail;
  return out;
}

TEST(Processes, AReportNamesTheChildrenThatItLeavesOut) {
  Report alone = of_process(10, {11, 12});
  tell_processes(alone);
  EXPECT_FALSE(alone.coverage.complete);
  EXPECT_EQ(gaps_of(alone), (std::map<std::string, std::string>{{"childrenLeftOut", "process 11, process 12"}}));

  Report childless = of_process(10, {});
  tell_processes(childless);
  EXPECT_TRUE(childless.coverage.complete && childless.coverage.gaps.empty());
}

TEST(Processes, ThoseWithTracesAreNamedAndThoseWithoutAreLeftOut) {
  MergedReports merged;
  EXPECT_FALSE(merged.add(of_process(10, {11, 12, 13})));
  EXPECT_FALSE(merged.add(of_process(11, {14}), true)); // whose own child is missing, too
  merged.leave_out(13);                                 // there was no time
  Report all = std::move(merged).all();
  tell_processes(all);
  EXPECT_FALSE(all.coverage.complete);
  EXPECT_EQ(gaps_of(all),
            (std::map<std::string, std::string>{{"childProcesses", "process 11"},
                                                {"childrenLeftOut", "process 12, process 13, process 14"}}));
}

TEST(Processes, AnExecThatIsNotFollowedIsTold) {
  Report alone = of_process(10, {}, true);
  tell_processes(alone);
  EXPECT_FALSE(alone.coverage.complete);
  EXPECT_EQ(gaps_of(alone).count("becameAnother"), 1u);

  MergedReports child; // of a child it is a note
  EXPECT_FALSE(child.add(of_process(10, {11})));
  EXPECT_FALSE(child.add(of_process(11, {}, true), true));
  Report with_child = std::move(child).all();
  tell_processes(with_child);
  EXPECT_TRUE(with_child.coverage.complete);
  EXPECT_EQ(gaps_of(with_child).count("otherPrograms"), 1u);

  MergedReports followed; // the second trace of the process is what it became
  EXPECT_FALSE(followed.add(of_process(10, {}, true)));
  EXPECT_FALSE(followed.add(of_process(10, {}), true));
  Report whole = std::move(followed).all();
  tell_processes(whole);
  EXPECT_TRUE(whole.coverage.complete);
}

TEST(Merged, ASuppressionThatOneRunUsedIsOfUse) {
  const auto with = [](const std::string& unused) {
    Report report = bank_report();
    report.analysed = 9;
    report.coverage.gaps.push_back({kUnusedSuppressions, 2, "suppressions matched nothing", true, unused});
    return report;
  };
  MergedReports merged;
  EXPECT_FALSE(merged.add(with("race:a (line 1), race:b (line 2)")));
  EXPECT_FALSE(merged.add(with("race:b (line 2), race:c (line 3)")));
  const Report all = std::move(merged).all();
  ASSERT_EQ(all.coverage.gaps.size(), 1u);
  EXPECT_EQ(all.coverage.gaps[0].detail, "race:b (line 2)");
  EXPECT_EQ(all.coverage.gaps[0].count, 1u);
}

TEST(Fingerprints, WithoutLinesTheyStayWhenLinesMove) {
  FindingText finding = bank_report().findings[0];
  FindingText moved = finding;
  for (PlaceText& place : moved.places) place.step.spot.line += 7;
  EXPECT_EQ(fingerprint_without_lines(finding), fingerprint_without_lines(moved));
  EXPECT_NE(fingerprint(finding), fingerprint(moved));
  moved.places[0].step.spot.function = "withdraw(int)";
  EXPECT_NE(fingerprint_without_lines(finding), fingerprint_without_lines(moved));
}

TEST(Fingerprints, TwoFindingsOfOneReportNeverShareOne) {
  Report report = bank_report();
  report.findings.push_back(report.findings[0]);
  report.findings.push_back(report.findings[0]);
  const std::string first = report.findings[0].fingerprint;
  tell_apart_fingerprints(report);
  EXPECT_EQ(report.findings[0].fingerprint, first);
  EXPECT_NE(report.findings[1].fingerprint, first);
  EXPECT_NE(report.findings[1].fingerprint, report.findings[2].fingerprint);
}

// T1 writes x = 1, T2 writes x = 2, T1 reads x.
TEST(ReadsFromTest, TheLastWriteOfTheRunThatIsMeant) {
  TraceBuilder b(3);
  b.write(1, 0x100, 4, 1);  // 0
  b.write(2, 0x102, 1, 2);  // 1: a part of it
  b.read(1, 0x100, 4, 1);   // 2
  b.read(1, 0x100, 2, 1);   // 3: not that part
  b.read(1, 0x200, 4, 0);   // 4: nobody writes it
  b.write(2, 0x100, 64, 0); // 5
  ReadsFrom from(b.trace);
  for (const std::uint32_t event : {0u, 2u, 3u, 4u}) from.ask_recorded(event);
  // In this witness, T1's read comes before T2's write; in the other one all of it is as recorded.
  from.ask_witness(0, {0, {0, 2, 1}, {3}}, std::vector<std::uint32_t>{2, 3});
  from.ask_witness(1, {2, {}, {2}}, std::vector<std::uint32_t>{2});
  from.ask_witness(2, {0, {5}, {2}}, std::vector<std::uint32_t>{2});
  from.answer();
  EXPECT_EQ(from.recorded(2), 1u);
  EXPECT_EQ(from.recorded(3), 0u);
  EXPECT_EQ(from.recorded(4), std::nullopt);
  EXPECT_EQ(from.recorded(0), std::nullopt);
  EXPECT_EQ(from.of_witness(0), (std::map<std::uint32_t, std::uint32_t>{{2, 0}, {3, 0}}));
  EXPECT_EQ(from.of_witness(1), (std::map<std::uint32_t, std::uint32_t>{{2, 1}}));
  EXPECT_EQ(from.of_witness(2), (std::map<std::uint32_t, std::uint32_t>{{2, 5}}));
}

TEST(Excerpts, LinesAroundThePlacesOfFilesThatCanBeRead) {
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "sooth-excerpts";
  std::filesystem::create_directories(folder);
  std::ofstream file(folder / "read.cpp");
  for (int line = 1; line <= 100; ++line) file << "line " << line << (line == 50 ? std::string(1000, 'x') : "") << "\n";
  file.close();
  Report report;
  report.directory = folder.string();
  for (const auto& [name, line] : std::vector<std::pair<const char*, std::uint32_t>>{{"lost.cpp", 5},
                                                                                     {"lost.cpp", 9},
                                                                                     {"lost.cpp", 900},
                                                                                     {"read.cpp", 3},
                                                                                     {"read.cpp", 15},
                                                                                     {"read.cpp", 50},
                                                                                     {"read.cpp", 99},
                                                                                     {"read.cpp", 300}}) {
    StepText step;
    step.spot = {name, line, 0, "", false};
    report.steps.push_back(step);
  }
  const std::vector<Excerpt> parts = excerpts(report);
  ASSERT_EQ(parts.size(), 3u); // 3 and 15 meet
  EXPECT_EQ(parts[0].first, 1u);
  EXPECT_EQ(parts[0].lines.size(), 24u);
  EXPECT_EQ(parts[0].lines[14], "line 15");
  EXPECT_EQ(parts[1].first, 41u);
  EXPECT_LT(parts[1].lines[9].size(), 500u);
  EXPECT_EQ(parts[2].lines.back(), "line 100");
  std::filesystem::remove_all(folder);
}

TEST(Suppressed, ByFingerprintOfTheFindingOrOfAPair) {
  Report report = bank_report();
  ASSERT_FALSE(report.findings[0].pairs.empty());
  PairText another = report.findings[0].pairs[0];
  another.fingerprint = "00000000000000aa";
  report.findings[0].pairs.push_back(another);
  Suppressor pair({{"fingerprint", "00000000000000aa", 1}, {"fingerprint", "00000000000000bb", 2}}, "");
  pair.keep_back_fingerprints(report);
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].pairs.size(), 1u);
  EXPECT_EQ(report.findings[0].suppressed_pairs, 1u);
  EXPECT_EQ(pair.unused({"races"}), std::vector<std::string>{"fingerprint:00000000000000bb (line 2)"});
  Suppressor whole({{"fingerprint", report.findings[0].fingerprint, 1}, {"deadlock", "x", 2}, {"thread", "x", 3}}, "");
  whole.keep_back_fingerprints(report);
  EXPECT_TRUE(report.findings.empty());
  EXPECT_EQ(report.suppressed, 1u);
  EXPECT_TRUE(whole.unused({"races"}).empty()); // nobody looked for deadlocks
}

TEST(Suppressed, RaceIsWhatThreadSanitizerMeans) {
  FindingText finding = bank_report().findings[0];
  EXPECT_TRUE(matches({"race", "^main$", 1}, finding)); // it created the threads
  EXPECT_FALSE(matches({"race_top", "^main$", 1}, finding));
  finding.kind = witness::FindingKind::UseAfterFree;
  EXPECT_TRUE(matches({"race", "deposit", 1}, finding));
  finding.kind = witness::FindingKind::Misuse;
  EXPECT_FALSE(matches({"race", "deposit", 1}, finding));
  EXPECT_TRUE(matches({"mutex", "deposit", 1}, finding));
}

TEST(Files, TextOfTheProgramStaysText) {
  Report report = bank_report();
  report.findings[0].note = "</failure><script>\x01\xff \"quoted\" & more";
  std::string xml;
  junit(report, [&](std::string_view text) { return xml += text, true; });
  EXPECT_EQ(xml.find("<script>"), std::string::npos);
  // The report's text makes control characters and what is not UTF-8 visible.
  EXPECT_NE(xml.find("&lt;/failure&gt;&lt;script&gt;\\x01\\xff &quot;quoted&quot; &amp; more"), std::string::npos)
      << xml;
  std::string log;
  sarif(report, [&](std::string_view text) { return log += text, true; });
  EXPECT_FALSE(nlohmann::json::parse(log, nullptr, false).is_discarded());
  if (!has_page()) return;
  std::string html;
  page(report, [&](std::string_view text) { return html += text, true; });
  EXPECT_EQ(html.find("</failure>"), std::string::npos);
  EXPECT_NE(html.find("\\u003c/failure>\\u003cscript>"), std::string::npos);
}

TEST(Files, XmlHasNoForbiddenLetters) {
  EXPECT_EQ(xml_text("a\tb\n\x1b[0m"), "a\tb\n\xef\xbf\xbd[0m");
  EXPECT_EQ(xml_text("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"), "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
  EXPECT_EQ(xml_text("\xc0\x80"), "\xef\xbf\xbd\xef\xbf\xbd");                 // too long a form
  EXPECT_EQ(xml_text("\xed\xa0\x80"), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"); // half of a pair
  EXPECT_EQ(xml_text("\xe2\x82"), "\xef\xbf\xbd\xef\xbf\xbd");
}

} // namespace
} // namespace sooth::report
