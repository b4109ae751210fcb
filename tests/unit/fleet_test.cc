// Records, seals, verdicts, spilled records, and a program that is put together from records that
// come in any order, repeated, missing and wrong. No server: tests/fleet has one.
#include <filesystem>
#include <random>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <unistd.h>

#include "fleet/overview.h"
#include "fleet/record.h"
#include "fleet/seal.h"
#include "fleet/spill.h"
#include "fleet/subjects.h"
#include "fleet/verdict.h"
#include "unit/fleet_landing.h"

namespace sooth::fleet {
namespace {

std::vector<Record> some_records() {
  return {landing_announcement(), FramesRecord{landing_id(), 5, 2, {1, 2, 3}}, EndRecord{landing_id(), 6},
          AliveRecord{"relay", {landing_id(), ProgramId{}}}};
}

TEST(FleetRecord, IsReadAsItWasWritten) {
  for (const Record& record : some_records()) {
    const auto again = decode_record(encode_record(record));
    ASSERT_TRUE(again.ok()) << again.error().message;
    EXPECT_TRUE(again.value() == record);
  }
}

TEST(FleetRecord, APartOfOneIsRefusedUnlessItsEndIsFree) {
  const Bytes end = encode_record(EndRecord{landing_id(), 300});
  for (std::size_t n = 0; n < end.size(); ++n)
    EXPECT_FALSE(decode_record(std::span(end).first(n)).ok()) << n << " bytes";
  Bytes longer = end;
  longer.push_back(0);
  EXPECT_FALSE(decode_record(longer).ok());
}

TEST(FleetRecord, AnotherVersionAndAnotherKindAreRefused) {
  Bytes bytes = encode_record(EndRecord{landing_id(), 1});
  bytes[3] = kRecordVersion + 1;
  EXPECT_NE(decode_record(bytes).error().message.find("version"), std::string::npos);
  bytes[3] = kRecordVersion;
  bytes[4] = 9;
  EXPECT_NE(decode_record(bytes).error().message.find("unknown kind"), std::string::npos);
}

TEST(FleetRecord, ALargerOneThanAServerTakesIsNotMade) {
  EXPECT_TRUE(encode_record(FramesRecord{landing_id(), 0, 0, Bytes(kMostRecord)}).empty());
}

TEST(FleetRecord, IdsAreReadAsTheyWereWritten) {
  const ProgramId id = random_id();
  EXPECT_EQ(parse_id(id.text()).value(), id);
  EXPECT_FALSE(parse_id(id.text() + "0").ok());
  EXPECT_FALSE(parse_id(std::string(32, 'g')).ok());
  EXPECT_FALSE(is_stream_name("a.b") || is_stream_name("") || is_stream_name("a b") || !is_stream_name("A-b_1"));
}

TEST(FleetSeal, IsHmacSha256OfSubjectAndPayload) {
  const std::string text = "what do ya want for nothing?";
  const std::span payload(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  const std::string mine = seal("Jefe", "S.data.1", payload);
  EXPECT_EQ(mine.size(), 64u);
  EXPECT_TRUE(is_sealed("Jefe", "S.data.1", payload, mine));
  EXPECT_FALSE(is_sealed("Jefe", "S.data.2", payload, mine)) << "of another subject";
  EXPECT_FALSE(is_sealed("Jefe", "S.data.1", payload.first(5), mine)) << "of another payload";
  EXPECT_FALSE(is_sealed("jefe", "S.data.1", payload, mine)) << "with another token";
  EXPECT_FALSE(is_sealed("Jefe", "S.data.1", payload, "")) << "without one";
  EXPECT_TRUE(is_sealed("", "S.data.1", payload, "")) << "nobody asks for one";
}

Verdict some_verdict() {
  Verdict out;
  out.id = landing_id();
  out.program = "landing";
  out.pid = 42;
  out.relay = "r";
  out.observer = "o";
  out.property = "p.prop";
  out.final = true;
  out.records = 12;
  out.waiting = 3;
  out.events = 4;
  out.findings = {{"predicted", "safe_landing"}};
  out.lacks = {{"cutOff", 1, "end that was not told"}};
  out.report = "{}";
  return out;
}

TEST(FleetVerdict, IsReadAsItWasWritten) {
  const Verdict verdict = some_verdict();
  const auto again = decode_verdict(encode_verdict(verdict));
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_TRUE(again.value() == verdict);
}

TEST(FleetVerdict, WrongOnesAreRefused) {
  const std::string good = encode_verdict(some_verdict());
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string out = good;
    out.replace(out.find(from), from.size(), to);
    return decode_verdict(out).ok();
  };
  EXPECT_TRUE(changed("\"pid\":42", "\"pid\":43"));
  EXPECT_FALSE(changed("\"pid\":42", "\"pid\":-1"));
  EXPECT_FALSE(changed("\"pid\":42", "\"pid\":4294967296"));
  EXPECT_FALSE(changed("\"final\":true", "\"final\":1"));
  EXPECT_FALSE(changed("\"verdict\":1", "\"verdict\":2"));
  EXPECT_FALSE(changed(landing_id().text(), "07"));
  EXPECT_FALSE(changed("[{\"property\"", "[7,{\"property\""));
  for (const char* text : {"", "[]", "null", "{", "\xff"}) EXPECT_FALSE(decode_verdict(text).ok()) << text;
}

TEST(FleetVerdict, TheTableCountsAndIsSafeForATerminal) {
  Verdict verdict = some_verdict();
  verdict.program = "evil\x1b[2J";
  const std::string text = table_text({{verdict.id, verdict}}, 0);
  EXPECT_EQ(text.find('\x1b'), std::string::npos) << text;
  EXPECT_NE(text.find("predicted violation of safe_landing; 1 end that was not told"), std::string::npos) << text;
  EXPECT_NE(text.find("1 programs: 1 ended, 1 with a finding, 1 not complete"), std::string::npos) << text;
}

TEST(FollowedProgram, AllRecordsInOrderGiveTheVerdictOfASocket) {
  Followed f;
  for (const Record& record : landing_records()) ASSERT_FALSE(f.program.take(record));
  EXPECT_TRUE(f.program.ended());
  const report::Report& report = f.end();
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].property, "safe_landing");
  EXPECT_TRUE(report.coverage.complete);
}

TEST(FollowedProgram, AnyOrderAndRepeatsGiveTheSameVerdict) {
  rc::check("records in any order, some twice, the end last", [] {
    std::vector<Record> records = landing_records();
    const Record end = records.back();
    records.pop_back();
    const auto twice = *rc::gen::inRange<std::size_t>(0, records.size());
    records.push_back(records[twice]);
    std::mt19937 random(*rc::gen::arbitrary<std::uint32_t>());
    std::shuffle(records.begin(), records.end(), random);
    Followed f;
    for (const Record& record : records) RC_ASSERT(!f.program.take(record));
    RC_ASSERT(!f.program.take(end));
    const report::Report& report = f.end();
    RC_ASSERT(report.findings.size() == 1u);
    RC_ASSERT(report.coverage.complete);
  });
}

// Whichever record is gone: no finding that a whole run does not have, and never "complete".
TEST(FollowedProgram, AMissingRecordIsToldAsLost) {
  const std::vector<Record> records = landing_records();
  for (std::size_t gone = 0; gone + 1 < records.size(); ++gone) {
    Followed f;
    for (std::size_t i = 0; i < records.size(); ++i)
      if (i != gone) f.program.take(records[i]);
    const report::Report& report = f.end();
    EXPECT_FALSE(report.coverage.complete) << gone;
    EXPECT_TRUE(f.lacks("lostRecords")) << gone;
    EXPECT_EQ(f.program.lost(), 1u);
    for (const auto& finding : report.findings) EXPECT_EQ(finding.property, "safe_landing");
  }
}

TEST(FollowedProgram, WithoutItsEndItIsCutOff) {
  Followed f;
  std::vector<Record> records = landing_records();
  records.resize(records.size() - 3); // neither the relay's end nor the program's
  for (const Record& record : records) f.program.take(record);
  EXPECT_FALSE(f.end().coverage.complete);
  EXPECT_TRUE(f.lacks("cutOff"));
}

TEST(FollowedProgram, RecordsOfOthersAndAfterTheEndAreRefused) {
  Followed f;
  ProgramId other;
  other.bytes.fill(8);
  EXPECT_TRUE(f.program.take(FramesRecord{other, 0, 0, {}}));
  EXPECT_TRUE(f.program.take(EndRecord{other, 0}));
  EXPECT_TRUE(f.program.take(AliveRecord{"relay", {}}));
  EXPECT_TRUE(f.program.take(landing_announcement()));
  for (const Record& record : landing_records()) ASSERT_FALSE(f.program.take(record));
  EXPECT_TRUE(f.program.take(FramesRecord{landing_id(), 1000, 0, {}}));
  EXPECT_TRUE(f.end().coverage.complete);
}

// As over a socket: the channel is closed, the others go on, and what is missing is told.
TEST(FollowedProgram, AWrongMessageEndsItsChannelOnly) {
  std::vector<Record> records = landing_records();
  Followed f;
  auto& bad = std::get<FramesRecord>(records[3]);
  bad.channel = 2;
  bad.frames = {1, 0, 0, 0, 99};
  for (const Record& record : records) ASSERT_FALSE(f.program.take(record));
  EXPECT_EQ(f.notes.size(), 1u);
  EXPECT_FALSE(f.end().coverage.complete);
  EXPECT_TRUE(f.lacks("refusedChannels"));
  EXPECT_TRUE(f.lacks("missingMessages"));
}

TEST(FollowedProgram, ARecordThatIsFarAheadDoesNotFillTheMemory) {
  Followed f;
  for (std::uint64_t i = 0; i < 3 * kMostUnderWay; ++i)
    ASSERT_FALSE(f.program.take(FramesRecord{landing_id(), 1 + i, 0, {}}));
  EXPECT_EQ(f.program.lost(), 1u) << "the gap is taken for what it is";
  EXPECT_FALSE(f.program.has_gap());
}

class FleetSpill : public testing::Test {
protected:
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("sooth-fleet-test-" + std::to_string(::getpid()));
  void TearDown() override { std::filesystem::remove(path); }
};

TEST_F(FleetSpill, GivesBackInOrderAndAfterARestart) {
  {
    auto spill = std::move(Spill::open(path, 1 << 20).value());
    EXPECT_TRUE(spill->put({1}) && spill->put({2, 2}) && spill->put({3}));
    EXPECT_EQ(spill->take(), Bytes({1}));
    EXPECT_FALSE(Spill::open(path, 1 << 20).ok()) << "two relays with one file";
  }
  auto spill = std::move(Spill::open(path, 1 << 20).value());
  EXPECT_EQ(spill->take(), Bytes({1})) << "taken, and not known to be stored";
  EXPECT_EQ(spill->take(), Bytes({2, 2}));
  EXPECT_EQ(spill->take(), Bytes({3}));
  EXPECT_EQ(spill->take(), std::nullopt);
  spill->settled();
  EXPECT_EQ(std::filesystem::file_size(path), 0u);
}

TEST_F(FleetSpill, EndsWhereItIsDamagedOrCutOff) {
  {
    EXPECT_TRUE(Spill::open(path, 1 << 20).value()->put({1, 2, 3}));
  }
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 1);
  auto spill = std::move(Spill::open(path, 1 << 20).value());
  EXPECT_EQ(spill->take(), std::nullopt);
  EXPECT_TRUE(spill->empty());
}

TEST_F(FleetSpill, KeepsToItsBound) {
  auto spill = std::move(Spill::open(path, 40).value());
  EXPECT_TRUE(spill->has_room(28));
  EXPECT_FALSE(spill->has_room(29));
}

} // namespace
} // namespace sooth::fleet
